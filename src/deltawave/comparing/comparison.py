"""What a comparison of two tables has found, as plain values."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import Literal

from deltawave.comparing.terminal import PLAIN, Terminal
from deltawave.pages.texts import counted, percent, plain, short

# How a row differs.
Kind = Literal["changed", "only_old", "only_new"]

KeyIs = Literal["given", "found", "none"]

FORMATS = ("text", "markdown", "html", "json")


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

    - ``kind``: which rows: changed ones, by their old values, or those of only one table; of a log, a type of change
    - ``rows``: how many of them have the value; ``share``: of all rows of this kind, 0 to 1
    - ``all_rows``, ``all_share``: the same, but of all rows: for changed rows, all that both tables have; for rows of
      only one table, all of that table; of a log, all of the log
    - ``lift``: ``share`` divided by ``all_share``
    - ``effect``: Cohen's h between the rows of this kind and the others, up to pi; 0.5 is medium, 0.8 large
    """

    kind: str
    column: str
    value: str | None
    rows: int
    share: float
    all_rows: int
    all_share: float
    lift: float
    effect: float

    def cells(self, kind: str) -> tuple[str, ...]:
        """The cells of a line in a table; ``kind``: the kind in words."""
        shares = percent(self.share), percent(self.all_share), f"{self.lift:.1f}", f"{self.effect:.1f}"
        return kind, plain(self.column), short(self.value), f"{self.rows:,}", *shares


@dataclass(frozen=True)
class Rename:
    """A column of the old table and one of the new table that perhaps are the same.

    ``share``: of the pairs of rows in which one of both has a value, those in which the values are equal
    """

    old: str
    new: str
    share: float


@dataclass(frozen=True)
class MovedKeys:
    """Rows of one table alone whose other values are those of one row of the other table: perhaps the key changed.

    - ``rows``: how many there are
    - ``samples``: the old and the new key of some
    """

    rows: int
    samples: tuple[tuple[tuple[str | None, ...], tuple[str | None, ...]], ...] = ()


@dataclass(frozen=True)
class Summary:
    """The least number of a column, the mean and the largest, of six digits; ``None`` where it has no numbers."""

    least: float | None
    mean: float | None
    most: float | None


@dataclass(frozen=True)
class Distribution:
    """The numbers of a changed column in the rows of both tables that differ.

    - ``begin``, ``step``: where the first bin begins, and how wide each is; smaller numbers are in the first one,
      larger ones in the last
    - ``old_rows``, ``new_rows``: of each bin
    - ``furthest``: the largest difference within a pair of rows, of six digits
    """

    column: str
    begin: float
    step: float
    old_rows: tuple[int, ...]
    new_rows: tuple[int, ...]
    old: Summary
    new: Summary
    furthest: float | None = None


