"""What the registry declares of each strategy, and a project of its own ones."""

from dataclasses import dataclass, fields
from functools import cache

import own_strategies
from unit.macro_harness import Macros, Package


@dataclass(frozen=True)
class Declaration:
    """The traits of a strategy that a user can notice, and that the contract suite asks for."""

    reads: str
    keeps: str
    ranges: str | None
    sees_deletes: str


@cache
def declarations() -> dict[str, Declaration]:
    """Every strategy by name, and auto, all of whose strategies write one log."""
    project = Macros(deltawave=Package(Macros()))
    project._load(own_strategies.DECLARATIONS)
    names = [field.name for field in fields(Declaration)]
    found = {
        name: Declaration(**{trait: declared[trait] for trait in names})
        for name, declared in project.default___strategies().items()
    }
    return found | {"auto": found["outer_join"]}
