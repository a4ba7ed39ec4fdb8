"""Packages that import a module when one of its names is used."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def from_modules(package: str, names: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package. ``names``: those of each module.

    Threads of dbt import modules of a package at the same time. If the package imported them at once, a thread that
    holds a module's lock could wait for the package, and another one that imports the package for that module.
    """
    modules = {name: module for module, own in names.items() for name in own}

    def __getattr__(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{modules[name]}"), name)

    return __getattr__
