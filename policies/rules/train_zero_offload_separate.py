"""ZeRO offloads what its blocks name, and nothing by its stage: what is called offload has a block that does it."""

from collections.abc import Iterator

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.manifests import Workload, table, workload_of
from policies.train_deepspeed import KINDS, Document, claimed_offload, documents
from policies.values import is_said

OPTIMIZER, PARAMETERS = "offload_optimizer", "offload_param"


def _problems(workload: Workload, document: Document) -> Iterator[str]:
    devices = {block: document.device(block) for block in (OPTIMIZER, PARAMETERS)}
    claim = claimed_offload(workload, document)
    if claim is not None and not any(devices.values()):
        yield (
            f"is said to offload ({claim}) and has neither {OPTIMIZER} nor {PARAMETERS}: ZeRO stage {document.stage} "
            "alone keeps all on the GPUs. Add the block with device cpu or nvme, or drop the claim"
        )
    for block, device in devices.items():
        if device and document.stage is not None and document.stage < (3 if block == PARAMETERS else 1):
            yield (
                f"has {block} with ZeRO stage {document.stage}, which does not do it. Set stage "
                f"{3 if block == PARAMETERS else '1, 2 or 3'}, or remove {block}"
            )
        if device == "nvme" and not is_said(table(document.zero.get(block)).get("nvme_path")):
            yield f"has {block} on nvme and no nvme_path. Say the path of a mounted disk, or set device: cpu"


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args) if args.resource_type in KINDS else None
    found = list(documents(workload)) if workload is not None else []
    if workload is None or not found:
        args.not_applicable("no configuration of DeepSpeed")
        return
    for document in found:
        for problem in _problems(workload, document):
            report(f"{workload.title}: the DeepSpeed configuration {document.where} {problem}.", None)


POLICY = ResourceValidationPolicy(
    name="train-zero-offload-separate",
    display_name="Offload is configured, not implied",
    description="DeepSpeed configurations that are to offload say what goes where.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.MEDIUM,
    tags=["train-zero-offload-separate"],
    remediation_steps="Write offload_optimizer and offload_param with device cpu or nvme, and check the host's memory.",
    url="https://www.deepspeed.ai/docs/config-json/",
    validate=_validate,
)
