"""Lustre file systems among networks, pools, buckets and namespaces; their StorageClasses; and what is warned of."""

import pytest

from stacks.lustre import LustreClassSpec
from stacks.lustre_class_rules import check_lustre_classes
from stacks.lustre_clients import efa_clients, lustre_warnings, mounting_pools
from tests.unit.stacks.lustre_examples import (
    EXISTING,
    GENERAL,
    HARD_DISK,
    NETWORK,
    P5,
    PERSISTENT,
    REPOSITORY,
    SCRATCH,
    general,
    judged,
    pool,
    spec,
)

pytestmark = pytest.mark.unit

OTHER_ZONE = pool(name="far", zone="us-west-2c")
P4D = pool(name="p4d", instanceType="p4d.24xlarge")
TRN2 = pool(name="trn2", instanceType="trn2.48xlarge")
ON_REQUEST = pool(name="asks", efa="onRequest")
OFF = pool(name="off", efa="off", placementGroup="none")


def only(problems, path):
    assert [problem.path for problem in problems] == [path], [problem.lines() for problem in problems]
    assert len(set(problems[0].ways_out)) == 2
    return "\n".join(problems[0].lines())


def test_two_file_systems_of_one_name_are_refused():
    text = only(judged(spec(), spec(SCRATCH, name="data")), "storage.lustre[1].name")
    assert "storage.lustre[0] has the same name" in text


def test_a_zone_without_a_subnet_is_refused():
    far = spec(zone="us-west-2d", pools=["p5"], crossZone=True)
    assert "no subnet in this zone" in only(judged(far), "storage.lustre[0].zone")


def test_a_file_system_that_nobody_would_mount_is_refused():
    text = only(judged(spec(zone="us-west-2a")), "storage.lustre[0].zone")
    assert "nobody would mount it" in text
    assert "set zone: us-west-2b" in text
    assert "crossZone: true" in text


def test_so_is_one_without_any_pool():
    text = only(judged(spec(), pools=()), "storage.lustre[0].zone")
    assert "add a pool in this zone" in text


def test_a_named_general_pool_of_the_zone_is_enough():
    assert judged(spec(pools=["general"]), pools=()) == []


def test_traffic_between_zones_is_refused_unless_said():
    text = only(judged(spec(pools=["far"]), pools=(P5, OTHER_ZONE)), "storage.lustre[0].pools[0]")
    assert "nodes are in us-west-2c, the file system in us-west-2b" in text
    assert "set zone: us-west-2c" in text
    assert "crossZone: true" in text
    assert judged(spec(pools=["far"], crossZone=True), pools=(P5, OTHER_ZONE)) == []


def test_a_general_pool_needs_nodes_in_the_zone_too():
    elsewhere = general(zones=["us-west-2a", "us-west-2c"])
    text = only(judged(spec(pools=["general"]), generals=(elsewhere,)), "storage.lustre[0].pools[0]")
    assert "us-west-2a, us-west-2c" in text


def test_with_cross_zone_the_zone_needs_no_pool():
    assert judged(spec(zone="us-west-2a", crossZone=True)) == []


def test_a_pool_that_is_not_there_is_refused_with_the_near_one():
    text = only(judged(spec(pools=["p5e"])), "storage.lustre[0].pools[0]")
    assert "There is no such pool" in text
    assert "did you mean p5?" in text


def test_a_pool_far_from_every_name_is_refused_with_the_way_to_all():
    text = only(judged(spec(pools=["weather"])), "storage.lustre[0].pools[0]")
    assert "name a pool of nodePools or generalPools" in text
    assert "every accelerated pool of the zone" in text


def test_a_pool_named_twice_is_refused():
    assert "named twice" in only(judged(spec(pools=["p5", "p5"])), "storage.lustre[0].pools[1]")


def test_names_of_pools_that_no_tag_holds_are_refused():
    many = [pool(name=f"{'p' * 45}-{number}") for number in range(6)]
    named = [each.name for each in many]
    text = only(judged(spec(pools=named), pools=many), "storage.lustre[0].pools")
    assert "256 characters" in text
    assert "6 pools" in text
    assert judged(spec(), pools=many) == []


