"""The tunnel to a private API: what is asked of AWS (moto), what is run, and what a person reads when it cannot be."""

import base64
import json
import shlex
import stat

import boto3
import pytest
import yaml
from botocore.stub import Stubber
from moto import mock_aws

from scripts import tunneling
from scripts.tunneling import Place, TunnelError, Way
from tests.support import ROOT

pytestmark = pytest.mark.scripts

HOST = "0123.gr7.us-west-2.eks.amazonaws.com"
PLACE = Place(cluster="training-dev", region="us-west-2", profile=None)
WAY = Way(endpoint=f"https://{HOST}", certificate_authority=base64.b64encode(b"ca").decode(), instance="i-1")


@pytest.fixture(autouse=True)
def no_account(monkeypatch):
    for name in ("AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-west-2")


class Session:
    """moto's account, with SSM's view of its instances stubbed: moto has no agents that could be online."""

    def __init__(self, online):
        self._online = online

    def client(self, service_name, /):
        client = boto3.client(service_name, region_name="us-west-2")
        if service_name == "ssm":
            answer = {"InstanceInformationList": [{"InstanceId": name} for name in self._online]}
            stub = Stubber(client)
            stub.add_response("describe_instance_information", answer)
            stub.activate()
        return client


def make_cluster():
    eks = boto3.client("eks")
    role = "arn:aws:iam::123456789012:role/eks"
    eks.create_cluster(name=PLACE.cluster, roleArn=role, resourcesVpcConfig={"subnetIds": ["subnet-1"]})


def make_node(**tags):
    ec2 = boto3.client("ec2")
    image = ec2.describe_images()["Images"][0]["ImageId"]
    tagged = [{"Key": key.replace("__", ":").replace("_", "-"), "Value": value} for key, value in tags.items()]
    specification = [{"ResourceType": "instance", "Tags": tagged}] if tagged else []
    made = ec2.run_instances(ImageId=image, MinCount=1, MaxCount=1, TagSpecifications=specification)
    return made["Instances"][0]["InstanceId"]


SYSTEM = {"eks__cluster_name": "training-dev", "eks__nodegroup_name": "system"}


@mock_aws
def test_the_way_leads_through_a_running_system_node_that_ssm_reaches():
    make_cluster()
    make_node()
    make_node(eks__cluster_name="training-dev")
    make_node(eks__cluster_name="other", eks__nodegroup_name="system")
    nodes = sorted(make_node(**SYSTEM) for _ in range(2))
    way = tunneling.find_way(Session([nodes[1]]), PLACE)
    assert way.instance == nodes[1]
    assert way.endpoint == boto3.client("eks").describe_cluster(name=PLACE.cluster)["cluster"]["endpoint"]


@mock_aws
def test_a_missing_cluster_is_said_in_one_line():
    with pytest.raises(TunnelError, match="no cluster training-dev in us-west-2") as told:
        tunneling.find_way(Session([]), PLACE)
    assert "\n" not in str(told.value)


@mock_aws
def test_a_cluster_without_system_nodes_is_said():
    make_cluster()
    make_node(eks__cluster_name="training-dev")
    with pytest.raises(TunnelError, match="no running system node"):
        tunneling.find_way(Session([]), PLACE)


@mock_aws
def test_a_node_that_ssm_does_not_reach_is_said_with_the_way_out():
    make_cluster()
    node = make_node(**SYSTEM)
    with pytest.raises(TunnelError, match=f"SSM reaches none of {node}.*network.endpoints: private"):
        tunneling.find_way(Session([]), PLACE)


def test_the_session_forwards_the_local_port_to_the_api():
    command = tunneling.session_command(PLACE, WAY, 8443)
    assert command[:3] == ["aws", "ssm", "start-session"]
    assert command[command.index("--target") + 1] == "i-1"
    assert command[command.index("--document-name") + 1] == "AWS-StartPortForwardingSessionToRemoteHost"
    parameters = json.loads(command[-1])
    assert parameters == {"host": [HOST], "portNumber": ["443"], "localPortNumber": ["8443"]}


def test_a_profile_of_the_stack_file_is_used_for_the_session_and_for_tokens(tmp_path):
    (tmp_path / "Pulumi.dev.yaml").write_text("config: {aws:region: eu-west-1, aws:profile: work}", encoding="utf-8")
    place = tunneling.place_of("dev", tmp_path)
    assert place == Place(cluster="training-dev", region="eu-west-1", profile="work")
    assert "--profile work" in shlex.join(tunneling.session_command(place, WAY, 1))
    user = tunneling.kubeconfig(place, WAY, 1)["users"][0]["user"]["exec"]
    assert user["args"][-2:] == ["--profile", "work"]


def test_the_kubeconfig_goes_to_this_machine_and_expects_the_apis_own_certificate():
    [entry] = tunneling.kubeconfig(PLACE, WAY, 9000)["clusters"]
    assert entry["cluster"] == {
        "server": "https://127.0.0.1:9000",
        "tls-server-name": HOST,
        "certificate-authority-data": WAY.certificate_authority,
    }


def test_only_its_owner_reads_the_kubeconfig(tmp_path):
    path = tmp_path / "tunnels" / "dev.kubeconfig"
    tunneling.write_private(path, tunneling.kubeconfig(PLACE, WAY, 1))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert yaml.safe_load(path.read_text(encoding="utf-8"))["current-context"] == "training-dev"


@pytest.mark.parametrize("tool", ["aws", "session-manager-plugin"])
def test_a_missing_tool_is_named_with_where_to_get_it(monkeypatch, capsys, tool):
    monkeypatch.setattr(tunneling.shutil, "which", lambda name: None if name == tool else f"/bin/{name}")
    assert tunneling.main(["dev"]) == 1
    told = capsys.readouterr().err
    assert told.startswith(f"{tool} is not on PATH.")
    assert "https://docs.aws.amazon.com" in told
    assert told.count("\n") == 1


def test_an_unknown_environment_names_those_there_are(capsys):
    assert tunneling.main(["nowhere"]) == 1
    assert "dev, sandbox" in capsys.readouterr().err.replace("prod, ", "").replace(", staging", "")


def test_a_stack_file_without_a_region_is_said(tmp_path):
    (tmp_path / "Pulumi.dev.yaml").write_text("config: {}", encoding="utf-8")
    with pytest.raises(TunnelError, match="no aws:region"):
        tunneling.place_of("dev", tmp_path)


@mock_aws
def test_a_dry_run_prints_the_commands_and_starts_and_writes_nothing(monkeypatch, tmp_path, capsys):
    make_cluster()
    node = make_node(**SYSTEM)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(tunneling, "find_way", lambda session, place: Way(**{**vars_of(WAY), "instance": node}))
    monkeypatch.setattr(tunneling.subprocess, "run", lambda *a, **k: pytest.fail("something was started"))
    assert tunneling.main(["dev", "--dry-run"], Session([node])) == 0
    exported, command = capsys.readouterr().out.splitlines()
    assert exported == f"export KUBECONFIG={tmp_path}/eks-training-platform/tunnels/dev.kubeconfig"
    assert node in shlex.split(command)
    assert list(tmp_path.iterdir()) == []


def vars_of(way):
    return {"endpoint": way.endpoint, "certificate_authority": way.certificate_authority}


def test_the_launcher_is_one_that_people_can_run():
    assert (ROOT / "scripts" / "tunnel").stat().st_mode & stat.S_IXUSR
