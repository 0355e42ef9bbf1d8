"""Whether the account uses the region, and whether the zones are there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from components.catalog.partitions import partition_of
from scripts.findings import Finding
from scripts.preflighting.asking import DENIED, Answers, Question
from scripts.preflighting.concern import Concern
from scripts.preflighting.subject import Subject

HOME = {"aws": "us-east-1", "aws-cn": "cn-north-1", "aws-us-gov": "us-gov-west-1"}
"""A region of each partition that no account needs to enable: one that is not enabled cannot be asked about itself."""


class Region(Concern):
    """The region is enabled; every zone of the network exists, is a zone proper, and works."""

    name = "region"

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        region = subject.region
        self._enabled: Question[list[dict[str, Any]]] = Question(
            about="whether the region is enabled",
            rights="ec2:DescribeRegions",
            ask=lambda aws: list(
                aws.elsewhere("ec2", HOME[partition_of(region)]).describe_regions(
                    AllRegions=True, Filters=[{"Name": "region-name", "Values": [region]}]
                )["Regions"]
            ),
            # Policies often forbid other regions; then the calls in this one say enough.
            absent=DENIED,
        )
        self._zones: Question[list[dict[str, Any]]] = Question(
            about="which zones the region has",
            rights="ec2:DescribeAvailabilityZones",
            ask=lambda aws: list(aws.ec2.describe_availability_zones(AllAvailabilityZones=True)["AvailabilityZones"]),
        )

    def questions(self) -> Sequence[Question[Any]]:
        return [self._enabled, self._zones]

    def check(self, answers: Answers) -> Iterator[Finding]:
        found = answers.maybe(self._enabled)
        regions = None if found is None else [each for each in found if each["RegionName"] == self.subject.region]
        if regions == []:
            yield self.error("aws:region", self.subject.region, "AWS has no such region.", "write it as in us-west-2")
            return
        if regions and regions[0].get("OptInStatus") == "not-opted-in":
            yield self.error(
                "aws:region",
                self.subject.region,
                "The account has not enabled this region: every call to it fails.",
                f"aws account enable-region --region-name {self.subject.region} (takes minutes to hours), "
                "or use another region",
            )
            return
        zones = {zone["ZoneName"]: zone for zone in answers[self._zones]}
        proper = sorted(name for name, zone in zones.items() if _is_proper(zone))
        for at, name in enumerate(self.environment.network.zones):
            field, zone = f"network.zones[{at}]", zones.get(name)
            if zone is None or name not in proper:
                yield self.error(
                    field,
                    name,
                    "This account has no such zone." if zone is None else "This is a local or a wavelength zone.",
                    f"use zones out of {', '.join(proper)}",
                    "net-single-az-communication",
                )
            elif zone.get("State", "available") != "available":
                said = "; ".join(str(message.get("Message", "")) for message in zone.get("Messages", ()))
                yield self.warning(
                    field,
                    name,
                    f"AWS calls the zone {zone['State']}: {said or 'no reason given'}.",
                    "wait, or leave it out",
                )


def _is_proper(zone: dict[str, Any]) -> bool:
    return bool(zone.get("ZoneType", "availability-zone") == "availability-zone")
