"""A comparison as one page of HTML that needs no other file."""

from collections.abc import Iterator
from html import escape

from deltawave.comparing.comparison import Comparison, Distribution
from deltawave.comparing.tables import (
    CHANGED_COLUMNS,
    CHANGES,
    NUMBERS,
    ONLY,
    kinds_of,
    number_text,
    numbers_table,
    tables,
)
from deltawave.pages import charts
from deltawave.pages.charts import Bar, Series
from deltawave.pages.filters import FILTER_SCRIPT, FILTER_STYLE, filters
from deltawave.pages.html import MARKS, Markup, between, figures, page, paragraph, section, table
from deltawave.pages.texts import Table, line, plain, short

_SERIES = (Series("old-values", "#8c6bb1", "#b39ddb"), Series("new-values", "#1f77b4", "#64b5f6"))
_STYLE = """
.numbers { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; margin: 0.5rem 0; }
.numbers div { max-width: 100%; }
.numbers p { margin: 0; max-width: 320px; font-size: 0.875rem; }
.numbers svg { max-width: 100%; height: auto; }
/* Names of files may be long. */
.legend li, .named { min-width: 0; white-space: normal; }
del + ins { margin-left: 0.25em; }
"""


def as_page(found: Comparison) -> str:
    in_both = found.equal + found.changed
    counts, *others = tables(found)
    parts = [paragraph(found.summary), figures(counts.rows)]
    has_differences = bool(found.changes or found.old_samples or found.new_samples)
    for each in others:
        if each.title == CHANGED_COLUMNS:
            rows = [rows for rows in found.columns.values() if rows]
            shares = [charts.meter(number / in_both) for number in rows]
            each = each._replace(rows=[(*row[:-1], share) for row, share in zip(each.rows, shares, strict=True)])
        if each.title == NUMBERS:
            parts.append(_numbers(found))
        elif each.title != CHANGES and not each.title.startswith(ONLY):
            parts.append(section(each))
    # What is longest comes last.
    parts.append(_differences(found) if has_differences else "")
    style = charts.style(_SERIES) + MARKS + _STYLE + (FILTER_STYLE if has_differences else "")
    return page(found.title, "".join(parts), style=style, script=FILTER_SCRIPT if has_differences else "")


def _numbers(found: Comparison) -> str:
    """A small chart for each changed column of numbers, and their figures, folded."""
    names = short(found.old_name), short(found.new_name)
    legend = "".join(f"<li>{charts.swatch(each, name)}</li>" for each, name in zip(_SERIES, names, strict=True))
    drawn = "".join(
        f"<div>{_chart(place, each, names)}"
        f"<p>{escape(plain(each.column))}: mean {escape(number_text(each.old.mean))} to "
        f"{escape(number_text(each.new.mean))}{_furthest(each)}</p></div>\n"
        for place, each in enumerate(found.distributions)
    )
    return f"""<h2>{NUMBERS}</h2>
<ul class="legend">{legend}</ul>
<div class="numbers">
{drawn}</div>
<details>
<summary>The figures as a table</summary>
{table(numbers_table(found))}</details>
"""


def _furthest(found: Distribution) -> str:
    return "" if found.furthest is None else f"; changed by up to {escape(number_text(found.furthest))}"


def _chart(place: int, found: Distribution, names: tuple[str, str]) -> str:
    last = len(found.old_rows) - 1
    bars = []
    for number, parts in enumerate(zip(found.old_rows, found.new_rows, strict=True)):
        begin, end = (number_text(found.begin + found.step * each) for each in (number, number + 1))
        rows = ", ".join(f"{rows:,} in {name}" for rows, name in zip(parts, names, strict=True))
        bars.append(Bar(f"{begin} to {end}: {rows}", begin if number < last else end, parts))
    title = f"{plain(found.column)}, how many rows have which numbers"
    return charts.paired_bars(f"numbers-{place}", title, "The figures are in the table below.", _SERIES, bars)


def _differences(found: Comparison) -> str:
    """The samples in one table that can be filtered."""
    kinds = kinds_of(found)
    keys = len(found.key)
    columns = list(dict.fromkeys(each.column for each in found.changes))
    rows: list[tuple[str, ...]] = []
    attributes = []
    for change in found.changes:
        rows.append(("changed", *map(short, change.key), plain(change.column), between(change.old, change.new)))
        attributes.append(f'data-change="changed" data-column="{columns.index(change.column)}"')
    for kind, key, text in _only(found):
        rows.append((kinds[kind], *key, *[""] * (keys - len(key)), "", text))
        attributes.append(f'data-change="{kind}"')
    shown = [(kind, name) for kind, name in kinds.items() if any(f'"{kind}"' in each for each in attributes)]
    heads = ("rows", *map(plain, found.key), "column", "old and new value")
    title = "Some of the differences"
    listed = table(Table(title, heads, rows), attributes, id="samples")
    return f"<h2>{title}</h2>\n{filters(shown, [plain(name) for name in columns])}{listed}"


def _only(found: Comparison) -> Iterator[tuple[str, list[str], Markup]]:
    """The rows that only one table has: their kind, key and other values."""
    for kind, tag, rows in (("only_old", "del", found.old_samples), ("only_new", "ins", found.new_samples)):
        for row in rows:
            key = [short(row.get(name)) for name in found.key if name in row]
            others = {name: value for name, value in row.items() if name not in found.key}
            yield kind, key, Markup(f"<{tag}>{escape(line(others))}</{tag}>")
