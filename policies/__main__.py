"""Starts the policy pack, nothing else: `PolicyPack` blocks, so whatever is to be imported lives elsewhere."""

from pulumi_policy import PolicyPack

from policies.reading_once import read_once
from policies.rules import ALL

read_once()
PolicyPack("eks-training-platform", policies=ALL)
