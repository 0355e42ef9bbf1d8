"""The tools of the sandbox's engine: how each is recognised on PATH, and from which Go module it is built."""

from __future__ import annotations

from dataclasses import dataclass, field

KUBERNETES_VERSION = "1.36.3"
PULUMI_VERSION = "3.276.0"
# Built from a commit of 2026-01-15, the newest whose module the Go proxy serves with its schema. It says the SDK's
# version of itself, since the engine would warn at every run otherwise; the build metadata says what it is.
KUBERNETES_PROVIDER_VERSION = "4.34.2+sandbox.20260115"

_KUBERNETES_LDFLAGS = " ".join(
    f"-X k8s.io/component-base/version.{key}={value}"
    for key, value in {"gitVersion": f"v{KUBERNETES_VERSION}", "gitMajor": "1", "gitMinor": "36"}.items()
)
_PROVIDER = "github.com/pulumi/pulumi-kubernetes/provider/v4"


@dataclass(frozen=True, kw_only=True, slots=True)
class OnPath:
    """How a user's own copy is recognised: it must print a version in [minimum, below)."""

    arguments: tuple[str, ...]
    minimum: tuple[int, int]
    below: tuple[int, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Tool:
    """One binary.

    name: file name of the binary. folder: the Go module under scripts/engine. package: import path of its main
    package. ldflags: linker flags, which set the version it reports. seconds: cold build time on 2 cores, measured
    2026-11-29, for the progress lines only. copies: (Go module, path inside it, where) files that the build needs or
    that belong beside the binary; where is "source" or "binary".
    """

    name: str
    folder: str
    package: str
    seconds: int
    ldflags: str = ""
    on_path: OnPath | None = None
    copies: tuple[tuple[str, str, str], ...] = field(default=())


def _kubernetes(name: str, seconds: int, on_path: OnPath | None = None) -> Tool:
    return Tool(
        name=name,
        folder="kubernetes",
        package=f"k8s.io/kubernetes/cmd/{name}",
        seconds=seconds,
        ldflags=_KUBERNETES_LDFLAGS,
        on_path=on_path,
    )


KUBERNETES_PROVIDER = Tool(
    name="pulumi-resource-kubernetes",
    folder="pulumi-resource-kubernetes",
    package=".",
    seconds=280,
    ldflags=f"-X {_PROVIDER}/pkg/version.Version={KUBERNETES_PROVIDER_VERSION}",
    copies=(
        (_PROVIDER, "cmd/pulumi-resource-kubernetes/schema.json", "source"),
        (_PROVIDER, "cmd/pulumi-resource-kubernetes/terraform-mapping.json", "source"),
    ),
)

TOOLS: tuple[Tool, ...] = (
    Tool(
        name="pulumi",
        folder="pulumi",
        package="github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
        seconds=200,
        ldflags=f"-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version={PULUMI_VERSION}",
        on_path=OnPath(arguments=("version",), minimum=(3, 272), below=(4, 0)),
    ),
    Tool(
        name="pulumi-language-python",
        folder="pulumi-language-python",
        package=".",
        seconds=20,
        ldflags=f"-X main.version={PULUMI_VERSION}",
        copies=(("github.com/pulumi/pulumi/sdk/v3", "python/cmd/pulumi-language-python-exec", "binary"),),
    ),
    Tool(name="etcd", folder="etcd", package="go.etcd.io/etcd/server/v3", seconds=20),
    Tool(
        name="kwok",
        folder="kwok",
        package="sigs.k8s.io/kwok/cmd/kwok",
        seconds=50,
        ldflags="-X sigs.k8s.io/kwok/pkg/consts.Version=v0.8.0",
    ),
    _kubernetes("kube-apiserver", 150),
    _kubernetes("kube-controller-manager", 40),
    _kubernetes("kube-scheduler", 20),
    _kubernetes("kubectl", 50, OnPath(arguments=("version", "--client", "-o", "json"), minimum=(1, 35), below=(1, 38))),
    Tool(
        name="helm",
        folder="helm",
        package="helm.sh/helm/v3/cmd/helm",
        seconds=60,
        ldflags="-X helm.sh/helm/v3/internal/version.version=v3.18.6",
        on_path=OnPath(arguments=("version", "--short"), minimum=(3, 18), below=(4, 0)),
    ),
    KUBERNETES_PROVIDER,
)

# Built only where no karpenter-crd chart is at hand.
KARPENTER_CRDS = Tool(name="karpenter-crds", folder="karpenter-crds", package=".", seconds=90)

# For the lint tier only.
ACTIONLINT = Tool(
    name="actionlint", folder="actionlint", package="github.com/rhysd/actionlint/cmd/actionlint", seconds=15
)
