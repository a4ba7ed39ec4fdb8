"""Where differences concentrate: values that are more frequent among the rows that differ than among the others."""

import math
from collections.abc import Callable, Iterable
from typing import TypeVar

from deltawave.comparing.comparison import Concentration

Category = TypeVar("Category")

# A column with more than MOST_VALUES values is no category. The MOST_COLUMNS with the fewest are measured, by estimates
# that may be a quarter too large.
MOST_VALUES = 100
MOST_COLUMNS = 20
_MARGIN = 1.25
# A value is reported if at least LEAST_ROWS differing rows have it, and it is LEAST_LIFT times as frequent among them
# as among all rows, or its absence is that much rarer. The effect (Cohen's h) and the distance from chance, in standard
# deviations, have to be this large, too.
LEAST_ROWS = 5
LEAST_LIFT = 1.5
LEAST_EFFECT = 0.5
LEAST_DEVIATIONS = 4.0
MOST_REPORTED = 10


def measured(columns: Iterable[Category], values_of: Callable[[Category], int]) -> list[Category]:
    """The categories with few values, the fewest first; ``values_of``: about how many values one has."""
    return sorted((column for column in columns if 2 <= values_of(column) <= MOST_VALUES), key=values_of)[:MOST_COLUMNS]


def perhaps_measured(columns: Iterable[Category], values_of: Callable[[Category], int]) -> list[Category]:
    """The columns that may have few values, by estimates; those that seem to have a single one come last."""
    few = (column for column in columns if values_of(column) <= _MARGIN * MOST_VALUES)
    return sorted(few, key=lambda column: (values_of(column) < 2, values_of(column)))[:MOST_COLUMNS]


def strongest(found: Iterable[Concentration | None], kinds: Iterable[str]) -> list[Concentration]:
    """What is worth reporting of each kind, the largest effect first."""
    ordered = sorted(filter(None, found), key=lambda each: (-each.effect, each.column, each.value or ""))
    return [each for kind in kinds for each in [one for one in ordered if one.kind == kind][:MOST_REPORTED]]


def weighed(
    kind: str, column: str, value: str | None, rows: int, of: int, all_rows: int, of_all: int
) -> Concentration | None:
    """Describe a value that ``rows`` of ``of`` differing rows have, and ``all_rows`` of ``of_all`` rows.

    None if too few rows have it, if the effect is small, or if it may be chance.
    """
    if min(rows, of_all - of) < LEAST_ROWS:
        return None
    share, all_share = rows / of, all_rows / of_all
    is_frequent = share >= LEAST_LIFT * all_share or 1 - all_share >= LEAST_LIFT * (1 - share)
    expected = of * all_share
    deviation = math.sqrt(expected * (1 - all_share) * (of_all - of) / (of_all - 1))
    if not is_frequent or rows - expected < LEAST_DEVIATIONS * deviation:
        return None
    others = (all_rows - rows) / (of_all - of)
    effect = 2 * math.asin(math.sqrt(share)) - 2 * math.asin(math.sqrt(others))
    if effect < LEAST_EFFECT:
        return None
    return Concentration(kind, column, value, rows, share, all_rows, all_share, share / all_share, effect)
