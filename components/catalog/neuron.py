"""AWS Neuron: releases of the SDK, and the words of its tools that rules look for."""

SDK = "2.32.0"
"""Of driver, runtime and device plugin; pinned apart from the framework of the training images."""

TRAINING_SDK = "2.31.0"
"""Of training images for trn1. SDK 2.32.0 ships no torch-neuronx, and 2.33.0 brings it for trn2 and newer only
(awsdocs-neuron v2.32.0 and v2.33.0, setup/pytorch, read 2026-11-29)."""

CORE_RESOURCE = "aws.amazon.com/neuroncore"
DEVICE_ALIAS = "aws.amazon.com/neurondevice"
"""An older plugin's name of a device: nothing registers it any more, and Karpenter never knew it."""

COMPILER = "neuron_parallel_compile"
CACHE_VARIABLE = "NEURON_COMPILE_CACHE_URL"
DEFAULT_CACHE = "/var/tmp/neuron-compile-cache"  # noqa: S108 - where the compiler puts it, no file of ours
"""Neuron Persistent Cache (awsdocs-neuron, neuron-caching, read 2026-11-29)."""

STOCK_IMAGES = ("public.ecr.aws/neuron/", "-training-neuronx:", "-training-neuronx@", "-inference-neuronx:")
"""Parts of the names of AWS' own Neuron containers, which hold the SDK and no one's training script."""
