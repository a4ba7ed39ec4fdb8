"""What differs between two tables, for people: counts, columns, samples, and where the differences concentrate."""

from typing import TYPE_CHECKING

from deltawave.lazily import from_modules

if TYPE_CHECKING:
    from deltawave.comparing.compared import compare
    from deltawave.comparing.comparison import Change, Comparison, Concentration

__all__ = ["Change", "Comparison", "Concentration", "compare"]

if not TYPE_CHECKING:
    # What reads a result needs no engine.
    __getattr__ = from_modules(
        __name__, {"compared": ["compare"], "comparison": ["Change", "Comparison", "Concentration"]}
    )
