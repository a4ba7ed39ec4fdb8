"""A change log, or one of its batches, as one page of HTML that needs no other file."""

from collections.abc import Iterator, Sequence
from html import escape

from deltawave.pages import charts
from deltawave.pages.filters import FILTER_SCRIPT, FILTER_STYLE, filters
from deltawave.pages.html import MARKS, figures, marked, page, paragraph, section, table
from deltawave.pages.texts import Table, counted, line, percent, plain, short, sized
from deltawave.reporting import batch_views
from deltawave.reporting.batches import Batch, dumps_of, is_cut, labels
from deltawave.reporting.change_summary import columns_table, concentrations_table
from deltawave.reporting.changes import CHANGE_TYPES, UNKNOWN, Change, key_of
from deltawave.reporting.log_report import LogReport, cells_of

# However many columns of a row have changed, a page shows so many.
_MOST_CELLS = 8


def as_html(report: LogReport) -> str:
    title = f"What changed in {plain(report.name)}{'' if report.batch is None else f', batch {report.batch}'}"
    style = charts.style((*batch_views.SERIES, *batch_views.BYTES, batch_views.SECONDS)) + MARKS + FILTER_STYLE
    body = "".join([_summary(report), _figures(report.batches), *_sections(report)])
    return page(title, body, style=style, script=FILTER_SCRIPT if report.samples else "")


def _sections(report: LogReport) -> Iterator[str]:
    is_log = report.batch is None
    yield batch_views.changes_by_batch(report.batches) if is_log else ""
    for found, notes in (columns_table(report, charts.meter), concentrations_table(report)):
        yield section(found) + (paragraph(*notes) if notes else "")
    yield _samples(report)
    yield _quarantine(report)
    yield _removals(report)
    yield batch_views.bytes_by_batch(report.batches) if is_log else ""
    yield batch_views.seconds_by_batch(report.batches) if is_log else ""
    yield batch_views.batches_listed(report.batches)


def _summary(report: LogReport) -> str:
    batches = [each for each in report.batches if not each.is_operation]
    days = labels(batches)
    named = "dump " if dumps_of(batches) else ""
    period = "".join(f", {named}{' to '.join(dict.fromkeys((day, days[-1])))}" for day in days[:1])
    return paragraph(
        f"{counted(len(batches), 'batch')}{period}.",
        f"Key: {', '.join(map(plain, report.key))}.",
        "Loads, in which all rows are new, are left out of the figures."
        if any(each.is_load for each in batches)
        else "",
        _beginning(report),
        f"This page was made on {report.made_at:%Y-%m-%d %H:%M} UTC; times of batches are in UTC.",
    )


def _figures(batches: Sequence[Batch]) -> str:
    """The table as it is, what has changed since it was loaded, and what that took."""
    rows = batches[-1].rows_new if batches else None
    changing = [each for each in batches if not each.is_load and not each.is_operation]
    shown: dict[str, str] = {} if rows is None else {"rows of the table": f"{rows:,}"}
    if changing:
        shown |= {f"{kind}s": f"{sum(each.count(kind) for each in changing):,}" for kind in CHANGE_TYPES}
        compared = [each for each in changing if each.share_read is not None]
        read, whole = sum(each.rows_read or 0 for each in compared), sum(each.rows_new or 0 for each in compared)
        if compared:
            shown |= {"rows read": f"{read:,}", "of full comparisons": percent(read / whole)}
        measured = [each for each in changing if each.bytes_read is not None and each.bytes_full]
        if measured:
            size, full = sum(each.bytes_read or 0 for each in measured), sum(each.bytes_full or 0 for each in measured)
            shown |= {"bytes read": sized(size), "bytes of full comparisons": sized(full)}
        shown["seconds"] = f"{sum(each.seconds or 0 for each in changing):,.1f}"
    return figures(shown.items())


def _beginning(report: LogReport) -> str:
    """Where the log's rows begin, if earlier batches are only counted."""
    if not is_cut(report.batches, report.first_batch):
        return ""
    if report.first_batch is None:
        return "The log has no rows any more; its batches are only counted."
    return f"The log's rows begin with batch {report.first_batch}; earlier batches are only counted."


