"""Times `preview` of an environment against a bare program with as many resources, and with the policy pack.

    python bench/preview.py [ENVIRONMENT] [--runs N]

The bare program uses the same three SDKs and providers in one flat file without a component, a model or a rule of ours:
an EKS cluster with a node group by pulumi-eks, a Kubernetes provider, two charts, two custom resources, and as many
`aws.ec2.Vpc` as make up the number. The three are run in turn (A B C, A B C, ...), so that a machine that slows down
slows all of them; medians and the median of the pairwise ratios are printed. Record them in docs/performance.md with
the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import yaml

from scripts import engine_build
from scripts.bootstrap import ROOT
from scripts.sandboxing import engine, project
from scripts.sandboxing.state import State

BARE = """\
import json

import pulumi
import pulumi_aws as aws
import pulumi_eks as eks
import pulumi_kubernetes as k8s

subnets = ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"]
role = aws.iam.Role("nodes", assume_role_policy=json.dumps({{"Version": "2012-10-17", "Statement": []}}))
cluster = eks.Cluster(
    "cluster",
    name="bare",
    version="1.35",
    authentication_mode="API",
    vpc_id="vpc-0123456789abcdef0",
    private_subnet_ids=subnets,
    skip_default_node_group=True,
    skip_default_security_groups=True,
    create_oidc_provider=False,
    use_default_vpc_cni=True,
    bootstrap_self_managed_addons=False,
    kube_proxy_addon_options={{"enabled": False}},
    coredns_addon_options={{"enabled": False}},
)
eks.ManagedNodeGroup("nodes", cluster=cluster, node_role=role, subnet_ids=subnets)
in_cluster = pulumi.ResourceOptions(provider=k8s.Provider("k8s", kubeconfig=cluster.kubeconfig_json))
k8s.helm.v4.Chart("crds", chart="karpenter-crd", version="1.15.2", opts=in_cluster)
k8s.helm.v3.Release("volcano", name="volcano", chart="volcano", version="1.15.2", opts=in_cluster)
for kind in ("EC2NodeClass", "NodePool"):
    k8s.apiextensions.CustomResource(
        kind.lower(), api_version="karpenter.sh/v1", kind=kind, metadata={{"name": "p5"}}, spec={{}}, opts=in_cluster
    )
for number in range({fill}):
    aws.ec2.Vpc(f"vpc-{{number}}", cidr_block="10.0.0.0/16")
"""


def main() -> int:
    """Prints the times and the ratios; exit 1 when a preview fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("environment", nargs="?", default="sandbox")
    parser.add_argument("--runs", type=int, default=5, help="counted runs of each (default 5), after one that is not")
    options = parser.parse_args()
    tools = engine_build.binaries()
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        state = State(options.environment, Path(scratch) / options.environment)
        engine.install(state, tools)
        project.write_copies(state)
        engine.pulumi_output(state, ["stack", "init", state.environment], cwd=state.project)
        wanted = _count(state, ROOT)
        bare = _bare_project(Path(scratch) / "bare", state, wanted)
        pack = ["--policy-pack", str(ROOT / "policies")]
        runs: dict[str, Callable[[], float]] = {
            "bare program": lambda: _time(state, [], bare),
            "preview": lambda: _time(state, [], ROOT),
            "preview with the policy pack": lambda: _time(state, pack, ROOT),
        }
        for run in runs.values():
            run()
        times = {name: list[float]() for name in runs}
        for _ in range(options.runs):
            for name, run in runs.items():
                times[name].append(run())
    print(f"{platform.machine()}, {os.cpu_count()} CPUs, Python {platform.python_version()}; '{options.environment}':")
    print(f"{wanted} resources in each preview; {options.runs} runs of each, seconds")
    for name, values in times.items():
        print(f"  {name:<30} median {statistics.median(values):6.2f}   min {min(values):6.2f}   max {max(values):6.2f}")
    print(f"  preview / bare                 {_ratio(times['preview'], times['bare program']):.2f}  (goal <= 1.50)")
    print(
        f"  with the pack / without        {_ratio(times['preview with the policy pack'], times['preview']):.2f}"
        "  (goal <= 1.15)"
    )
    return 0


def _ratio(first: Sequence[float], second: Sequence[float]) -> float:
    return statistics.median(a / b for a, b in zip(first, second, strict=True))


def _count(state: State, cwd: Path) -> int:
    """How many resources a preview registers."""
    command = [*_preview(state, cwd), "--json"]
    environment = engine.child_environment(state)
    output = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=900, check=True)
    return len(json.loads(output.stdout)["steps"])


def _bare_project(folder: Path, state: State, wanted: int) -> Path:
    """The bare program, filled up until its preview registers as many resources."""
    folder.mkdir()
    runtime = {"name": "python", "options": {"virtualenv": str(ROOT / ".venv")}}
    (folder / "Pulumi.yaml").write_text(yaml.safe_dump({"name": "bare", "runtime": runtime}))
    (folder / f"Pulumi.{state.environment}.yaml").write_text(yaml.safe_dump({"config": {"aws:region": "us-west-2"}}))
    engine.pulumi_output(state, ["stack", "init", state.environment], cwd=folder)
    (folder / "__main__.py").write_text(BARE.format(fill=0))
    (folder / "__main__.py").write_text(BARE.format(fill=wanted - _count(state, folder)))
    return folder


def _preview(state: State, cwd: Path) -> list[str]:
    # The real binary, not the wrapper, which always names the environment's own configuration.
    pulumi = engine_build.binaries().pulumi
    config = state.config_file if cwd == ROOT else cwd / f"Pulumi.{state.environment}.yaml"
    return [str(pulumi), "preview", "--stack", state.environment, "--non-interactive", "--config-file", str(config)]


def _time(state: State, extra: Sequence[str], cwd: Path) -> float:
    command = _preview(state, cwd)
    environment = engine.child_environment(state)
    started = time.monotonic()
    result = subprocess.run(
        [*command, *extra], cwd=cwd, env=environment, capture_output=True, text=True, timeout=900, check=False
    )
    seconds = time.monotonic() - started
    if result.returncode != 0:
        sys.exit(f"a preview failed:\n{result.stdout}{result.stderr}")
    return seconds


if __name__ == "__main__":
    sys.exit(main())
