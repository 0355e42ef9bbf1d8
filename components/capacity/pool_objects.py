"""The two Karpenter objects of a pool, with the options that make their deletion wait for the nodes."""

from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from components.capacity import node_class, node_pool

DRAIN = pulumi.CustomTimeouts(delete="60m")
"""Deleting waits for Karpenter to drain and end every node; the provider's own ten minutes would not be enough."""


def pool_objects(
    name: str,
    *,
    class_name: str,
    class_labels: Mapping[str, str],
    class_spec: Mapping[str, Any],
    pool_name: str,
    pool_annotations: Mapping[str, str],
    pool_spec: Mapping[str, Any],
    opts: pulumi.ResourceOptions,
) -> None:
    """Make an EC2NodeClass and its NodePool. Deletion runs backwards: the pool drains its nodes, then the class goes.

    Args:
        name: prefix of the Pulumi names.
        class_name: name of the EC2NodeClass in the cluster.
        class_labels: its labels.
        class_spec: its `spec`.
        pool_name: name of the NodePool in the cluster.
        pool_annotations: its annotations, besides the one that makes its deletion wait.
        pool_spec: its `spec`.
        opts: options of both, the parent among them.
    """
    nodes = k8s.apiextensions.CustomResource(
        f"{name}-nodeclass",
        api_version=node_class.API_VERSION,
        kind=node_class.KIND,
        metadata=k8s.meta.v1.ObjectMetaArgs(name=class_name, labels=dict(class_labels)),
        spec=class_spec,
        opts=opts.merge(pulumi.ResourceOptions(custom_timeouts=DRAIN)),
    )
    k8s.apiextensions.CustomResource(
        f"{name}-nodepool",
        api_version=node_pool.API_VERSION,
        kind="NodePool",
        metadata=k8s.meta.v1.ObjectMetaArgs(
            name=pool_name,
            # Wait for the nodes, not only for the object.
            annotations={**pool_annotations, "pulumi.com/deletionPropagationPolicy": "foreground"},
        ),
        spec=pool_spec,
        opts=opts.merge(
            pulumi.ResourceOptions(
                depends_on=[nodes],
                custom_timeouts=DRAIN,
                # A pool that changes its kind changes its name: the old nodes go first, and their capacity is free.
                delete_before_replace=True,
            )
        ),
    )
