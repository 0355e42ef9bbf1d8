"""JupyterHub: its values, its profiles and what is made around the release."""

import sys
import types

import pytest

from components.catalog.chart_values import unknown_keys
from components.platform.jupyterhub import JupyterHub, JupyterHubArgs
from components.platform.jupyterhub_values import PROFILES_BY_GROUP, jupyterhub_values
from stacks.jupyterhub import JupyterHubSpec
from tests.unit.jupyterhub_examples import GENERALS, IMAGE, POOLS, SMALL, hub

pytestmark = pytest.mark.unit

MIRROR = "registry.example.com/mirror"


def values(spec: JupyterHubSpec | None = None, images=None):
    return jupyterhub_values(spec or hub(), pools=POOLS, general_pools=GENERALS, images=images)


def override(name):
    [found] = [each for each in values()["singleuser"]["profileList"] if each["slug"] == name]
    return found["kubespawner_override"]


@pytest.mark.parametrize("spec", [hub(), hub(auth=None), hub(home={"claim": "home"})])
@pytest.mark.parametrize("images", [None, MIRROR])
def test_every_value_is_one_that_the_chart_reads(spec, images):
    assert unknown_keys("jupyterhub", values(spec, images)) == []


def test_a_server_gets_devices_of_its_pool_on_its_pool():
    gpu = override("two-h100")
    assert gpu["extra_resource_limits"] == gpu["extra_resource_guarantees"] == {"nvidia.com/gpu": "2"}
    assert gpu["node_selector"] == {"eks-training-platform/pool": "p5"}
    assert gpu["tolerations"] == [
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "example.com/team", "operator": "Exists", "effect": "NoSchedule"},
    ]
    assert override("trainium")["extra_resource_limits"] == {"aws.amazon.com/neuron": "1"}
    assert "extra_resource_limits" not in override("small")
    assert override("small")["tolerations"] == [
        {"key": "example.com/lab", "operator": "Exists", "effect": "NoSchedule"}
    ]


def test_a_server_has_what_it_asks_for_and_no_more():
    gpu = override("two-h100")
    assert (gpu["cpu_guarantee"], gpu["cpu_limit"]) == (16, 16)
    assert (gpu["mem_guarantee"], gpu["mem_limit"]) == ("256G", "256G")
    assert gpu["image"] == IMAGE


def test_users_read_what_the_catalog_says_about_the_pool():
    found = {each["slug"]: each["description"] for each in values()["singleuser"]["profileList"]}
    assert found["two-h100"] == "2 of 8 x h100 of a p5.48xlarge, 16 CPUs, 256 GiB of memory"
    assert found["small"] == "2 CPUs, 8 GiB of memory"


def test_nobody_logs_in_until_it_is_said_how():
    closed = values(hub(auth=None))["hub"]
    assert closed["config"]["JupyterHub"] == {"authenticator_class": "null"}
    assert "existingSecret" not in closed
    opened = values()["hub"]
    assert opened["config"]["JupyterHub"] == {"authenticator_class": "github"}
    assert opened["existingSecret"] == "jupyterhub-auth"


def test_nothing_is_public_and_servers_cannot_reach_each_other():
    found = values()
    assert found["proxy"]["service"] == {"type": "ClusterIP"}
    assert found["singleuser"]["networkPolicy"] == {"enabled": True}


def test_homes_are_volumes_of_the_users_or_folders_of_a_claim():
    storage = values()["singleuser"]["storage"]
    assert (storage["type"], storage["capacity"], storage["dynamic"]) == ("dynamic", "20Gi", {"storageClass": "gp3"})
    shared = values(hub(home={"claim": "home"}))["singleuser"]["storage"]
    assert shared["static"] == {"pvcName": "home", "subPath": "home/{username}"}
    for each in (storage, shared):
        assert each["extraVolumes"] == [{"name": "shm", "emptyDir": {"medium": "Memory"}}]
        assert each["extraVolumeMounts"][0]["mountPath"] == "/dev/shm"  # noqa: S108 - a mount point, no temporary file


