"""Kueue's chart with our values before the real API server. Left out, and said so, where the chart is not at hand."""

from typing import Any

import pytest
import yaml

from components.catalog.pins import KUEUE
from components.platform.crd_charts import crd_data
from components.platform.kueue import Kueue, KueueArgs
from components.platform.kueue_values import kueue_values
from tests.admission.support import Sandbox, objects_of
from tests.admission.test_kueue_accepted import POOLS, SETTINGS, TEAMS, of

pytestmark = pytest.mark.admission


@pytest.fixture(scope="module")
def rendered(sandbox: Sandbox) -> list[dict[str, Any]]:
    """The chart, definitions left out, as the real Helm renders it with our values."""
    sandbox.store_definitions(crd_data("kueue"))
    things = sandbox.rendered(KUEUE, kueue_values(SETTINGS, None))
    return [thing for thing in things if thing["kind"] != "CustomResourceDefinition"]


def test_the_chart_with_our_values_is_accepted(sandbox: Sandbox, build: Any, rendered: list[dict[str, Any]]) -> None:
    args = KueueArgs(charts=None, images=None, settings=SETTINGS, pools=POOLS)
    assert sandbox.verdict(of(objects_of(build(lambda: Kueue("kueue", args))), "Namespace")) == ""
    assert sandbox.verdict(rendered, "--dry-run=server") == ""
    sandbox.kubectl("delete", "namespace", KUEUE.namespace, "--wait=false")


def test_the_chart_has_no_hooks_since_they_would_be_lost(rendered: list[dict[str, Any]]) -> None:
    assert not any("helm.sh/hook" in thing["metadata"].get("annotations", {}) for thing in rendered)


def test_every_webhook_for_work_watches_the_teams_namespaces_only(rendered: list[dict[str, Any]]) -> None:
    configurations = of(rendered, "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
    webhooks = [webhook for thing in configurations for webhook in thing["webhooks"]]
    watching = [webhook for webhook in webhooks if "namespaceSelector" in webhook]
    expression = {"key": "kubernetes.io/metadata.name", "operator": "In", "values": sorted(TEAMS)}
    assert watching
    assert all(webhook["namespaceSelector"] == {"matchExpressions": [expression]} for webhook in watching)
    # The others are for Kueue's own kinds.
    rest = [webhook for webhook in webhooks if webhook not in watching]
    assert {group for webhook in rest for rule in webhook["rules"] for group in rule["apiGroups"]} == {"kueue.x-k8s.io"}


def test_the_controller_reads_the_configuration_that_we_wrote(rendered: list[dict[str, Any]]) -> None:
    [config] = of(rendered, "ConfigMap")
    written = yaml.safe_load(config["data"]["controller_manager_config.yaml"])
    assert written["manageJobsWithoutQueueName"] is False
    assert written["internalCertManagement"]["enable"] is True
    assert written["integrations"]["frameworks"] == list(SETTINGS.integrations)
    [budget] = of(rendered, "PodDisruptionBudget")
    assert budget["spec"]["minAvailable"] == 1


def test_the_definitions_that_we_keep_are_the_charts(sandbox: Sandbox) -> None:
    names = {
        thing["metadata"]["name"]
        for thing in sandbox.rendered(KUEUE, {})
        if thing["kind"] == "CustomResourceDefinition"
    }
    assert names == {definition["metadata"]["name"] for definition in crd_data("kueue")}
