"""What moved in a log or in a batch, as tables with the sentences around them; for a page and for a terminal."""

from collections.abc import Callable, Iterator

from deltawave.pages.texts import Table, counted, lines, plain
from deltawave.reporting.change_summary import ChangeSummary

COLUMNS = "Columns that change most"
CONCENTRATIONS = "Where the changes concentrate"
# However wide a table is.
_MOST_COLUMNS = 30
_INCOMPARABLE = {
    "baseline": "The log began with initial_load: baseline. It lacks the rows that have not changed since, with which "
    "changed ones would be compared.",
    "multiset": "With duplicate_keys: multiset a key may have several rows, and this section counts keys.",
}
_WHAT = {"insert": "inserted later", "update": "updated", "delete": "deleted"}


def columns_table(summary: ChangeSummary, shared: Callable[[float], str]) -> tuple[Table | None, list[str]]:
    """The columns that change most, if the log has updates whose columns it knows, and notes.

    - ``shared``: a share, 0 to 1, as text
    """
    shown = list(summary.columns.items())[:_MOST_COLUMNS]
    recorded = summary.updates - summary.unrecorded
    share = "of recorded updates" if summary.unrecorded else "of all updates"
    rows = [(plain(name), f"{updates:,}", shared(updates / recorded)) for name, updates in shown]
    of = "log" if summary.batch is None else "batch"
    notes = [
        f"Of {counted(summary.unrecorded, 'update')} the log does not record the columns."
        if summary.unrecorded
        else "",
        f"Not shown: {counted(len(summary.columns) - len(shown), 'column')} with fewer updates."
        if len(summary.columns) > len(shown)
        else "",
        "" if summary.updates else f"The {of} has no updates.",
    ]
    return (Table(COLUMNS, ("column", "updates", share), rows) if rows else None), list(filter(None, notes))


def concentrations_table(summary: ChangeSummary) -> tuple[Table | None, list[str]]:
    """Where the changes concentrate, if they do anywhere, and notes."""
    if isinstance(summary.concentrations, str):
        return None, [_INCOMPARABLE[summary.concentrations]]
    if not summary.concentrations:
        return None, ["No value is clearly more frequent among changed rows than among all rows."]
    what = _WHAT if summary.batch is None else {**_WHAT, "insert": "inserted"}
    rows = [each.cells(what[each.kind]) for each in summary.concentrations]
    heads = ("rows", "column", "value", "number", "of these rows", "expected", "times as often", "effect")
    population = (
        "the log, deleted ones included," if summary.batch is None else "the table, before and after the batch,"
    )
    return Table(CONCENTRATIONS, heads, rows), [
        f"Expected is the share of all rows of {population} that have the value. A row counts once, as it was before "
        "its last update."
    ]


def summary_lines(summary: ChangeSummary) -> Iterator[str]:
    """Both for a terminal."""
    found = (columns_table(summary, lambda share: f"{share:.1%}"), concentrations_table(summary))
    for title, (table, notes) in zip((COLUMNS, CONCENTRATIONS), found, strict=True):
        yield from ("", title, "")
        yield from lines(table) if table else ()
        # What the figures mean is in the documentation.
        yield from (f"  {note}" for note in notes if not table)