def test_forgotten_servers_end_and_those_in_use_are_left_alone():
    found = values(hub(culling={"timeout": "2h", "maxAge": "48h"}))
    assert found["cull"] == {"enabled": True, "timeout": 7200, "maxAge": 172800}
    assert found["singleuser"]["extraAnnotations"] == {"karpenter.sh/do-not-disrupt": "true"}


def test_no_scheduler_placeholder_or_image_puller_of_the_chart_works_against_karpenter():
    found = values()
    assert found["scheduling"]["userScheduler"] == found["scheduling"]["userPlaceholder"] == {"enabled": False}
    assert found["prePuller"] == {"hook": {"enabled": False}, "continuous": {"enabled": False}}


def test_starts_that_fail_for_want_of_capacity_do_not_end_the_hub():
    assert values()["hub"]["consecutiveFailureLimit"] == 0


def test_the_environment_s_values_lie_over_ours():
    found = values(hub(values={"hub": {"activeServerLimit": 3}}))["hub"]
    assert found["activeServerLimit"] == 3
    assert found["consecutiveFailureLimit"] == 0


class RefusedError(Exception):
    pass


@pytest.fixture
def profiles_of(monkeypatch):
    """What the hub's own configuration offers to members of some groups."""

    def run(*groups, given=None):
        found = given or values()

        def get_config(key, default=None):
            value = found
            for step in key.split("."):
                if step not in value:
                    return default
                value = value[step]
            return value

        def error(status, message):
            return RefusedError(f"{status} {message}")

        tornado = types.ModuleType("tornado")
        tornado.web = types.SimpleNamespace(HTTPError=error)
        monkeypatch.setitem(sys.modules, "tornado", tornado)
        config = types.SimpleNamespace(KubeSpawner=types.SimpleNamespace())
        exec(PROFILES_BY_GROUP, {"c": config, "get_config": get_config})  # noqa: S102 - as the hub does
        user = types.SimpleNamespace(groups=[types.SimpleNamespace(name=name) for name in groups])
        spawner = types.SimpleNamespace(user=user)
        return [profile["slug"] for profile in config.KubeSpawner.profile_list(spawner)]

    return run


def test_a_profile_is_offered_to_members_of_its_groups(profiles_of):
    assert profiles_of("research") == ["two-h100", "trainium", "small"]
    assert profiles_of("sales") == ["trainium", "small"]
    assert profiles_of() == ["trainium", "small"]


def test_who_may_use_no_profile_gets_no_server_at_all(profiles_of):
    only = hub(profiles=[{**SMALL, "groups": ["research"]}])
    with pytest.raises(RefusedError, match="403 None of the profiles"):
        profiles_of("sales", given=values(only))


def test_a_profile_that_values_bring_in_beside_ours_is_for_nobody(profiles_of):
    theirs = {"singleuser": {"profileList": [{"slug": "mine", "display_name": "mine"}]}}
    with pytest.raises(RefusedError):
        profiles_of("research", given=values(hub(values=theirs)))


@pytest.fixture(scope="module")
def made(build):
    args = JupyterHubArgs(
        spec=hub(quota={"accelerators": 8, "servers": 20, "storageGiB": 500}),
        pools=POOLS,
        general_pools=GENERALS,
        namespace="jupyterhub",
        charts=None,
        images=None,
    )
    return build(lambda: JupyterHub("hub", args))


def test_the_namespace_is_limited(made):
    assert made.only("kubernetes:core/v1:ResourceQuota").inputs["spec"]["hard"] == {
        "requests.nvidia.com/gpu": "8",
        "requests.aws.amazon.com/neuron": "8",
        "requests.storage": "500Gi",
        "services.loadbalancers": "0",
        "services.nodeports": "0",
    }


def test_the_release_is_pinned_and_comes_after_the_quota(made):
    release = made.only("kubernetes:helm.sh/v3:Release")
    assert (release.inputs["name"], release.inputs["version"]) == ("jupyterhub", "4.4.0")
    assert release.inputs["values"]["hub"]["activeServerLimit"] == 20
    assert "hub-quota" in release.depends_on
