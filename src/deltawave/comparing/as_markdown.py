"""A comparison in Markdown, for instance for a comment on a pull request."""

import re

from deltawave.comparing.comparison import Comparison
from deltawave.comparing.tables import tables
from deltawave.pages.texts import Table, are_numbers

# What Markdown, or the HTML in it, takes for more than a character.
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~$&@])")
# Tables of so many rows are unfolded.
_FEW = 12


def as_markdown(found: Comparison) -> str:
    """The sentence and the table of counts; the others are folded if they are long."""
    parts = [f"**{_escaped(found.summary)}**", _escaped(found.title)]
    for table in tables(found):
        text = _table(table) if len(table.heads) > 1 else "\n".join(f"- {_escaped(cell)}" for (cell,) in table.rows)
        if len(table.rows) > _FEW:
            parts.append(f"<details><summary>{_escaped(table.title)}</summary>\n\n{text}\n\n</details>")
        else:
            parts.append(f"### {_escaped(table.title)}\n\n{text}")
    return "\n\n".join(parts)


def _table(table: Table) -> str:
    marks = ["---:" if is_number else "---" for is_number in are_numbers(table)]
    rows = [list(map(_escaped, table.heads)), marks, *(list(map(_escaped, row)) for row in table.rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)
