"""Plain Pulumi that does what older guides and samples on training teach. None of it may reach a cluster."""

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as k8s

vpc = aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16")
# Unknown in the preview, as the kubeconfig of a cluster that does not exist yet.
in_cluster = pulumi.ResourceOptions(provider=k8s.Provider("cluster", kubeconfig=vpc.arn))


def made(name: str, version: str, kind: str, spec: dict[str, object]) -> None:
    k8s.apiextensions.CustomResource(
        name,
        api_version=version,
        kind=kind,
        metadata={"name": name, "namespace": "training"},
        spec=spec,
        opts=in_cluster,
    )


def pod(**container: object) -> dict[str, object]:
    return {"spec": {"containers": [{"name": "train", "image": "example.com/train:latest", **container}]}}


# "Disruption budgets keep the nodes", in two zones, on spot.
made(
    "p5",
    "karpenter.sh/v1",
    "NodePool",
    {
        "disruption": {"budgets": [{"nodes": "0"}]},
        "template": {
            "spec": {
                "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "p5"},
                "requirements": [
                    {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["p5.48xlarge"]},
                    {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["us-west-2a", "us-west-2b"]},
                    {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot"]},
                ],
            }
        },
    },
)
# "The bootstrap installs EFA and sets the clocks."
made(
    "p5-class",
    "karpenter.k8s.aws/v1",
    "EC2NodeClass",
    {
        "role": "nodes",
        "amiSelectorTerms": [{"alias": "al2023@latest"}],
        "subnetSelectorTerms": [{"tags": {"efa": "true"}}],
        "securityGroupSelectorTerms": [{"tags": {"efa": "true"}}],
        "userData": "curl -O https://efa-installer.amazonaws.com/aws-efa-installer-latest.tar.gz\n"
        "tar xf aws-efa-installer-latest.tar.gz && ./aws-efa-installer/efa_installer.sh -y\n"
        "nvidia-smi -ac 2619,1980\n",
    },
)
# "SlurmCluster and SlurmNodeSet describe instances."
made("cluster", "slinky.slurm.net/v1alpha1", "SlurmCluster", {"accounting": True})
made(
    "nodes",
    "slinky.slurm.net/v1alpha1",
    "SlurmNodeSet",
    {"partition": "gpu", "nodeCount": 4, "placementGroup": "pg", "nodeTemplate": {"instanceType": "p4d.24xlarge"}},
)
# "Slots times workers is the number of processes."
made(
    "mpi",
    "kubeflow.org/v1",
    "MPIJob",
    {
        "slotsPerWorker": 8,
        "mpiReplicaSpecs": {
            "Launcher": {"replicas": 1, "template": pod(command=["mpirun", "python", "train.py"])},
            "Worker": {"replicas": 4, "template": pod(resources={"limits": {"nvidia.com/gpu": 4}})},
        },
    },
)
# "These variables turn EFA on."
switches = ("FI_PROVIDER", "FI_EFA_USE_DEVICE_RDMA", "NCCL_ALGO", "NCCL_PROTO", "NCCL_EFA_ENABLE")
values = ("efa", "1", "Ring", "Simple", "1")
k8s.batch.v1.Job(
    "ddp",
    metadata={"name": "ddp", "namespace": "training"},
    spec={
        "parallelism": 4,
        "template": {
            "spec": {
                "restartPolicy": "Never",
                "containers": [
                    {
                        "name": "train",
                        "image": "example.com/train:latest",
                        "command": ["torchrun", "--nnodes=4", "--nproc-per-node=8", "train.py"],
                        "env": [
                            *({"name": n, "value": v} for n, v in zip(switches, values, strict=True)),
                            {"name": "MASTER_ADDR", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
                        ],
                        "resources": {"limits": {"nvidia.com/gpu": "8"}},
                    }
                ],
            }
        },
    },
    opts=in_cluster,
)
# "minAvailable 4 waits for four nodes."
made(
    "gang",
    "batch.volcano.sh/v1alpha1",
    "Job",
    {"minAvailable": 4, "tasks": [{"name": "worker", "replicas": 3, "template": pod()}]},
)
# "The file system has an inline association; SCRATCH_2 has a throughput."
k8s.storage.v1.StorageClass(
    "lustre",
    metadata={"name": "lustre"},
    provisioner="fsx.csi.aws.com",
    parameters={"deploymentType": "SCRATCH_2", "perUnitStorageThroughput": "250", "dataRepositoryAssociations": "s3"},
    opts=in_cluster,
)
# "A sidecar saves the checkpoints, and a ConfigMap resumes the job."
k8s.core.v1.ConfigMap("resume", metadata={"name": "resume"}, data={"auto_resume": "true"}, opts=in_cluster)
# "The newest chart of any repository; efa.enabled turns EFA on."
k8s.helm.v3.Release(
    "slurm",
    chart="slurm",
    repository_opts={"repo": "https://slinky.example/charts"},
    values={"compute": {"partitions": ["gpu"]}, "efa": {"enabled": True}},
    opts=in_cluster,
)
