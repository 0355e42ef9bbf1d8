"""The provider as Pulumi starts it: a process that prints its port and speaks gRPC."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest
from google.protobuf import empty_pb2
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from scripts.sandboxing import plugins
from scripts.sandboxing.aws import values
from tests.scripts.local_providers import VPC, urn_of

pytestmark = pytest.mark.scripts

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 400 * 1024 * 1024


@contextmanager
def started(home: Path, name: str = "aws") -> Iterator[provider_pb2_grpc.ResourceProviderStub]:
    """The installed plugin, started from a folder of a program, with an AWS profile that does not exist."""
    plugins.install(home, Path(sys.executable), ROOT, None)
    [binary] = home.glob(f"plugins/resource-{name}-v*/pulumi-resource-{name}")
    environment = {"PATH": os.environ["PATH"], "AWS_PROFILE": "nonsense", "AWS_REGION": "mars-north-1"}
    process = subprocess.Popen([binary, "127.0.0.1:1"], stdout=subprocess.PIPE, text=True, cwd=home, env=environment)
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        options = [("grpc.max_receive_message_length", LIMIT), ("grpc.max_send_message_length", LIMIT)]
        with grpc.insecure_channel(f"127.0.0.1:{port}", options=options) as channel:
            yield provider_pb2_grpc.ResourceProviderStub(channel)
    finally:
        process.terminate()
        process.wait(timeout=20)


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[provider_pb2_grpc.ResourceProviderStub]:
    with started(tmp_path_factory.mktemp("pulumi home with spaces")) as stub:
        stub.Configure(provider_pb2.ConfigureRequest(args=values.to_struct({"region": "us-west-2"})))
        yield stub


def check(aws: provider_pb2_grpc.ResourceProviderStub, name: str, properties: dict[str, object]) -> float:
    """The seconds that a check of a VPC took."""
    began = time.perf_counter()
    request = provider_pb2.CheckRequest(urn=urn_of(VPC, name), type=VPC, news=values.to_struct(properties))
    assert not aws.Check(request).failures
    return time.perf_counter() - began


def test_it_says_its_version_and_what_it_accepts(aws: provider_pb2_grpc.ResourceProviderStub) -> None:
    assert aws.GetPluginInfo(empty_pb2.Empty()).version == "7.51.1"
    request = provider_pb2.ConfigureRequest(args=values.to_struct({"region": "us-west-2"}))
    response = aws.Configure(request)
    assert response.acceptSecrets
    assert response.supportsPreview
    assert not response.acceptResources  # references come as ids, as at the real provider


def test_a_missing_region_is_asked_for_and_the_environment_is_not_consulted(
    aws: provider_pb2_grpc.ResourceProviderStub,
) -> None:
    response = aws.CheckConfig(provider_pb2.CheckRequest(news=values.to_struct({})))
    [failure] = response.failures
    assert failure.property == "region"
    assert "aws:region" in failure.reason


def test_a_refusal_arrives_as_its_text_alone(aws: provider_pb2_grpc.ResourceProviderStub) -> None:
    with pytest.raises(grpc.RpcError) as refused:
        aws.Invoke(provider_pb2.InvokeRequest(tok="aws:ec2/getAmi:getAmi"))
    assert refused.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert "Traceback" not in refused.value.details()


def test_a_message_beyond_grpcs_own_limit_passes(aws: provider_pb2_grpc.ResourceProviderStub) -> None:
    check(aws, "large", {"tags": {"large": "x" * 6_000_000}})


def test_many_threads_are_served_correctly_while_modules_load(tmp_path: Path) -> None:
    tokens = [VPC, "aws:iam/role:Role", "aws:s3/bucket:Bucket", "aws:eks/cluster:Cluster", "aws:kms/key:Key"]
    with started(tmp_path) as fresh, ThreadPoolExecutor(20) as pool:
        fresh.Configure(provider_pb2.ConfigureRequest(args=values.to_struct({"region": "us-west-2"})))

        def arn(index: int) -> str:
            token = tokens[index % len(tokens)]
            properties = values.to_struct({"bucket": "b", "name": "n"})
            request = provider_pb2.CreateRequest(urn=urn_of(token, f"r{index}"), type=token, properties=properties)
            return str(values.from_struct(fresh.Create(request).properties)["arn"])

        found = list(pool.map(arn, range(60)))
    services = [token.split(":")[1].split("/")[0] for token in tokens] * 12
    assert [text.split(":")[2] for text in found] == services


def test_a_call_takes_milliseconds_once_the_module_is_loaded(aws: provider_pb2_grpc.ResourceProviderStub) -> None:
    check(aws, "first", {})
    fastest = min(check(aws, f"r{i}", {"cidrBlock": "10.0.0.0/16", "tags": {"a": "b"}}) for i in range(50))
    assert fastest < 0.02  # about 1 ms on an idle machine


def test_the_plugin_never_loads_an_aws_client(tmp_path: Path) -> None:
    program = (
        "import sys, runpy\n"
        "from scripts.sandboxing.aws import server, lives, invokes, shapes\n"
        "shapes.shape('aws:ec2/vpc:Vpc')\n"
        "print([m for m in sys.modules if m.split('.')[0] in {'boto3', 'botocore', 'moto'}])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ["aws", "eks"])
def test_a_provider_ends_soon_after_a_killed_engine(tmp_path: Path, name: str) -> None:
    plugins.install(tmp_path, Path(sys.executable), ROOT, None)
    [binary] = tmp_path.glob(f"plugins/resource-{name}-v*/pulumi-resource-{name}")
    engine = f"import subprocess, time; subprocess.Popen([{str(binary)!r}, '127.0.0.1:1']); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", engine], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        port = int(parent.stdout.readline())
        assert is_open(port)
        parent.kill()
        deadline = time.monotonic() + 20
        while is_open(port) and time.monotonic() < deadline:
            time.sleep(0.1)
    assert not is_open(port)


def is_open(port: int) -> bool:
    with socket.socket() as connection:
        return connection.connect_ex(("127.0.0.1", port)) == 0
