"""Two values side by side, with the part that differs marked."""

from html import escape
from itertools import takewhile

from deltawave.pages.html import Markup
from deltawave.pages.texts import beside

# Not by color alone.
STYLE = """
:root { --old: #fbe0dd; --new: #d8ecd8; }
@media (prefers-color-scheme: dark) { :root { --old: #5c1f1a; --new: #1d4523; } }
del, ins { font-weight: 600; text-decoration: underline; text-underline-offset: 0.2em; }
del { background: var(--old); }
ins { background: var(--new); }
"""


def marked(old: str | None, new: str | None) -> tuple[Markup, Markup]:
    """Both values as HTML, on one line each, with what differs between their common beginning and end marked."""
    texts = beside(old, new)
    if old is None or new is None:
        before = after = 0
    else:
        before = _same(*texts)
        after = _same(*(text[before:][::-1] for text in texts))
    return _with(texts[0], "del", before, after), _with(texts[1], "ins", before, after)


def _same(one: str, other: str) -> int:
    """How many characters both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _with(text: str, tag: str, before: int, after: int) -> Markup:
    end = len(text) - after
    middle = f"<{tag}>{escape(text[before:end])}</{tag}>" if before < end else ""
    return Markup(f"{escape(text[:before])}{middle}{escape(text[end:])}")
