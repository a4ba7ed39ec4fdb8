"""Values as short texts on one line."""

from collections.abc import Mapping
from itertools import takewhile

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
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    begin = max(0, same - _BEFORE_DIFFERENCE)
    before = "…" if begin else ""
    return short(f"{before}{old[begin:]}"), short(f"{before}{new[begin:]}")


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
