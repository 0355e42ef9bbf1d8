"""What runs in the cluster: rules of the API server, namespaces, operators and schedulers."""

from components.platform.admission import AdmissionPolicies, AdmissionPoliciesArgs
from components.platform.namespaces import Namespaces, NamespacesArgs
from components.platform.volcano import Volcano, VolcanoArgs
from components.surroundings import Surroundings
from stacks.environment import Environment


def create_namespaces(environment: Environment, around: Surroundings) -> Namespaces:
    """The namespaces of workloads, and the rules that the API server holds what is in them to."""
    AdmissionPolicies("admission", AdmissionPoliciesArgs(), opts=around.in_cluster)
    return Namespaces(
        "namespaces",
        NamespacesArgs(
            namespaces=environment.namespaces,
            kubernetes_version=environment.cluster.kubernetes_version,
            protect=environment.lifecycle.protect_data,
        ),
        opts=around.in_cluster,
    )


def create_platform(environment: Environment, around: Surroundings) -> None:
    """Everything of the section `platform` that is on."""
    charts, images = environment.artifacts.charts, environment.artifacts.images
    if environment.platform.volcano is not None:
        Volcano("volcano", VolcanoArgs(charts=charts, images=images), opts=around.in_cluster)
