"""Rules of the sections `storage.buckets`, `storage.bucketAccess` and `storage.bucketMounts`."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

from components.catalog.s3_classes import ARCHIVES, FIRST_MOVE_AFTER_DAYS, MINIMUM_DAYS, WATERFALL
from stacks.buckets import BucketAccess, BucketMount, BucketSpec
from stacks.names import LOG_BUCKET, MAX_BUCKET_NAME
from stacks.pools_together import check_unique
from stacks.problems import Problem, one_of

_RESERVED_PREFIXES = ("xn--", "sthree-", "amzn-s3-demo-")
_RESERVED_SUFFIXES = ("-s3alias", "--ol-s3", "--x-s3", "--table-s3")
_OF_OURS_ONLY = ("recovery_window_days", "tiers", "expire_after_days", "delete_with_objects")
_NO_MANIFEST = (
    "S3 deletes by age alone and knows no manifest: the rule may take the last verified checkpoint "
    "(s3-lifecycle-after-verified-copy)."
)


def check_buckets(
    buckets: Sequence[tuple[str, BucketSpec]],
    access: Sequence[tuple[str, BucketAccess]],
    mounts: Sequence[tuple[str, BucketMount]],
    *,
    namespaces: Collection[str] | None,
    protect_data: bool | None,
) -> Iterator[Problem]:
    """Every rule on buckets, who may use them, and what mounts them.

    Args:
        buckets: well-formed entries of `storage.buckets`, each with its path.
        access: those of `storage.bucketAccess`.
        mounts: those of `storage.bucketMounts`.
        namespaces: names in `namespaces`; None where that section is not well-formed.
        protect_data: `lifecycle.protectData`; None where it is not well-formed.
    """
    for path, bucket in buckets:
        yield from check_bucket_name(path, bucket)
        yield from check_existing_bucket(path, bucket)
        yield from check_retention(path, bucket)
        yield from check_deletion(path, bucket, protect_data)
    yield from check_unique("name", [(path, bucket.name) for path, bucket in buckets])
    known = {bucket.name: bucket for _, bucket in buckets}
    for path, entry in access:
        yield from _known_bucket(path, entry.bucket, known)
        yield from _known_namespace(f"{path}.namespace", entry.namespace, namespaces)
        yield from check_service_account(path, entry)
        for position, prefix in enumerate(entry.prefixes):
            yield from check_prefix(f"{path}.prefixes[{position}]", prefix, 'prefixes: [""] for the whole bucket')
    yield from _said_twice(access)
    for path, mount in mounts:
        yield from _known_bucket(path, mount.bucket, known)
        yield from check_prefix(f"{path}.prefix", mount.prefix, "remove the line for the whole bucket")
        yield from check_readable(path, mount, known.get(mount.bucket))
        for position, namespace in enumerate(mount.namespaces):
            yield from _known_namespace(f"{path}.namespaces[{position}]", namespace, namespaces)
    yield from check_unique("name", [(path, mount.name) for path, mount in mounts])


def check_retention(path: str, bucket: BucketSpec) -> Iterator[Problem]:
    """Tiers go down the waterfall, are worth their minimum, and expiration comes after them and the window."""
    if bucket.existing is not None:
        yield from _retention_of_another(path, bucket)
        return
    yield from _order_of_tiers(path, bucket)
    yield from _minimum_days(path, bucket)
    expires, window = bucket.expire_after_days, bucket.recovery_window_days
    if expires is None:
        return
    last = max((tier.after_days for tier in bucket.tiers), default=-1)
    ways_out = (f"set expireAfterDays to {max(window, last) + 1} or more", "remove the line: objects then stay")
    if expires <= last:
        yield Problem(
            path=f"{path}.expireAfterDays",
            value=expires,
            reason=f"The last tier begins at {last} days: S3 refuses an expiration that is not later.",
            accepted=f"null or more than {last}",
            ways_out=ways_out,
        )
    checkpoints = bucket.purpose == "checkpoints"
    if expires < window or (checkpoints and expires == window):
        yield Problem(
            path=f"{path}.expireAfterDays",
            value=expires,
            reason=_NO_MANIFEST if checkpoints else "Objects would live shorter than what was deleted by mistake.",
            accepted=f"null or {'more than' if checkpoints else 'at least'} recoveryWindowDays ({window})",
            ways_out=(ways_out[0], "remove the line and let the trainer prune behind the newest verified checkpoint")
            if checkpoints
            else ways_out,
        )


def _retention_of_another(path: str, bucket: BucketSpec) -> Iterator[Problem]:
    for name in _OF_OURS_ONLY:
        if name in bucket.model_fields_set:
            field = str(BucketSpec.model_fields[name].alias)
            yield Problem(
                path=f"{path}.{field}",
                value=getattr(bucket, name),
                reason=f"{bucket.existing} is another team's bucket: nothing about it is changed here.",
                accepted="this field on buckets of ours only",
                ways_out=("remove the line", "remove existing to have a bucket made"),
            )


def _order_of_tiers(path: str, bucket: BucketSpec) -> Iterator[Problem]:
    for position, (before, after) in enumerate(pairwise(bucket.tiers), start=1):
        if after.after_days <= before.after_days:
            yield Problem(
                path=f"{path}.tiers[{position}].afterDays",
                value=after.after_days,
                reason=f"The tier before it begins at {before.after_days} days; the youngest comes first.",
                accepted=f"more than {before.after_days}",
                ways_out=("put the tiers in the order of their days", "remove one of the two"),
            )
        if WATERFALL.index(after.storage_class) <= WATERFALL.index(before.storage_class):
            yield Problem(
                path=f"{path}.tiers[{position}].storageClass",
                value=after.storage_class,
                reason=f"A lifecycle moves nothing from {before.storage_class} to {after.storage_class}.",
                accepted="classes in this order: " + one_of(WATERFALL),
                ways_out=("choose a class further down", "remove one of the two tiers"),
            )


def _minimum_days(path: str, bucket: BucketSpec) -> Iterator[Problem]:
    # An expired object becomes a noncurrent version, which keeps its class until the window has passed.
    end = None if bucket.expire_after_days is None else bucket.expire_after_days + bucket.recovery_window_days
    ends = [*(tier.after_days for tier in bucket.tiers[1:]), end]
    for position, (tier, left) in enumerate(zip(bucket.tiers, ends, strict=False)):
        where, least = f"{path}.tiers[{position}]", FIRST_MOVE_AFTER_DAYS.get(tier.storage_class, 0)
        if tier.after_days < least:
            yield Problem(
                path=f"{where}.afterDays",
                value=tier.after_days,
                reason=f"Not every partition of S3 moves objects to {tier.storage_class} before {least} days.",
                accepted=f"at least {least}",
                ways_out=(f"set afterDays: {least}", "use INTELLIGENT_TIERING or GLACIER_IR, which take any age"),
            )
        minimum = MINIMUM_DAYS[tier.storage_class]
        if left is not None and tier.after_days < left < tier.after_days + minimum:
            yield Problem(
                path=f"{where}.storageClass",
                value=tier.storage_class,
                reason=f"Objects leave it after {left - tier.after_days} days, and {minimum} are paid for.",
                accepted=f"a class that is kept for its minimum ({tier.storage_class}: {minimum} days)",
                ways_out=(f"let what follows begin at {tier.after_days + minimum} days or later", "remove this tier"),
            )


def check_deletion(path: str, bucket: BucketSpec, protect_data: bool | None) -> Iterator[Problem]:
    """Nobody may say both that data is protected and that a destroy empties a bucket."""
    if bucket.delete_with_objects and protect_data and bucket.existing is None:
        yield Problem(
            path=f"{path}.deleteWithObjects",
            value=True,
            reason="lifecycle.protectData forbids to delete the bucket, so it cannot be emptied on the way either.",
            accepted="null or false while lifecycle.protectData is true",
            ways_out=("remove the line", "set lifecycle.protectData: false, which lifts it for all data"),
        )


def check_service_account(path: str, entry: BucketAccess) -> Iterator[Problem]:
    """A role is for the pods that ask for it, not for every pod of a namespace."""
    if entry.service_account == "default":
        yield Problem(
            path=f"{path}.serviceAccount",
            value=entry.service_account,
            reason="Every pod of the namespace that names no ServiceAccount would have this access.",
            accepted="a name of its own, such as trainer",
            ways_out=("name the account after what runs under it: trainer", "remove this entry"),
        )


def check_prefix(path: str, prefix: str, whole: str) -> Iterator[Problem]:
    """A prefix ends where a folder does: `team-a` also begins the keys of `team-abc/`."""
    if not prefix or (prefix.endswith("/") and not prefix.startswith("/") and not set(prefix) & set("*?$")):
        return
    fixed = "".join(c for c in prefix if c not in "*?$").strip("/")
    yield Problem(
        path=path,
        value=prefix,
        reason="This is no beginning of keys that ends with a folder, without wildcards: team-a also begins the keys "
        "of team-abc/.",
        accepted='a text that ends with / and does not begin with it, or ""',
        ways_out=(f"write {fixed}/" if fixed else "name a folder, such as team-a/", whole),
    )


def check_readable(path: str, mount: BucketMount, bucket: BucketSpec | None) -> Iterator[Problem]:
    """Mountpoint opens no archived object. Source: awslabs/mountpoint-s3, doc/SEMANTICS.md (read 2026-11-29)."""
    archives = [tier.storage_class for tier in bucket.tiers if tier.storage_class in ARCHIVES] if bucket else []
    if archives:
        yield Problem(
            path=f"{path}.bucket",
            value=mount.bucket,
            reason=f"Its objects move to {one_of(archives)}: pods would see them and fail to open them.",
            accepted="a bucket without tiers " + one_of(ARCHIVES),
            ways_out=("use GLACIER_IR in the bucket's tiers: it is read at once", "mount another bucket"),
        )


def _known_bucket(path: str, name: str, known: Mapping[str, BucketSpec]) -> Iterator[Problem]:
    if name not in known:
        yield Problem(
            path=f"{path}.bucket",
            value=name,
            reason="storage.buckets has no bucket of this name.",
            accepted=one_of(known) or "a name in storage.buckets, which is empty",
            ways_out=(f"add {{name: {name}}} to storage.buckets", "name one that is there"),
        )


def _known_namespace(path: str, name: str, namespaces: Collection[str] | None) -> Iterator[Problem]:
    if namespaces is not None and name not in namespaces:
        yield Problem(
            path=path,
            value=name,
            reason="The section namespaces does not name it.",
            accepted=one_of(namespaces) or "a name in namespaces, which is empty",
            ways_out=(
                f"add {{name: {name}}} to namespaces",
                f"add {{name: {name}, existing: true}} if it is another's",
            ),
        )


def _said_twice(access: Sequence[tuple[str, BucketAccess]]) -> Iterator[Problem]:
    """Entries of one account add up, so the same prefix twice says two things about one."""
    first: dict[tuple[str, str, str, str], str] = {}
    for path, entry in access:
        for prefix in entry.prefixes:
            key = (entry.namespace, entry.service_account, entry.bucket, prefix)
            if (other := first.setdefault(key, path)) != path:
                yield Problem(
                    path=f"{path}.prefixes",
                    value=prefix,
                    reason=f"{other} already says what {entry.namespace}/{entry.service_account} may do there.",
                    accepted="each prefix of a bucket once for a service account",
                    ways_out=("remove it here", f"remove it from {other}"),
                )


def check_existing_bucket(path: str, bucket: BucketSpec) -> Iterator[Problem]:
    """A name that S3 could have given. Source: S3 user guide, "Bucket naming rules" (read 2026-11-29)."""
    name = bucket.existing or ""
    address = re.fullmatch(r"\d+(\.\d+){3}", name) is not None
    if ".." in name or address:
        yield Problem(
            path=f"{path}.existing",
            value=name,
            reason="No bucket has such a name: "
            + ("it looks like an address." if address else "two dots stand together."),
            accepted="3 to 63 lower-case letters, digits, dots and dashes",
            ways_out=("copy the name from: aws s3 ls", "remove the line to have a bucket made"),
        )


def check_bucket_name(path: str, bucket: BucketSpec) -> Iterator[Problem]:
    """S3 keeps some endings for itself. Source: S3 user guide, "Bucket naming rules" (read 2026-11-29)."""
    ending = next((suffix for suffix in _RESERVED_SUFFIXES if bucket.name.endswith(suffix)), None)
    start = next((prefix for prefix in _RESERVED_PREFIXES if bucket.name.startswith(prefix)), None)
    if reserved := ending or start:
        yield Problem(
            path=f"{path}.name",
            value=bucket.name,
            reason=f"S3 reserves names with {reserved}.",
            accepted=f"3 to {MAX_BUCKET_NAME} lower-case letters, digits and inner dashes",
            ways_out=(f"leave {reserved} out", "use a plain word, such as checkpoints"),
        )
    if bucket.name == LOG_BUCKET:
        yield Problem(
            path=f"{path}.name",
            value=bucket.name,
            reason="This is the name of the bucket that storage.accessLogs makes.",
            accepted="any other name",
            ways_out=("choose another name", "remove this entry and set storage.accessLogs"),
        )
