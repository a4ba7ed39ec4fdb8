"""Where the indexes of a wave index are stored: tables, their parts, and the days of each; values of days.

A part is a partition of a table that is bucketed and sorted by the search field, and written once.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from deltawave.wave.operations import Days, Operation, WaveState, as_json, from_json
from deltawave.wave.schemes import SCHEMES, WaveIndex

TECHNIQUES = ("in_place", "simple_shadow", "packed_shadow")
GAPS = ("skip", "empty", "fail")
# A Hive metastore cannot filter by a name that begins with an underscore.
PART = "wave_part"
VALUE = "wave_value"
PLACE = "wave_place"
IS_FIRST = "wave_is_first"


@dataclass(frozen=True)
class Part:
    """A partition of a table, and the days whose rows it has."""

    name: str
    days: Days


@dataclass(frozen=True)
class Table:
    """The parts of a table that make up an index; an empty index has no table, and an empty name."""

    name: str = ""
    parts: tuple[Part, ...] = ()

    @property
    def days(self) -> Days:
        return frozenset().union(*(part.days for part in self.parts))


@dataclass(frozen=True)
class Day:
    """A day of a batch: the day column's value as text, the number of rows, and a checksum to notice changes."""

    value: str
    rows: int = 0
    checksum: str = ""


@dataclass(frozen=True)
class WaveSpec:
    """The specification of a wave index.

    - ``technique``: ``in_place``, ``simple_shadow`` or ``packed_shadow`` (WI 2.1)
    - ``day_column``: the column that names a row's day: a date, a whole number, or text in the order of days
    - ``search_field``: the column that probes search; each value of an array is a search value
    - ``columns``: names and Spark types of all columns
    - ``clip``: whether the view leaves out the expired days of a soft window, so that it has exactly the last W

    Raises ``ValueError`` for invalid values.
    """

    index: WaveIndex
    technique: str
    day_column: str
    search_field: str
    columns: tuple[tuple[str, str], ...]
    buckets: int = 8
    clip: bool = True

    def __post_init__(self) -> None:
        if self.technique not in TECHNIQUES:
            raise ValueError(f"update_technique {self.technique!r}: take one of {', '.join(TECHNIQUES)}.")
        if self.buckets < 1:
            raise ValueError(f"buckets {self.buckets}: take 1 or more.")
        names = {name.lower() for name, _ in self.columns}
        for option in ("day_column", "search_field"):
            if getattr(self, option).lower() not in names:
                has = ", ".join(name for name, _ in self.columns)
                raise ValueError(f"{option} {getattr(self, option)!r}: there is no such column; there are {has}.")
        if reserved := names & {PART, VALUE, PLACE, IS_FIRST}:
            raise ValueError(f"column {min(reserved)}: the index needs that name; give the column another one.")
        if self.day_type not in ("date", "string", "int", "bigint", "smallint", "tinyint"):
            raise ValueError(
                f"day_column {self.day_column!r} is of type {self.day_type}: take a date, a whole number or a text."
            )

    @property
    def day_type(self) -> str:
        return self._type(self.day_column)

    @property
    def is_multiple(self) -> bool:
        """Whether a row has several search values."""
        return self._type(self.search_field).startswith("array<")

    @property
    def entry_columns(self) -> list[tuple[str, str]]:
        """The columns of an index's table, which has one entry for each search value of a row."""
        if not self.is_multiple:
            return list(self.columns)
        element = self._type(self.search_field)[len("array<") : -1]
        return [*self.columns, (VALUE, element), (IS_FIRST, "boolean")]

    @property
    def bucketed_by(self) -> str:
        """The column that holds one search value."""
        return VALUE if self.is_multiple else self.search_field

    def _type(self, column: str) -> str:
        return next(kind for name, kind in self.columns if name.lower() == column.lower())


@dataclass(frozen=True)
class WaveRecord:
    """A wave index, as its view and its next transition need it.

    - ``state_day``: the number of the newest day; ``days``: the days by their numbers
    - ``tables``: the table of each index, by its name (I1, T0, ...)
    - ``pending``: operations that still have to prepare later days
    - ``replaced``: replaced tables and parts that readers may still read (:func:`deltawave.wave.steps.superseded`)
    - ``run``: the run that made the last transition
    """

    spec: WaveSpec
    state_day: int = 0
    days: Mapping[int, Day] = field(default_factory=dict)
    tables: Mapping[str, Table] = field(default_factory=dict)
    pending: tuple[Operation, ...] = ()
    replaced: tuple[Table, ...] = ()
    run: str = ""

    @property
    def state(self) -> WaveState:
        return WaveState(self.state_day, {name: table.days for name, table in self.tables.items()})

    @property
    def constituents(self) -> list[Table]:
        """The tables that readers see."""
        return [self.tables[name] for name in sorted(self.tables, key=lambda name: (len(name), name)) if name[0] == "I"]

    def holding(self, day: int) -> tuple[str, Part]:
        """The table and the part that have the rows of a day; those of a constituent, if one has it."""
        tables = (*self.constituents, *self.tables.values())
        return next((table.name, part) for table in tables for part in table.parts if day in part.days)

    @property
    def ordered(self) -> list[Day]:
        return [day for _, day in sorted(self.days.items())]

    @property
    def rows(self) -> int:
        """How many rows readers see."""
        return sum(self.days[day].rows for table in self.constituents for day in table.days if day >= self.first_shown)

    @property
    def first_shown(self) -> int:
        """The first day that readers may see: with ``clip``, the first of the last W."""
        return self.state_day - self.spec.index.window + 1 if self.spec.clip else 0

    @property
    def table_names(self) -> list[str]:
        """All tables that are needed, by this record or by readers of the one before."""
        return sorted({table.name for table in (*self.tables.values(), *self.replaced) if table.name})

    def to_json(self) -> dict[str, Any]:
        """As JSON values, in few characters: some catalogs keep only 32,000 characters of a view's text."""
        return {
            "spec": {**vars(self.spec), "index": vars(self.spec.index)},
            "day": self.state_day,
            "days": {str(number): [day.value, day.rows, day.checksum] for number, day in self.days.items()},
            "indexes": {name: _table_json(table) for name, table in self.tables.items()},
            "pending": [as_json(operation) for operation in self.pending],
            "replaced": [_table_json(table) for table in self.replaced],
            "run": self.run,
        }

    @staticmethod
    def from_json(values: Mapping[str, Any]) -> "WaveRecord":
        spec = dict(values["spec"])
        spec["index"] = WaveIndex(**spec["index"])
        spec["columns"] = tuple((name, kind) for name, kind in spec["columns"])
        return WaveRecord(
            WaveSpec(**spec),
            values["day"],
            {int(number): Day(*day) for number, day in values["days"].items()},
            {name: _table(table) for name, table in values["indexes"].items()},
            tuple(from_json(operation) for operation in values["pending"]),
            tuple(_table(table) for table in values["replaced"]),
            values["run"],
        )


