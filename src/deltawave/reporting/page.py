"""A change log as one page of HTML that needs no other file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape

from deltawave.pages import charts, marking
from deltawave.pages.html import Markup, page, section, table
from deltawave.pages.tables import Table
from deltawave.pages.texts import LINE, line, plain, short
from deltawave.reporting import filters
from deltawave.reporting.batches import Batch, Group, grouped, is_cut
from deltawave.reporting.changes import CHANGE_TYPES, UNKNOWN, Change, key_of, times
from deltawave.reporting.concentrations import Concentration
from deltawave.reporting.log_report import LogReport, cells_of

# Above a contrast of 3 to a light or dark page. They differ in lightness, too, for those who see no hues.
SERIES = (
    charts.Series("inserts", "#1a73c9", "#5b9fe3"),
    charts.Series("updates", "#b8860b", "#f4cf6a"),
    charts.Series("deletes", "#8b1a3a", "#d04a66"),
)
# However long a log is, its page has so many bars, batches, columns, and changed columns of one row.
_MOST_BARS = 60
_MOST_BATCHES = 50
_MOST_COLUMNS = 30
_MOST_CELLS = 8
_WITHOUT_CONCENTRATIONS = {
    "baseline": "The log began with initial_load: baseline. It lacks the rows that have not changed since, with which "
    "changed ones would be compared.",
    "multiset": "With duplicate_keys: multiset a key may have several rows, and this section counts keys.",
}
_WHAT: dict[str, str] = {"insert": "inserted later", "update": "updated", "delete": "deleted"}


def as_html(report: LogReport) -> str:
    title = f"What changed in {plain(report.name)}"
    style = charts.style(SERIES) + marking.STYLE + filters.STYLE
    body = "".join([_summary(report), *_sections(report)])
    return page(title, body, style=style, script=filters.SCRIPT if report.samples else "")


def _sections(report: LogReport) -> Iterator[str]:
    yield _by_batch(report)
    yield _columns(report)
    yield _concentrations(report.concentrations)
    yield _samples(report)
    yield _quarantine(report)
    yield _batches(report.batches)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,}"


def _count(number: int, one: str) -> str:
    return f"{number:,} {one}{'' if number == 1 else 'es' if one.endswith('ch') else 's'}"


def _paragraph(*sentences: str) -> str:
    return f"<p>{escape(' '.join(filter(None, sentences)))}</p>\n"


def _summary(report: LogReport) -> str:
    batches = [each for each in report.batches if not each.is_operation]
    days = times(each.at for each in batches)
    period = "".join(f", {days[0]} to {days[-1]}" if len(set(days)) > 1 else f", {day}" for day in days[:1])
    rows = report.batches[-1].rows_new if report.batches else None
    return _paragraph(
        f"{_count(len(batches), 'batch')}{period}.",
        "" if rows is None else f"The table has {_count(rows, 'row')} after the last one.",
        f"Key: {', '.join(map(plain, report.key))}.",
        _beginning(report),
        f"This page was made on {report.made_at:%Y-%m-%d %H:%M} UTC; times of batches are in UTC.",
    )


def _beginning(report: LogReport) -> str:
    """Where the log's rows begin, if earlier batches are only counted."""
    if not is_cut(report.batches, report.first_batch):
        return ""
    if report.first_batch is None:
        return "The log has no rows any more; its batches are only counted."
    return f"The log's rows begin with batch {report.first_batch}; earlier batches are only counted."


