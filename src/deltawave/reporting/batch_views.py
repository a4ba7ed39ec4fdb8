"""The batches of a log: charts of their changes, bytes and seconds, and the last batches as a table."""

from collections import Counter
from collections.abc import Callable, Sequence

from deltawave.pages import charts
from deltawave.pages.html import paragraph, section
from deltawave.pages.texts import LINE, Table, counted, percent, plain, short, sized, unit_of
from deltawave.reporting.batches import Batch, dumps_of, grouped, labels
from deltawave.reporting.changes import CHANGE_TYPES, times

# Colors on a light and on a dark page: their contrast to it is above 3. They differ in lightness as well, for readers
# who see no hues.
SERIES = (
    charts.Series("inserts", "#1a73c9", "#5b9fe3"),
    charts.Series("updates", "#b8860b", "#f4cf6a"),
    charts.Series("deletes", "#8b1a3a", "#d04a66"),
)
SERIES_OF = dict(zip(CHANGE_TYPES, SERIES, strict=True))
SECONDS = charts.Series("seconds", "#6e7781", "#8b949e")
BYTES = (charts.Series("read", "#2e7d32", "#66bb6a"), charts.Series("spared", "#87909a", "#6e7781"))
# A chart has at most this many bars, however long the log is.
_MOST_BARS = 60
# So many characters of a dump's name fit below its bar.
_MARK = 12


def changes_by_batch(batches: Sequence[Batch]) -> str:
    """The chart of changes, without loads: next to a load's bar, the other bars would be too small to see."""
    loads = [each for each in batches if each.is_load]
    title = "Changes by batch"
    drawn = _drawn(batches)
    if not drawn:
        return f"<h2>{title}</h2>\n" + paragraph(_loaded(loads), "There is no other batch yet.")
    return _chart(
        "changes",
        title,
        SERIES,
        drawn,
        lambda each: (each.inserts, each.updates, each.deletes),
        lambda parts: _named(parts) or "no changes",
        _loaded(loads),
    )


def bytes_by_batch(batches: Sequence[Batch]) -> str:
    """The chart of bytes read and, where a full comparison would have read more, of those spared."""
    measured = [each for each in _drawn(batches) if each.bytes_read is not None]
    if not measured:
        return ""
    series = BYTES if any(each.bytes_spared for each in measured) else BYTES[:1]
    unit, name = unit_of(max((each.bytes_read or 0) + each.bytes_spared for each in measured))

    def described(parts: Sequence[float]) -> str:
        shown = [(part, each) for part, each in zip(parts, series, strict=True) if part or each is series[0]]
        return ", ".join(f"{sized(part * unit)} {each.name}" for part, each in shown)

    return _chart(
        "bytes",
        f"Bytes read by batch, in {name}",
        series,
        measured,
        lambda each: ((each.bytes_read or 0) / unit, each.bytes_spared / unit)[: len(series)],
        described,
        "Spared is what a full comparison would have read as well." if len(series) > 1 else "",
    )


def seconds_by_batch(batches: Sequence[Batch]) -> str:
    """The chart of durations, if there are any."""
    measured = [each for each in _drawn(batches) if each.seconds is not None]
    if not measured:
        return ""
    return _chart(
        "durations",
        "Seconds by batch",
        (SECONDS,),
        measured,
        lambda each: (each.seconds or 0,),
        lambda parts: f"{parts[0]:,.1f} seconds",
    )


def _drawn(batches: Sequence[Batch]) -> list[Batch]:
    return [each for each in batches if not each.is_load and not each.is_operation]


