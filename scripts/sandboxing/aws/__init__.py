"""`pulumi-resource-aws` of the sandbox: a provider without an AWS account.

Everything it knows about a resource type is read from the installed `pulumi_aws` SDK, so each of its types works. What
the SDK does not say (which change replaces, the look of an id) is in two tables: `replaces.py` and `identities.py`.
Started by Pulumi as `python -m scripts.sandboxing.aws ENGINE_ADDRESS`; prints its port and serves until it is stopped.
"""
