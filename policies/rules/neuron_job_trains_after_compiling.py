"""A Job that only compiles says so: nothing that it leaves behind is a trained model."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.labels import PRECOMPILE_STEP, STEP_LABEL
from components.catalog.neuron import COMPILER
from policies.manifests import Template, Workload, table, workload_of
from policies.neuron_jobs import only_compiles
from policies.values import UNKNOWN


def _says_so(workload: Workload, template: Template) -> bool:
    labels = (template.labels.get(STEP_LABEL), table(workload.metadata.get("labels")).get(STEP_LABEL))
    return PRECOMPILE_STEP in labels or UNKNOWN in labels


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    if workload is None or not workload.templates:
        args.not_applicable("nothing that makes pods")
        return
    for template in workload.templates:
        if only_compiles(template) and not _says_so(workload, template):
            report(
                f"{workload.title} runs {COMPILER} ({template.where or 'spec'}) and trains nothing: it succeeds, and "
                "whatever evaluates its result takes a model that was never trained. Label it "
                f"{STEP_LABEL}: {PRECOMPILE_STEP} and train in a second Job, or take {COMPILER} out of the command.",
                None,
            )


POLICY = ResourceValidationPolicy(
    name="neuron-job-trains-after-compiling",
    display_name="A precompile Job is no training",
    description="Jobs that only compile Neuron graphs are labelled as that.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["neuron-precompile-is-not-training"],
    remediation_steps=f"Label the Job {STEP_LABEL}: {PRECOMPILE_STEP}, and train in another one.",
    url="https://awsdocs-neuron.readthedocs-hosted.com/en/latest/frameworks/torch/torch-neuronx/api-reference-guide/training/pytorch-neuron-parallel-compile.html",
    validate=_validate,
)
