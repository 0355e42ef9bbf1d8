"""The stack as a table of contents: environment, providers, components in order, what comes next."""

import pulumi
import pulumi_aws as aws
import pulumi_eks as eks

from components.capacity import Surroundings, create_capacity
from components.catalog.partitions import partition_of
from components.cluster import TrainingCluster, TrainingClusterArgs
from components.network import EfaSecurityGroup, EfaSecurityGroupArgs, Network, NetworkArgs
from components.platform import Volcano, VolcanoArgs
from components.storage import Bucket, BucketArgs
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
except EnvironmentProblems as problems:
    raise pulumi.RunError(str(problems)) from None
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
network = Network(
    "network",
    NetworkArgs(
        cidr=environment.network.cidr,
        region=region,
        private_subnets=environment.network.private_subnets(),
        public_subnets=environment.network.public_subnets(),
        nat_zone=environment.network.zones[0],
        cluster_name=cluster,
    ),
    opts=on_aws,
)
efa = EfaSecurityGroup("efa", EfaSecurityGroupArgs(vpc_id=network.vpc_id), opts=on_aws)

# 4. Cluster, its add-ons and system nodes
training = TrainingCluster(
    "cluster",
    TrainingClusterArgs(
        cluster_name=cluster,
        kubernetes_version=environment.cluster.kubernetes_version,
        support_type=environment.cluster.support_type,
        vpc_id=network.vpc_id,
        subnet_ids=list(network.private_subnet_ids.values()),
        public_cidrs=environment.cluster.endpoint.public_cidrs,
        access=environment.cluster.access,
        deletion_protection=environment.lifecycle.deletion_protection,
        system_instance_type=environment.system_nodes.instance_type,
        system_count=environment.system_nodes.count,
        partition=partition,
        tags=tags,
    ),
    # Nodes reach AWS through routes that no other edge of the graph leads to.
    opts=on_aws.merge(pulumi.ResourceOptions(depends_on=[network])),
)
in_cluster = on_aws.merge(pulumi.ResourceOptions(providers=[training.kubernetes], depends_on=[training]))

# 5. Storage
data = BucketArgs(protect=environment.lifecycle.protect_data)
buckets = {spec.name: Bucket(f"{cluster}-{spec.name}", data, opts=on_aws) for spec in environment.storage.buckets}

# 6. Capacity: placement groups, Karpenter, node pools
pools = create_capacity(
    environment,
    Surroundings(
        cluster_name=cluster,
        cluster=training,
        subnet_ids=network.private_subnet_ids,
        efa=efa,
        region=region,
        partition=partition,
        tags=tags,
        on_aws=on_aws,
        in_cluster=in_cluster,
    ),
)

# 7. Platform
if environment.platform.volcano is not None:
    Volcano(
        "volcano",
        VolcanoArgs(charts=environment.artifacts.charts, images=environment.artifacts.images),
        opts=in_cluster,
    )

# 8. What a person needs next
pulumi.export("clusterName", training.name)
pulumi.export("buckets", {name: bucket.bucket_name for name, bucket in buckets.items()})
pulumi.export("nodePools", [pool.node_pool_name for pool in pools])
pulumi.export("kubeconfigCommand", f"aws eks update-kubeconfig --name {cluster} --region {region}")
pulumi.export("nextSteps", next_steps(environment, cluster=cluster, region=region))
