"""Values and tables as short texts, and where a text goes: to the terminal or into a file."""

import errno
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from io import TextIOWrapper
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

# How many characters of a value stand in a line, and how many of them before the first difference.
MOST_CHARACTERS = 60
_BEFORE_DIFFERENCE = 20
# How many characters a line of several values has.
LINE = 160
_UNITS = ("B", "kB", "MB", "GB", "TB")


def plain(value: str | None) -> str:
    """A value on one line, without control characters; in quotes where it would be unclear otherwise.

    Different values have different texts: backslashes are escapes within such quotes only, and doubled there.
    """
    if value is None:
        return "null"
    is_quoted = value[:1] == value[-1:] == "'"
    if value.isprintable() and value not in ("", "null") and value == value.strip() and not is_quoted:
        return value
    escaped = value.replace("\\", "\\\\")
    return f"'{''.join(each if each.isprintable() else each.encode('unicode_escape').decode() for each in escaped)}'"


def short(value: str | None, most: int = MOST_CHARACTERS) -> str:
    """The same, cut to about ``most`` characters."""
    return plain(value if value is None or len(value) <= most else f"{value[: most - 1]}…")


def beside(old: str | None, new: str | None) -> tuple[str, str]:
    """Two values, long ones from shortly before their first difference."""
    if old is None or new is None or max(len(old), len(new)) <= MOST_CHARACTERS:
        return short(old), short(new)
    begin = max(0, alike(old, new) - _BEFORE_DIFFERENCE)
    before = "…" if begin else ""
    return short(f"{before}{old[begin:]}"), short(f"{before}{new[begin:]}")


def alike(one: str, other: str) -> int:
    """How many characters both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def line(row: Mapping[str, str | None]) -> str:
    """A row's columns and values, cut to one line."""
    return short(", ".join(f"{plain(name)}: {short(value)}" for name, value in row.items()), LINE)


def counted(number: int, one: str) -> str:
    """A number with what it counts: 1 batch, 2 batches, 1,000 rows."""
    return f"{number:,} {one}{'' if number == 1 else 'es' if one.endswith('ch') else 's'}"


def unit_of(size: float) -> tuple[int, str]:
    """The largest unit of bytes of which a size has at least one: its bytes, and its name."""
    place = min((len(f"{size:.0f}") - 1) // 3, len(_UNITS) - 1)
    return 1000**place, _UNITS[place]


def sized(size: float) -> str:
    """A number of bytes: 12 B, 1.5 MB."""
    number, name = unit_of(size)
    return f"{size / number:,.{0 if number == 1 else 1}f} {name}"


def percent(share: float) -> str:
    """A share, 0 to 1, which is not shown as nothing or as all unless it is: 12.3%, <0.1%, >99.9%."""
    if 0 < share < 0.001:
        return "<0.1%"
    return ">99.9%" if 0.999 < share < 1 else f"{share:.1%}"


_NUMBER = re.compile(r"[<>]?[-+]?[\d.,]+(e[-+]\d+)?%?|\d{4}-\d\d-\d\d|null")


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


def require_writable(output: str | Path) -> None:
    """Raise ``OSError`` if a file can't be written, without writing it: before the work that it is for."""
    file = Path(output).absolute()
    if not file.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(file.parent))
    if file.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(file))
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(file))


def print_any_text() -> None:
    """Let ``print`` escape characters that the terminal's encoding lacks, instead of failing."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
