"""Node images: the release that `amiRelease` names exists for every kind of node of the environment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from components.catalog.instance_types import INSTANCE_TYPES
from components.catalog.node_parameters import MAX_PARAMETERS, image_parameter, newest_parameter, variant_of
from scripts.findings import Finding
from scripts.preflighting.asking import Answers, Aws, Question
from scripts.preflighting.concern import Concern
from scripts.preflighting.subject import Subject


class Images(Concern):
    """The alias `al2023@<release>` leads to an image for each architecture and kind of accelerator."""

    name = "images"

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self._kubernetes = self.environment.cluster.kubernetes_version
        self._wanted: dict[str, tuple[str, str]] = {}
        for path, pool in subject.pools():
            self._want(f"{path}.instanceType", pool.instance_type)
        for path, general in subject.general_pools():
            for facts in general.types:
                self._want(f"{path}.instanceFamilies", facts.name)
        self._found = Question(about="which node images there are", rights="ssm:GetParameters", ask=self._ask)

    def _want(self, field: str, instance_type: str) -> None:
        facts = INSTANCE_TYPES[instance_type]
        name = image_parameter(facts, kubernetes=self._kubernetes, release=self.environment.ami_release)
        self._wanted.setdefault(name, (field, f"{variant_of(facts)} on {facts.arch}"))

    def questions(self) -> Sequence[Question[Any]]:
        return [self._found]

    def _ask(self, aws: Aws) -> Mapping[str, str]:
        # There are fewer kinds of nodes than one call takes names.
        names = [*self._wanted, newest_parameter(self._kubernetes)][:MAX_PARAMETERS]
        answer = aws.ssm.get_parameters(Names=names)
        return {each["Name"]: each["Value"] for each in answer["Parameters"]}

    def check(self, answers: Answers) -> Iterator[Finding]:
        found = answers[self._found]
        newest = found.get(newest_parameter(self._kubernetes), "").rpartition("-")[2]
        missing = [(name, *whose) for name, whose in self._wanted.items() if name not in found]
        for name, field, kind in missing:
            yield self.error(
                "amiRelease",
                self.environment.ami_release,
                f"EKS has no such image for {kind} with Kubernetes {self._kubernetes} ({field}): {name}. "
                "Karpenter skips it without a word, and no node starts.",
                f"the newest release is v{newest}" if newest else "name a release that has it (awslabs/amazon-eks-ami)",
            )
