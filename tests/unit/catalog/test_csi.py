"""CSI drivers: one way to spell them, and add-ons that install them."""

import pytest

from components.catalog.addons import ADDONS, ALL_ADDONS
from components.catalog.csi import EBS_DRIVER, EFS_DRIVER, LUSTRE_DRIVER, S3_DRIVER, STARTUP_TAINTS, STORAGE_ADDONS

pytestmark = pytest.mark.unit


def test_each_driver_has_its_own_startup_taint():
    assert dict(STARTUP_TAINTS) == {
        "ebs.csi.aws.com": "ebs.csi.aws.com/agent-not-ready",
        "fsx.csi.aws.com": "fsx.csi.aws.com/agent-not-ready",
        "efs.csi.aws.com": "efs.csi.aws.com/agent-not-ready",
        "s3.csi.aws.com": "s3.csi.aws.com/agent-not-ready",
    }


def test_every_driver_with_a_taint_has_an_add_on_that_lifts_it():
    assert set(STARTUP_TAINTS) - set(STORAGE_ADDONS) == {EBS_DRIVER}
    assert "aws-ebs-csi-driver" in ADDONS


def test_the_drivers_of_storage_are_installed_by_these_add_ons():
    assert {driver: addon.name for driver, addon in STORAGE_ADDONS.items()} == {
        LUSTRE_DRIVER: "aws-fsx-csi-driver",
        EFS_DRIVER: "aws-efs-csi-driver",
        S3_DRIVER: "aws-mountpoint-s3-csi-driver",
    }


@pytest.mark.parametrize("addon", STORAGE_ADDONS.values(), ids=lambda addon: addon.name)
def test_an_add_on_of_storage_has_an_account_that_calls_aws_and_a_source_with_its_version_and_day(addon):
    assert addon.service_account
    assert " v" in addon.source
    assert "2026-11-29" in addon.source
    assert not addon.before_nodes


def test_the_lustre_driver_does_not_get_the_right_to_delete_every_file_system():
    assert STORAGE_ADDONS[LUSTRE_DRIVER].policy is None


def test_all_add_ons_are_those_of_every_cluster_and_those_of_storage():
    assert set(ALL_ADDONS) == set(ADDONS) | {addon.name for addon in STORAGE_ADDONS.values()}
    assert len(ALL_ADDONS) == len(ADDONS) + len(STORAGE_ADDONS)
