"""Namespaces that stand before what is put into them."""

import pytest

from components.platform import PlatformNamespaces, PlatformNamespacesArgs
from stacks.platform import Platform
from tests.unit.jupyterhub_examples import hub
from tests.unit.slurm_examples import cluster

NAMESPACE = "kubernetes:core/v1:Namespace"
ENFORCE = "pod-security.kubernetes.io/enforce"


@pytest.fixture
def namespaces(build):
    def run(*, protect=True, **parts):
        args = PlatformNamespacesArgs(platform=Platform.model_validate(parts), protect=protect)
        found = build(lambda: PlatformNamespaces("platform", args))
        return {made.inputs["metadata"]["name"]: made for made in found.registrations if made.type == NAMESPACE}

    return run


def test_each_part_that_is_on_has_its_namespace_and_no_other(namespaces):
    assert set(namespaces()) == set()
    assert set(namespaces(slurm=cluster())) == {"slurm"}
    assert set(namespaces(slurm=cluster(), jupyterhub=hub(), monitoring={})) == {"slurm", "jupyterhub", "monitoring"}


def test_slurmd_may_be_privileged_and_notebooks_are_restricted(namespaces):
    made = namespaces(slurm=cluster(), jupyterhub=hub(), monitoring={})
    levels = {name: resource.inputs["metadata"]["labels"][ENFORCE] for name, resource in made.items()}
    assert levels == {"slurm": "privileged", "jupyterhub": "restricted", "monitoring": "privileged"}


@pytest.mark.parametrize("protect", [True, False])
def test_those_with_data_are_protected_with_the_environment(namespaces, protect):
    made = namespaces(protect=protect, slurm=cluster(), jupyterhub=hub(), monitoring={})
    kept = {name: resource.request.protect for name, resource in made.items()}
    assert kept == {"slurm": protect, "jupyterhub": protect, "monitoring": False}
