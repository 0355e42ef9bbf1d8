"""Starts the policy pack, nothing else: `PolicyPack` blocks, so whatever is to be imported lives elsewhere."""

from datetime import datetime

from pulumi_policy import PolicyPack

from policies.exceptions import load, with_exceptions
from policies.reading_once import read_once
from policies.rules import ALL

read_once()
entries, problems = load(rules=[rule.name for rule in ALL])
today = datetime.now().astimezone().date()
PolicyPack("eks-training-platform", policies=with_exceptions(ALL, entries, problems, today))
