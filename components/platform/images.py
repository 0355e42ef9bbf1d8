"""Images of public registries, taken from a mirror when the environment has one."""


def mirrored(repository: str, images: str | None) -> str:
    """A repository, or the same path below the mirror.

    Args:
        repository: with its registry and without a tag, such as `nvcr.io/nvidia/k8s-device-plugin`.
        images: `artifacts.images` of the environment: the mirror's registry and path, or None for the public one.

    The mirror keeps the path: `nvidia/k8s-device-plugin` below `registry.example.com/mirror`.
    """
    return repository if images is None else f"{images}/{repository.partition('/')[2]}"