def _by_batch(report: LogReport) -> str:
    """The chart of changes, and its figures. A load would hide the changes after it."""
    loads = [each for each in report.batches if each.is_load]
    drawn = [each for each in report.batches if not each.is_load and not each.is_operation]
    title = "Changes by batch"
    if not drawn:
        return f"<h2>{title}</h2>\n" + _paragraph(_loaded(loads), "There is no other batch yet.")
    groups = grouped(drawn, _MOST_BARS)
    days = dict(zip((each.number for each in drawn), times(each.at for each in drawn), strict=True))
    has_times = len({days[group.first.number][:10] for group in groups}) < len(groups)
    bars = [_bar(group, days, has_times) for group in groups]
    sums = (f"{sum(bar.parts[place] for bar in bars):,} {series.name}" for place, series in enumerate(SERIES))
    described = f"{', '.join(sums)}. The figures are in the table below."
    chart = charts.stacked_bars("by-batch", title, described, SERIES, bars)
    notes = [
        _loaded(loads),
        f"A bar is up to {-(-len(drawn) // len(groups))} batches." if len(groups) < len(drawn) else "",
        f"A bar with {charts.CUT} is higher than it is drawn." if charts.CUT in chart else "",
    ]
    figures = Table(
        "Changes by batch, the figures",
        ("batch", "from", "to", *(series.name for series in SERIES)),
        [
            (group.name, days[group.first.number], days[group.last.number], *map(_number, _parts(group)))
            for group in groups
        ],
    )
    return f"""<h2>{title}</h2>
{_paragraph(*notes) if any(notes) else ""}{charts.legend(SERIES)}
<div class="scroll" role="region" aria-label="{title}, chart" tabindex="0">
{chart}</div>
<details>
<summary>The figures as a table</summary>
{table(figures)}</details>
"""


def _loaded(loads: Sequence[Batch]) -> str:
    """Which batches the chart leaves out: those in which all rows were new."""
    last = [
        f"batch {each.number} with {_count(each.inserts if each.rows_new is None else each.rows_new, 'row')}"
        for each in loads[-3:]
    ]
    earlier = [f"{len(loads) - 3:,} earlier"] if len(loads) > 3 else []
    return f"Loads are not drawn: {', '.join([*earlier, *last])}." if loads else ""


def _parts(group: Group) -> tuple[int, int, int]:
    return group.inserts, group.updates, group.deletes


def _bar(group: Group, days: dict[int, str], has_time: bool) -> charts.Bar:
    """A group as a bar; its mark has the time where several groups begin on one day."""
    first, last = days[group.first.number], days[group.last.number]
    numbers = ", ".join(
        _count(part, series.name[:-1]) for part, series in zip(_parts(group), SERIES, strict=True) if part
    )
    what = "batch" if group.first == group.last else "batches"
    period = first if first == last else f"{first} to {last}"
    mark = first[5:] if has_time else first[:10]
    return charts.Bar(f"{what} {group.name}, {period}: {numbers or 'no changes'}", mark, _parts(group))


def _columns(report: LogReport) -> str:
    title = "Columns that change most"
    shown = list(report.columns.items())[:_MOST_COLUMNS]
    recorded = report.updates - report.unrecorded
    share = "of recorded updates" if report.unrecorded else "of all updates"
    rows = [
        (plain(name), f"{updates:,}", Markup(f"{charts.meter(updates / recorded)} {updates / recorded:.1%}"))
        for name, updates in shown
    ]
    notes = [
        f"Of {_count(report.unrecorded, 'update')} the log does not record the columns." if report.unrecorded else "",
        f"Not shown: {_count(len(report.columns) - len(shown), 'column')} with fewer updates."
        if len(report.columns) > len(shown)
        else "",
        "" if report.updates else "The log has no updates.",
    ]
    listed = section(Table(title, ("column", "updates", share), rows)) if rows else f"<h2>{title}</h2>\n"
    return listed + (_paragraph(*notes) if any(notes) else "")


def _concentrations(found: Sequence[Concentration] | str) -> str:
    title = "Where the changes concentrate"
    if isinstance(found, str):
        return f"<h2>{title}</h2>\n" + _paragraph(_WITHOUT_CONCENTRATIONS[found])
    if not found:
        return f"<h2>{title}</h2>\n" + _paragraph(
            "No value is clearly more frequent among changed rows than among all rows."
        )
    rows = [
        (
            _WHAT[each.kind],
            plain(each.column),
            short(each.value),
            f"{each.rows:,}",
            f"{each.share:.1%}",
            f"{each.expected:.1%}",
            f"{each.lift:.1f}",
        )
        for each in found
    ]
    heads = ("rows", "column", "value", "number", "of these rows", "expected", "times as often")
    return section(Table(title, heads, rows)) + _paragraph(
        "Expected is the share of all rows of the log, deleted ones included, that have the value. A row counts once, "
        "as it was before its last update."
    )


