"""Where checkpoints lie in a bucket, and the manifest that makes one complete. docs/checkpoints.md is the contract.

A checkpoint is durable when its manifest is in S3, because the manifest is written last, after every object that it
names was found there with its size and its checksum. S3 has no rename and no transaction: nothing else tells a
complete checkpoint from one whose upload died.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

RUNS = "runs/"
CHECKPOINTS = "checkpoints/"
MANIFEST_NAME = "manifest.json"
FORMAT_VERSION = 1
STEP_DIGITS = 9
"""Steps are padded, so that names in the order of the alphabet are in the order of time."""

_RUN = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")

RelativePath = Annotated[str, Field(pattern=r"^\.?[A-Za-z0-9_][A-Za-z0-9_.=-]*(/\.?[A-Za-z0-9_][A-Za-z0-9_.=-]*)*$")]
"""Of a file below the checkpoint's own prefix: no `..` and no leading slash. PyTorch's `.metadata` is one."""
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Utc = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$")]

StatePart = Literal["model", "optimizer", "scheduler", "scaler", "rng", "sampler", "trainer"]
NEEDED_PARTS: tuple[StatePart, ...] = ("model", "optimizer", "scheduler", "rng", "sampler", "trainer")
"""What a run needs to go on as if it had never stopped; `scaler` only where mixed precision has one."""


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, strict=True)


class CheckpointFile(_Strict):
    """One object of the checkpoint, written by one rank and by no other."""

    path: RelativePath
    bytes: Annotated[int, Field(ge=0)]
    sha256: Sha256
    """Of the content, computed from the local file, not from what S3 answers."""
    rank: Annotated[int, Field(ge=0)]
    """The rank that wrote it; every rank has a part of a sharded state."""
    parts: Annotated[tuple[StatePart, ...], Field(min_length=1, strict=False)]
    """What of the state is in it."""


class CheckpointManifest(_Strict):
    """The last object of a checkpoint. One that does not parse, or names what is not there, is no checkpoint."""

    format_version: Annotated[Literal[1], Field(alias="formatVersion")]
    run: Annotated[str, Field(pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$", max_length=128)]
    step: Annotated[int, Field(ge=0, lt=10**STEP_DIGITS)]
    world_size: Annotated[int, Field(ge=1, alias="worldSize")]
    framework: Annotated[str, Field(min_length=1, max_length=100)]
    """Format of the files and its version, such as `torch-dcp 2.9`: what reads them."""
    config_sha256: Annotated[Sha256, Field(alias="configSha256")]
    """Of the run's configuration: a schedule's parameters are not in its state."""
    written_at: Annotated[Utc, Field(alias="writtenAt")]
    files: Annotated[tuple[CheckpointFile, ...], Field(min_length=1, strict=False)]

    @model_validator(mode="after")
    def _is_whole(self) -> "CheckpointManifest":
        paths = [file.path for file in self.files]
        if twice := sorted({path for path in paths if paths.count(path) > 1}):
            raise ValueError(f"two ranks wrote {', '.join(twice)}: each file has one writer")
        if MANIFEST_NAME in paths:
            raise ValueError(f"{MANIFEST_NAME} cannot be one of the files: it is written after all of them")
        ranks = {file.rank for file in self.files}
        if missing := sorted(set(range(self.world_size)) - ranks):
            raise ValueError(f"no file of rank {', '.join(map(str, missing))} of {self.world_size}")
        if beyond := sorted(rank for rank in ranks if rank >= self.world_size):
            raise ValueError(f"rank {', '.join(map(str, beyond))} is not one of {self.world_size}")
        found = {part for file in self.files for part in file.parts}
        if lacking := [part for part in NEEDED_PARTS if part not in found]:
            raise ValueError(f"the state lacks {', '.join(lacking)}")
        return self


def checkpoint_prefix(team: str, run: str, step: int) -> str:
    """Beginning of the keys of one checkpoint: `team-a/runs/<run>/checkpoints/000001000/`.

    Args:
        team: prefix of the team in the bucket, `` or with a slash at its end (`storage.bucketAccess[].prefixes`).
        run: name of the run; a new one for each start from nothing, the same one for each restart.
        step: optimizer steps done.

    Raises:
        ValueError: for a name or step that would make keys which sort or parse wrongly.
    """
    if team and (not team.endswith("/") or team.startswith("/")):
        raise ValueError(f"the team's prefix {team!r} must end with a slash and not begin with one")
    if not _RUN.fullmatch(run):
        raise ValueError(f"the run's name {run!r} must be lower-case letters, digits, dashes and points")
    if not 0 <= step < 10**STEP_DIGITS:
        raise ValueError(f"step {step} must be between 0 and {10**STEP_DIGITS - 1}")
    return f"{team}{RUNS}{run}/{CHECKPOINTS}{step:0{STEP_DIGITS}}/"


def manifest_key(team: str, run: str, step: int) -> str:
    """Key of the object whose presence says that the checkpoint is complete."""
    return checkpoint_prefix(team, run, step) + MANIFEST_NAME


def differences(manifest: CheckpointManifest, found: Mapping[str, tuple[int, str]]) -> list[str]:
    """What is wrong with a checkpoint, in words; empty where every file is there as the manifest says.

    Args:
        manifest: of the checkpoint.
        found: path -> (bytes, SHA-256) of what was read back. More files than the manifest names are no harm.
    """
    problems = []
    for file in manifest.files:
        if file.path not in found:
            problems.append(f"{file.path} is missing")
            continue
        size, digest = found[file.path]
        if size != file.bytes:
            problems.append(f"{file.path} has {size} bytes, the manifest says {file.bytes}")
        elif digest != file.sha256:
            problems.append(f"{file.path} has another content than the manifest says")
    return problems


def may_be_pruned(verified: Iterable[int], complete: Iterable[int], keep: int) -> list[int]:
    """Steps that may go: older than the newest verified checkpoint, beyond the newest `keep`.

    Args:
        verified: steps whose files were read back and compared.
        complete: steps with a manifest; one that is not verified protects nothing.
        keep: how many of the complete ones stay, at least one.

    Raises:
        ValueError: if nothing would be kept.
    """
    if keep < 1:
        raise ValueError("keep must be at least 1: the newest verified checkpoint always stays")
    newest = max(verified, default=None)
    ordered = sorted(set(complete), reverse=True)
    return [] if newest is None else sorted(step for step in ordered[keep:] if step < newest)


def manifest_schema() -> str:
    """JSON Schema of the manifest, for trainers in other languages; data/checkpoint-manifest.schema.json holds it."""
    schema: dict[str, Any] = CheckpointManifest.model_json_schema(by_alias=True, mode="validation")
    whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
