"""What the registry declares of each strategy."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache

from unit.macro_harness import Macros


@dataclass(frozen=True)
class Declaration:
    """The traits of a strategy that a user can notice, and that the contract suite asks for."""

    reads: str
    keeps: str
    ranges: str | None
    sees_deletes: str


@cache
def declarations() -> dict[str, Declaration]:
    """Every strategy by name."""
    names = [field.name for field in fields(Declaration)]
    return {
        name: Declaration(**{trait: declared[trait] for trait in names})
        for name, declared in Macros()._strategies().items()
    }
