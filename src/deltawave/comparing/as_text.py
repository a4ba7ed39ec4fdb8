"""A comparison as tables for a terminal."""

from collections.abc import Iterator, Sequence

from deltawave.comparing.comparison import Comparison
from deltawave.comparing.tables import CHANGES, tables
from deltawave.comparing.terminal import BOLD, GREEN, RED, Terminal
from deltawave.pages.texts import Table, alike, beside, lines

# A cell is cut to no less than that.
_LEAST_WIDTH = 8
_BETWEEN = 2


def as_text(found: Comparison, terminal: Terminal) -> str:
    """The title, a sentence, and the tables."""
    parts = [terminal.styled(found.title, BOLD), found.summary]
    for table in tables(found):
        if table.title == CHANGES:
            pairs = [beside(each.old, each.new) for each in found.changes]
            table = table._replace(rows=[(*row[:-2], *pair) for row, pair in zip(table.rows, pairs, strict=True)])
        fitted = _fitted(table, terminal.width)
        written = list(lines(fitted))
        if table.title == CHANGES and terminal.has_colors:
            written = [written[0], *_colored(fitted, written[1:], terminal)]
        parts.append("\n".join([terminal.styled(table.title, BOLD), "", *written]))
    return "\n\n".join([*parts, found.verdict])


def _fitted(table: Table, width: int | None) -> Table:
    """The table with cells cut so that lines are no wider, as far as that goes; the widest columns give way."""
    if width is None:
        return table
    every = [table.heads, *table.rows] if len(table.heads) > 1 else table.rows
    widths = [max(map(len, column)) for column in zip(*every, strict=True)]
    room = width - _BETWEEN * len(widths)
    while sum(widths) > room and max(widths) > _LEAST_WIDTH:
        widest = widths.index(max(widths))
        widths[widest] -= min(sum(widths) - room, max(1, widths[widest] // 8))

    def cut(cells: Sequence[str]) -> list[str]:
        return [text if len(text) <= most else f"{text[: most - 1]}…" for text, most in zip(cells, widths, strict=True)]

    return Table(table.title, cut(table.heads), [cut(row) for row in table.rows])


def _colored(table: Table, written: Sequence[str], terminal: Terminal) -> Iterator[str]:
    """The lines of the changes, with what differs in the last two cells marked."""
    for row, text in zip(table.rows, written, strict=True):
        old, new = row[-2:]
        before = alike(old, new)
        after = alike(old[before:][::-1], new[before:][::-1])
        # The new value ends the line, unless it is aligned right.
        begin = text.rstrip().rfind(new)
        first = text[:begin].rfind(old)
        if begin < 0 or first < 0:
            yield text
            continue
        yield (
            text[:first]
            + _marked(old, before, after, RED, terminal)
            + text[first + len(old) : begin]
            + _marked(new, before, after, GREEN, terminal)
            + text[begin + len(new) :]
        )


def _marked(text: str, before: int, after: int, color: str, terminal: Terminal) -> str:
    end = len(text) - after
    middle = terminal.styled(text[before:end], color) if before < end else ""
    return f"{text[:before]}{middle}{text[end:]}"
