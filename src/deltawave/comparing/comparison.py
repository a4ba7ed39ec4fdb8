"""What a comparison of two tables has found, as plain values; as tables in a text or as one page of HTML."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from deltawave.pages import charts
from deltawave.pages.html import MARKS, figures, marked, page, paragraph, section
from deltawave.pages.texts import LINE, Table, beside, line, lines, plain, short

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
        shares = f"{self.share:.1%}", f"{self.all_share:.1%}", f"{self.lift:.1f}", f"{self.effect:.1f}"
        return kind, plain(self.column), short(self.value), f"{self.rows:,}", *shares


@dataclass(frozen=True)
class Comparison:
    """The differences of two tables.

    - ``equal``, ``changed``, ``only_old``, ``only_new``: numbers of rows
    - ``old_columns``, ``new_columns``: the columns that only one table has, without ignored ones
    - ``types``: of columns that have two, as Spark writes them: ``old``, ``new``, and ``compared_as``
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
        return json.dumps({"is_equal": self.is_equal, **asdict(self)}, ensure_ascii=False, indent=2)

    def to_text(self) -> str:
        parts = ["\n".join([table.title, "", *lines(table)]) for table in _tables(self)]
        return "\n\n".join([self._title, *parts, self._verdict])

    def to_html(self) -> str:
        """One page that needs no other file."""
        counts, *others = _tables(self, is_page=True)
        parts = [paragraph(self._verdict), figures(counts.rows), *map(section, others)]
        return page(self._title, "".join(parts), style=charts.style() + MARKS)

    @property
    def _title(self) -> str:
        return f"{plain(self.old_name)} -> {plain(self.new_name)}, by {', '.join(map(plain, self.key))}"

    @property
    def _verdict(self) -> str:
        return "The tables are equal." if self.is_equal else "The tables differ."

    def formatted(self, kind: str) -> str:
        """The comparison in one of ``FORMATS``."""
        return {"text": self.to_text, "json": self.to_json, "html": self.to_html}[kind]()


def _tables(found: Comparison, is_page: bool = False) -> Iterator[Table]:
    """The tables that have rows, that of counts first. On a page, shares are bars, and differences are marked."""
    old, new = plain(found.old_name), plain(found.new_name)
    kinds = {"changed": "changed", "only_old": f"only in {old}", "only_new": f"only in {new}"}
    in_both = found.equal + found.changed
    counts = [
        (f"in {old}", found.old_rows),
        (f"in {new}", found.new_rows),
        ("equal", found.equal),
        ("changed", found.changed),
        (kinds["only_old"], found.only_old),
        (kinds["only_new"], found.only_new),
    ]
    columns = [
        *((name, kinds["only_old"]) for name in found.old_columns),
        *((name, kinds["only_new"]) for name in found.new_columns),
        *(
            (name, short(f"{each['old']} in {old}, {each['new']} in {new}; compared as {each['compared_as']}", LINE))
            for name, each in found.types.items()
        ),
        *((name, "ignored") for name in found.ignored_columns),
    ]
    pair: Callable[[str | None, str | None], tuple[str, str]] = marked if is_page else beside

    def share(rows: int) -> str:
        return charts.meter(rows / in_both) if is_page else f"{rows / in_both:.1%}"

    every = [
        Table("Rows", ("rows", "number"), [(name, f"{number:,}") for name, number in counts]),
        Table("Columns", ("column", "difference"), [(plain(name), difference) for name, difference in columns]),
        Table(
            "Changed columns",
            ("column", "rows", "of rows in both"),
            [(plain(name), f"{rows:,}", share(rows)) for name, rows in found.columns.items() if rows],
        ),
        Table(
            "Where differences concentrate",
            ("rows", "column", "value", "number", "of these rows", "of all rows", "times as often", "effect"),
            [each.cells(kinds[each.kind]) for each in found.concentrations],
        ),
        Table(
            "Some of the changes",
            (*map(plain, found.key), "column", old, new),
            [(*map(short, each.key), plain(each.column), *pair(each.old, each.new)) for each in found.changes],
        ),
        Table(f"Some of the rows {kinds['only_old']}", ("row",), [(line(row),) for row in found.old_samples]),
        Table(f"Some of the rows {kinds['only_new']}", ("row",), [(line(row),) for row in found.new_samples]),
        Table("Notes", ("note",), [(plain(note),) for note in found.notes]),
    ]
    return (table for table in every if table.rows)
