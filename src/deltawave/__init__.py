"""Comparisons of tables, snapshot differentials, MESHJOIN and wave indices on Apache Spark."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deltawave.comparing import Comparison, compare
    from deltawave.resources import attach, release, releasing

__all__ = ["Comparison", "attach", "compare", "release", "releasing"]


def __getattr__(name: str) -> Any:
    # The costs, the command line and the settings of the environment need no Spark.
    home: Any
    if name in ("Comparison", "compare"):
        from deltawave import comparing as home
    elif name in __all__:
        from deltawave import resources as home
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(home, name)
