"""A comparison as tables, and these as text for a terminal or as one page of HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from deltawave.comparing.comparison import Comparison

# How many characters of a value stand in a line, and how many of them before the first difference.
_MOST_CHARACTERS = 60
_BEFORE_DIFFERENCE = 20
_LINE = 160
_NUMBER = re.compile(r"[-+]?[\d.,]+%?|null")
# With the colors of the browser, light or dark; for narrow and wide windows.
_STYLE = """
:root { color-scheme: light dark; }
body { margin: 0 auto; padding: 1rem; max-width: 70rem; font: 1rem/1.5 system-ui, sans-serif; }
h1, h2 { font-size: 1.2rem; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 1rem 0.25rem 0; border-bottom: 1px solid GrayText; text-align: left; vertical-align: top;
  overflow-wrap: anywhere; min-width: 4rem; }
.number { text-align: right; white-space: nowrap; }
"""


class Table(NamedTuple):
    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


def tables(found: Comparison) -> Iterator[Table]:
    """The tables that have rows; the first is that of counts."""
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
            (name, short(f"{each['old']} in {old}, {each['new']} in {new}; compared as {each['compared_as']}", _LINE))
            for name, each in found.types.items()
        ),
        *((name, "ignored") for name in found.ignored_columns),
    ]
    concentrations = [
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
    ]
    every = [
        Table("Rows", ("rows", "number"), [(name, f"{number:,}") for name, number in counts]),
        Table("Columns", ("column", "difference"), [(plain(name), difference) for name, difference in columns]),
        Table(
            "Changed columns",
            ("column", "rows", "of rows in both"),
            [(plain(name), f"{rows:,}", f"{rows / in_both:.1%}") for name, rows in found.columns.items() if rows],
        ),
        Table(
            "Where differences concentrate",
            ("rows", "column", "value", "number", "of these rows", "of all rows", "times as often"),
            concentrations,
        ),
        Table(
            "Some of the changes",
            (*map(plain, found.key), "column", old, new),
            [(*map(short, each.key), plain(each.column), *beside(each.old, each.new)) for each in found.changes],
        ),
        Table(f"Some of the rows {kinds['only_old']}", ("row",), [(_line(row),) for row in found.old_samples]),
        Table(f"Some of the rows {kinds['only_new']}", ("row",), [(_line(row),) for row in found.new_samples]),
        Table("Notes", ("note",), [(plain(note),) for note in found.notes]),
    ]
    return (table for table in every if table.rows)


def _are_numbers(table: Table) -> list[bool]:
    """Whether each column has numbers only, which are aligned right."""
    return [all(map(_NUMBER.fullmatch, cells)) for cells in zip(*table.rows, strict=True)]


def _title(found: Comparison) -> str:
    return f"{plain(found.old_name)} -> {plain(found.new_name)}, by {', '.join(map(plain, found.key))}"


def _verdict(found: Comparison) -> str:
    return "The tables are equal." if found.is_equal else "The tables differ."


def as_text(found: Comparison) -> str:
    parts = ["\n".join([table.title, "", *_lines(table)]) for table in tables(found)]
    return "\n\n".join([_title(found), *parts, _verdict(found)])


def _lines(table: Table) -> Iterator[str]:
    """The lines of a table: columns as wide as their widest cell."""
    rows = [table.heads, *table.rows] if len(table.heads) > 1 else table.rows
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    columns = list(zip(widths, _are_numbers(table), strict=True))
    for row in rows:
        cells = zip(row, columns, strict=True)
        line = "  ".join(text.rjust(width) if right else text.ljust(width) for text, (width, right) in cells)
        yield f"  {line}".rstrip()


def as_html(found: Comparison) -> str:
    name = escape(_title(found))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{name}</title>
<style>{_STYLE}</style>
</head>
<body>
<main>
<h1>{name}</h1>
<p>{escape(_verdict(found))}</p>
{"".join(map(_section, tables(found)))}</main>
</body>
</html>
"""


def _section(table: Table) -> str:
    kinds = [' class="number"' if is_number else "" for is_number in _are_numbers(table)]

    def row(tag: str, texts: Sequence[str]) -> str:
        return "".join(f"<{tag}{kind}>{escape(text)}</{tag}>" for text, kind in zip(texts, kinds, strict=True))

    title = escape(table.title)
    rows = "".join(f"<tr>{row('td', texts)}</tr>\n" for texts in table.rows)
    # A region that scrolls needs a name, and has to be reached by the keyboard.
    return f"""<h2>{title}</h2>
<div class="scroll" role="region" aria-label="{title}" tabindex="0">
<table>
<thead><tr>{row("th", table.heads)}</tr></thead>
<tbody>
{rows}</tbody>
</table>
</div>
"""


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
