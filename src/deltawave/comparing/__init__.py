"""What differs between two tables, for people: counts, columns, samples, and where the differences concentrate."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deltawave.comparing.compared import compare
    from deltawave.comparing.comparison import Change, Comparison, Concentration

__all__ = ["Change", "Comparison", "Concentration", "compare"]


def __getattr__(name: str) -> Any:
    # What reads a result needs no engine.
    home: Any
    if name == "compare":
        from deltawave.comparing import compared as home
    elif name in __all__:
        from deltawave.comparing import comparison as home
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(home, name)
