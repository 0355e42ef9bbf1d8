"""What goes together, for fields that say what a change of them replaces."""

IN_THE_CLUSTER = (
    "AdmissionPolicies",
    "Namespaces",
    "StorageDrivers",
    "StaticVolume",
    "ServiceAccountAccess",
    "kubernetes:storage.k8s.io/v1:StorageClass",
    "Team",
    "PlatformNamespaces",
    "PlatformSecrets",
    "ExternalSecrets",
    "NvidiaDevicePlugin",
    "NeuronPlugin",
    "EfaDevicePlugin",
    "CertManager",
    "SlinkyOperator",
    "SlurmNetwork",
    "SlurmState",
    "SlurmTokens",
    "SlurmDatabaseSetup",
    "SlurmCluster",
    "MpiOperator",
    "Volcano",
    "Kueue",
    "KubeRay",
    "JupyterHub",
    "Monitoring",
    "Karpenter",
    "TrainingNodePool",
    "GeneralNodePool",
)
"""A new cluster starts empty. File systems and buckets are not in it."""

FILE_SYSTEMS = (
    "LustreFileSystem",
    "DataRepositories",
    "StaticVolume",
    "EfsFileSystem",
    "kubernetes:storage.k8s.io/v1:StorageClass",
)
"""What goes with the security groups of file systems: Lustre itself, and EFS' mount targets."""
