"""An account for preflight's tests: moto's, with answers put in where moto has none or a fault is wanted.

Answers are put in before a call leaves botocore, so every call is a real client's, checked against AWS' own model.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import yaml
from boto3 import Session as Boto3Session
from botocore.exceptions import EndpointConnectionError

from components.catalog import quotas as catalog_quotas
from components.catalog.addons import ADDONS
from components.catalog.instance_types import INSTANCE_TYPES
from components.catalog.linked_roles import AUTO_SCALING as SCALING
from components.catalog.linked_roles import CLUSTER, DATABASE, EFS, LUSTRE, NODE_GROUPS, SPOT
from components.catalog.node_parameters import image_parameter, newest_parameter
from scripts.findings import Finding
from scripts.preflighting.run import preflight
from scripts.preflighting.subject import Subject, read
from tests.support import ROOT

REGION, ACCOUNT = "us-west-2", "123456789012"
ZONES = ("us-west-2a", "us-west-2b", "us-west-2c")
P5, TRN1, SYSTEM = "p5.48xlarge", "trn1.32xlarge", "m7i.2xlarge"
RELEASE, KUBERNETES = "v20261023", "1.35"
ADDON_VERSION = "v1.2.3-eksbuild.4"
WANTED_ADDONS = [*ADDONS, "aws-efs-csi-driver", "aws-mountpoint-s3-csi-driver"]
NOW = datetime.now(UTC)
PLENTY = 1_000_000.0


def example() -> dict[str, Any]:
    """The environment of stacks/Pulumi.dev.yaml, with an account and versions of add-ons put in."""
    text = (ROOT / "stacks/Pulumi.dev.yaml").read_text(encoding="utf-8").replace("111122223333", ACCOUNT)
    environment = yaml.safe_load(text)["config"]["eks-training-platform:environment"]
    environment["amiRelease"] = RELEASE
    environment["cluster"]["kubernetesVersion"] = KUBERNETES
    environment["storage"].pop("lustreClasses", None)
    environment["cluster"]["addonVersions"] = dict.fromkeys(WANTED_ADDONS, ADDON_VERSION)
    return dict(environment)


def subject_of(folder: Path, environment: Mapping[str, Any], *, accounts: tuple[str, ...] = (ACCOUNT,)) -> Subject:
    config = {
        "aws:region": REGION,
        "aws:allowedAccountIds": list(accounts),
        "eks-training-platform:environment": environment,
    }
    (folder / "Pulumi.dev.yaml").write_text(yaml.safe_dump({"config": config}), encoding="utf-8")
    return read("dev", folder)


def refused(code: str, message: str = "") -> Callable[[Mapping[str, Any]], Any]:
    """AWS' error instead of an answer."""

    def answer(_arguments: Mapping[str, Any]) -> Any:
        return SimpleNamespace(status_code=400), {"Error": {"Code": code, "Message": message}}

    return answer


def unreachable(url: str) -> Callable[[Mapping[str, Any]], Any]:
    """No way to an endpoint."""

    def answer(_arguments: Mapping[str, Any]) -> Any:
        raise EndpointConnectionError(endpoint_url=url)

    return answer


def reservation(name: str, **differently: Any) -> dict[str, Any]:
    return {
        "CapacityReservationId": name,
        "InstanceType": P5,
        "AvailabilityZone": ZONES[1],
        "InstancePlatform": "Linux/UNIX",
        "Tenancy": "default",
        "ReservationType": "default",
        "State": "active",
        "TotalInstanceCount": 4,
        "AvailableInstanceCount": 0,
        "StartDate": NOW - timedelta(days=1),
        **differently,
    }


def block(name: str, **differently: Any) -> dict[str, Any]:
    return reservation(name, **{"ReservationType": "capacity-block", "EndDate": NOW + timedelta(days=9), **differently})


def roles(*names: str) -> dict[str, Any]:
    return {"Roles": [{"RoleName": name} for name in names]}


def addon_versions(**versions: list[str]) -> dict[str, Any]:
    """What EKS lists; each add-on's last named version is its default."""
    listed = {**{name: [ADDON_VERSION] for name in WANTED_ADDONS}, **versions}
    return {
        "addons": [
            {
                "addonName": name,
                "addonVersions": [
                    {
                        "addonVersion": each,
                        "compatibilities": [{"clusterVersion": KUBERNETES, "defaultVersion": each == those[-1]}],
                    }
                    for each in those
                ],
            }
            for name, those in listed.items()
        ]
    }


def _allowed(arguments: Mapping[str, Any]) -> Any:
    return {
        "EvaluationResults": [{"EvalActionName": each, "EvalDecision": "allowed"} for each in arguments["ActionNames"]]
    }


