"""The accounting database of Slurm: MariaDB on RDS, in the private subnets, reached from the cluster's nodes only."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from components.platform.slurm_values import AccountingDatabase
from stacks.slurm_accounting import DatabaseSpec

ENGINE, VERSION, FAMILY = "mariadb", "11.4", "mariadb11.4"
"""11.4 with its minors by RDS. 11.8 refuses connections without TLS by default (RDS user guide, read 2026-11-29)."""
PORT = 3306
MASTER, DATABASE, USER = "admin", "slurm_acct_db", "slurm"
GROWS_TO = 4
"""RDS lets the disk grow by itself to this many times its size."""
MIB = 1024 * 1024

# slurm.schedmd.com/accounting.html by facts/slinky.md section 9 (2026-11-29). innodb_buffer_pool_size (4096M wanted)
# stays with RDS, which gives it three quarters of the memory: a number here would not follow the instance's class.
PARAMETERS = {
    "innodb_lock_wait_timeout": "900",
    "innodb_log_file_size": str(1024 * MIB),
    "max_allowed_packet": str(256 * MIB),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class SlurmDatabaseArgs:
    spec: DatabaseSpec
    """Section `platform.slurm.accounting.database`; every change of it is live."""
    vpc_id: pulumi.Input[str]
    """Another VPC REPLACES the security group."""
    subnet_ids: Sequence[pulumi.Input[str]]
    """Private, in two zones or more: RDS refuses a group in one zone."""
    client_security_group_id: pulumi.Input[str]
    """The group that every node carries."""
    protect: bool
    """Refuse to delete the database, in RDS and in Pulumi, and keep a last snapshot when it goes after all."""
    kms_key_arn: str | None = None
    """Customer key of disk, backups and master secret; None for AWS' own. Another one REPLACES the database."""
    require_tls: bool = False
    """Refuse connections without TLS. slurmdbd speaks it when slurmdbd.conf says so (`storage_parameters`)."""


class SlurmDatabase(pulumi.ComponentResource):
    """Instance, parameters, subnets and security group. RDS keeps the master password in Secrets Manager by itself.

    So neither the environment nor the state holds it, and RDS changes it every week. slurmdbd's own user is made by
    `SlurmDatabaseSetup`, which whatever runs slurmdbd depends on.
    """

    address: pulumi.Output[str]
    endpoint: pulumi.Output[str]
    """Address and port."""
    master_secret_arn: pulumi.Output[str]
    """Secret in AWS Secrets Manager with `username` and `password`."""

    def __init__(self, name: str, args: SlurmDatabaseArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:platform:SlurmDatabase", name, {}, opts)
        self._name, self._child = name, pulumi.ResourceOptions(parent=self)
        subnets = aws.rds.SubnetGroup(
            f"{name}-subnets", subnet_ids=args.subnet_ids, description="Slurm accounting", opts=self._child
        )
        parameters = aws.rds.ParameterGroup(
            f"{name}-parameters",
            family=FAMILY,
            description="What slurmdbd asks of MariaDB",
            parameters=[
                # Which of them RDS takes without a restart differs by minor; at the next restart it takes all.
                aws.rds.ParameterGroupParameterArgs(name=key, value=value, apply_method="pending-reboot")
                for key, value in {**PARAMETERS, "require_secure_transport": str(int(args.require_tls))}.items()
            ],
            opts=self._child,
        )
        instance = aws.rds.Instance(
            name,
            engine=ENGINE,
            engine_version=VERSION,
            auto_minor_version_upgrade=True,
            instance_class=args.spec.instance_class,
            storage_type="gp3",
            allocated_storage=args.spec.storage_gib,
            max_allocated_storage=args.spec.storage_gib * GROWS_TO,
            storage_encrypted=True,
            kms_key_id=args.kms_key_arn,
            multi_az=args.spec.multi_az,
            username=MASTER,
            manage_master_user_password=True,
            master_user_secret_kms_key_id=args.kms_key_arn,
            port=PORT,
            db_subnet_group_name=subnets.name,
            parameter_group_name=parameters.name,
            vpc_security_group_ids=[self._group(args)],
            publicly_accessible=False,
            backup_retention_period=args.spec.backup_retention_days,
            copy_tags_to_snapshot=True,
            # With the instance its daily backups would go at once.
            delete_automated_backups=not args.protect,
            deletion_protection=args.protect,
            skip_final_snapshot=not args.protect,
            # The subnet group's name ends in letters of this life: a snapshot of an earlier one may still stand.
            final_snapshot_identifier=pulumi.Output.concat(subnets.name, "-final") if args.protect else None,
            # Otherwise a change waits for the maintenance window, and every preview until then shows it again.
            apply_immediately=True,
            opts=self._child.merge(pulumi.ResourceOptions(protect=args.protect)),
        )
        self.address, self.endpoint = instance.address, instance.endpoint
        self.master_secret_arn = instance.master_user_secrets[0].secret_arn
        self.register_outputs(
            {"address": self.address, "endpoint": self.endpoint, "masterSecretArn": self.master_secret_arn}
        )

    def for_slurm(self, password_secret_name: str, password_secret_key: str) -> AccountingDatabase:
        """Where slurmdbd writes, for `SlurmClusterArgs.database`.

        Args:
            password_secret_name: Secret in the Slurm cluster's namespace with the password of slurmdbd's user.
            password_secret_key: key inside it.
        """
        return AccountingDatabase(
            host=self.address,
            port=PORT,
            database=DATABASE,
            username=USER,
            password_secret_name=password_secret_name,
            password_secret_key=password_secret_key,
        )

    def _group(self, args: SlurmDatabaseArgs) -> pulumi.Output[str]:
        group = aws.ec2.SecurityGroup(
            f"{self._name}-sg",
            vpc_id=args.vpc_id,
            description="Slurm accounting database",
            tags={"Name": self._name},
            opts=self._child,
        )
        aws.vpc.SecurityGroupIngressRule(
            f"{self._name}-in",
            security_group_id=group.id,
            referenced_security_group_id=args.client_security_group_id,
            ip_protocol="tcp",
            from_port=PORT,
            to_port=PORT,
            description="MariaDB from the cluster's nodes",
            opts=self._child,
        )
        return group.id


def storage_parameters(ca_file: str) -> str:
    """The line of slurmdbd.conf with which it connects over TLS and checks the server's certificate.

    Args:
        ca_file: path in slurmdbd's pod of the RDS certificate bundle, which no image has: mount it there.
    """
    return f"StorageParameters=SSL_CA={ca_file}"
