"""The places where values lie, as docs/removing.md lists them."""

import re

from unit.macro_harness import ROOT

_ROW = re.compile(r"^\|[^|]*\|(?P<places>[^|]*)\|[^|]*\|$", re.MULTILINE)
_NAME = re.compile(r"`[xyw](__[^`]*)`")


def tables_with_values() -> re.Pattern[str]:
    """What follows the model's name in the names of relations that the page's first table lists."""
    page = (ROOT / "docs" / "removing.md").read_text()
    table = page.partition("\n| place |")[2].partition("\n\n")[0]
    names = [name for row in _ROW.finditer(table) for name in _NAME.findall(row["places"])]
    patterns = [
        re.sub(r"<\w+>|\\\*", r"\\w+", re.escape(name).replace(r"\<", "<").replace(r"\>", ">")) for name in names
    ]
    return re.compile("|".join(patterns))
