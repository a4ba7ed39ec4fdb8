"""A comparison as tables, and these as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deltawave.comparing.comparison import Comparison

# How many characters of a value stand in a line, and how many of them before the first difference.
_MOST_CHARACTERS = 60
_BEFORE_DIFFERENCE = 20
_LINE = 160


@dataclass(frozen=True)
class Table:
    """A part of the report.

    - ``numbers``: which columns are numbers, aligned right
    - ``shares``: for each row a share, 0 to 1, that a page draws as a bar; or none
    """

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: Sequence[int] = ()
    shares: Sequence[float] = ()


def tables(found: Comparison) -> Iterator[Table]:
    """The tables that have rows; the first is that of counts."""
    old, new = plain(found.old_name), plain(found.new_name)
    pairs = found.equal + found.changed
    counts = {
        f"in {old}": found.old_rows,
        f"in {new}": found.new_rows,
        "equal": found.equal,
        "changed": found.changed,
        f"only in {old}": found.only_old,
        f"only in {new}": found.only_new,
    }
    changed = [column for column in found.columns if column.differences]
    columns = [
        *((plain(name), f"only in {old}") for name in found.old_columns),
        *((plain(name), f"only in {new}") for name in found.new_columns),
        *(
            (plain(kind.column), f"{kind.old} in {old}, {kind.new} in {new}; compared as {kind.compared_as}")
            for kind in found.types
        ),
        *((plain(name), "ignored") for name in found.ignored_columns),
    ]
    kinds = {"changed": "changed", "only_old": f"only in {old}", "only_new": f"only in {new}"}
    every = [
        Table("Rows", ("rows", "number"), [(name, f"{count:,}") for name, count in counts.items()], (1,)),
        Table("Columns", ("column", "difference"), columns),
        Table(
            "Changed columns",
            ("column", "rows", "of rows in both"),
            [(plain(each.column), f"{each.differences:,}", f"{each.differences / pairs:.1%}") for each in changed],
            (1, 2),
            [each.differences / pairs for each in changed],
        ),
        Table(
            "Where differences concentrate",
            ("rows", "column", "value", "number", "of these rows", "of all rows", "times as often"),
            [
                (
                    kinds[each.kind],
                    plain(each.column),
                    short(each.value),
                    f"{each.rows:,}",
                    f"{each.share:.1%}",
                    f"{each.all_share:.1%}",
                    f"{each.lift:.1f}",
                )
                for each in found.concentrations
            ],
            (3, 4, 5, 6),
            [each.share for each in found.concentrations],
        ),
        Table(
            "Some of the changes",
            (*map(plain, found.key), "column", old, new),
            [
                (*map(short, change.key), plain(change.column), *beside(change.old, change.new))
                for change in found.changes
            ],
        ),
        *(
            Table(f"Some of the rows only in {name}", ("row",), [(_line(row),) for row in rows])
            for name, rows in ((old, found.old_samples), (new, found.new_samples))
        ),
        Table("Notes", ("note",), [(plain(note),) for note in found.notes]),
    ]
    return (table for table in every if table.rows)


def title(found: Comparison) -> str:
    return f"{plain(found.old_name)} -> {plain(found.new_name)}, by {', '.join(map(plain, found.key))}"


def verdict(found: Comparison) -> str:
    return "The tables are equal." if found.is_equal else "The tables differ."


def as_text(found: Comparison) -> str:
    parts = [title(found), *("\n".join([table.title, "", *_lines(table)]) for table in tables(found)), verdict(found)]
    return "\n\n".join(parts)


def _lines(table: Table) -> Iterator[str]:
    """The lines of a table: columns as wide as their widest cell."""
    rows = [table.heads, *table.rows] if len(table.heads) > 1 else table.rows
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            text.rjust(width) if place in table.numbers else text.ljust(width)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield ("  " + "  ".join(cells)).rstrip()


def plain(value: str | None) -> str:
    """A value on one line, without control characters; in quotes where it would be unclear otherwise."""
    if value is None:
        return "null"
    text = "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in value)
    return f"'{text}'" if text in ("", "null") or text != text.strip() else text


def short(value: str | None, most: int = _MOST_CHARACTERS) -> str:
    return plain(value if value is None or len(value) <= most else f"{value[: most - 1]}…")


def beside(old: str | None, new: str | None) -> tuple[str, str]:
    """Two values, long ones from shortly before their first difference."""
    if old is None or new is None or max(len(old), len(new)) <= _MOST_CHARACTERS:
        return short(old), short(new)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    begin = max(0, same - _BEFORE_DIFFERENCE)
    before = "…" if begin else ""
    return short(f"{before}{old[begin:]}"), short(f"{before}{new[begin:]}")


def _line(row: Mapping[str, str | None]) -> str:
    return short(", ".join(f"{plain(name)}: {short(value)}" for name, value in row.items()), _LINE)
