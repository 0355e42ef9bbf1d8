"""AWS APIs that get an interface endpoint in the VPC with `network.endpoints: private`."""

# What nodes, add-ons, Karpenter, the FSx driver and SSM sessions call. IAM and Pricing have no endpoint; Karpenter
# needs another way to IAM. Source: VPC user guide, "AWS services that integrate with AWS PrivateLink" (2026-11-29).
SERVICES = (
    "ec2",
    "ec2messages",
    "ecr.api",
    "ecr.dkr",
    "eks",
    "eks-auth",
    "elasticloadbalancing",
    "fsx",
    "kms",
    "logs",
    "sqs",
    "ssm",
    "ssmmessages",
    "sts",
)
