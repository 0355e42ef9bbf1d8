"""A Job that makes slurmdbd's database and user, and sets the user's password anew after a rotation."""

import json
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as k8s

from components.catalog.images import AWS_CLI, MARIADB_CLIENT, mirrored
from components.catalog.labels import ROLE_LABEL, SYSTEM_ROLE
from components.catalog.secrets import ROTATION, SLURM_DATABASE_PASSWORD
from components.identity import NO_RULES, POD_IDENTITY, RoleRules, role
from components.platform.accounting_database import DATABASE, PORT, USER, SlurmDatabase

SERVICE_ACCOUNT = "slurm-accounting-setup"
WORK, PASSWORD = "/work", "/password"
UID = 999
"""Of user mysql in MariaDB's image; the AWS CLI runs as anyone."""
REQUESTS, LIMITS = {"cpu": "50m", "memory": "128Mi"}, {"memory": "512Mi"}

# The passwords go by files, standard input and the environment of the one client: an argument would stand in the list
# of processes. Nothing is echoed (no `set -x`), so the log holds none either.
FETCH = """\
set -eu
umask 077
aws secretsmanager get-secret-value --secret-id "$MASTER_SECRET_ARN" --query SecretString --output text > "$WORK/master"
"""
APPLY = r"""set -eu
field() { sed -n 's/.*"'"$1"'" *: *"\(\([^"\\]\|\\.\)*\)".*/\1/p' "$WORK/master" | sed 's/\\\(.\)/\1/g'; }
quoted() { sed "s/['\\\\]/\\\\&/g" "$PASSWORD_FILE"; }
user=$(field username)
MYSQL_PWD=$(field password)
export MYSQL_PWD
{
  echo "CREATE DATABASE IF NOT EXISTS \`$DATABASE\`;"
  printf "CREATE USER IF NOT EXISTS '%s'@'%%' IDENTIFIED BY '%s';\n" "$SLURM_USER" "$(quoted)"
  printf "ALTER USER '%s'@'%%' IDENTIFIED BY '%s' REQUIRE %s;\n" "$SLURM_USER" "$(quoted)" "$REQUIRE"
  echo "GRANT ALL PRIVILEGES ON \`$DATABASE\`.* TO '$SLURM_USER'@'%';"
} | mariadb --host="$HOST" --port="$PORT" --user="$user" --ssl --skip-ssl-verify-server-cert --connect-timeout=10
echo "user $SLURM_USER has database $DATABASE on $HOST"
"""
"""Encrypted, but against no list of authorities: no image has RDS' own, and the VPC delivers to the address's owner."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SlurmDatabaseSetupArgs:
    database: SlurmDatabase
    cluster: pulumi.Input[str]
    """The cluster's name as its own output; a new cluster REPLACES the pod identity association."""
    region: str
    namespace: pulumi.Input[str]
    """Of the Slurm cluster."""
    password_secret_name: str
    """Secret there, made before, with the password of slurmdbd's user under the key `password`."""
    rotation: str
    """`PlatformSecrets.rotation_of` this password: another one REPLACES the Job, which then sets the password anew."""
    images: str | None
    """`artifacts.images` of the environment."""
    kms_key_arn: str | None = None
    """Customer key of the master secret."""
    require_tls: bool = False
    """Let slurmdbd's user in over TLS only."""
    role_rules: RoleRules = NO_RULES