@pytest.mark.parametrize("clients", [(P4D,), (TRN2,), (OFF,)], ids=["Nitro v3", "trn2", "switched off"])
def test_efa_without_a_pool_that_could_use_it_is_refused(clients):
    text = only(judged(spec(efa=True), pools=clients), "storage.lustre[0].efa")
    assert "Nitro v4" in text
    assert "set efa: false" in text
    assert "EFA on in us-west-2b" in text


def test_efa_across_zones_is_refused_too():
    text = only(judged(spec(efa=True, crossZone=True), pools=(OTHER_ZONE,)), "storage.lustre[0].efa")
    assert "the file system's zone" in text


def test_one_pool_that_can_is_enough():
    assert judged(spec(efa=True), pools=(P4D, P5)) == []
    assert judged(spec(efa=True), pools=(ON_REQUEST,)) == []


def test_another_teams_efa_is_checked_as_ours():
    existing = {**EXISTING["existing"], "efa": True}
    assert judged(spec(EXISTING, existing=existing)) == []
    only(judged(spec(EXISTING, existing=existing), pools=(P4D,)), "storage.lustre[0].existing.efa")


def test_a_bucket_that_is_not_there_is_refused_with_the_near_one():
    typo = spec(dataRepositories=[{**REPOSITORY, "bucket": "dataset"}])
    text = only(judged(typo), "storage.lustre[0].dataRepositories[0].bucket")
    assert "did you mean datasets?" in text
    assert "existing: its full name" in text


def test_or_with_the_line_that_would_make_it():
    text = only(judged(spec(dataRepositories=[REPOSITORY]), buckets=()), "storage.lustre[0].dataRepositories[0].bucket")
    assert "add {name: datasets} to storage.buckets" in text


def test_a_namespace_that_is_not_there_is_refused():
    text = only(judged(spec(namespaces=["team-c"])), "storage.lustre[0].namespaces[0]")
    assert "no such namespace" in text
    assert "did you mean team-" in text


def test_a_namespace_named_twice_is_refused():
    assert "named twice" in only(judged(spec(namespaces=["team-a", "team-a"])), "storage.lustre[0].namespaces[1]")


def test_parts_that_are_ill_formed_are_not_held_against_a_file_system():
    system = spec(zone="us-west-2z", pools=["x"], namespaces=["y"], dataRepositories=[{**REPOSITORY, "bucket": "z"}])
    assert judged(system, pools=None, network=None, buckets=None, namespaces=None) == []
    assert judged(spec(pools=["general"]), pools=(), network=None) == []


def klass(**fields):
    return LustreClassSpec.model_validate({"name": "scratch", "zone": "us-west-2b", **fields})


def judged_classes(*specs, network=NETWORK):
    return list(
        check_lustre_classes([(f"storage.lustreClasses[{n}]", each) for n, each in enumerate(specs)], network=network)
    )


def test_a_class_makes_scratch_file_systems_unless_told():
    assert judged_classes(klass()) == []
    assert klass().deployment_type == "SCRATCH_2"
    assert klass().storage_class == "lustre-scratch"


def test_a_class_of_a_persistent_type_says_its_throughput():
    text = only(judged_classes(klass(deploymentType="PERSISTENT_2")), "storage.lustreClasses[0].throughputMBpsPerTiB")
    assert "must say its throughput" in text
    assert judged_classes(klass(deploymentType="PERSISTENT_2", throughputMBpsPerTiB=125)) == []


def test_a_class_of_a_scratch_type_does_not():
    text = only(judged_classes(klass(throughputMBpsPerTiB=200)), "storage.lustreClasses[0].throughputMBpsPerTiB")
    assert "SCRATCH_2 has a fixed throughput" in text


def test_a_class_has_a_name_a_zone_and_a_version_like_a_file_system():
    assert [p.path for p in judged_classes(klass(), klass())] == ["storage.lustreClasses[1].name"]
    assert [p.path for p in judged_classes(klass(zone="us-west-2d"))] == ["storage.lustreClasses[0].zone"]
    assert [p.path for p in judged_classes(klass(lustreVersion="2.10"))] == ["storage.lustreClasses[0].lustreVersion"]
    assert judged_classes(klass(zone="us-west-2d"), network=None) == []


