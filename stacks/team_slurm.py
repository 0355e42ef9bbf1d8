"""Slurm accounts of teams: the commands that make them, since nothing of Slinky 1.2 does.

Its kinds are Controller, NodeSet, LoginSet, Accounting, RestApi and Token; a pull request with kinds for accounts and
users was closed (SlinkyProject/slurm-operator#216, read 2026-11-29). A Job of ours would need slurm.key, with which
anybody is Slurm's root, and it would undo shares and limits that an operator sets in Slurm itself.
"""

from collections.abc import Iterator, Sequence

from components.catalog.instance_types import GPU_RESOURCE, NEURON_RESOURCE
from components.catalog.pins import SLURM
from stacks.node_pools import NodePool
from stacks.problems import MISSING, Problem
from stacks.slurm import SlurmSpec
from stacks.teams import TeamSpec

ENFORCE = "AccountingStorageEnforce"
_HOLDS_LIMITS = {"limits", "safe", "all"}
"""Words of that line that make Slurm heed limits (slurm.conf(5), read 2026-11-29); each implies `associations`."""
_GRES = {GPU_RESOURCE: "gres/gpu", NEURON_RESOURCE: "gres/neuron"}


def slurm_commands(teams: Sequence[TeamSpec], slurm: SlurmSpec, pools: Sequence[NodePool]) -> list[str]:
    """One line for each account: it is made where it is missing, and its limit set.

    Args:
        teams: `teams` of the environment.
        slurm: `platform.slurm`.
        pools: `nodePools`; devices of a kind that no node set has are left out, since Slurm does not count them.
    """
    manager = f"kubectl exec -n {SLURM.namespace} statefulset/{slurm.name}-controller -c slurmctld -- sacctmgr -i"
    by_name = {pool.name: pool for pool in pools}
    kinds = {str(by_name[one.pool].type_facts.accelerator_resource) for one in slurm.node_sets}
    lines = []
    for team in teams:
        if team.slurm_account is None:
            continue
        account = team.slurm_account
        limits = [f"{_GRES[kind]}={count}" for kind, count in team.devices(pools).items() if kind in kinds]
        made = f"{manager} add account {account} Description={team.name}"
        if limits:
            # Not &&: an account may be there already, and how sacctmgr ends then was not tried.
            made += f"; {manager} modify account where name={account} set GrpTRES={','.join(limits)}"
        lines.append(made)
    return lines


def check_slurm_accounts(teams: Sequence[tuple[str, TeamSpec]], slurm: SlurmSpec | None) -> Iterator[Problem]:
    """An account is kept by slurmdbd, belongs to one team, and its limit counts only where Slurm is told to look.

    Args:
        teams: well-formed entries of the section, each with its path.
        slurm: `platform.slurm`; None where it is off.
    """
    first: dict[str, str] = {}
    for path, team in teams:
        if team.slurm_account is None:
            continue
        where = f"{path}.slurmAccount"
        yield from _check_records(where, team, slurm)
        if slurm is not None and slurm.accounting is not None:
            yield from _check_enforced(where, team, slurm)
        if team.slurm_account == "root":
            yield Problem(
                path=where,
                value="root",
                reason="Slurm's own account has this name: every other one lies below it.",
                accepted="a name other than root",
                ways_out=(f"name it after the team: {team.name}", "remove the line"),
            )
        if other := first.get(team.slurm_account):
            yield Problem(
                path=where,
                value=team.slurm_account,
                reason=f"{other} has the same account: the two would share one limit, and the later one would set it.",
                accepted="an account that no other team has",
                ways_out=(f"name it after the team: {team.name}", "remove the line"),
            )
        first.setdefault(team.slurm_account, path)


def _check_records(where: str, team: TeamSpec, slurm: SlurmSpec | None) -> Iterator[Problem]:
    if slurm is not None and slurm.accounting is not None:
        return
    yield Problem(
        path=where,
        value=team.slurm_account,
        reason="There is no Slurm cluster."
        if slurm is None
        else "Slurm keeps accounts in its database, and platform.slurm.accounting is null.",
        accepted="an account where platform.slurm has accounting",
        ways_out=("write platform.slurm with accounting: {database: {}}", "remove the line"),
    )


def _check_enforced(where: str, team: TeamSpec, slurm: SlurmSpec) -> Iterator[Problem]:
    said = next((str(value) for key, value in slurm.config.items() if key.lower() == ENFORCE.lower()), None)
    if said is None or not _HOLDS_LIMITS & {word.strip().lower() for word in said.split(",")}:
        yield Problem(
            path=f"platform.slurm.config.{ENFORCE}",
            value=MISSING if said is None else said,
            reason=f"Without it Slurm ignores the limit of {team.slurm_account} ({where}), and whoever names no "
            "account has none at all.",
            accepted="limits or safe; users without an account then cannot submit",
            ways_out=(f'write platform.slurm.config: {{{ENFORCE}: "limits"}}', f"remove {where}"),
        )
