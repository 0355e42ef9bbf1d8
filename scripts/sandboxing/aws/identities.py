"""Ids and ARNs as AWS writes them.

A row is `(id, ARN resource part)`; both are templates. `{hex}` is 17 hex digits, `{name}` the physical name, `{id}` the
id, `{arn}` the ARN, `{uuid}` a UUID, `{number}` ten digits, `{anything}` else the input of that name. Types without a
row get their name as id (a made one where they have none) and `<type>/<id>` as resource part. Source of the ids: the
`pulumi import` examples in the SDK's docstrings (pulumi-aws 7.51.1, compared 2026-11-29); where the import takes
another form than the id (security group rules, RDS instances), what the provider is known to keep. The ARN forms follow
AWS's convention and were not compared one by one.
"""

from __future__ import annotations

import re

from .context import ACCOUNT, Context

_EC2_PREFIXES = {
    "ami": "ami",
    "capacityBlockReservation": "cr",
    "capacityReservation": "cr",
    "customerGateway": "cgw",
    "defaultNetworkAcl": "acl",
    "defaultRouteTable": "rtb",
    "defaultSecurityGroup": "sg",
    "defaultSubnet": "subnet",
    "defaultVpc": "vpc",
    "egressOnlyInternetGateway": "eigw",
    "eip": "eipalloc",
    "eipAssociation": "eipassoc",
    "fleet": "fleet",
    "flowLog": "fl",
    "instance": "i",
    "internetGateway": "igw",
    "launchTemplate": "lt",
    "managedPrefixList": "pl",
    "natGateway": "nat",
    "networkAcl": "acl",
    "networkInterface": "eni",
    "networkInterfaceAttachment": "eni-attach",
    "route": "r-{routeTableId}",
    "routeTable": "rtb",
    "routeTableAssociation": "rtbassoc",
    "securityGroup": "sg",
    "securityGroupEgressRule": "sgr",
    "securityGroupIngressRule": "sgr",
    "snapshot": "snap",
    "spotInstanceRequest": "sir",
    "subnet": "subnet",
    "volume": "vol",
    "vpc": "vpc",
    "vpcDhcpOptions": "dopt",
    "vpcEndpoint": "vpce",
    "vpcIpv4CidrBlockAssociation": "vpc-cidr-assoc",
    "vpcPeeringConnection": "pcx",
    "vpnGateway": "vgw",
}
_EC2_ARN_TYPES = {
    "eip": "elastic-ip",
    "ami": "image",
    "natGateway": "natgateway",
    "capacityBlockReservation": "capacity-reservation",
    "securityGroupIngressRule": "security-group-rule",
    "securityGroupEgressRule": "security-group-rule",
    "flowLog": "vpc-flow-log",
    "vpcDhcpOptions": "dhcp-options",
}

_ROWS: dict[str, tuple[str, str]] = {
    "aws:autoscaling/group:Group": ("{name}", "autoScalingGroup:{uuid}:autoScalingGroupName/{name}"),
    "aws:cloudwatch/eventRule:EventRule": ("{name}", "rule/{name}"),
    "aws:cloudwatch/eventTarget:EventTarget": ("{rule}-{targetId}", "rule/{rule}"),
    "aws:cloudwatch/logGroup:LogGroup": ("{name}", "log-group:{name}"),
    "aws:cloudwatch/metricAlarm:MetricAlarm": ("{name}", "alarm:{name}"),
    "aws:dynamodb/table:Table": ("{name}", "table/{name}"),
    "aws:ec2/internetGatewayAttachment:InternetGatewayAttachment": ("{internetGatewayId}:{vpcId}", "vpc/{vpcId}"),
    "aws:ec2/placementGroup:PlacementGroup": ("{name}", "placement-group/{name}"),
    "aws:ec2/securityGroupRule:SecurityGroupRule": ("sgrule-{number}", "security-group-rule/{id}"),
    "aws:ecr/repository:Repository": ("{name}", "repository/{name}"),
    "aws:efs/accessPoint:AccessPoint": ("fsap-{hex}", "access-point/{id}"),
    "aws:efs/backupPolicy:BackupPolicy": ("{fileSystemId}", "file-system/{fileSystemId}"),
    "aws:efs/fileSystem:FileSystem": ("fs-{hex}", "file-system/{id}"),
    "aws:efs/fileSystemPolicy:FileSystemPolicy": ("{fileSystemId}", "file-system/{fileSystemId}"),
    "aws:efs/mountTarget:MountTarget": ("fsmt-{hex}", "file-system/{fileSystemId}"),
    "aws:eks/accessEntry:AccessEntry": ("{clusterName}:{principalArn}", "access-entry/{clusterName}/{uuid}"),
    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation": (
        "{clusterName}#{principalArn}#{policyArn}",
        "access-entry/{id}",
    ),
    "aws:eks/addon:Addon": ("{clusterName}:{addonName}", "addon/{clusterName}/{addonName}/{uuid}"),
    "aws:eks/cluster:Cluster": ("{name}", "cluster/{name}"),
    "aws:eks/nodeGroup:NodeGroup": ("{clusterName}:{name}", "nodegroup/{clusterName}/{name}/{uuid}"),
    "aws:eks/podIdentityAssociation:PodIdentityAssociation": ("a-{hex}", "podidentityassociation/{clusterName}/{id}"),
    "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation": ("dra-{hex}", "association/{fileSystemId}/{id}"),
    "aws:fsx/lustreFileSystem:LustreFileSystem": ("fs-{hex}", "file-system/{id}"),
    "aws:iam/instanceProfile:InstanceProfile": ("{name}", "instance-profile{path}{name}"),
    "aws:iam/openIdConnectProvider:OpenIdConnectProvider": ("{arn}", "oidc-provider/{url}"),
    "aws:iam/policy:Policy": ("{arn}", "policy{path}{name}"),
    "aws:iam/role:Role": ("{name}", "role{path}{name}"),
    "aws:iam/rolePolicy:RolePolicy": ("{role}:{name}", "role/{role}"),
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": ("{role}/{policyArn}", "role/{role}"),
    "aws:iam/user:User": ("{name}", "user{path}{name}"),
    "aws:kms/alias:Alias": ("{name}", "{name}"),
    "aws:kms/key:Key": ("{uuid}", "key/{id}"),
    "aws:kms/keyPolicy:KeyPolicy": ("{keyId}", "key/{keyId}"),
    "aws:lambda/function:Function": ("{name}", "function:{name}"),
    "aws:rds/cluster:Cluster": ("{name}", "cluster:{name}"),
    "aws:rds/instance:Instance": ("db-{upper}", "db:{name}"),
    "aws:rds/parameterGroup:ParameterGroup": ("{name}", "pg:{name}"),
    "aws:rds/subnetGroup:SubnetGroup": ("{name}", "subgrp:{name}"),
    "aws:s3/bucket:Bucket": ("{name}", "{name}"),
    "aws:secretsmanager/secret:Secret": ("{arn}", "secret:{name}-{short}"),
    "aws:secretsmanager/secretVersion:SecretVersion": ("{secretId}|terraform-{hex}", "{secretId}"),
    "aws:sns/topic:Topic": ("{arn}", "{name}"),
    "aws:sqs/queue:Queue": (f"https://sqs.{{region}}.amazonaws.com/{ACCOUNT}/{{name}}", "{name}"),
    "aws:sqs/queuePolicy:QueuePolicy": ("{queueUrl}", "{queueUrl}"),
    "aws:ssm/parameter:Parameter": ("{name}", "parameter/{bare}"),
}
_SERVICES = {
    "alb": "elasticloadbalancing",
    "apigatewayv2": "apigateway",
    "cfg": "config",
    "cloudwatch": "cloudwatch",
    "docdb": "rds",
    "ebs": "ec2",
    "efs": "elasticfilesystem",
    "lb": "elasticloadbalancing",
    "neptune": "rds",
    "sfn": "states",
    "vpc": "ec2",
}
_SERVICE_OF_TYPE = {
    "logGroup": "logs",
    "logStream": "logs",
    "eventRule": "events",
    "eventTarget": "events",
    "eventBus": "events",
}
_GLOBAL = frozenset({"cloudfront", "iam", "organizations", "route53", "s3"})
_WITHOUT_ACCOUNT = frozenset({"route53", "s3"})


