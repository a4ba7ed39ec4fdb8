"""A comparison as tables, and these as text for a terminal or as one page of HTML."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from deltawave.pages import charts, marking
from deltawave.pages.html import figures, page, paragraph, section
from deltawave.pages.tables import Table, lines
from deltawave.pages.texts import LINE, beside, line, plain, short

if TYPE_CHECKING:
    from deltawave.comparing.comparison import Comparison


def tables(found: "Comparison", is_page: bool = False) -> Iterator[Table]:
    """The tables that have rows; the first is that of counts. For a page with bars, and with differences marked."""
    old, new = plain(found.old_name), plain(found.new_name)
    kinds = {"changed": "changed", "only_old": f"only in {old}", "only_new": f"only in {new}"}
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
    concentrations = [
        (
            kinds[each.kind],
            plain(each.column),
            short(each.value),
            f"{each.rows:,}",
            f"{each.share:.1%}",
            f"{each.all_share:.1%}",
            f"{each.lift:.1f}",
            f"{each.effect:.1f}",
        )
        for each in found.concentrations
    ]
    pair: Callable[[str | None, str | None], tuple[str, str]] = marking.marked if is_page else beside

    def share(rows: int) -> str:
        return charts.meter(rows / in_both) if is_page else f"{rows / in_both:.1%}"

    every = [
        Table("Rows", ("rows", "number"), [(name, f"{number:,}") for name, number in counts]),
        Table("Columns", ("column", "difference"), [(plain(name), difference) for name, difference in columns]),
        Table(
            "Changed columns",
            ("column", "rows", "of rows in both"),
            [(plain(name), f"{rows:,}", share(rows)) for name, rows in found.columns.items() if rows],
        ),
        Table(
            "Where differences concentrate",
            ("rows", "column", "value", "number", "of these rows", "of all rows", "times as often", "effect"),
            concentrations,
        ),
        Table(
            "Some of the changes",
            (*map(plain, found.key), "column", old, new),
            [(*map(short, each.key), plain(each.column), *pair(each.old, each.new)) for each in found.changes],
        ),
        Table(f"Some of the rows {kinds['only_old']}", ("row",), [(line(row),) for row in found.old_samples]),
        Table(f"Some of the rows {kinds['only_new']}", ("row",), [(line(row),) for row in found.new_samples]),
        Table("Notes", ("note",), [(plain(note),) for note in found.notes]),
    ]
    return (table for table in every if table.rows)


def _title(found: "Comparison") -> str:
    return f"{plain(found.old_name)} -> {plain(found.new_name)}, by {', '.join(map(plain, found.key))}"


def _verdict(found: "Comparison") -> str:
    return "The tables are equal." if found.is_equal else "The tables differ."


def as_text(found: "Comparison") -> str:
    parts = ["\n".join([table.title, "", *lines(table)]) for table in tables(found)]
    return "\n\n".join([_title(found), *parts, _verdict(found)])


def as_html(found: "Comparison") -> str:
    counts, *others = tables(found, is_page=True)
    parts = [paragraph(_verdict(found)), figures(counts.rows), *map(section, others)]
    return page(_title(found), "".join(parts), style=charts.style() + marking.STYLE)
