"""What a comparison has found, as tables of texts for all formats."""

from collections.abc import Iterator

from deltawave.comparing.comparison import Comparison
from deltawave.pages.texts import LINE, Table, line, percent, plain, short

CHANGES, CHANGED_COLUMNS = "Some of the changes", "Changed columns"
NUMBERS, ONLY = "Numbers of changed columns, in rows that differ", "Some of the rows only in "
_BARS = " ▁▂▃▄▅▆▇█"


def kinds_of(found: Comparison) -> dict[str, str]:
    """What kinds of rows are called."""
    old, new = plain(found.old_name), plain(found.new_name)
    return {"changed": "changed", "only_old": f"only in {old}", "only_new": f"only in {new}"}


def tables(found: Comparison) -> Iterator[Table]:
    """The tables that have rows, that of counts first. In that of changes the last two cells are old and new values."""
    old, new = plain(found.old_name), plain(found.new_name)
    kinds = kinds_of(found)
    counts = [
        (f"in {old}", found.old_rows),
        (f"in {new}", found.new_rows),
        ("equal", found.equal),
        ("changed", found.changed),
        (kinds["only_old"], found.only_old),
        (kinds["only_new"], found.only_new),
    ]
    columns = [
        *((name, kinds["only_old"]) for name in found.old_columns),
        *((name, kinds["only_new"]) for name in found.new_columns),
        *(
            (name, short(f"{each['old']} in {old}, {each['new']} in {new}; compared as {each['compared_as']}", LINE))
            for name, each in found.types.items()
        ),
        *((name, "ignored") for name in found.ignored_columns),
    ]
    hints = [
        *(
            f"perhaps renamed: {plain(each.old)} -> {plain(each.new)} ({percent(each.share)} equal)"
            for each in found.renames
        ),
        *_moved(found),
    ]
    every = [
        Table("Rows", ("rows", "number"), [(name, f"{number:,}") for name, number in counts]),
        Table("Possible explanations", ("hint",), [(hint,) for hint in hints]),
        Table("Columns", ("column", "difference"), [(plain(name), difference) for name, difference in columns]),
        _changed_columns(found),
        numbers_table(found),
        Table(
            "Where differences concentrate",
            ("rows", "column", "value", "number", "of these rows", "of all rows", "times as often", "effect"),
            [each.cells(kinds[each.kind]) for each in found.concentrations],
        ),
        Table(
            CHANGES,
            (*map(plain, found.key), "column", old, new),
            [(*map(short, each.key), plain(each.column), short(each.old), short(each.new)) for each in found.changes],
        ),
        Table(f"{ONLY}{old}", ("row",), [(line(row),) for row in found.old_samples]),
        Table(f"{ONLY}{new}", ("row",), [(line(row),) for row in found.new_samples]),
        Table("Notes", ("note",), [(plain(note),) for note in notes(found)]),
    ]
    return (table for table in every if table.rows)


def _changed_columns(found: Comparison) -> Table:
    """How many rows have changed in a column, the share last; and how many values went or came, if any did."""
    heads: tuple[str, ...] = ("column", "rows", *(("to null", "from null") if found.nulls else ()), "of rows in both")
    rows = []
    for name, number in found.columns.items():
        nulls = [f"{each:,}" for each in found.nulls.get(name, (0, 0))] if found.nulls else []
        if number:
            rows.append((plain(name), f"{number:,}", *nulls, percent(number / (found.equal + found.changed))))
    return Table(CHANGED_COLUMNS, heads, rows)


def numbers_table(found: Comparison) -> Table:
    """The numbers of changed columns, of each table in a line; the bars are as high as many rows have such numbers."""
    rows = []
    for each in found.distributions:
        highest = max(*each.old_rows, *each.new_rows)
        parts = ((found.old_name, each.old, each.old_rows), (found.new_name, each.new, each.new_rows))
        for place, (name, of, counts) in enumerate(parts):
            # Few rows are seen, too.
            bars = "".join(_BARS[-(-8 * number // highest)] for number in counts)
            numbers = map(number_text, (of.least, of.mean, of.most))
            furthest = "" if place or each.furthest is None else number_text(each.furthest)
            rows.append(("" if place else plain(each.column), plain(name), *numbers, furthest, f"|{bars}|"))
    return Table(NUMBERS, ("column", "in", "least", "mean", "most", "changed by up to", "how many rows"), rows)


def number_text(number: float | None) -> str:
    """A number for people, of six digits."""
    if number is None:
        return "none"
    return f"{number:,.0f}" if number == round(number) and abs(number) < 1e15 else f"{number:,.6g}"


def _moved(found: Comparison) -> Iterator[str]:
    moved = found.moved_keys
    if moved is None:
        return
    shown = "; ".join(f"{_key(old)} -> {_key(new)}" for old, new in moved.samples)
    rows = f"{moved.rows:,} row(s) of each table are equal but for the key"
    yield f"perhaps the key changed: {rows}{f', such as {shown}' if shown else ''}"


def _key(values: tuple[str | None, ...]) -> str:
    return ", ".join(map(short, values))


def notes(found: Comparison) -> list[str]:
    """What was done to make the tables comparable."""
    names = ", ".join(map(plain, found.key))
    in_both = found.equal + found.changed
    of = " and ".join(
        f"{percent(in_both / rows)} of {plain(name)}"
        for name, rows in ((found.old_name, found.old_rows), (found.new_name, found.new_rows))
        if rows
    )
    own = {
        "given": [],
        "found": [
            f"the key was found: {names}, unique in both tables; it matches {of or 'no rows'}. --key names another"
        ],
        "none": [
            "no key was found, so rows are compared as a bag: one that has changed counts as two, one in each table. "
            "--key names one"
        ],
    }
    return [*own[found.key_is], *found.notes]
