"""The stack as a table of contents: environment, providers, components in order, what comes next."""

import pulumi
import pulumi_aws as aws
import pulumi_eks as eks

from components.capacity import create_capacity
from components.catalog.partitions import partition_of
from components.cluster import cluster_for
from components.identity import RoleRules
from components.network import EfaSecurityGroup, EfaSecurityGroupArgs, network_for
from components.platform import create_devices, create_namespaces, create_platform, create_teams, keys_of
from components.storage import create_storage
from components.surroundings import Surroundings
from stacks.environment import CONFIG_KEY, load
from stacks.names import cluster_name
from stacks.next_steps import next_steps
from stacks.problems import EnvironmentProblems

# 1. The environment
aws_config = pulumi.Config("aws")
region = aws_config.require("region")
partition = partition_of(region)
try:
    environment = load(pulumi.Config().require_object(CONFIG_KEY), region=region, stack=pulumi.get_stack())
    keys = keys_of(environment, pulumi.Config(), stack=pulumi.get_stack())
except EnvironmentProblems as problems:
    raise pulumi.RunError(str(problems)) from None
for warning in environment.warnings():
    pulumi.log.warn(warning)
cluster = cluster_name(pulumi.get_stack())
tags = {**environment.tags, "owner": environment.owner, "environment": pulumi.get_stack()}

# 2. Providers: all explicit (default ones are switched off), so that nothing lands in another account or cluster
aws_provider = aws.Provider(
    "aws",
    region=region,
    profile=aws_config.get("profile"),
    allowed_account_ids=aws_config.get_object("allowedAccountIds"),
    default_tags=aws.ProviderDefaultTagsArgs(tags=tags),
)
on_aws = pulumi.ResourceOptions(providers=[aws_provider, eks.Provider("eks")])

# 3. Network
role_rules = RoleRules(
    permissions_boundary_arn=environment.iam.permissions_boundary_arn, path=environment.iam.role_path
)
network = network_for(
    "network",
    environment.network,
    environment.node_pools,
    region=region,
    cluster_name=cluster,
    role_rules=role_rules,
    existing_buckets=[bucket.existing for bucket in environment.storage.buckets if bucket.existing],
    opts=on_aws,
)
efa = EfaSecurityGroup("efa", EfaSecurityGroupArgs(vpc_id=network.vpc_id), opts=on_aws)

# 4. Cluster, its add-ons and system nodes
training = cluster_for(
    "cluster",
    environment,
    cluster_name=cluster,
    vpc_id=network.vpc_id,
    subnet_ids=network.private_subnet_ids,
    partition=partition,
    tags=tags,
    role_rules=role_rules,
    # Nodes reach AWS through routes that no other edge of the graph leads to.
    opts=on_aws.merge(pulumi.ResourceOptions(depends_on=[network])),
)
around = Surroundings(
    cluster_name=cluster,
    cluster=training,
    vpc_id=network.vpc_id,
    subnet_ids=network.private_subnet_ids,
    efa=efa,
    region=region,
    partition=partition,
    tags=tags,
    on_aws=on_aws,
    in_cluster=on_aws.merge(pulumi.ResourceOptions(providers=[training.kubernetes], depends_on=[training])),
    role_rules=role_rules,
)

# 5. Namespaces, what is stored (file systems, buckets, their drivers and volumes), and who uses them
workloads, platform = create_namespaces(environment, around)
storage = create_storage(environment, around, namespaces=[workloads, platform])
create_teams(
    environment,
    around,
    bucket_arns={name: bucket.arn for name, bucket in storage.buckets.items()},
    kms_key_arn=storage.kms_key_arn,
    namespaces=workloads,
)

# 6. Capacity: placement groups, Karpenter, node pools. Nodes wait for the plugins of their devices and the drivers of
# what they mount, and a volume is let go by its node while the driver is still there.
devices = create_devices(environment, around)
pools = create_capacity(environment, around.after(*storage.drivers, *devices))

# 7. Platform: operators, schedulers, monitoring, Slurm, notebooks
create_platform(environment, around.after(*storage.volumes), namespaces=platform, workloads=workloads, keys=keys)

# 8. What a person needs next
pulumi.export("clusterName", training.name)
pulumi.export("buckets", {name: bucket.bucket_name for name, bucket in storage.buckets.items()})
pulumi.export("nodePools", [pool.node_pool_name for pool in pools])
pulumi.export("kubeconfigCommand", f"aws eks update-kubeconfig --name {cluster} --region {region}")
pulumi.export("nextSteps", next_steps(environment, cluster=cluster, region=region))