class SlurmDatabaseSetup(pulumi.ComponentResource):
    """Service account, identity and Job; it stands when the Job is done, so that slurmdbd finds its user.

    Its role reads the one secret that RDS keeps the master password in, and nothing else.
    """

    def __init__(self, name: str, args: SlurmDatabaseSetupArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:platform:SlurmDatabaseSetup", name, {}, opts)
        self._name, self._args = name, args
        self._child = pulumi.ResourceOptions(parent=self)
        identity = self._identity()
        account = k8s.core.v1.ServiceAccount(
            f"{name}-account",
            metadata=k8s.meta.v1.ObjectMetaArgs(name=SERVICE_ACCOUNT, namespace=args.namespace),
            automount_service_account_token=False,
            opts=self._child,
        )
        k8s.batch.v1.Job(
            name,
            metadata=k8s.meta.v1.ObjectMetaArgs(namespace=args.namespace),
            spec=k8s.batch.v1.JobSpecArgs(
                backoff_limit=6,
                template=k8s.core.v1.PodTemplateSpecArgs(
                    metadata=k8s.meta.v1.ObjectMetaArgs(annotations={ROTATION: args.rotation}), spec=self._pod()
                ),
            ),
            opts=self._child.merge(pulumi.ResourceOptions(depends_on=[identity, account])),
        )
        self.register_outputs({})

    def _identity(self) -> pulumi.Resource:
        args, name = self._args, self._name
        reader = role(
            name, service=POD_IDENTITY, description="Reads RDS' master secret", opts=self._child, rules=args.role_rules
        )
        rights = aws.iam.RolePolicy(
            f"{name}-read",
            role=reader.name,
            policy=args.database.master_secret_arn.apply(lambda arn: master_policy(arn, args.kms_key_arn)),
            opts=self._child,
        )
        return aws.eks.PodIdentityAssociation(
            f"{name}-identity",
            cluster_name=args.cluster,
            namespace=args.namespace,
            service_account=SERVICE_ACCOUNT,
            role_arn=reader.arn,
            opts=self._child.merge(pulumi.ResourceOptions(depends_on=[rights])),
        )

    def _pod(self) -> k8s.core.v1.PodSpecArgs:
        args = self._args
        work = k8s.core.v1.VolumeMountArgs(name="work", mount_path=WORK)
        password = k8s.core.v1.VolumeMountArgs(name="password", mount_path=PASSWORD, read_only=True)
        return k8s.core.v1.PodSpecArgs(
            service_account_name=SERVICE_ACCOUNT,
            automount_service_account_token=False,
            restart_policy="OnFailure",
            node_selector={ROLE_LABEL: SYSTEM_ROLE},
            security_context=k8s.core.v1.PodSecurityContextArgs(
                run_as_non_root=True,
                run_as_user=UID,
                run_as_group=UID,
                fs_group=UID,
                seccomp_profile=k8s.core.v1.SeccompProfileArgs(type="RuntimeDefault"),
            ),
            init_containers=[
                self._container(
                    "master-password",
                    AWS_CLI.reference(mirrored(AWS_CLI.image, args.images)),
                    FETCH,
                    {
                        "WORK": WORK,
                        "HOME": WORK,
                        "AWS_REGION": args.region,
                        "MASTER_SECRET_ARN": args.database.master_secret_arn,
                    },
                    [work],
                )
            ],
            containers=[
                self._container(
                    "user-and-grants",
                    MARIADB_CLIENT.reference(mirrored(MARIADB_CLIENT.image, args.images)),
                    APPLY,
                    {
                        "WORK": WORK,
                        "HOME": WORK,
                        "PASSWORD_FILE": f"{PASSWORD}/{SLURM_DATABASE_PASSWORD.data_key}",
                        "HOST": args.database.address,
                        "PORT": str(PORT),
                        "DATABASE": DATABASE,
                        "SLURM_USER": USER,
                        "REQUIRE": "SSL" if args.require_tls else "NONE",
                    },
                    [work, password],
                )
            ],
            volumes=[
                # In memory: the master password touches no disk.
                k8s.core.v1.VolumeArgs(
                    name="work", empty_dir=k8s.core.v1.EmptyDirVolumeSourceArgs(medium="Memory", size_limit="16Mi")
                ),
                k8s.core.v1.VolumeArgs(
                    name="password",
                    secret=k8s.core.v1.SecretVolumeSourceArgs(
                        # The name as text: an output would have the Secret's replacement delete the Job first.
                        secret_name=args.password_secret_name,
                        default_mode=0o440,
                    ),
                ),
            ],
        )

    def _container(
        self,
        name: str,
        image: str,
        script: str,
        env: dict[str, pulumi.Input[str]],
        mounts: list[k8s.core.v1.VolumeMountArgs],
    ) -> k8s.core.v1.ContainerArgs:
        return k8s.core.v1.ContainerArgs(
            name=name,
            image=image,
            command=["/bin/sh", "-c", script],
            env=[k8s.core.v1.EnvVarArgs(name=key, value=value) for key, value in env.items()],
            volume_mounts=mounts,
            resources=k8s.core.v1.ResourceRequirementsArgs(requests=REQUESTS, limits=LIMITS),
            security_context=k8s.core.v1.SecurityContextArgs(
                allow_privilege_escalation=False,
                read_only_root_filesystem=True,
                capabilities=k8s.core.v1.CapabilitiesArgs(drop=["ALL"]),
            ),
        )


def master_policy(secret_arn: str, kms_key_arn: str | None) -> str:
    """The policy to read one secret, and to decrypt with its key if that is a customer's."""
    statements: list[dict[str, object]] = [
        {"Effect": "Allow", "Action": ["secretsmanager:GetSecretValue"], "Resource": [secret_arn]}
    ]
    if kms_key_arn is not None:
        statements.append({"Effect": "Allow", "Action": ["kms:Decrypt"], "Resource": [kms_key_arn]})
    return json.dumps({"Version": "2012-10-17", "Statement": statements}, sort_keys=True)
