"""Edits of the device plugins' fields; `SAMPLE` is their part of section `platform` in the environment under edit."""

from collections.abc import Mapping
from typing import Any

SAMPLE: Mapping[str, Any] = {"nvidia": {}, "neuron": {}, "efa": {}}

EDITS: Mapping[str, Mapping[str, object]] = {
    "platform.nvidia": {"platform.nvidia": {"gdrcopy": True}},
    "platform.nvidia.gdrcopy": {"platform.nvidia.gdrcopy": True},
    "platform.nvidia.values": {"platform.nvidia.values": {"deviceIDStrategy": "index"}},
    "platform.nvidia.gpuOperator": {"platform.nvidia.gpuOperator": {}},
    "platform.nvidia.gpuOperator.values": {"platform.nvidia.gpuOperator.values": {"migManager": {"enabled": True}}},
    "platform.neuron": {"platform.neuron": {"schedulerExtension": True}},
    "platform.neuron.schedulerExtension": {"platform.neuron.schedulerExtension": True},
    "platform.neuron.values": {"platform.neuron.values": {"devicePlugin": {"podAnnotations": {"a": "b"}}}},
    "platform.efa": {"platform.efa": {"values": {"additionalPodLabels": {"a": "b"}}}},
    "platform.efa.values": {"platform.efa.values": {"additionalPodLabels": {"a": "b"}}},
}
"""Path of a field as docs/configuration.md writes it -> new values, by dotted path."""
