"""Service quotas: needed at the limits of the environment, taken by others in the account, and allowed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from components.catalog.instance_types import INSTANCE_TYPES
from components.catalog.quotas import (
    ADDRESSES,
    COUNTING_STATES,
    LUSTRE_CAPACITY,
    LUSTRE_COUNT,
    NAT_GATEWAYS,
    SERVICES,
    VPCS,
    Quota,
    vcpu_quota,
)
from scripts.findings import Finding
from scripts.preflighting import standing
from scripts.preflighting.asking import Answers, Aws, Question
from scripts.preflighting.concern import Concern
from scripts.preflighting.needs import Need, needs_of
from scripts.preflighting.reservations import RESERVATIONS
from scripts.preflighting.subject import Subject

Values = Mapping[str, float]
"""Code of a quota -> its value."""


def _listing(service: str, operation: str, about: str, rights: str) -> Question[Values]:
    def ask(aws: Aws) -> Values:
        # One page instead of many: a listing takes as long as its pages one after the other.
        size = {"PageSize": 100}
        found = aws.pages("service_quotas", operation, "Quotas", ServiceCode=service, PaginationConfig=size)
        return {each["QuotaCode"]: float(each["Value"]) for each in found}

    return Question(about=f"{about} of {service}", rights=rights, ask=ask)


class Quotas(Concern):
    """Nothing that the environment may grow to is above what the account may have."""

    name = "quotas"

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self._applied = {
            service: _listing(
                service, "list_service_quotas", "which quotas the account has", "servicequotas:ListServiceQuotas"
            )
            for service in SERVICES
        }
        self._defaults = {
            service: _listing(
                service,
                "list_aws_default_service_quotas",
                "which quotas AWS gives to everyone",
                "servicequotas:ListAWSDefaultServiceQuotas",
            )
            for service in SERVICES
        }

    def questions(self) -> Sequence[Question[Any]]:
        in_use = (standing.VPCS, standing.SUBNETS, standing.ADDRESSES, standing.GATEWAYS, standing.INSTANCES)
        return [*self._applied.values(), *self._defaults.values(), *in_use, standing.FILE_SYSTEMS, RESERVATIONS]

    def check(self, answers: Answers) -> Iterator[Finding]:
        needs, unquoted = needs_of(self.subject)
        for each in unquoted:
            yield self.unknown(
                each.field,
                each.seen,
                "No source names the quota that these nodes count towards.",
                "look for it in the console: Service Quotas, Amazon EC2",
            )
        used = self._used(answers)
        for quota, entries in needs.items():
            allowed = self._allowed(answers, quota)
            if isinstance(allowed, Finding):
                yield allowed
            elif allowed is not None:
                yield from self._judge(quota, entries, allowed, used.get(quota))

    def _allowed(self, answers: Answers, quota: Quota) -> float | Finding | None:
        applied = answers.maybe(self._applied[quota.service])
        if applied is not None and quota.code in applied:
            return applied[quota.code]
        defaults = answers.maybe(self._defaults[quota.service])
        if applied is None or defaults is None:
            return None
        if quota.code in defaults:
            return defaults[quota.code]
        return self.unknown(
            "aws:region",
            self.subject.region,
            f"Service Quotas lists no {quota.name} ({quota.code}) here.",
            f"look for it in the console: Service Quotas, {quota.service}",
        )

    def _judge(self, quota: Quota, entries: Sequence[Need], allowed: float, used: float | None) -> Iterator[Finding]:
        needed = sum(entry.amount for entry in entries)
        total = needed + (used or 0)
        if total <= allowed:
            return
        largest = max(entries, key=lambda entry: entry.amount)
        others = f" + {used:g} that others use" if used else ""
        unsure = " (what others use could not be asked)" if used is None else ""
        yield self.error(
            largest.field,
            largest.seen,
            f"{quota.name}: needed {needed} ({' + '.join(entry.words for entry in entries)}){others}{unsure} = "
            f"{total:g} {quota.unit}, allowed {allowed:g}.",
            f"aws service-quotas request-service-quota-increase --service-code {quota.service} --quota-code "
            f"{quota.code} --desired-value {total:g} --region {self.subject.region}; or ask for less",
        )

    def _used(self, answers: Answers) -> Mapping[Quota, float]:
        """What others in the account take, for the quotas of which that could be asked."""
        used: dict[Quota, float] = {}
        if (vpcs := answers.maybe(standing.VPCS)) is not None:
            used[VPCS] = len(self._of_others(vpcs))
        if (addresses := answers.maybe(standing.ADDRESSES)) is not None:
            used[ADDRESSES] = len(self._of_others(addresses))
        subnets, gateways = answers.maybe(standing.SUBNETS), answers.maybe(standing.GATEWAYS)
        if subnets is not None and gateways is not None:
            zones = {subnet["SubnetId"]: subnet["AvailabilityZone"] for subnet in subnets}
            placed = [zones.get(gateway.get("SubnetId", "")) for gateway in self._of_others(gateways)]
            used[NAT_GATEWAYS] = max((placed.count(zone) for zone in self.environment.network.zones), default=0)
        if (systems := answers.maybe(standing.FILE_SYSTEMS)) is not None:
            used.update(self._lustre(systems))
        used.update(self._vcpus(answers))
        return used

    def _of_others(self, found: standing.Found) -> standing.Found:
        return [each for each in found if not self.subject.is_ours(each.get("Tags"))]

    def _lustre(self, systems: standing.Found) -> Mapping[Quota, float]:
        used: dict[Quota, float] = dict.fromkeys((*LUSTRE_COUNT.values(), *LUSTRE_CAPACITY.values()), 0)
        for system in self._of_others(systems):
            kind = system.get("LustreConfiguration", {}).get("DeploymentType")
            if system.get("FileSystemType") == "LUSTRE" and kind in LUSTRE_COUNT:
                used[LUSTRE_COUNT[kind]] += 1
                used[LUSTRE_CAPACITY[kind]] += int(system.get("StorageCapacity") or 0)
        return used

    def _vcpus(self, answers: Answers) -> Mapping[Quota, float]:
        instances, reservations = answers.maybe(standing.INSTANCES), answers.maybe(RESERVATIONS)
        if instances is None or reservations is None:
            return {}
        used: dict[Quota, float] = {}
        for name in INSTANCE_TYPES:
            used.update({quota: 0 for spot in (False, True) if (quota := vcpu_quota(name, spot=spot)) is not None})
        for instance in self._of_others(instances):
            lifecycle = instance.get("InstanceLifecycle", "on-demand")
            quota = vcpu_quota(instance["InstanceType"], spot=lifecycle == "spot")
            if quota is not None and lifecycle != "capacity-block":
                cores = instance.get("CpuOptions", {})
                used[quota] = used.get(quota, 0) + cores.get("CoreCount", 0) * cores.get("ThreadsPerCore", 1)
        for each in reservations:
            facts = INSTANCE_TYPES.get(each["InstanceType"])
            quota = vcpu_quota(each["InstanceType"], spot=False)
            plain = each.get("ReservationType", "default") == "default" and each["State"] in COUNTING_STATES
            if facts is not None and quota is not None and plain:
                used[quota] = used.get(quota, 0) + facts.vcpu * int(each.get("AvailableInstanceCount", 0))
        return used