def identify(context: Context) -> tuple[str, str]:
    """The id and the ARN of the resource in `context`."""
    module, type_name = parts(context.token)
    template, resource = _row(context, module, type_name)
    arn = "" if "{id}" in resource else arn_of(context, _filled(resource, context, "", ""))
    identifier = _filled(template, context, "", arn)
    return identifier, arn or arn_of(context, _filled(resource, context, identifier, ""))


def _row(context: Context, module: str, type_name: str) -> tuple[str, str]:
    if context.token in _ROWS:
        return _ROWS[context.token]
    if module in {"ec2", "ebs", "vpc", "ec2transitgateway"} and type_name in _EC2_PREFIXES:
        prefix = _EC2_PREFIXES[type_name]
        kind = _EC2_ARN_TYPES.get(type_name, kebab(type_name))
        return (prefix + "{number}" if "{" in prefix else f"{prefix}-{{hex}}"), f"{kind}/{{id}}"
    if module == "s3" and context.known("bucket"):
        return "{bucket}", "{bucket}"  # the parts of a bucket (versioning, policy ...) are known by its name
    return ("{name}" if context.known("name") else f"{kebab(type_name)}-{{hex}}"), f"{kebab(type_name)}/{{id}}"


def arn_of(context: Context, resource: str, service: str = "") -> str:
    """The ARN of `resource` in the context's service, or in another `service`."""
    if resource.startswith("arn:"):
        return resource  # a part of something else, which has no ARN of its own
    module, type_name = parts(context.token)
    service = service or _SERVICE_OF_TYPE.get(type_name) or _SERVICES.get(module, module)
    region = "" if service in _GLOBAL else context.region
    account = "" if service in _WITHOUT_ACCOUNT else ACCOUNT
    return f"arn:aws:{service}:{region}:{account}:{resource}"


def parts(token: str) -> tuple[str, str]:
    """`aws:ec2/vpc:Vpc` -> `("ec2", "vpc")`."""
    _, path, class_name = token.split(":")
    module, _, type_name = path.partition("/")
    return module, type_name or class_name


def kebab(camel: str) -> str:
    """`securityGroup` -> `security-group`."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"-\1", camel).lower()


def _filled(template: str, context: Context, identifier: str, arn: str) -> str:
    made = {
        "arn": arn,
        "bare": context.name.removeprefix("/"),
        "hex": context.hex(17, "id"),
        "id": identifier,
        "name": context.name,
        "number": str(int(context.hex(12, "number"), 16) % 10**10).zfill(10),
        "path": str(context.known("path") or "/"),
        "region": context.region,
        "short": context.hex(6, "suffix"),
        "upper": context.hex(26, "upper").upper(),
        "url": str(context.known("url") or "").removeprefix("https://"),
        "uuid": context.uuid(),
    }
    return re.sub(
        r"\{(\w+)\}",
        lambda hole: made.get(hole[1]) or _text(context.known(hole[1])) or context.hex(8, hole[1]),
        template,
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