@dataclass(frozen=True)
class Comparison:
    """The differences of two tables.

    - ``equal``, ``changed``, ``only_old``, ``only_new``: numbers of rows
    - ``old_columns``, ``new_columns``: the columns that only one table has, without ignored ones
    - ``types``: of columns that have two, as Spark writes them: ``old``, ``new``, and ``compared_as``
    - ``columns``: in how many rows each compared column differs, the most first
    - ``nulls``: of changed columns, in how many rows a value has become null, and null a value
    - ``changes``: samples for each changed column, up to 20 columns
    - ``old_samples``, ``new_samples``: some of the rows that only one table has, by the names of columns
    - ``concentrations``: the strongest of each kind first
    - ``key_is``: whether the key was given or found, or there is none: then equal rows were counted
    - ``distributions``: of changed columns of numbers
    - ``renames``, ``moved_keys``: what perhaps explains differences
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
    nulls: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()
    old_samples: tuple[Mapping[str, str | None], ...] = ()
    new_samples: tuple[Mapping[str, str | None], ...] = ()
    concentrations: tuple[Concentration, ...] = ()
    key_is: KeyIs = "given"
    distributions: tuple[Distribution, ...] = ()
    renames: tuple[Rename, ...] = ()
    moved_keys: MovedKeys | None = None
    old_name: str = "old"
    new_name: str = "new"
    notes: tuple[str, ...] = ()

    @property
    def is_equal(self) -> bool:
        """Whether the tables have the same columns of the same types, and the same rows, within what is tolerated."""
        differs = self.changed or self.only_old or self.only_new or self.old_columns or self.new_columns or self.types
        return not differs

    @property
    def equal_share(self) -> float:
        """The share of equal rows, of all pairs and rows without a partner; 1 if there are none."""
        rows = self.equal + self.changed + self.only_old + self.only_new
        return self.equal / rows if rows else 1.0

    def is_within(self, percent: Fraction | None) -> bool:
        """Whether the tables are equal, or have the same columns and at least so many percent of equal rows."""
        if percent is None:
            return self.is_equal
        rows = self.equal + self.changed + self.only_old + self.only_new
        return not (self.old_columns or self.new_columns or self.types) and 100 * self.equal >= percent * rows

    @property
    def title(self) -> str:
        by = f", by {', '.join(map(plain, self.key))}" if self.key else ""
        return f"{plain(self.old_name)} -> {plain(self.new_name)}{by}"

    @property
    def summary(self) -> str:
        """What was found, as one sentence."""
        if self.is_equal:
            return f"The tables are equal: {counted(self.equal, 'row')}{self._by}."
        rows = [
            (self.changed, "changed"),
            (self.only_old, f"only in {plain(self.old_name)}"),
            (self.only_new, f"only in {plain(self.new_name)}"),
        ]
        parts = [f"{counted(number, 'row')} {what}" for number, what in rows if number]
        if self.changed:
            parts[0] += f" ({self._most_changed})"
        columns = len(self.old_columns) + len(self.new_columns)
        if columns:
            parts.append(f"{counted(columns, 'column')} in one table only")
        if self.types:
            parts.append(f"{counted(len(self.types), 'column')} of another type")
        percent = math.floor(1000 * self.equal_share) / 10
        return f"The tables differ{self._by}: {', '.join(parts)}; {percent:.1f}% of the rows are equal."

    @property
    def _by(self) -> str:
        if self.key_is == "none":
            return ", compared without a key"
        return f" by {', '.join(map(plain, self.key))}, a key that was found" if self.key_is == "found" else ""

    @property
    def _most_changed(self) -> str:
        changed = [(name, rows) for name, rows in self.columns.items() if rows]
        shown = [f"{plain(name)} in {rows:,}" for name, rows in changed[:2]]
        more = f" and {counted(len(changed) - 2, 'more column')}" if len(changed) > 2 else ""
        return ", ".join(shown) + more

    @property
    def verdict(self) -> str:
        return "The tables are equal." if self.is_equal else "The tables differ."

    def to_json(self) -> str:
        return json.dumps(
            {"is_equal": self.is_equal, "summary": self.summary, **asdict(self)}, ensure_ascii=False, indent=2
        )

    def to_text(self, terminal: Terminal = PLAIN) -> str:
        """Tables for a terminal; by default as wide as they are, and without colors."""
        from deltawave.comparing.as_text import as_text

        return as_text(self, terminal)

    def to_markdown(self) -> str:
        """Tables in Markdown, for instance for a comment on a pull request."""
        from deltawave.comparing.as_markdown import as_markdown

        return as_markdown(self)

    def to_html(self) -> str:
        """One page that needs no other file."""
        from deltawave.comparing.as_page import as_page

        return as_page(self)

    def formatted(self, kind: str) -> str:
        """The comparison in one of ``FORMATS``."""
        every: dict[str, Callable[[], str]] = {
            "text": self.to_text,
            "json": self.to_json,
            "html": self.to_html,
            "markdown": self.to_markdown,
        }
        return every[kind]()
