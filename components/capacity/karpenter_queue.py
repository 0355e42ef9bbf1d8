"""The queue through which Karpenter hears that AWS is about to take a node away."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import pulumi
import pulumi_aws as aws

RETENTION_SECONDS = 300
"""A notice older than this describes a node that is gone."""

EVENTS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "health": ("aws.health", "AWS Health Event"),
        "spot-interruption": ("aws.ec2", "EC2 Spot Instance Interruption Warning"),
        "rebalance": ("aws.ec2", "EC2 Instance Rebalance Recommendation"),
        "state-change": ("aws.ec2", "EC2 Instance State-change Notification"),
        "reservation": ("aws.ec2", "EC2 Capacity Reservation Instance Interruption Warning"),
    }
)
"""Name -> source and kind of the events that the queue takes in.

Source: Karpenter's CloudFormation template, v1.14.1 (read 2026-11-29).
"""


def queue_policy(queue_arn: str) -> Mapping[str, Any]:
    """EventBridge may send; nobody may use the queue without TLS."""
    return {
        "Version": "2012-10-17",
        "Id": "EC2InterruptionPolicy",
        "Statement": [
            {
                "Sid": "AllowEvents",
                "Effect": "Allow",
                "Principal": {"Service": ["events.amazonaws.com", "sqs.amazonaws.com"]},
                "Action": "sqs:SendMessage",
                "Resource": queue_arn,
            },
            {
                "Sid": "DenyHTTP",
                "Effect": "Deny",
                "Principal": "*",
                "Action": "sqs:*",
                "Resource": queue_arn,
                "Condition": {"Bool": {"aws:SecureTransport": "false"}},
            },
        ],
    }


@dataclass(frozen=True, kw_only=True, slots=True)
class KarpenterQueueArgs:
    cluster_name: str


class KarpenterQueue(pulumi.ComponentResource):
    """Queue, its policy, and one EventBridge rule per kind of event."""

    queue_name: pulumi.Output[str]
    queue_arn: pulumi.Output[str]

    def __init__(self, name: str, args: KarpenterQueueArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:capacity:KarpenterQueue", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        # Named by Pulumi: SQS refuses the name of a queue that was deleted less than a minute ago.
        queue = aws.sqs.Queue(
            name,
            message_retention_seconds=RETENTION_SECONDS,
            sqs_managed_sse_enabled=True,
            tags={"Name": f"{args.cluster_name}-karpenter"},
            opts=child,
        )
        aws.sqs.QueuePolicy(
            f"{name}-policy",
            queue_url=queue.url,
            policy=queue.arn.apply(lambda arn: json.dumps(queue_policy(arn), sort_keys=True)),
            opts=child,
        )
        for event, (source, kind) in EVENTS.items():
            rule = aws.cloudwatch.EventRule(
                f"{name}-{event}",
                description=f"Karpenter of {args.cluster_name}: {kind}",
                event_pattern=json.dumps({"source": [source], "detail-type": [kind]}),
                opts=child,
            )
            aws.cloudwatch.EventTarget(
                f"{name}-{event}-target",
                rule=rule.name,
                target_id="KarpenterInterruptionQueueTarget",
                arn=queue.arn,
                opts=child,
            )
        self.queue_name, self.queue_arn = queue.name, queue.arn
        self.register_outputs({"queueName": queue.name, "queueArn": queue.arn})
