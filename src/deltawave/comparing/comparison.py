"""What a comparison of two tables has found, as plain values."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from deltawave.comparing.report import as_html, as_text

# How a row differs.
Kind = Literal["changed", "only_old", "only_new"]

FORMATS = ("text", "json", "html")


@dataclass(frozen=True)
class Change:
    """One changed value of a row. Values are texts of at most 1,000 characters; ``None`` is null."""

    key: tuple[str | None, ...]
    column: str
    old: str | None
    new: str | None


@dataclass(frozen=True)
class Concentration:
    """A value of a column that is more frequent among the rows that differ than among the others.

    - ``kind``: which rows: changed ones, judged by the old row, or those of only one table
    - ``rows``: how many of them have the value; ``share``: of all rows of this kind, 0 to 1
    - ``all_rows``, ``all_share``: the same of the rows that might differ so: for changed rows those of both tables, for
      rows of only one table all of its rows
    - ``lift``: ``share`` divided by ``all_share``: how many times as often as by chance
    - ``effect``: Cohen's h between the rows of this kind and the others, up to pi; 0.5 is medium, 0.8 large
    """

    kind: Kind
    column: str
    value: str | None
    rows: int
    share: float
    all_rows: int
    all_share: float
    lift: float
    effect: float


@dataclass(frozen=True)
class Comparison:
    """The differences of two tables.

    - ``equal``, ``changed``, ``only_old``, ``only_new``: numbers of rows
    - ``old_columns``, ``new_columns``: the columns that only one table has, without ignored ones
    - ``types``: by columns that have two types, as Spark writes them: ``old``, ``new``, and ``compared_as``
    - ``columns``: in how many rows each compared column differs, the most first
    - ``changes``: samples for each changed column, up to 20 columns
    - ``old_samples``, ``new_samples``: some of the rows that only one table has, by the names of columns
    - ``concentrations``: the strongest of each kind first
    - ``old_name``, ``new_name``: what the tables are called in text and page
    - ``notes``: what was done to make the tables comparable
    """

    key: tuple[str, ...]
    old_rows: int
    new_rows: int
    equal: int
    changed: int
    only_old: int
    only_new: int
    old_columns: tuple[str, ...]
    new_columns: tuple[str, ...]
    ignored_columns: tuple[str, ...]
    types: Mapping[str, Mapping[str, str]]
    columns: Mapping[str, int]
    changes: tuple[Change, ...]
    old_samples: tuple[Mapping[str, str | None], ...]
    new_samples: tuple[Mapping[str, str | None], ...]
    concentrations: tuple[Concentration, ...]
    old_name: str = "old"
    new_name: str = "new"
    notes: tuple[str, ...] = ()

    @property
    def is_equal(self) -> bool:
        """Whether the tables have the same columns of the same types, and the same rows, within what is tolerated."""
        differs = self.changed or self.only_old or self.only_new or self.old_columns or self.new_columns or self.types
        return not differs

    def to_json(self) -> str:
        """The values, and ``is_equal``."""
        return json.dumps({"is_equal": self.is_equal, **asdict(self)}, ensure_ascii=False, indent=2)

    def to_text(self) -> str:
        """Tables for a terminal."""
        return as_text(self)

    def to_html(self) -> str:
        """One page that needs no other file."""
        return as_html(self)

    def formatted(self, kind: str) -> str:
        """The comparison in one of ``FORMATS``."""
        return {"text": self.to_text, "json": self.to_json, "html": self.to_html}[kind]()