def _images(arguments: Mapping[str, Any]) -> Any:
    names = [image_parameter(each, kubernetes=KUBERNETES, release=RELEASE) for each in INSTANCE_TYPES.values()]
    there = {**dict.fromkeys(names, "ami-1"), newest_parameter(KUBERNETES): "1.35.2-20261120"}
    return {"Parameters": [{"Name": name, "Value": there[name]} for name in arguments["Names"] if name in there]}


def quotas(**values: float) -> dict[str, Any]:
    """What the account was given of some quotas, by code (L_417A185B); the others are as AWS gives them."""
    return {"Quotas": [{"QuotaCode": code.replace("_", "-"), "Value": value} for code, value in values.items()]}


def _defaults(_arguments: Mapping[str, Any]) -> Any:
    catalog = catalog_quotas
    codes = {each.code for each in vars(catalog).values() if isinstance(each, catalog.Quota)}
    codes |= {each.code for table in (catalog.LUSTRE_COUNT, catalog.LUSTRE_CAPACITY) for each in table.values()}
    return {"Quotas": [{"QuotaCode": code, "Value": PLENTY} for code in codes]}


def offered(**zones: tuple[str, ...]) -> Callable[[Mapping[str, Any]], Any]:
    """Every type in every zone, but for those named: p5="..." stands for the family."""

    def answer(arguments: Mapping[str, Any]) -> Any:
        names = arguments["Filters"][0]["Values"]
        return {
            "InstanceTypeOfferings": [
                {"InstanceType": name, "Location": zone, "LocationType": "availability-zone"}
                for name in names
                for zone in zones.get(name.partition(".")[0], (*ZONES, "us-west-2d"))
            ]
        }

    return answer


class Account:
    """moto's account, everything asked of it counted."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.seconds = 0.0
        self._lock = threading.Lock()
        self.answers: dict[str, Any] = {
            "GetParameters": _images,
            "ListServiceQuotas": quotas(),
            "ListAWSDefaultServiceQuotas": _defaults,
            "SimulatePrincipalPolicy": _allowed,
            "DescribeInstanceTypeOfferings": offered(),
            "DescribeCapacityReservations": {"CapacityReservations": []},
            "DescribePlacementGroups": {"PlacementGroups": []},
            "ListRoles": roles(*(r.name for r in (CLUSTER, NODE_GROUPS, SCALING, SPOT, LUSTRE, EFS, DATABASE))),
            "DescribeAddonVersions": addon_versions(),
            "DescribeClusterVersions": {
                "clusterVersions": [
                    {
                        "clusterVersion": KUBERNETES,
                        "versionStatus": "STANDARD_SUPPORT",
                        "endOfStandardSupportDate": NOW + timedelta(days=400),
                    }
                ]
            },
        }

    def session(self) -> "Session":
        return Session(self)

    def answer(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Instead of a call: status and answer, or None where moto is to answer."""
        with self._lock:
            self.calls[name] += 1
        time.sleep(self.seconds)
        answer = self.answers.get(name)
        if answer is None:
            return None
        given = answer(arguments) if callable(answer) else answer
        if isinstance(given, tuple):
            return given
        return SimpleNamespace(status_code=200), {"ResponseMetadata": {"HTTPHeaders": {}}, **given}

    def findings(self, subject: Subject) -> list[Finding]:
        return preflight(subject, self.session())


class Session:
    """A boto3 session whose clients outlive it: to make them is most of a run's time. They ask the last account."""

    _clients: ClassVar[dict[tuple[str, str], Any]] = {}
    _asked: ClassVar[list[Account]] = []

    def __init__(self, account: Account) -> None:
        self._asked[:] = [account]

    def get_credentials(self) -> object:
        return self._made().get_credentials()

    def client(self, service_name: str, /, region_name: str = REGION, **options: Any) -> Any:
        key = (service_name, region_name)
        if key not in self._clients:
            client = self._made().client(service_name, region_name=region_name, **options)
            client.meta.events.register("provide-client-params.*.*", self._remember)
            client.meta.events.register("before-call.*.*", self._answer)
            self._clients[key] = client
        return self._clients[key]

    @staticmethod
    def _made() -> Boto3Session:
        return Boto3Session(
            aws_access_key_id="testing",
            aws_secret_access_key="testing",  # noqa: S106 - moto takes any
            region_name=REGION,
        )

    @staticmethod
    def _remember(params: Any, context: dict[str, Any], **_: Any) -> None:
        context["arguments"] = dict(params)

    @classmethod
    def _answer(cls, model: Any, context: dict[str, Any], **_: Any) -> Any:
        return cls._asked[0].answer(model.name, context["arguments"])


def only(found: list[Finding]) -> Finding:
    """The one finding that there is."""
    assert len(found) == 1, [each.lines() for each in found]
    return found[0]