def _samples(report: LogReport) -> str:
    title, what = ("Some of the last changes", "log") if report.batch is None else ("Some of the changes", "batch")
    if not report.samples:
        return f"<h2>{title}</h2>\n" + paragraph(f"The {what} has no changes.")
    changed = {name for change in report.samples for name, _, _ in cells_of(change)[:_MOST_CELLS]}
    names = [name for name in report.columns if name in changed]
    places = {name: place for place, name in enumerate(names)}
    rows: list[Sequence[str]] = []
    attributes = []
    for change in sorted(report.samples, key=lambda each: ["update", "insert", "delete"].index(each.kind)):
        kind = charts.swatch(batch_views.SERIES_OF[change.kind], change.kind)
        head = (kind, str(change.batch), ", ".join(map(short, key_of(change, report.key))))
        for column, old, new in _lines(change, report.key):
            rows.append((*head, plain(column) if column else "", old, new))
            place = f' data-column="{places[column]}"' if column in places else ""
            attributes.append(f'data-change="{escape(change.kind)}"{place}')
    kinds = [kind for kind in CHANGE_TYPES if any(change.kind == kind for change in report.samples)]
    heads = ("change", "batch", ", ".join(map(plain, report.key)), "column", "old", "new")
    listed = table(Table(title, heads, rows), attributes, id="samples")
    return f"<h2>{title}</h2>\n{filters([(kind, kind) for kind in kinds], [plain(name) for name in names])}{listed}"


def _lines(change: Change, key: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """The changed columns of an update, with the old and the new value; of another change the row's other values."""
    cells = cells_of(change)
    keys = {name.lower() for name in key}
    if not cells:
        values = UNKNOWN if change.is_unrecorded(keys) else line(change.values(keys))
        is_delete = change.kind == "delete"
        yield "", values if is_delete else UNKNOWN if change.kind == "update" else "", "" if is_delete else values
    for column, old, new in cells[:_MOST_CELLS]:
        yield (column, *(marked(old, new) if change.before is not None else (UNKNOWN, short(new))))
    if len(cells) > _MOST_CELLS:
        yield "", "", f"and {counted(len(cells) - _MOST_CELLS, 'column')} more"


def _quarantine(report: LogReport) -> str:
    title = "Quarantine"
    with_some = [each for each in report.batches if each.quarantined]
    if not with_some:
        return f"<h2>{title}</h2>\n" + paragraph("No row was quarantined.")
    days = labels(with_some)
    rows = [
        (str(each.number), day, f"{each.quarantined:,}")
        for each, day in zip(reversed(with_some), reversed(days), strict=True)
    ][: batch_views.MOST_BATCHES]
    older = len(with_some) - len(rows)
    total = sum(each.quarantined for each in with_some)
    text = section(Table(title, ("batch", "dump" if dumps_of(with_some) else "date", "rows"), rows))
    text += paragraph(
        f"In all {counted(total, 'row')} of duplicate keys in {counted(len(with_some), 'batch')}.",
        f"Not shown: {counted(older, 'older batch')}." if older else "",
    )
    if report.quarantined:
        text += table(
            Table("Some of the quarantined rows", ("quarantined row",), [(line(each),) for each in report.quarantined])
        )
    return text


def _removals(report: LogReport) -> str:
    """What was removed for good; nothing where nothing was."""
    rows = [
        (
            each.at,
            each.operation,
            plain(each.place),
            f"{each.rows:,}",
            UNKNOWN if each.files_freed is None else f"{each.files_freed:,}",
            UNKNOWN if each.bytes_freed is None else f"{each.bytes_freed:,}",
            plain(each.still_there or ""),
        )
        for each in report.removals
    ]
    heads = ("date", "operation", "place", "rows", "files freed", "bytes freed", "still there")
    return section(Table("Removed", heads, rows)) if rows else ""
