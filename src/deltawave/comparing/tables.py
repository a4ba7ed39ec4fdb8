"""What a comparison has found, as tables of texts for all formats."""

from collections.abc import Iterator

from deltawave.comparing.comparison import Comparison
from deltawave.pages.texts import LINE, Table, line, plain, short

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
    in_both = found.equal + found.changed
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
            f"perhaps renamed: {plain(each.old)} -> {plain(each.new)} ({each.share:.1%} equal)"
            for each in found.renames
        ),
        *_moved(found),
    ]
    every = [
        Table("Rows", ("rows", "number"), [(name, f"{number:,}") for name, number in counts]),
        Table("Possible explanations", ("hint",), [(hint,) for hint in hints]),
        Table("Columns", ("column", "difference"), [(plain(name), difference) for name, difference in columns]),
        Table(
            CHANGED_COLUMNS,
            ("column", "rows", "of rows in both"),
            [(plain(name), f"{rows:,}", f"{rows / in_both:.1%}") for name, rows in found.columns.items() if rows],
        ),
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
            rows.append(("" if place else plain(each.column), plain(name), *numbers, f"|{bars}|"))
    return Table(NUMBERS, ("column", "in", "least", "mean", "most", "how many rows"), rows)


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
        f"{in_both / rows:.1%} of {plain(name)}"
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
