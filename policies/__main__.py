"""Starts the policy pack, nothing else: `PolicyPack` blocks, so whatever is to be imported lives elsewhere."""

from pulumi_policy import PolicyPack

from policies.rules import ALL

PolicyPack("eks-training-platform", policies=ALL)
