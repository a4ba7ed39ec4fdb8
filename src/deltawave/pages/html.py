"""Pages of HTML that need no other file, their tables, and two values with the part that differs marked."""

import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from html import escape

from deltawave.pages.texts import Table, alike, are_numbers, beside, plain

# Light or dark as the browser is set, for narrow and wide windows.
_STYLE = """
:root { color-scheme: light dark; --page: #ffffff; --text: #1f2328; --muted: #57606a; --line: #d0d7de;
  --focus: #0b5cad; }
@media (prefers-color-scheme: dark) { :root { --page: #121212; --text: #e6e6e6; --muted: #a8b0ba; --line: #3d444d;
  --focus: #7cb7ff; } }
body { margin: 0 auto; padding: 1rem; max-width: 70rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { margin: 0.5rem 0; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 2.5rem 0 0.5rem; font-size: 1.2rem; }
p { max-width: 60rem; }
summary { margin: 0.5rem 0; cursor: pointer; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
.scroll { overflow-x: auto; }
.scroll:focus-visible { outline-offset: -3px; }
.figures { display: flex; flex-wrap: wrap; gap: 0.75rem 2rem; margin: 1rem 0; }
.figures div { display: flex; flex-direction: column-reverse; }
.figures dt { color: var(--muted); font-size: 0.875rem; }
.figures dd { margin: 0; font-size: 1.3rem; font-variant-numeric: tabular-nums; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 1rem 0.25rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top;
  overflow-wrap: break-word; min-width: 4rem; max-width: min(30rem, 75vw); }
th { color: var(--muted); font-size: 0.875rem; font-weight: 600; }
.number { text-align: right; white-space: nowrap; }
"""


_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)
# Texts with fewer words in common are shown one after the other, and so are shorter and longer ones.
_LEAST_ALIKE = 0.5
_LEAST_IN_CELL, _MOST_IN_CELL = 20, 600


class Markup(str):
    """HTML, which is not escaped again."""

    __slots__ = ()


def markup(text: str) -> str:
    """A text as HTML: escaped, unless it is ``Markup``."""
    return text if isinstance(text, Markup) else escape(text)


def page(title: str, body: str, *, style: str = "", script: str = "") -> str:
    """A page with this title as its heading. ``script`` runs at the end; the browser refuses every other one."""
    name = escape(title)
    allowed = f"; script-src 'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" if script else ""
    policy = f"default-src 'none'; style-src 'unsafe-inline'{allowed}; base-uri 'none'; form-action 'none'"
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{name}</title>
<style>{_STYLE}{style}</style>
</head>
<body>
<main>
<h1>{name}</h1>
{body}</main>
{f"<script>{script}</script>" if script else ""}
</body>
</html>
"""


def paragraph(*sentences: str) -> str:
    return f"<p>{escape(' '.join(filter(None, sentences)))}</p>\n"


def figures(found: Iterable[Sequence[str]]) -> str:
    """What a reader wants to know first: a few names, each with its figure."""
    pairs = (f"<div><dt>{escape(name)}</dt><dd>{escape(figure)}</dd></div>" for name, figure in found)
    return f'<dl class="figures">{"".join(pairs)}</dl>\n'


def section(found: Table) -> str:
    """A table, if it has rows, below its title."""
    return f"<h2>{escape(found.title)}</h2>\n{table(found) if found.rows else ''}"


def table(found: Table, attributes: Sequence[str] = (), id: str = "") -> str:
    """A table that scrolls where the window is too narrow; ``attributes``: HTML attributes of each row."""
    kinds = [' class="number"' if is_number else "" for is_number in are_numbers(found)] or [""] * len(found.heads)

    def cells(tag: str, texts: Sequence[str], scope: str = "") -> str:
        return "".join(f"<{tag}{scope}{kind}>{markup(text)}</{tag}>" for text, kind in zip(texts, kinds, strict=True))

    rows = "".join(
        f"<tr{f' {each}' if each else ''}>{cells('td', texts)}</tr>\n"
        for texts, each in zip(found.rows, attributes or [""] * len(found.rows), strict=True)
    )
    # A region that scrolls needs a name, and has to be reached by the keyboard.
    return f"""<div class="scroll" role="region" aria-label="{escape(found.title)}" tabindex="0">
<table{f' id="{id}"' if id else ""}>
<thead><tr>{cells("th", found.heads, ' scope="col"')}</tr></thead>
<tbody>
{rows}</tbody>
</table>
</div>
"""


# Not by color alone.
MARKS = """
:root { --old: #fbe0dd; --new: #d8ecd8; }
@media (prefers-color-scheme: dark) { :root { --old: #5c1f1a; --new: #1d4523; } }
del, ins { font-weight: 600; text-decoration: underline; text-underline-offset: 0.2em; }
del { background: var(--old); }
ins { background: var(--new); }
"""


def marked(old: str | None, new: str | None) -> tuple[Markup, Markup]:
    """Both values as HTML, on one line each, with what differs between their common beginning and end marked."""
    texts = beside(old, new)
    before = after = 0
    if old is not None and new is not None:
        before = alike(*texts)
        after = alike(*(text[before:][::-1] for text in texts))
    return _with(texts[0], "del", before, after), _with(texts[1], "ins", before, after)


def between(old: str | None, new: str | None) -> Markup:
    """Both values as HTML in one cell: what they share once, and what differs marked, word by word."""
    # Only pages need it.
    from difflib import SequenceMatcher

    before, after = (_WORD.findall(plain(text)) for text in (old, new))
    found = SequenceMatcher(None, before, after, autojunk=False)
    is_text = all(_LEAST_IN_CELL <= len(each or "") <= _MOST_IN_CELL for each in (old, new))
    if not is_text or found.ratio() < _LEAST_ALIKE:
        first, second = beside(old, new)
        return Markup(f"{_with(first, 'del', 0, 0)} {_with(second, 'ins', 0, 0)}")
    parts = []
    for what, old_from, old_to, new_from, new_to in found.get_opcodes():
        removed, added = "".join(before[old_from:old_to]), "".join(after[new_from:new_to])
        if what == "equal":
            parts.append(escape(removed))
            continue
        parts.append(
            "".join(f"<{tag}>{escape(text)}</{tag}>" for text, tag in ((removed, "del"), (added, "ins")) if text)
        )
    return Markup("".join(parts))


def _with(text: str, tag: str, before: int, after: int) -> Markup:
    end = len(text) - after
    middle = f"<{tag}>{escape(text[before:end])}</{tag}>" if before < end else ""
    return Markup(f"{escape(text[:before])}{middle}{escape(text[end:])}")
