"""What a pool may say but should be reminded of: a preview shows it each time."""

from collections.abc import Iterator

from stacks.node_pools import NodePool


def pool_warnings(path: str, pool: NodePool) -> Iterator[str]:
    """One sentence for each choice that can end jobs or leave nodes unused, with the field that makes it."""
    if pool.termination_grace_period is not None:
        yield (
            f"{path}.terminationGracePeriod = {pool.termination_grace_period}: it overrides do-not-disrupt and pod "
            "disruption budgets, so an image or tag change replaces nodes under running jobs, which are killed when it "
            "ends."
        )
    if pool.capacity.accept_interruption and pool.efa_mode != "off":
        placed = " (in a placement group all at once)" if pool.placement_group not in (None, "none") else ""
        yield (
            f"{path}.capacity.acceptInterruption = true: AWS takes spot nodes back with two minutes' notice{placed}; "
            "every job here must resume from a checkpoint."
        )
    hard = [taint.key for taint in pool.taints if taint.effect != "PreferNoSchedule"]
    if hard:
        yield (
            f"{path}.taints: device plugins and other DaemonSets that do not tolerate {', '.join(hard)} never run on "
            "these nodes, and accelerators without their plugin stay unused."
        )
