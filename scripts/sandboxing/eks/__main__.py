"""Starts the provider, through the server that comes with the Pulumi SDK."""

import sys

from pulumi.provider.server import main

from scripts.sandboxing.orphans import exit_with_parent

from .provider import LocalEks

if __name__ == "__main__":
    exit_with_parent()
    main(LocalEks(), sys.argv[1:])
