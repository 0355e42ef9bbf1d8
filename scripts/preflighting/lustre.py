"""FSx for Lustre: combinations that exist, file systems of other teams as they really are, links that work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from components.catalog.lustre import OFFERINGS, capacity_fits
from scripts.findings import Finding
from scripts.preflighting import standing
from scripts.preflighting.asking import Answers, Aws, Question
from scripts.preflighting.concern import Concern
from scripts.preflighting.placeholders import is_placeholder
from stacks.lustre import LustreSpec


def _links(aws: Aws) -> Iterator[dict[str, Any]]:
    # boto3 has no paginator for this call.
    page: dict[str, Any] = {"NextToken": None}
    while "NextToken" in page:
        token = {"NextToken": page["NextToken"]} if page["NextToken"] else {}
        page = aws.fsx.describe_data_repository_associations(MaxResults=25, **token)
        yield from page.get("Associations", ())


LINKS: Question[list[dict[str, Any]]] = Question(
    about="whether links of Lustre to S3 work",
    rights="fsx:DescribeDataRepositoryAssociations",
    ask=lambda aws: list(_links(aws)),
)
BAD_LINKS = ("MISCONFIGURED", "FAILED", "DELETING")
MOUNTABLE = ("AVAILABLE", "UPDATING")


class Lustre(Concern):
    """What the file asks FSx for, against the catalog; what it says of existing file systems, against FSx."""

    name = "lustre"

    def questions(self) -> Sequence[Question[Any]]:
        systems = self.environment.storage.lustre
        linked = any(system.data_repositories for system in systems)
        return [*([standing.FILE_SYSTEMS, standing.SUBNETS] if systems else []), *([LINKS] if linked else [])]

    def check(self, answers: Answers) -> Iterator[Finding]:
        for at, spec in enumerate(self.environment.storage.lustre):
            path = f"storage.lustre[{at}]"
            if spec.existing is None:
                yield from self._combination(path, spec)
                yield from self._links(path, spec, answers)
            elif not is_placeholder(spec.existing.id):
                yield from self._existing(path, spec, answers)

    def _combination(self, path: str, spec: LustreSpec) -> Iterator[Finding]:
        offering = OFFERINGS.get((spec.deployment_type or "", spec.storage_type))
        if offering is None:
            yield self.error(
                f"{path}.storageType",
                spec.storage_type,
                f"FSx sells no {spec.deployment_type} with {spec.storage_type}.",
                "use one of " + ", ".join(f"{kind} {storage}" for kind, storage in OFFERINGS),
            )
            return
        throughput = spec.throughput_mbps_per_tib
        if (throughput is not None and not offering.throughputs) or (
            offering.throughputs and throughput not in offering.throughputs
        ):
            yield self.error(
                f"{path}.throughputMBpsPerTiB",
                throughput,
                f"{spec.deployment_type} takes {' or '.join(map(str, offering.throughputs)) or 'no such setting'}.",
                "set one of them" if offering.throughputs else "remove the line",
                "fsx-scratch2-no-throughput",
            )
        elif spec.capacity_gib and not capacity_fits(offering, spec.capacity_gib, throughput, efa=spec.efa):
            yield self.error(
                f"{path}.capacityGiB",
                spec.capacity_gib,
                f"FSx makes no {spec.deployment_type} of this size{' with EFA' if spec.efa else ''}.",
                "see docs/configuration.md, storage.lustre.capacityGiB",
            )

    def _links(self, path: str, spec: LustreSpec, answers: Answers) -> Iterator[Finding]:
        ours = {
            system["FileSystemId"]
            for system in answers[standing.FILE_SYSTEMS]
            if self.subject.is_ours(system.get("Tags"))
        }
        for at, repository in enumerate(spec.data_repositories):
            for link in answers.maybe(LINKS) or ():
                same = link.get("FileSystemId") in ours and link.get("FileSystemPath") == repository.path
                if same and link.get("Lifecycle") in BAD_LINKS:
                    said = link.get("FailureDetails", {}).get("Message", "no reason given")
                    yield self.error(
                        f"{path}.dataRepositories[{at}]",
                        repository.path,
                        f"FSx calls the link {link['AssociationId']} {link['Lifecycle']}: {said}.",
                        "correct the bucket's policy or key, then: aws fsx update-data-repository-association",
                        "fsx-dra-verified-separately",
                    )

    def _existing(self, path: str, spec: LustreSpec, answers: Answers) -> Iterator[Finding]:
        if spec.existing is None:
            return
        field, wanted = f"{path}.existing", spec.existing
        system = next((each for each in answers[standing.FILE_SYSTEMS] if each["FileSystemId"] == wanted.id), None)
        if system is None or system.get("FileSystemType") != "LUSTRE":
            there = [
                each["FileSystemId"] for each in answers[standing.FILE_SYSTEMS] if each["FileSystemType"] == "LUSTRE"
            ]
            yield self.error(
                f"{field}.id",
                wanted.id,
                f"This account has no such Lustre file system in {self.subject.region}.",
                f"of these there are: {', '.join(sorted(there)) or 'none'}",
            )
            return
        if system.get("Lifecycle") not in MOUNTABLE:
            yield self.error(
                f"{field}.id", wanted.id, f"FSx calls it {system.get('Lifecycle')}.", "repair it, or name another"
            )
        zones = {subnet["SubnetId"]: subnet["AvailabilityZone"] for subnet in answers.maybe(standing.SUBNETS) or ()}
        zone = next((zones[subnet] for subnet in system.get("SubnetIds", ()) if subnet in zones), None)
        if zone is not None and zone != spec.zone:
            yield self.error(
                f"{path}.zone",
                spec.zone,
                f"{wanted.id} lies in {zone}: its volumes would be offered to nodes of another zone.",
                f"set zone: {zone}",
                "net-subnet-zone-agreement",
            )
        details = system.get("LustreConfiguration", {})
        for part, ours, theirs in (
            ("mountName", wanted.mount_name, details.get("MountName")),
            ("efa", wanted.efa, bool(details.get("EfaEnabled", False))),
        ):
            if theirs is not None and ours != theirs:
                yield self.error(
                    f"{field}.{part}",
                    ours,
                    f"FSx says {theirs}.",
                    f"set {part}: {str(theirs).lower()}" if part == "efa" else f"set {part}: {theirs}",
                )
        network = self.environment.network.existing
        if network is None or system.get("VpcId") != network.vpc_id:
            yield self.warning(
                f"{field}.id",
                wanted.id,
                f"It lies in {system.get('VpcId')}, the nodes in another VPC.",
                "peer the two, open TCP 988 and 1018-1023 both ways, or use that VPC: network.existing",
            )
