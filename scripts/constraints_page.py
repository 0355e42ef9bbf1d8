"""docs/constraints.md: every documented constraint and what enforces it at each gate."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from policies.constraints import Constraint, Gate, catalogue, enforcers, owners, summary
from scripts.pages import NOTICE, table

ROOT = Path(__file__).resolve().parent.parent
STOPPED = ROOT / "tests" / "engine" / "programs" / "obsolete" / "stopped.txt"
"""What the real engine printed about a program that does what older material teaches; a test compares it."""
AREAS = {
    "ckpt": "Checkpoints",
    "cost": "Cost",
    "efa": "EFA and NCCL",
    "efs": "EFS",
    "fsx": "FSx for Lustre",
    "gpu": "GPUs",
    "hub": "JupyterHub",
    "job": "Jobs and launchers",
    "mpi": "MPI Operator",
    "net": "Network and zones",
    "neuron": "Trainium and Neuron",
    "ops": "Operation and evidence",
    "pg": "Placement groups",
    "pool": "Karpenter pools",
    "prec": "Precision",
    "ray": "Ray",
    "s3": "S3",
    "sec": "Security",
    "slurm": "Slurm and Slinky",
    "train": "Training methods",
    "ver": "Versions",
    "volcano": "Volcano",
}


def constraints() -> str:
    """The page."""
    lines = [
        "# Constraints",
        "",
        NOTICE,
        "",
        "What the guides of this field document, one row for each constraint, and the gates that can see it:",
        "",
        "- **CONFIG**: the typed environment refuses it before anything starts (named: the test that shows it);",
        "- **PREVIEW**: a rule of the policy pack reports it ([policies.md](policies.md));",
        "- **ADMISSION**: the API server refuses it when someone applies it (`policies/admission/rules`);",
        "- **PREFLIGHT**: only AWS, or the running cluster, knows ([preflight](preflight.md), [verify](verify.md);",
        "  named: the module of `scripts/` that asks);",
        "- **RUNTIME**: only a run shows it (named: the test of what reads it);",
        "- **DOC**: no gate can see it, or the document adds something.",
        "",
        "`planned` names the work that owns a gate and is not built yet. Examples of each, right and wrong, lie in",
        "`policies/examples/<id>/`; the tiers `policy` and `admission` judge all of them.",
    ]
    rows = [(row.gate, row.documented, row.enforced, row.planned, row.stated) for row in summary()]
    lines += table("Gates", ("gate", "documented", "enforced", "planned", "stated only"), rows)
    ordered = sorted(catalogue().values(), key=lambda row: row.area)
    for area, found in groupby(ordered, key=lambda row: row.area):
        lines += ["", f"## {AREAS[area]}"]
        for constraint in found:
            lines += _section(constraint)
    if STOPPED.exists():
        lines += [
            "",
            "## A program that does what older material teaches",
            "",
            "`tests/engine/programs/obsolete` is plain Pulumi, without any of our components. A preview of it with the",
            "pack, on the real engine, ends with exit status 1 and these lines:",
            "",
            "```text",
            STOPPED.read_text(encoding="utf-8").rstrip(),
            "```",
        ]
    return "\n".join(lines) + "\n"


def _section(constraint: Constraint) -> Iterator[str]:
    yield from ("", f"### {constraint.id}", "")
    yield f"{constraint.statement} {constraint.why}"
    yield from ("", f"Way out: {constraint.remedy}", "")
    for gate in constraint.gates:
        yield f"- {gate}: {_owner(constraint, gate)}"
    yield from ("", f"Severity {constraint.severity}. Source: {constraint.source}.")


def _owner(constraint: Constraint, gate: Gate) -> str:
    found = enforcers(constraint, gate)
    if gate == "PREVIEW" and found:
        return ", ".join(f"[`{name}`](policies.md#{name})" for name in found)
    if found:
        return ", ".join(f"`{name}`" for name in found)
    told = owners(constraint, gate)
    return constraint.doc if told == "stated" else told
