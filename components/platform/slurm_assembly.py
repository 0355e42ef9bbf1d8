"""Slurm in its one order: state, operator, database and its user, cluster."""

import pulumi

from components.catalog.secrets import SLURM_DATABASE_PASSWORD, SLURM_JWT_KEY, SLURM_KEY
from components.platform.accounting_database import SlurmDatabase, SlurmDatabaseArgs
from components.platform.accounting_setup import SlurmDatabaseSetup, SlurmDatabaseSetupArgs
from components.platform.keys import DATABASE_PASSWORD_SECRET
from components.platform.secrets import PlatformSecrets
from components.platform.slinky_operator import SlinkyOperator, SlinkyOperatorArgs
from components.platform.slurm_cluster import SlurmCluster, SlurmClusterArgs
from components.platform.slurm_network import SlurmNetwork, SlurmNetworkArgs
from components.platform.slurm_state import SlurmState, SlurmStateArgs
from components.platform.slurm_tokens import SlurmTokens, SlurmTokensArgs
from components.platform.slurm_values import AccountingDatabase
from components.surroundings import Surroundings
from stacks.environment import Environment
from stacks.slurm import SlurmSpec

KEYS = (SLURM_KEY, SLURM_JWT_KEY, SLURM_DATABASE_PASSWORD)
EXISTING_PASSWORD_KEY = "password"  # noqa: S105 - a key of a Secret


def create_slurm(
    environment: Environment,
    slurm: SlurmSpec,
    around: Surroundings,
    *,
    namespace: pulumi.Input[str],
    secrets: PlatformSecrets | None,
) -> SlurmCluster:
    """Operator and cluster, with an accounting database of ours where the environment asks for one.

    Args:
        environment: the environment.
        slurm: its section `platform.slurm`.
        around: after cert-manager, which the operator's webhook needs.
        namespace: of Slurm.
        secrets: its keys; they stand before the cluster.
    """
    charts, images = environment.artifacts.charts, environment.artifacts.images
    operator = SlinkyOperator(
        "slinky",
        SlinkyOperatorArgs(replicas=slurm.operator_replicas, charts=charts, images=images),
        opts=around.in_cluster,
    )
    state = SlurmState(
        "slurm-state",
        SlurmStateArgs(
            cluster_name=slurm.name,
            namespace=namespace,
            storage_gib=slurm.controller.storage_gib,
            protect=environment.lifecycle.protect_data,
        ),
        opts=around.in_cluster,
    )
    SlurmNetwork("slurm-network", SlurmNetworkArgs(spec=slurm, namespace=namespace), opts=around.in_cluster)
    signed = around.after(operator, *([secrets] if secrets is not None else []))
    SlurmTokens("slurm-tokens", SlurmTokensArgs(spec=slurm, namespace=namespace), opts=signed.in_cluster)
    database, prepared = _database(environment, slurm, around, namespace, secrets)
    return SlurmCluster(
        "slurm",
        SlurmClusterArgs(
            spec=slurm,
            pools=environment.node_pools,
            namespace=namespace,
            claim_name=state.claim_name,
            zone=environment.system_nodes.home(environment.network.zones),
            database=database,
            rotation=secrets.rotation_of(*KEYS) if secrets is not None else "",
            charts=charts,
            images=images,
        ),
        opts=signed.after(*prepared).in_cluster,
    )


def _database(
    environment: Environment,
    slurm: SlurmSpec,
    around: Surroundings,
    namespace: pulumi.Input[str],
    secrets: PlatformSecrets | None,
) -> tuple[AccountingDatabase | None, list[pulumi.Resource]]:
    """Where slurmdbd writes, and what must stand before it does."""
    accounting = slurm.accounting
    if accounting is None:
        return None, []
    if accounting.existing is not None:
        existing = accounting.existing
        return (
            AccountingDatabase(
                host=existing.host,
                port=existing.port,
                database=existing.database,
                username=existing.username,
                password_secret_name=existing.password_secret,
                password_secret_key=EXISTING_PASSWORD_KEY,
            ),
            [],
        )
    if accounting.database is None or secrets is None:
        return None, []
    made = SlurmDatabase(
        "slurm-accounting",
        SlurmDatabaseArgs(
            spec=accounting.database,
            vpc_id=around.vpc_id,
            subnet_ids=list(around.subnet_ids.values()),
            client_security_group_id=around.cluster.security_group_id,
            protect=environment.lifecycle.protect_data,
        ),
        opts=around.on_aws,
    )
    setup = SlurmDatabaseSetup(
        "slurm-accounting-setup",
        SlurmDatabaseSetupArgs(
            database=made,
            cluster=around.cluster.name,
            region=around.region,
            namespace=namespace,
            password_secret_name=DATABASE_PASSWORD_SECRET,
            rotation=secrets.rotation_of(SLURM_DATABASE_PASSWORD),
            images=environment.artifacts.images,
            role_rules=around.role_rules,
        ),
        opts=around.after(secrets).in_cluster,
    )
    database = made.for_slurm(
        password_secret_name=DATABASE_PASSWORD_SECRET, password_secret_key=SLURM_DATABASE_PASSWORD.data_key
    )
    return database, [setup]
