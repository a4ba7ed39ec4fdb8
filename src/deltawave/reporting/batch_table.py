"""The last batches as a table: strategy and why, what was read beside a full comparison, changes, seconds."""

from collections import Counter
from collections.abc import Sequence

from deltawave.pages.html import paragraph, section
from deltawave.pages.texts import LINE, Table, counted, plain, short, sized
from deltawave.reporting.batches import Batch, dumps_of
from deltawave.reporting.changes import CHANGE_TYPES, times

# However many there are.
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
            _number(each.rows_read),
            _share(each.share_read),
            _number(each.rows_new),
            *((_size(each.bytes_read), _size(each.bytes_full)) if has_bytes else ()),
            *(f"{each.count(kind):,}" for kind in CHANGE_TYPES),
            *(f"{getattr(each, name):,}" for name in extras),
            "" if each.seconds is None else f"{each.seconds:,.1f}",
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
        "Bytes are those of files: of a whole dump its own, of a slice those in which its rows were landed."
        if has_bytes
        else "",
        older,
    )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,}"


def _size(value: int | None) -> str:
    """With a blank that is not broken."""
    return "" if value is None else sized(value).replace(" ", "\u00a0")


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"
