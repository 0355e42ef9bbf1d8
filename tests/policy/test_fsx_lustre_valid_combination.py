"""Settings of Lustre file systems go together."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.fsx_lustre_valid_combination import POLICY
from tests.policy.storage_samples import EFA, LUSTRE, SCRATCH, SSD, TIERING, without

pytestmark = pytest.mark.policy

HDD = {
    "deploymentType": "PERSISTENT_1",
    "storageType": "HDD",
    "storageCapacity": 6000,
    "perUnitStorageThroughput": 12,
    "driveCacheType": "NONE",
}
GOOD = {
    "persistent SSD": SSD,
    "the smallest": without(SSD, storageCapacity=1200),
    "metadata automatic": without(SSD, metadataConfiguration={"mode": "AUTOMATIC"}),
    "metadata provisioned": without(SSD, metadataConfiguration={"mode": "USER_PROVISIONED", "iops": 24000}),
    "EFA": EFA,
    "Intelligent-Tiering": TIERING,
    "Intelligent-Tiering without a cache": without(TIERING, dataReadCacheConfiguration={"sizingMode": "NO_CACHE"}),
    "scratch": SCRATCH,
    "scratch of the first kind by default": {"storageCapacity": 3600},
    "HDD": HDD,
    "a size from a backup": without(SSD, "storageCapacity", backupId="backup-0123"),
}
BAD = [
    ("throughput on scratch", without(SCRATCH, perUnitStorageThroughput=200), "perUnitStorageThroughput 200", "PERSI"),
    ("none on persistent", without(SSD, "perUnitStorageThroughput"), "needs perUnitStorageThroughput", "125, 250"),
    ("one of another type", without(SSD, perUnitStorageThroughput=200), "200 does not exist", "125, 250, 500, 1000"),
    ("no such type", without(SSD, deploymentType="PERSISTENT_3"), "PERSISTENT_3 does not exist", "SCRATCH_1"),
    ("no such pair", without(SCRATCH, storageType="HDD"), "no storageType HDD", "HDD of PERSISTENT_1"),
    ("a size between steps", without(SSD, storageCapacity=3600), "3600 GiB is no size", "2400 or 4800"),
    ("size zero", without(SSD, storageCapacity=0), "0 GiB is no size", "1200 or 2400"),
    ("a fraction", without(SSD, storageCapacity=2400.5), "2400.5 GiB is no size", "Set"),
    ("no size", without(SSD, "storageCapacity"), "needs storageCapacity", "INTELLIGENT_TIERING"),
    ("a size without EFA's step", without(EFA, storageCapacity=4800), "and EFA", "19200 or 38400"),
    ("EFA without metadata", without(EFA, "metadataConfiguration"), "needs metadataConfiguration", "AUTOMATIC"),
    ("EFA on scratch", without(SCRATCH, efaEnabled=True), "efaEnabled does not go with SCRATCH_2", "PERSISTENT_2"),
    ("metadata on scratch", without(SCRATCH, metadataConfiguration={"mode": "AUTOMATIC"}), "with SCRATCH_2", "Remove"),
    (
        "iops with AUTOMATIC",
        without(SSD, metadataConfiguration={"mode": "AUTOMATIC", "iops": 1500}),
        "1500 does not go with AUTOMATIC",
        "USER_PROVISIONED",
    ),
    (
        "iops between steps",
        without(SSD, metadataConfiguration={"mode": "USER_PROVISIONED", "iops": 18000}),
        "iops 18000 does not exist",
        "1500, 3000",
    ),
    (
        "metadata on an old Lustre",
        without(SSD, metadataConfiguration={"mode": "AUTOMATIC"}, fileSystemTypeVersion="2.12"),
        "Lustre 2.12",
        "2.15",
    ),
    (
        "AUTOMATIC of the wrong storage",
        without(TIERING, metadataConfiguration={"mode": "AUTOMATIC"}),
        "mode AUTO",
        "US",
    ),
    ("tiering without metadata", without(TIERING, "metadataConfiguration"), "needs metadataConfiguration", "6000"),
    ("a size with tiering", without(TIERING, storageCapacity=4800), "grows by itself", "use SSD"),
    ("throughput of SSD with tiering", without(TIERING, perUnitStorageThroughput=250), "does not go with", "Remove"),
    ("throughput between steps", without(TIERING, throughputCapacity=6000), "throughputCapacity 6000", "4000"),
    ("no cache said", without(TIERING, "dataReadCacheConfiguration"), "sizingMode None", "NO_CACHE"),
    (
        "a cache too small",
        without(TIERING, dataReadCacheConfiguration={"sizingMode": "USER_PROVISIONED", "size": 63}),
        "size 63",
        "64 to 262144",
    ),
    (
        "a size of no cache",
        without(TIERING, dataReadCacheConfiguration={"sizingMode": "NO_CACHE", "size": 64}),
        "64 does not go with NO_CACHE",
        "Remove",
    ),
    ("tiering's throughput on SSD", without(SSD, throughputCapacity=4000), "throughputCapacity does not go", "INTELL"),
    ("HDD without its cache", without(HDD, "driveCacheType"), "driveCacheType None", "NONE or READ"),
    ("a drive cache on SSD", without(SSD, driveCacheType="READ"), "driveCacheType READ", "PERSISTENT_1 with HDD"),
    ("a key on scratch", without(SCRATCH, kmsKeyId="arn:aws:kms:::key/1"), "kmsKeyId", "persistent type"),
]


@pytest.mark.parametrize("props", GOOD.values(), ids=GOOD)
def test_a_good_one_passes(check, props):
    assert check(POLICY, LUSTRE, props) == []


@pytest.mark.parametrize(("props", "what", "way_out"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_a_bad_one_is_refused_with_its_value_and_a_way_out(check, props, what, way_out):
    [message] = check(POLICY, LUSTRE, props, name="data")
    assert "'data'" in message
    assert what in message
    assert way_out in message.split(". ", 1)[1]


def _as_text(value):
    if isinstance(value, dict):
        return {key: _as_text(inner) for key, inner in value.items()}
    return str(value).lower() if isinstance(value, bool) else str(value) if isinstance(value, int) else value


@pytest.mark.parametrize("props", GOOD.values(), ids=GOOD)
def test_numbers_and_booleans_as_text_or_as_floats_pass_as_well(check, props):
    assert check(POLICY, LUSTRE, _as_text(props)) == []
    floats = {key: float(v) if isinstance(v, int) and not isinstance(v, bool) else v for key, v in props.items()}
    assert check(POLICY, LUSTRE, floats) == []


@pytest.mark.parametrize("props", [row[1] for row in BAD], ids=[row[0] for row in BAD])
def test_the_same_as_text_is_refused_as_well(check, props):
    assert len(check(POLICY, LUSTRE, _as_text(props))) == 1


@pytest.mark.parametrize("props", [SSD, EFA, TIERING, HDD], ids=["SSD", "EFA", "tiering", "HDD"])
def test_in_a_preview_no_single_unknown_value_is_held_against_it(check, props):
    for key in props:
        assert check(POLICY, LUSTRE, {**props, key: UNKNOWN}) == [], key


def test_in_a_preview_what_is_known_is_still_judged(check):
    [message] = check(POLICY, LUSTRE, without(SSD, perUnitStorageThroughput=UNKNOWN, driveCacheType="READ"))
    assert "driveCacheType" in message


def test_another_resource_is_not_its_business(check):
    assert check(POLICY, "aws:s3/bucket:Bucket", {}) == ["not applicable"]


def test_the_engine_gets_the_violation_with_its_level(analyzer):
    response = analyzer.analyze(LUSTRE, without(SCRATCH, perUnitStorageThroughput=200))
    assert [d.enforcementLevel for d in response.diagnostics if d.policyName == POLICY.name] == [proto.MANDATORY]