def _chart(
    id: str,
    title: str,
    series: Sequence[charts.Series],
    drawn: Sequence[Batch],
    parts_of: Callable[[Batch], tuple[float, ...]],
    described: Callable[[Sequence[float]], str],
    note: str = "",
) -> str:
    """A bar for each batch, or for several; ``described``: the parts of a bar, or of all bars, in words."""
    groups = grouped(drawn, _MOST_BARS)
    days = dict(zip((each.number for each in drawn), labels(drawn), strict=True))
    is_named = bool(dumps_of(drawn))
    has_times = len({days[group[0].number][:10] for group in groups}) < len(groups)
    bars = []
    rows = []
    for group in groups:
        parts = [sum(each) for each in zip(*map(parts_of, group), strict=True)]
        first, last = days[group[0].number], days[group[-1].number]
        name = "-".join(str(number) for number in sorted({group[0].number, group[-1].number}))
        what = "batch" if len(group) == 1 else "batches"
        period = first if first == last else f"{first} to {last}"
        label = f"{what} {name}, {'dump ' if is_named else ''}{period}: {described(parts)}"
        # With the time where several groups begin on one day.
        mark = short(first, _MARK) if is_named else first[5:] if has_times else first[:10]
        bars.append(charts.Bar(label, mark, parts))
        rows.append((name, first, last, *(f"{round(part, 1):,}" for part in parts)))
    size = f"A bar is up to {-(-len(drawn) // len(groups))} batches." if len(groups) < len(drawn) else ""
    sums = [sum(each) for each in zip(*(bar.parts for bar in bars), strict=True)]
    figures = Table(f"{title}, the figures", ("batch", "from", "to", *(each.name for each in series)), rows)
    return charts.section(id, title, f"In all {described(sums)}.", series, bars, figures, note, size)


def _named(parts: Sequence[float]) -> str:
    """The counts of changes that are there, in words."""
    return ", ".join(counted(int(part), series.name[:-1]) for part, series in zip(parts, SERIES, strict=True) if part)


def _loaded(loads: Sequence[Batch]) -> str:
    """Which batches the chart leaves out: those in which all rows were new."""
    last = [
        f"batch {each.number} with {counted(each.inserts if each.rows_new is None else each.rows_new, 'row')}"
        for each in loads[-3:]
    ]
    earlier = [f"{len(loads) - 3:,} earlier"] if len(loads) > 3 else []
    return f"Loads are not drawn: {', '.join([*earlier, *last])}." if loads else ""


# The table shows this many of the last batches.
MOST_BATCHES = 50


def batches_listed(batches: Sequence[Batch]) -> str:
    title = "Batches"
    last = list(reversed(batches))[:MOST_BATCHES]
    days = list(reversed(times(each.at for each in batches)))
    extras = [name for name in ("backfilled", "quarantined") if any(getattr(each, name) for each in last)]
    dumps = dumps_of(last)
    has_bytes = any(each.bytes_read is not None for each in last)
    rows = [
        (
            str(each.number),
            *((dumps.get(each.number, ""),) if dumps else ()),
            day,
            plain(each.strategy),
            short(each.reason, LINE) if each.reason else "",
            _known(each.rows_read),
            _known(each.share_read, percent),
            _known(each.rows_new),
            *((_known(each.bytes_read, _size), _known(each.bytes_full, _size)) if has_bytes else ()),
            *(f"{each.count(kind):,}" for kind in CHANGE_TYPES),
            *(f"{getattr(each, name):,}" for name in extras),
            _known(each.seconds, "{:,.1f}".format),
        )
        for each, day in zip(last, days, strict=False)
    ]
    counts = (*(f"{kind}s" for kind in CHANGE_TYPES), *extras)
    sizes = ("bytes read", "full comparison") if has_bytes else ()
    rows_read = ("rows read", "of the table", "rows after")
    named = ("batch", *(("dump",) if dumps else ()), "date")
    heads = (*named, "strategy", "reason", *rows_read, *sizes, *counts, "seconds")
    used = Counter(each.strategy for each in batches if not each.is_operation)
    strategies = ", ".join(f"{plain(name)} in {counted(number, 'batch')}" for name, number in used.most_common())
    older = f"Not shown: {counted(len(batches) - len(last), 'older batch')}." if len(batches) > len(last) else ""
    return section(Table(title, heads, rows)) + paragraph(
        f"Strategies: {strategies}." if strategies else "",
        "Rows read are those of the source; a full comparison reads all of the table.",
        "Bytes are those of files: of a whole dump its own, of a part of the source those with its landed rows."
        if has_bytes
        else "",
        older,
    )


def _known(value: float | None, shown: Callable[[float], str] = "{:,}".format) -> str:
    return "" if value is None else shown(value)


def _size(value: float) -> str:
    """With a blank that is not broken."""
    return sized(value).replace(" ", "\u00a0")
