"""What goes into the images of Slurm nodes (images/slurmd): versions, digests, checksums, each with its source.

Nothing here was downloaded: checksums are those that public build files name (read 2026-11-29). With a wrong one the
build fails.
"""

from collections.abc import Mapping
from types import MappingProxyType

SLURMD_TAG = "26.05-ubuntu24.04"
"""Slinky's slurmd of the control plane's Slurm, on Ubuntu 24.04: the newest that EFA's installer and Neuron's
packages are documented for (SlinkyProject/containers @0c671341, schedmd/slurm/26.05/ubuntu24.04). It MOVES; the build
demands a digest, which no source here gives."""

DOCKERFILE_SYNTAX = "docker/dockerfile:1.7.1@sha256:a57df69d0ea827fb7266491f2813635de6f17269be881f696fbfdf2d83dda33e"
"""BuildKit's frontend, as public Dockerfiles pin it. It expands variables in `ADD --checksum` (moby/buildkit v0.13)."""

COMMON: Mapping[str, str] = MappingProxyType(
    {
        "SLURMD_TAG": SLURMD_TAG,
        # efa-installer.amazonaws.com; libfabric and aws-ofi-nccl 1.21.1 are in it. Four public build files agree on the
        # checksum (TileRT and NCCL EP among them).
        "EFA_INSTALLER_VERSION": "1.50.0",
        "EFA_INSTALLER_SHA256": "fa6dff8593d866866c13cb4640d9059835cd4efa427971f100ab40c97bef2841",
        # Tag v0.24.0 of NVIDIA/pyxis (2026-05-12).
        "PYXIS_COMMIT": "107519944221822ea1dace4db8e7234b2eaa4cd5",
        # Release v4.2.1 of NVIDIA/enroot (2026-06-09).
        "ENROOT_VERSION": "4.2.1",
        "ENROOT_SHA256": "5955c51e88df0c5ed538d87abb5264609d4bad55fa8570745ed5d4ec66c8ab91",
        "ENROOT_CAPS_SHA256": "ca22652dcbdd3ebb6e2c68df781ef4301647c79dd7a41ed62899c2fd0f692750",
    }
)
"""Build arguments of both images and their defaults."""

GPU: Mapping[str, str] = MappingProxyType(
    {
        # The AMI's driver 580 runs CUDA 13.0 (shared/facts/device-plugins.md, section 5).
        "CUDA_VERSION": "13.0.2",
        # Index of docker.io/nvidia/cuda:13.0.2-runtime-ubuntu24.04: three public build files, two architectures.
        "CUDA_DIGEST": "sha256:6a0e31b59e70890446f2c17356d6efc0d54260090a8c63d6ca7c2ad049db95d2",
        # For enroot's NVIDIA hook, only with pyxis: nvidia.github.io/libnvidia-container (2026-08-13).
        "CONTAINER_TOOLS_VERSION": "1.20.0-1",
        "CONTAINER_TOOLS_KEY": "C95B321B61E88C1809C4F759DDCAE044F796ECB0",
    }
)
"""Build arguments of the GPU image alone."""

NEURON: Mapping[str, str] = MappingProxyType(
    {
        # SDK 2.32.0: "Install PyTorch via manual installation", awsdocs-neuron, 2026-08-18, Ubuntu 24.04.
        "NEURON_RUNTIME_VERSION": "2.34.10.0",
        "NEURON_COLLECTIVES_VERSION": "2.34.10.0",
        "NEURON_TOOLS_VERSION": "2.32.28.0",
        # Of GPG-PUB-KEY-AMAZON-AWS-NEURON.PUB, as Bottlerocket's kernel kit names it.
        "NEURON_KEY": "00FA2C1079260870A76D2C285749CAD8646D9185",
    }
)
"""Build arguments of the Neuron image alone. Its runtime refuses a host driver of 2.26 and older (release notes)."""
