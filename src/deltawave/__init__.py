"""Comparisons of tables, snapshot differentials, MESHJOIN and wave indices on Apache Spark."""

from typing import TYPE_CHECKING

from deltawave.lazily import from_modules

if TYPE_CHECKING:
    from deltawave.comparing import Comparison, compare
    from deltawave.resources import attach, release, releasing

__all__ = ["Comparison", "attach", "compare", "release", "releasing"]

if not TYPE_CHECKING:
    # The costs, the command line and the settings of the environment need no Spark.
    __getattr__ = from_modules(
        __name__, {"comparing": ["Comparison", "compare"], "resources": ["attach", "release", "releasing"]}
    )
