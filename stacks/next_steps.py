"""What a person does after `pulumi up`, in the order of doing it; a stack output."""

from stacks.cluster import Endpoint
from stacks.environment import Environment
from stacks.names import stack_of
from stacks.team_slurm import slurm_commands


def next_steps(environment: Environment, *, cluster: str, region: str) -> list[str]:
    """Commands and remarks, each one line."""
    steps = [
        _reach(environment.cluster.endpoint, cluster),
        f"aws eks update-kubeconfig --name {cluster} --region {region}",
        "kubectl get nodepools,ec2nodeclasses",
    ]
    if environment.platform.volcano is not None:
        steps.append("kubectl get queues.scheduling.volcano.sh")
    if environment.platform.slurm is not None:
        steps += slurm_commands(environment.teams, environment.platform.slurm, environment.node_pools)
    if environment.lifecycle.deletion_protection:
        steps.append("before a destroy: set lifecycle.deletionProtection: false and run pulumi up once")
    if environment.lifecycle.protect_data:
        steps.append("a destroy keeps the data: pulumi destroy --exclude-protected")
    return steps


def _reach(endpoint: Endpoint, cluster: str) -> str:
    if endpoint.reachable_from == "publicCidrs":
        return f"the API answers to {', '.join(endpoint.public_cidrs)} and inside the VPC"
    if endpoint.reachable_from == "tunnel":
        return f"the API is private: ./scripts/tunnel {stack_of(cluster)} opens a way to it (docs/access.md)"
    return "the API is private: run kubectl inside the VPC, or through ./scripts/tunnel (docs/access.md)"
