"""What an environment's storage asks of its pools, in the whole program: which drivers nodes wait for, and EFA."""

import copy
from collections.abc import Mapping
from typing import Any

import pytest

from tests.support import stack_files
from tests.unit.test_program import run_stack

pytestmark = pytest.mark.unit

DEV = next(stack for stack in stack_files() if stack.name == "dev")
NODE_CLASS, NODE_POOL = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", "kubernetes:karpenter.sh/v1:NodePool"
POOL = {"name": "h100", "instanceType": "p5.48xlarge", "nodes": {"max": 2}, "efa": "static", "placementGroup": "create"}


@pytest.fixture(scope="module")
def recorder(build):
    environment: dict[str, Any] = copy.deepcopy(dict(DEV.environment))
    zones = environment["network"]["zones"]
    environment["nodePools"] = [{**POOL, "zone": zones[0]}, {**POOL, "name": "far", "zone": zones[1]}]
    environment["storage"] = {
        **environment["storage"],
        "lustre": [
            {
                "name": "data",
                "zone": zones[0],
                "deploymentType": "PERSISTENT_2",
                "capacityGiB": 4800,
                "throughputMBpsPerTiB": 1000,
                "metadata": {"mode": "AUTOMATIC"},
                "efa": True,
            }
        ],
        "efs": [{"name": "home"}],
        "bucketMounts": [],
    }
    return run_stack(build, DEV, environment)


def specs(recorder: Any, type_: str) -> Mapping[str, dict[str, Any]]:
    return {r.inputs["metadata"]["name"]: r.inputs["spec"] for r in recorder.of_type(type_)}


def test_nodes_of_every_pool_wait_for_the_drivers_in_use(recorder):
    pools = specs(recorder, NODE_POOL)
    assert {"h100", "far", "general"} <= set(pools)
    for spec in pools.values():
        assert [taint["key"].partition("/")[0] for taint in spec["template"]["spec"]["startupTaints"]] == [
            "ebs.csi.aws.com",
            "fsx.csi.aws.com",
            "efs.csi.aws.com",
        ]


def test_only_the_pool_beside_the_file_system_is_set_up_for_efa_to_it(recorder):
    classes = specs(recorder, NODE_CLASS)
    assert [name for name, spec in classes.items() if "userData" in spec] == ["h100"]
