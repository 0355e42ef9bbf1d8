"""EKS add-ons: each has a version in the file, and EKS has that version for the cluster's Kubernetes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from components.catalog.addon import Addon
from components.catalog.addons import ADDONS
from components.catalog.csi import EFS_DRIVER, LUSTRE_DRIVER, STORAGE_ADDONS
from scripts.findings import Finding
from scripts.preflighting.asking import Answers, Aws, Question
from scripts.preflighting.concern import Concern
from scripts.preflighting.subject import Subject

_CONSTRAINTS: Mapping[str, tuple[str, ...]] = {
    STORAGE_ADDONS[LUSTRE_DRIVER].name: ("fsx-csi-driver-present",),
    STORAGE_ADDONS[EFS_DRIVER].name: ("efs-csi-identity",),
}
Versions = Mapping[str, Sequence[Mapping[str, Any]]]
"""Name of an add-on -> its versions as EKS lists them, newest first."""


class Addons(Concern):
    """An add-on without a version would be EKS' default of the day: it is refused, and the current ones are named."""

    name = "addons"

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self._kubernetes = self.environment.cluster.kubernetes_version
        self._wanted = (
            *ADDONS.values(),
            *(STORAGE_ADDONS[driver] for driver in self.environment.storage.drivers),
        )
        self._versions = Question(
            about="which versions of add-ons there are", rights="eks:DescribeAddonVersions", ask=self._ask
        )

    def questions(self) -> Sequence[Question[Any]]:
        return [self._versions]

    def _ask(self, aws: Aws) -> Versions:
        found = aws.pages("eks", "describe_addon_versions", "addons", kubernetesVersion=self._kubernetes)
        return {addon["addonName"]: addon.get("addonVersions", []) for addon in found}

    def check(self, answers: Answers) -> Iterator[Finding]:
        there, named = answers[self._versions], self.environment.cluster.addon_versions
        for addon in self._wanted:
            yield from self._one(addon, there.get(addon.name, ()), named.get(addon.name))
        for unused in sorted(set(named) - {addon.name for addon in self._wanted}):
            yield self.warning(
                f"cluster.addonVersions.{unused}",
                named[unused],
                "Nothing in this environment needs the add-on, so none is installed.",
                "remove the line",
            )

    def _one(self, addon: Addon, listed: Sequence[Mapping[str, Any]], version: str | None) -> Iterator[Finding]:
        field, constraints = f"cluster.addonVersions.{addon.name}", _CONSTRAINTS.get(addon.name, ())
        versions = [str(each["addonVersion"]) for each in listed]
        if not versions:
            yield self.error(
                field,
                version or "(not set)",
                f"EKS has no add-on {addon.name} for Kubernetes {self._kubernetes}.",
                "use a Kubernetes version that has it: aws eks describe-addon-versions",
                *constraints,
            )
            return
        default = next((str(each["addonVersion"]) for each in listed if self._is_default(each)), versions[0])
        if version is None:
            yield self.error(
                field,
                "(not set)",
                "Without a version it is EKS' default on the day of each update, and no two clusters are alike.",
                f"add {addon.name}: {default} (EKS' default today; newest: {', '.join(versions[:3])})",
                *constraints,
            )
        elif version not in versions and not any(each.startswith(f"{version}-eksbuild.") for each in versions):
            yield self.error(
                field,
                version,
                f"EKS has no such version for Kubernetes {self._kubernetes}.",
                f"use {default} (EKS' default today) or one of {', '.join(versions[:5])}",
                *constraints,
            )
        elif addon.service_account is None and self._needs_rights(listed, version):
            yield self.warning(
                field,
                version,
                f"EKS says that {addon.name} calls AWS, and the catalog gives it no identity.",
                "read its release notes before the update",
                *constraints,
            )

    def _is_default(self, listed: Mapping[str, Any]) -> bool:
        return any(
            each.get("defaultVersion") and each.get("clusterVersion", self._kubernetes) == self._kubernetes
            for each in listed.get("compatibilities", ())
        )

    @staticmethod
    def _needs_rights(listed: Sequence[Mapping[str, Any]], version: str) -> bool:
        return any(each["addonVersion"] == version and each.get("requiresIamPermissions") for each in listed)
