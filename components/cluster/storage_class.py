"""The default StorageClass: encrypted gp3 volumes in the zone of the pod that first uses them."""

import pulumi
import pulumi_kubernetes as k8s

NAME = "gp3"


def create_default_class(name: str, *, opts: pulumi.ResourceOptions) -> k8s.storage.v1.StorageClass:
    """EKS brings no default class since 1.30. The parameters of a class can never change, so there are few."""
    return k8s.storage.v1.StorageClass(
        f"{name}-{NAME}",
        metadata=k8s.meta.v1.ObjectMetaArgs(
            # Claims name it.
            name=NAME,
            annotations={"storageclass.kubernetes.io/is-default-class": "true"},
        ),
        provisioner="ebs.csi.aws.com",
        parameters={"type": "gp3", "encrypted": "true"},
        volume_binding_mode="WaitForFirstConsumer",
        allow_volume_expansion=True,
        reclaim_policy="Delete",
        opts=opts,
    )
