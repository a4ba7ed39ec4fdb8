"""A comparison as one page of HTML: light and dark, for narrow and wide windows, without any other file."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from deltawave.comparing.report import Table, tables, title, verdict

if TYPE_CHECKING:
    from deltawave.comparing.comparison import Comparison

_STYLE = """
:root { color-scheme: light dark; --text: #1a1c1e; --faint: #5a6068; --page: #ffffff; --line: #d5d9de; --bar: #2f6fb3; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e8ea; --faint: #a3abb4; --page: #16181b; --line: #3a4047; --bar: #6ea8e0; }
}
body { margin: 0 auto; padding: 1rem; max-width: 70rem; color: var(--text); background: var(--page);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2rem 0 0.5rem; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 1rem 0.25rem 0; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; overflow-wrap: anywhere; min-width: 4rem; }
thead th { color: var(--faint); font-weight: 500; }
tbody th { font-weight: 500; }
.number { text-align: right; white-space: nowrap; }
.bar { display: block; height: 0.25rem; border-radius: 0.125rem; background: var(--bar); }
"""


def as_html(found: Comparison) -> str:
    name = escape(title(found))
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
<p>{escape(verdict(found))}</p>
{"".join(_section(number, table) for number, table in enumerate(tables(found)))}</main>
</body>
</html>
"""


def _section(number: int, table: Table) -> str:
    label = f"part-{number}"
    heads = "".join(_cell("th", head, place in table.numbers, "col") for place, head in enumerate(table.heads))
    rows = "".join(f"<tr>{_row(table, place)}</tr>\n" for place in range(len(table.rows)))
    # A region that scrolls needs a name, and has to be reached by the keyboard.
    return f"""<section>
<h2 id="{label}">{escape(table.title)}</h2>
<div class="scroll" role="region" aria-labelledby="{label}" tabindex="0">
<table>
<thead><tr>{heads}</tr></thead>
<tbody>
{rows}</tbody>
</table>
</div>
</section>
"""


def _row(table: Table, number: int) -> str:
    cells = [
        _cell("td" if place else "th", text, place in table.numbers, "" if place else "row")
        for place, text in enumerate(table.rows[number])
    ]
    if table.shares:
        bar = f'<span class="bar" style="width: {table.shares[number]:.1%}" aria-hidden="true"></span>'
        cells[table.numbers[0]] = cells[table.numbers[0]].replace("</td>", f"{bar}</td>")
    return "".join(cells)


def _cell(tag: str, text: str, is_number: bool, scope: str) -> str:
    attributes = (' class="number"' if is_number else "") + (f' scope="{scope}"' if scope else "")
    return f"<{tag}{attributes}>{escape(text)}</{tag}>"
