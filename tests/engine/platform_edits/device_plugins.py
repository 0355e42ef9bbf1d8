"""Edits of the device plugins' fields; `SAMPLE` is their part of section `platform` in the environment under edit."""

from collections.abc import Mapping
from typing import Any

from tests.engine.edits import Edit

SAMPLE: Mapping[str, Any] = {"nvidia": {}, "neuron": {}, "efa": {}}

EDITS: Mapping[str, Edit] = {
    "platform.nvidia": Edit(values={"platform.nvidia": {"gdrcopy": True}}),
    "platform.nvidia.gdrcopy": Edit(values={"platform.nvidia.gdrcopy": True}),
    "platform.nvidia.values": Edit(values={"platform.nvidia.values": {"deviceIDStrategy": "index"}}),
    "platform.nvidia.gpuOperator": Edit(values={"platform.nvidia.gpuOperator": {}}),
    "platform.nvidia.gpuOperator.values": Edit(
        values={"platform.nvidia.gpuOperator.values": {"migManager": {"enabled": True}}}
    ),
    "platform.neuron": Edit(values={"platform.neuron": {"schedulerExtension": True}}),
    "platform.neuron.schedulerExtension": Edit(values={"platform.neuron.schedulerExtension": True}),
    "platform.neuron.values": Edit(values={"platform.neuron.values": {"devicePlugin": {"podAnnotations": {"a": "b"}}}}),
    "platform.efa": Edit(values={"platform.efa": {"values": {"additionalPodLabels": {"a": "b"}}}}),
    "platform.efa.values": Edit(values={"platform.efa.values": {"additionalPodLabels": {"a": "b"}}}),
}
"""Path of a field as docs/configuration.md writes it -> an edit of it."""
