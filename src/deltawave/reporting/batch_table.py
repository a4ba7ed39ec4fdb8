"""The last batches as a table: strategy and why, rows read beside those of a full comparison, changes, seconds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from deltawave.pages.html import paragraph, section
from deltawave.pages.tables import Table
from deltawave.pages.texts import LINE, counted, plain, short
from deltawave.reporting.batches import Batch
from deltawave.reporting.changes import CHANGE_TYPES, times

# However many there are.
MOST_BATCHES = 50


def batches_listed(batches: Sequence[Batch]) -> str:
    title = "Batches"
    last = list(reversed(batches))[:MOST_BATCHES]
    days = list(reversed(times(each.at for each in batches)))
    extras = [name for name in ("backfilled", "quarantined") if any(getattr(each, name) for each in last)]
    rows = [
        (
            str(each.number),
            day,
            plain(each.strategy),
            short(each.reason, LINE) if each.reason else "",
            _number(each.rows_read),
            _share(each.share_read),
            _number(each.rows_new),
            *(f"{each.count(kind):,}" for kind in CHANGE_TYPES),
            *(f"{getattr(each, name):,}" for name in extras),
            "" if each.seconds is None else f"{each.seconds:,.1f}",
        )
        for each, day in zip(last, days, strict=False)
    ]
    counts = (*(f"{kind}s" for kind in CHANGE_TYPES), *extras)
    heads = ("batch", "date", "strategy", "reason", "rows read", "of the table", "rows after", *counts, "seconds")
    used = Counter(each.strategy for each in batches if not each.is_operation)
    strategies = ", ".join(f"{plain(name)} in {counted(number, 'batch')}" for name, number in used.most_common())
    older = f"Not shown: {counted(len(batches) - len(last), 'older batch')}." if len(batches) > len(last) else ""
    return section(Table(title, heads, rows)) + paragraph(
        f"Strategies: {strategies}." if strategies else "",
        "Rows read are those of the source; a full comparison reads all of the table.",
        older,
    )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,}"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"