def test_every_accelerated_pool_of_the_zone_mounts_unless_some_are_named():
    pools = (P5, P4D, OTHER_ZONE)
    assert mounting_pools(spec(), pools) == ("p5", "p4d")
    assert mounting_pools(spec(crossZone=True), pools) == ("p5", "p4d", "far")
    assert mounting_pools(spec(pools=["general"]), pools) == ("general",)


def test_pools_that_mount_over_efa_are_those_that_can_in_the_zone():
    pools = (P5, P4D, TRN2, ON_REQUEST, OFF, OTHER_ZONE)
    assert efa_clients([spec(efa=True, crossZone=True)], pools) == ("p5", "asks")
    assert efa_clients([spec(efa=True, pools=["p4d"])], pools) == ()
    assert efa_clients([spec(), spec(EXISTING, existing={**EXISTING["existing"], "efa": True})], pools) == (
        "p5",
        "asks",
    )
    assert efa_clients([spec()], pools) == ()


def warned(system, *pools):
    return list(lustre_warnings("storage.lustre[0]", system, pools or (P5,)))


SAFE = {"backups": {"retentionDays": 7}}


def test_a_backed_up_file_system_gives_no_warning():
    assert warned(spec(**SAFE)) == []


def test_a_file_system_filled_from_a_bucket_gives_none_either():
    assert warned(spec(dataRepositories=[REPOSITORY])) == []


def test_another_teams_file_system_gives_none():
    assert warned(spec(EXISTING)) == []


def test_scratch_is_not_replicated():
    [warning] = warned(spec(SCRATCH))
    assert warning.startswith("storage.lustre[0].deploymentType = SCRATCH_2")
    assert "a failed server loses the files on it" in warning


def test_a_persistent_file_system_without_a_second_copy_is_named():
    [warning] = warned(spec(HARD_DISK))
    assert "neither backups nor dataRepositories" in warning
    assert "both copies lie in us-west-2b" in warning


def test_pools_that_mount_over_tcp_are_named():
    [slow] = warned(spec(efa=True, **SAFE), P5, P4D, TRN2, OFF)
    assert "nodes of p4d, trn2, off mount it over TCP" in slow
    assert "100 Gbit/s each at most instead of 700" in slow


@pytest.mark.parametrize(("nodes", "warnings"), [(128, 0), (129, 1)])
def test_more_nodes_than_a_file_system_has_efa_connections_are_named(nodes, warnings):
    found = warned(spec(efa=True, **SAFE), pool(nodes={"max": nodes}))
    assert len(found) == warnings
    assert all("nodes of p5 can have 1032 EFA connections together" in warning for warning in found)


def test_nodes_that_may_come_without_efa_are_named():
    [asking] = warned(spec(efa=True, **SAFE), P5, ON_REQUEST)
    assert "a node of asks that starts for a pod without vpc.amazonaws.com/efa" in asking


def test_general_pools_mount_over_tcp_as_well():
    [slow] = warned(spec(efa=True, pools=["p5", GENERAL.name], **SAFE))
    assert "nodes of general mount" in slow


def test_files_that_a_job_removes_from_the_bucket_too_are_named():
    exported = {**REPOSITORY, "autoExport": ["NEW", "CHANGED", "DELETED"]}
    [warning] = warned(spec(dataRepositories=[exported]))
    assert warning.startswith("storage.lustre[0].dataRepositories[0].autoExport has DELETED")
    assert "bucket datasets" in warning


def test_an_older_lustre_is_named():
    [warning] = warned(spec({**PERSISTENT, "metadata": None}, lustreVersion="2.12", **SAFE))
    assert 'lustreVersion = "2.12"' in warning


def test_a_file_system_without_a_claim_is_named():
    [warning] = warned(spec(namespaces=[], **SAFE))
    assert "no pod can mount it" in warning
