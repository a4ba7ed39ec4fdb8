"""Finds the key of two tables: the fewest columns that are unique in both and match most of their rows.

compared.py asks for it where the user gives no key.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import prod

from deltawave.comparing.columns import Column, can_be_key
from deltawave.comparing.engine import Engine
from deltawave.comparing.equality import canonical, cell
from deltawave.sides import SIDES, Side

# So many rows are looked at first: what is not unique there is no key.
_SAMPLE = 20_000
# So many show what texts look like.
_FIRST_ROWS = 300
# An estimated number of values may be too small.
_MARGIN = 1.4
# Sets of so many columns are tried, made of so many columns.
_MOST_COLUMNS, _MOST_TRIED = 4, 12
# So many pairs of rows show whether a key brings together rows that belong together.
_PAIRS = 2000
# The part of the rows of the smaller table that a key has to match.
_LEAST_COVERAGE = 0.5
# A column that is named like a key is shown as nearly one if at most this part of the rows repeats a value.
_FEWEST = 0.01
# The part of the other values that have to be equal, on average, unless the name says that it is a key.
_LEAST_AGREEMENT = 0.3
# Keys whose scores lie so near to each other are told apart by what their columns are.
_NEAR = 0.05
# With a key of such a score no larger set of columns is tried.
_GOOD = 0.9

_IS_ID = re.compile(
    r"(?i)(.*[^a-z0-9])?(id|ids|key|uuid|guid|pk|sk|isbn|iban|sku|vin|ident|identifier)|.*[a-z](Id|ID|Key)|.*(id|key)"
)
_IS_CODE = re.compile(r"(?i).*(code|number|num|nr|no|iata|icao|abbrev|symbol|ticker|slug|email|url)")
# Rows that pandas or R have numbered.
_IS_INDEX = re.compile(r"(?i)|unnamed: ?\d+|_c0|index|level_\d+|row_?(number|num|id)|rownames?|column0+")
_IS_MEASURE = re.compile(
    r"(?i)(.*_)?(amount|price|total|value|volume|votes|score|rate|lat|latitude|lon|long|longitude|population|weight|height|area|balance|salary|qty|quantity|elevation.*|elev|alt)(_.*)?"
)
_WHOLE, _NUMBER, _TIME = r"[+-]?\d{1,38}", r"[+-]?\d*\.\d+([eE][+-]?\d+)?", r"\d{4}-\d{2}-\d{2}.*"
_LONG = 60
# Of times; long texts and other numbers have higher ranks.
_UNLIKELY = 4.0
# The share of rows with values of their own, among more than a few rows.
_NEARLY, _FEW = 0.8, 20


@dataclass(frozen=True)
class Key:
    """A key that was found: its columns, and how many rows of each table it matches."""

    columns: tuple[Column, ...]
    matched: int


@dataclass(frozen=True)
class _Candidate:
    columns: tuple[Column, ...]
    matched: int
    score: float
    rank: tuple[float, ...]

    @property
    def is_likely(self) -> bool:
        """Whether it is neither a long text nor a time nor a measure, which may be unique by chance."""
        return self.rank[0] < _UNLIKELY


def find_key(engine: Engine, columns: Sequence[Column]) -> Key | None:
    """The key of two tables, or None if no columns are unique in both and match enough of their rows.

    ``columns``: of both tables, none of them a key yet
    """
    if not (shared := _possible(columns)):
        return None
    search = _Search(engine, shared, [column for column in columns if column.is_compared])
    found: list[_Candidate] = []
    for size in range(1, _MOST_COLUMNS + 1):
        found += [candidate for each in search.unique(size) if (candidate := search.measured(each)) is not None]
        if any(candidate.score >= _GOOD and candidate.is_likely for candidate in found):
            break
    if not found:
        return None
    best = max(candidate.score for candidate in found)
    near = [candidate for candidate in found if candidate.score >= best - _NEAR]
    chosen = min(near, key=lambda each: (not each.is_likely, len(each.columns), each.rank))
    return Key(chosen.columns, chosen.matched)


def nearly_key(engine: Engine, columns: Sequence[Column]) -> tuple[str, dict[Side, int]] | None:
    """A column that would be the key, by name and rows matched, but that few rows repeat: how many of each table."""
    if not (shared := _possible(columns)):
        return None
    search = _Search(engine, shared, ())
    for column in search.ids_of_their_own():
        repeated = {side: search.repeated(column, side) for side in SIDES}
        is_nearly = any(repeated.values()) and all(search.is_few(rows, side) for side, rows in repeated.items())
        if is_nearly and search.matches(column):
            return column.name, repeated
    return None


def _possible(columns: Sequence[Column]) -> list[Column]:
    return [replace(column, is_key=True) for column in columns if column.is_compared and can_be_key(column.kind)]


class _Search:
    def __init__(self, engine: Engine, columns: Sequence[Column], others: Sequence[Column]) -> None:
        self._engine = engine
        self._columns = columns
        self._others = others
        self._rows: dict[Side, int] = {}
        # Of the first rows of each table: how many values a column has, by its number; no column with nulls.
        self._values: dict[Side, dict[int, int]] = {}
        self._sampled: dict[Side, int] = {}
        # The columns of keys that are unique: a larger set is no better.
        self._unique: list[set[int]] = []
        self._shapes: dict[int, tuple[float, ...]] = {}
        for side in SIDES:
            self._look_at(side)
        filled = [each for each in columns if all(each.number in self._values[side] for side in SIDES)]
        self._ranks = {each.number: self._rank(place, each) for place, each in enumerate(filled)}
        self._filled = sorted(filled, key=lambda each: self._ranks[each.number])

    def _look_at(self, side: Side) -> None:
        rows, dialect = self._engine.rows, self._engine.dialect
        cells = f"({self._engine.source(self._columns, side)})"
        ((self._rows[side],),) = rows(f"select count(*) from {self._engine.table(side)}")
        names = [cell(column, side) for column in self._columns]
        counts = ", ".join(f"count({name}), approx_count_distinct({name})" for name in names)
        ((total, *found),) = rows(f"select count(*), {counts} from (select * from {cells} limit {_SAMPLE})")
        self._sampled[side] = total
        self._values[side] = {
            column.number: found[2 * place + 1]
            for place, column in enumerate(self._columns)
            if found[2 * place] == total
        }
        texts = [column for column in self._columns if column.kind.is_text]
        parts = ["count(*)"]
        for column in texts:
            name = cell(column, side)
            parts += [f"count_if({dialect.matches(name, pattern)})" for pattern in (_WHOLE, _NUMBER, _TIME)]
            parts += [f"count({name})", f"avg(length({name}))"]
        ((_, *shapes),) = rows(f"select {', '.join(parts)} from (select * from {cells} limit {_FIRST_ROWS})")
        for place, column in enumerate(texts):
            *matched, filled, length = shapes[5 * place : 5 * place + 5]
            shares = [float(number or 0) / max(1, filled) for number in matched]
            self._shapes[column.number] = (*shares, float(length or 0))

    def _rank(self, place: int, column: Column) -> tuple[float, ...]:
        """The smaller, the more likely is it part of a key: ids, codes, whole numbers, texts, times, other numbers."""
        whole, number, time, length = self._shapes.get(column.number, (0.0, 0.0, 0.0, 0.0))
        is_whole = column.kind.is_whole or whole == 1
        is_measure = column.kind.is_float or (column.kind.is_exact and not is_whole) or number > 0
        is_time = column.kind.is_time or time == 1
        name = column.name.strip()
        if _IS_INDEX.fullmatch(name):
            level = 7.0
        elif column.kind.name == "boolean" or column.kind.is_nested:
            level = 6.0
        elif is_measure or (_IS_MEASURE.fullmatch(name) and not _IS_ID.fullmatch(name)):
            level = 5.0
        elif is_time:
            level = 4.0
        elif _IS_ID.fullmatch(name):
            level = 0.0
        elif _IS_CODE.fullmatch(name) and length <= _LONG:
            level = 1.0
        elif is_whole or column.kind.name == "uuid":
            level = 2.0
        else:
            level = 3.0 if length <= _LONG else 4.5
        return level, float(place)

    def unique(self, size: int) -> Iterator[tuple[Column, ...]]:
        """The sets of so many columns that are unique in both tables, the likeliest first."""
        needed = self._needed if size > 1 else []
        for columns in combinations(self._single if size == 1 else self._tried, size):
            numbers = {column.number for column in columns}
            if not numbers.issuperset(each.number for each in needed) or any(each <= numbers for each in self._unique):
                continue
            enough = all(
                prod(_MARGIN * self._values[side][each.number] for each in columns) >= self._sampled[side]
                for side in SIDES
            )
            if (
                enough
                and self._is_unique_at_first(columns)
                and all(self._is_unique(columns, side, None) for side in SIDES)
            ):
                self._unique.append(numbers)
                yield columns

    @property
    def _single(self) -> list[Column]:
        return [each for each in self._filled if self._ranks[each.number][0] != 6]

    @cached_property
    def _tried(self) -> list[Column]:
        """Columns of which sets are made: measures are no part of a key, and neither are columns with one value."""
        parts = [
            each
            for each in self._filled
            if self._ranks[each.number][0] < 5 and max(self._values[side][each.number] for side in SIDES) > 1
        ]
        # Keys stand at the left of most tables, whatever their columns are.
        left = sorted(parts, key=lambda each: self._ranks[each.number][1])[:_MOST_TRIED]
        if not self._is_unique_at_first(left):
            return parts[:_MOST_TRIED]
        for column in reversed(left):
            others = [each for each in left if each != column]
            if self._is_unique_at_first(others):
                left = others
        first = left if len(left) <= _MOST_COLUMNS else []
        return [*first, *(each for each in parts if each not in first)][:_MOST_TRIED]

    @cached_property
    def _needed(self) -> list[Column]:
        """Columns that belong to each unique set, since all others together are not unique."""
        return [
            column
            for column in self._tried
            if not self._is_unique_at_first([each for each in self._tried if each != column])
        ]

    def _is_unique_at_first(self, columns: Sequence[Column]) -> bool:
        """Whether columns are unique in the first rows of both tables."""
        return bool(columns) and all(self._is_unique(columns, side, _SAMPLE) for side in SIDES)

    def _is_unique(self, columns: Sequence[Column], side: Side, limit: int | None) -> bool:
        cells = f"({self._engine.source(columns, side)})"
        rows = cells if limit is None else f"(select * from {cells} limit {limit})"
        names = ", ".join(cell(column, side) for column in columns)
        # Which rows come first may differ each time. What is unique in all of them is unique in any first ones.
        filled = " and ".join(f"{cell(column, side)} is not null" for column in columns) if limit is None else "true"
        ((groups,),) = self._engine.rows(
            f"select count(*) from (select {names} from {rows} where {filled} group by {names})"
        )
        return bool(groups == (self._rows[side] if limit is None else self._sampled[side]))

    def measured(self, columns: tuple[Column, ...]) -> _Candidate | None:
        """How well a key matches the rows; None if it does not."""
        others = [column for column in self._others if column.number not in {each.number for each in columns}]
        own = {side: f"({self._engine.source([*columns, *others], side)})" for side in SIDES}
        names = [cell(column, "old") for column in columns]
        same = " and ".join(f"o.{name} = n.{name}" for name in names)
        joined = f"{own['old']} as o join {own['new']} as n on {same}"
        ((matched,),) = self._engine.rows(f"select count(*) from {joined}")
        least = min(self._rows.values())
        levels = [self._ranks[column.number] for column in columns]
        if len(columns) > 1:
            levels = [
                (self._level_in_set(column, level), place)
                for column, (level, place) in zip(columns, levels, strict=True)
            ]
        rank = (max(level for level, _ in levels), *(place for _, place in levels))
        agreement = self._agreement(joined, others) if matched and others else 1.0
        is_named = all(level < 2 for level, _ in levels)
        if least and (matched < _LEAST_COVERAGE * least or (agreement < _LEAST_AGREEMENT and not is_named)):
            return None
        return _Candidate(columns, matched, matched / max(1, least) * (0.5 + 0.5 * agreement), rank)

    def ids_of_their_own(self) -> list[Column]:
        """The likeliest columns with the name of a key that the first rows hardly repeat."""
        named = [each for each in self._filled if self._ranks[each.number][0] == 0]
        return [each for each in named if self._has_own(each, _NEARLY)][:_MOST_COLUMNS]

    def repeated(self, column: Column, side: Side) -> int:
        """How many rows repeat a value of a column, or have none."""
        select = f"select count(distinct {cell(column, side)}) from ({self._engine.source([column], side)})"
        ((values,),) = self._engine.rows(select)
        return int(self._rows[side] - values)

    def is_few(self, rows: int, side: Side) -> bool:
        return rows <= _FEWEST * self._rows[side]

    def matches(self, column: Column) -> bool:
        """Whether a column matches enough of the rows."""
        old, new = (f"select {cell(column, side)} from ({self._engine.source([column], side)})" for side in SIDES)
        ((values,),) = self._engine.rows(f"select count(*) from ({old} intersect {new})")
        return bool(values >= _LEAST_COVERAGE * min(self._rows.values()))

    def _has_own(self, column: Column, share: float) -> bool:
        """Whether so many of the first rows of both tables have a value of their own."""
        return all(self._values[side][column.number] > share * self._sampled[side] > share * _FEW for side in SIDES)

    def _level_in_set(self, column: Column, level: float) -> float:
        """A column without a name of a key that is nearly unique by itself is a measure: any other makes it unique."""
        return max(level, 4.6) if level >= 2 and self._has_own(column, _NEARLY) else level

    def _agreement(self, joined: str, others: Sequence[Column]) -> float:
        """The part of the other values that are equal in pairs of rows, on average."""
        dialect = self._engine.dialect
        same = []
        for column in others[:50]:
            old, new = (canonical(column, f"{side[0]}.{cell(column, side)}", dialect) for side in SIDES)
            same.append(f"(case when {old} is not distinct from {new} then 1 else 0 end)")
        ((agreed, rows),) = self._engine.rows(
            f"select sum(same), count(*) from (select {' + '.join(same)} as same from {joined} limit {_PAIRS})"
        )
        return float(agreed / (rows * len(same)))