def choices() -> dict[str, list[str]]:
    """What options of a wave index can be."""
    return {"schemes": list(SCHEMES), "techniques": list(TECHNIQUES), "gaps": list(GAPS)}


def named_parts(tables: Iterable[Table]) -> set[tuple[str, str]]:
    """Pairs of the table's and the part's name."""
    return {(table.name, part.name) for table in tables for part in table.parts}


def as_comment(values: Mapping[str, Any]) -> str:
    """JSON that is safe in a SQL comment: nothing begins or ends a comment, and no ``${name}`` is replaced."""
    return json.dumps(values, separators=(",", ":")).replace("*", "\\u002a").replace("${", "\\u0024{")


def _table_json(table: Table) -> dict[str, Any]:
    return {"table": table.name, "parts": [[part.name, as_ranges(part.days)] for part in table.parts]}


def _table(values: Mapping[str, Any]) -> Table:
    return Table(values["table"], tuple(Part(name, of_ranges(days)) for name, days in values["parts"]))


def runs(days: Iterable[int]) -> list[tuple[int, int]]:
    """The first and the last of consecutive days."""
    found: list[tuple[int, int]] = []
    for day in sorted(days):
        if found and found[-1][1] == day - 1:
            found[-1] = (found[-1][0], day)
        else:
            found.append((day, day))
    return found


def as_ranges(days: Days) -> str:
    """Days as text: ``5,11-14``."""
    return ",".join("-".join(map(str, dict.fromkeys(run))) for run in runs(days))


def of_ranges(text: str) -> Days:
    ends = ([int(end) for end in run.split("-")] for run in text.split(","))
    return frozenset(day for run in ends for day in range(run[0], run[-1] + 1))


_FORMS = {
    "date": re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})"),
    "yyyymmdd": re.compile(r"([1-9][0-9]{3})([0-9]{2})([0-9]{2})"),
}


@dataclass(frozen=True)
class DayValues:
    """How the values of a day column are read.

    ``kind``: ``date``; ``yyyymmdd``, whole numbers that read as dates; ``number``, other whole numbers; or ``text``.
    """

    kind: str

    @property
    def are_dates(self) -> bool:
        """Whether each value stands for a date."""
        return self.kind in _FORMS

    def as_date(self, value: str) -> date | None:
        """The date that a value stands for; None if it stands for none."""
        found = _FORMS[self.kind].fullmatch(value) if self.are_dates else None
        try:
            return date(*map(int, found.groups())) if found else None
        except ValueError:
            return None

    def distance(self, low: str, high: str) -> int:
        """How many days, or whole numbers, one value comes after another."""
        return self._ordinal(high) - self._ordinal(low)

    def before(self, value: str, most: int) -> list[str]:
        """The values of the days before one, in order: ``most``, or fewer where the calendar begins."""
        last = self._ordinal(value)
        if self.are_dates:
            first = date(1000, 1, 1) if self.kind == "yyyymmdd" else date.min
            most = min(most, last - first.toordinal())
        return [self._value(last - back) for back in range(most, 0, -1)]

    def after(self, value: str) -> str:
        """The value that follows another one."""
        # For texts, no printable value lies in between.
        return f"{value} " if self.kind == "text" else self._value(self._ordinal(value) + 1)

    def _ordinal(self, value: str) -> int:
        day = self.as_date(value)
        return day.toordinal() if day else int(value)

    def _value(self, ordinal: int) -> str:
        if not self.are_dates:
            return str(ordinal)
        text = str(date.fromordinal(ordinal))
        return text if self.kind == "date" else text.replace("-", "")


def day_values(spec: WaveSpec, values: Iterable[str]) -> DayValues:
    """How the values of a day column are read. Whole numbers are dates if most of ``values`` read as dates."""
    if spec.day_type in ("date", "string"):
        return DayValues("date" if spec.day_type == "date" else "text")
    dates = DayValues("yyyymmdd")
    found = [dates.as_date(value) is not None for value in values]
    return dates if sum(found) > len(found) / 2 else DayValues("number")


def values_of(record: WaveRecord) -> DayValues:
    return day_values(record.spec, (day.value for day in record.days.values()))


def in_order(spec: WaveSpec, value: str) -> Any:
    return int(value) if spec.day_type not in ("date", "string") else value
