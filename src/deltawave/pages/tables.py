"""Tables of texts, and how a terminal shows them."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_NUMBER = re.compile(r"[-+]?[\d.,]+%?|\d{4}-\d\d-\d\d|null")


class Table(NamedTuple):
    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


def are_numbers(table: Table) -> list[bool]:
    """Whether each column has numbers or days only, which are aligned right and not broken."""
    return [all(map(_NUMBER.fullmatch, cells)) for cells in zip(*table.rows, strict=True)]


def lines(table: Table) -> Iterator[str]:
    """The lines of a table: columns as wide as their widest cell."""
    rows = [table.heads, *table.rows] if len(table.heads) > 1 else table.rows
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    columns = list(zip(widths, are_numbers(table), strict=True))
    for row in rows:
        cells = zip(row, columns, strict=True)
        text = "  ".join(text.rjust(width) if right else text.ljust(width) for text, (width, right) in cells)
        yield f"  {text}".rstrip()
