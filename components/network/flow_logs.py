"""VPC flow logs in CloudWatch."""

from dataclasses import dataclass
from typing import Literal

import pulumi
import pulumi_aws as aws

from components.identity import FLOW_LOGS, RoleRules, role


@dataclass(frozen=True, kw_only=True, slots=True)
class FlowLogsArgs:
    retention_days: int
    traffic: Literal["all", "rejected"]
    """A change REPLACES the flow log; what was recorded stays."""


def create_flow_logs(
    name: str, args: FlowLogsArgs, *, vpc_id: pulumi.Input[str], rules: RoleRules, opts: pulumi.ResourceOptions
) -> None:
    """Log group, the role that may write to it, and the flow log of a VPC."""
    group = aws.cloudwatch.LogGroup(f"{name}-flow-logs", retention_in_days=args.retention_days, opts=opts)
    writer = role(
        f"{name}-flow-logs", service=FLOW_LOGS, description="VPC flow logs to CloudWatch", opts=opts, rules=rules
    )
    allowed = aws.iam.RolePolicy(
        f"{name}-flow-logs",
        role=writer.name,
        policy=pulumi.Output.json_dumps(
            {
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Effect": "Allow",
                        "Action": [
                            "logs:CreateLogStream",
                            "logs:DescribeLogGroups",
                            "logs:DescribeLogStreams",
                            "logs:PutLogEvents",
                        ],
                        "Resource": [group.arn, pulumi.Output.concat(group.arn, ":*")],
                    }
                ],
            }
        ),
        opts=opts,
    )
    aws.ec2.FlowLog(
        f"{name}-flow-logs",
        vpc_id=vpc_id,
        traffic_type="ALL" if args.traffic == "all" else "REJECT",
        log_destination_type="cloud-watch-logs",
        log_destination=group.arn,
        iam_role_arn=writer.arn,
        tags={"Name": f"{name}-flow-logs"},
        opts=opts.merge(pulumi.ResourceOptions(depends_on=[allowed])),
    )
