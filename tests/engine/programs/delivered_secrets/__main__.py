"""The Secrets of an environment with Slurm, written to files instead of a cluster."""

import pulumi
import pulumi_kubernetes as k8s

from components.catalog.secrets import SLURM_DATABASE_PASSWORD, SLURM_JWT_KEY, SLURM_KEY
from components.platform.secrets import Delivery, PlatformSecrets, PlatformSecretsArgs, read_made_on, read_secrets
from stacks.problems import EnvironmentProblems

KINDS = (SLURM_KEY, SLURM_JWT_KEY, SLURM_DATABASE_PASSWORD)

config = pulumi.Config()
values, problems = read_secrets(config, KINDS, environment=pulumi.get_stack())
if problems:
    raise pulumi.RunError(str(EnvironmentProblems(problems)))
provider = k8s.Provider("files", render_yaml_to_directory=config.require("folder"))
PlatformSecrets(
    "secrets",
    PlatformSecretsArgs(
        backend="stackConfig",
        deliveries=[
            Delivery(kind=kind, name=f"slurm-{kind.config_key.lower()}", namespace="slurm", namespace_key="slurm")
            for kind in KINDS
        ],
        values=values,
        arns={},
        operator=None,
        region="us-west-2",
        made_on=read_made_on(config, KINDS),
    ),
    opts=pulumi.ResourceOptions(providers=[provider]),
)
