"""Versions of EKS add-ons, as EKS says them."""

from __future__ import annotations

from collections.abc import Sequence

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from scripts import tunneling
from scripts.preflighting.asking import Aws, Session, code_of, one_line
from scripts.telling import say
from scripts.tunneling import TunnelError

ABSENT = "ResourceNotFoundException"


def addons_in_aws(
    environment: str, fields: Sequence[str], session: Session | None = None
) -> tuple[dict[str, str], list[str]]:
    """Field -> version of each add-on that EKS knows, and what could not be asked.

    Args:
        environment: whose cluster.
        fields: such as `cluster.addonVersions.coredns`.
        session: of boto3; without it, one of the stack's region and profile.
    """
    found: dict[str, str] = {}
    try:
        place = tunneling.place_of(environment)
        eks = Aws(session or boto3.Session(region_name=place.region, profile_name=place.profile), place.region).eks
        for field in fields:
            name = field.rsplit(".", 1)[-1]
            say(f"eks     {name}")
            try:
                found[field] = eks.describe_addon(clusterName=place.cluster, addonName=name)["addon"]["addonVersion"]
            except ClientError as error:
                # One that is not there yet comes with the update.
                if code_of(error) != ABSENT:
                    raise
    except (TunnelError, BotoCoreError, ClientError) as problem:
        return found, [f"add-ons could not be asked (eks:DescribeAddon): {one_line(problem)}"]
    return found, []
