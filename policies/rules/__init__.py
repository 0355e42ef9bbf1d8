"""Every rule of the pack: each module of this folder has one, named `POLICY`, and runs because it is there."""

from importlib import import_module
from pkgutil import iter_modules

from pulumi_policy import Policy

ALL: list[Policy] = [import_module(f"{__name__}.{found.name}").POLICY for found in iter_modules(__path__)]
"""In the order of the modules' names."""
