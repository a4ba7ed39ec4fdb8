"""How the numbers of a changed column are distributed in the rows of both tables that differ."""

import math
import sys
from collections.abc import Sequence

from deltawave.comparing.columns import Column
from deltawave.comparing.comparison import Distribution, Summary
from deltawave.comparing.engine import Engine
from deltawave.comparing.equality import cell, differs, numbers_apart
from deltawave.comparing.figures import value_counts
from deltawave.comparing.kinds import DOUBLE, Kind
from deltawave.sides import SIDES, Side

# Of the columns with the most differences.
_MOST_COLUMNS = 6
_BINS = 16
# Values further from the mean are counted in the first and the last bin: a few of them would flatten all others.
_DEVIATIONS = 4
_INT = Kind("int")
_DIGITS = 6


def distributions(engine: Engine, changed: Sequence[Column]) -> list[Distribution]:
    """Histograms of both tables, with the same bins, of changed columns of numbers, also of numbers in texts.

    Among all rows a change of few would not be seen.
    """
    chosen = changed[:_MOST_COLUMNS]
    texts = _texts_of_numbers(engine, [column for column in chosen if not column.is_number and column.kind.is_text])
    numeric = [column for column in chosen if column.is_number or column.number in texts]
    if not numeric:
        return []
    found = {side: _summaries(engine, numeric, side) for side in SIDES}
    bins = {
        column.number: bin_
        for place, column in enumerate(numeric)
        if (bin_ := _bins([found[side][place] for side in SIDES])) is not None
    }
    drawn = [(place, column) for place, column in enumerate(numeric) if column.number in bins]
    if not drawn:
        return []
    counted = {}
    for side in SIDES:
        places = {}
        for _, column in drawn:
            low, step = (engine.dialect.cast(f"'{number!r}'", DOUBLE) for number in bins[column.number])
            at = f"floor(({_number(engine, column, side)} - {low}) / {step})"
            bounded = f"case when {at} < 0 then 0 when {at} > {_BINS - 1} then {_BINS - 1} else {at} end"
            places[column.number] = engine.dialect.text(engine.dialect.cast(bounded, _INT), _INT)
        counted[side] = value_counts(engine, _differing(engine, side), places)
    furthest = _furthest(engine, [column for _, column in drawn])
    result = []
    for place, column in drawn:
        old_rows, new_rows = (
            tuple(counted[side].get((column.number, str(bin_)), 0) for bin_ in range(_BINS)) for side in SIDES
        )
        old, new = (_summary(found[side][place]) for side in SIDES)
        largest = furthest[column.number]
        result.append(Distribution(column.name, *bins[column.number], old_rows, new_rows, old, new, largest))
    return result


def _differing(engine: Engine, side: Side) -> str:
    """A relation of a table's rows that have changed or no partner."""
    return f"(select * from {engine.pairs} where kind in ('changed', 'only_{side}'))"


def _texts_of_numbers(engine: Engine, columns: Sequence[Column]) -> set[int]:
    """The numbers of the columns whose changed texts are numbers."""
    if not columns:
        return set()
    others = []
    for column in columns:
        texts = [cell(column, side) for side in SIDES]
        is_other = " or ".join(
            f"({text} is not null and {engine.dialect.try_cast(text, DOUBLE)} is null)" for text in texts
        )
        others.append(f"count_if({differs(column)} and ({is_other}))")
    (counts,) = engine.rows(f"select {', '.join(others)} from {engine.pairs}")
    return {column.number for column, count in zip(columns, counts, strict=True) if not count}


def _number(engine: Engine, column: Column, side: Side) -> str:
    """A cell as a double; null if it is not a finite one."""
    value = engine.dialect.try_cast(cell(column, side), DOUBLE)
    return f"case when abs({value}) < {_infinity(engine)} then {value} end"


def _infinity(engine: Engine) -> str:
    return engine.dialect.cast("'Infinity'", DOUBLE)


def _summaries(engine: Engine, columns: Sequence[Column], side: Side) -> list[tuple[float | None, ...]]:
    """Of each column the least number, the mean, the largest one and the standard deviation."""
    cells = ", ".join(f"{_number(engine, column, side)} as v{column.number}" for column in columns)
    counted = ", ".join(
        f"{function}(v{column.number})" for column in columns for function in ("min", "avg", "max", "stddev_pop")
    )
    (found,) = engine.rows(f"select {counted} from (select {cells} from {_differing(engine, side)})")
    return [found[place : place + 4] for place in range(0, len(found), 4)]


def _furthest(engine: Engine, columns: Sequence[Column]) -> dict[int, float | None]:
    """The largest difference of a column's numbers within a pair of rows, by the columns' numbers."""
    largest = []
    for each in columns:
        apart = numbers_apart(each, [cell(each, side) for side in SIDES], engine.dialect)
        largest.append(f"max(case when {differs(each)} and {apart} < {_infinity(engine)} then {apart} end)")
    (found,) = engine.rows(f"select {', '.join(largest)} from {engine.pairs} where kind = 'changed'")
    return {column.number: _rounded(number) for column, number in zip(columns, found, strict=True)}


def _summary(found: Sequence[float | None]) -> Summary:
    return Summary(*map(_rounded, found[:3]))


def _rounded(number: float | None) -> float | None:
    # Engines add up in different orders.
    return None if number is None else float(f"{number:.{_DIGITS}g}") + 0.0


def _bins(found: Sequence[Sequence[float | None]]) -> tuple[float, float] | None:
    """Where the first of the bins begins, and how wide each is; None where there is nothing to see."""
    lows, highs = [], []
    for least, mean, most, deviation in found:
        if least is None or mean is None or most is None or deviation is None:
            continue
        lows.append(max(least, mean - _DEVIATIONS * deviation))
        highs.append(min(most, mean + _DEVIATIONS * deviation))
    if not lows or not min(lows) < max(highs) or not math.isfinite(max(highs) - min(lows)):
        return None
    low, width = min(lows), (max(highs) - min(lows)) / _BINS
    # The least doubles have too few digits to be divided.
    if width < sys.float_info.min / sys.float_info.epsilon:
        return None
    power = 10.0 ** math.floor(math.log10(width))
    step = next(each * power for each in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12) if each * power >= width * (1 + 1e-9))
    begin = math.floor(low / step + 1e-9) * step
    # Without the last digits, which nobody wants to read.
    return float(f"{begin:.12g}"), float(f"{step:.12g}")