def _samples(report: LogReport) -> str:
    title = "Some of the last changes"
    if not report.samples:
        return f"<h2>{title}</h2>\n" + _paragraph("The log has no changes.")
    changed = {name for change in report.samples for name, _, _ in cells_of(change)[:_MOST_CELLS]}
    names = [name for name in report.columns if name in changed]
    places = {name: place for place, name in enumerate(names)}
    rows: list[Sequence[str]] = []
    attributes = []
    for change in sorted(report.samples, key=lambda each: ["update", "insert", "delete"].index(each.kind)):
        head = (change.kind, str(change.batch), ", ".join(map(short, key_of(change, report.key))))
        for column, old, new in _lines(change, report.key):
            rows.append((*head, plain(column) if column else "", old, new))
            attributes.append(filters.attributes(change.kind, places.get(column)))
    kinds = [kind for kind in CHANGE_TYPES if any(change.kind == kind for change in report.samples)]
    heads = ("change", "batch", ", ".join(map(plain, report.key)), "column", "old", "new")
    listed = table(Table(title, heads, rows), attributes, id="samples")
    return f"<h2>{title}</h2>\n{filters.filters(kinds, [plain(name) for name in names])}{listed}"


def _lines(change: Change, key: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """The changed columns of an update, with the old and the new value; of another change the row's other values."""
    cells = cells_of(change)
    keys = {name.lower() for name in key}
    if not cells:
        values = UNKNOWN if change.is_unrecorded(keys) else line(change.values(keys))
        is_delete = change.kind == "delete"
        yield "", values if is_delete else UNKNOWN if change.kind == "update" else "", "" if is_delete else values
    for column, old, new in cells[:_MOST_CELLS]:
        yield (column, *(marking.marked(old, new) if change.before is not None else (UNKNOWN, short(new))))
    if len(cells) > _MOST_CELLS:
        yield "", "", f"and {_count(len(cells) - _MOST_CELLS, 'column')} more"


def _quarantine(report: LogReport) -> str:
    title = "Quarantine"
    with_some = [each for each in report.batches if each.quarantined]
    if not with_some:
        return f"<h2>{title}</h2>\n" + _paragraph("No row was quarantined.")
    days = times(each.at for each in with_some)
    rows = [
        (str(each.number), day, f"{each.quarantined:,}")
        for each, day in zip(reversed(with_some), reversed(days), strict=True)
    ][:_MOST_BATCHES]
    older = len(with_some) - len(rows)
    total = sum(each.quarantined for each in with_some)
    text = section(Table(title, ("batch", "date", "rows"), rows))
    text += _paragraph(
        f"In all {_count(total, 'row')} of duplicate keys in {_count(len(with_some), 'batch')}.",
        f"Not shown: {_count(older, 'older batch')}." if older else "",
    )
    if report.quarantined:
        text += table(
            Table("Some of the quarantined rows", ("quarantined row",), [(line(each),) for each in report.quarantined])
        )
    return text


def _batches(batches: Sequence[Batch]) -> str:
    title = "Batches"
    last = list(reversed(batches))[:_MOST_BATCHES]
    days = list(reversed(times(each.at for each in batches)))
    extras = [name for name in ("backfilled", "quarantined") if any(getattr(each, name) for each in last)]
    rows = [
        (
            str(each.number),
            day,
            plain(each.strategy),
            short(each.reason, LINE) if each.reason else "",
            _number(each.rows_read),
            _number(each.rows_new),
            *(f"{each.count(kind):,}" for kind in CHANGE_TYPES),
            *(f"{getattr(each, name):,}" for name in extras),
            "" if each.seconds is None else f"{each.seconds:,.1f}",
        )
        for each, day in zip(last, days, strict=False)
    ]
    heads = ("batch", "date", "strategy", "reason", "rows read", "rows after", "inserts", "updates", "deletes", *extras)
    used = Counter(each.strategy for each in batches if not each.is_operation)
    strategies = ", ".join(f"{plain(name)} in {_count(number, 'batch')}" for name, number in used.most_common())
    older = f"Not shown: {_count(len(batches) - len(last), 'older batch')}." if len(batches) > len(last) else ""
    return section(Table(title, (*heads, "seconds"), rows)) + _paragraph(
        f"Strategies: {strategies}." if strategies else "", older
    )
