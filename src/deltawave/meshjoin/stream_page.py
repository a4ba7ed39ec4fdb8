"""What the micro-batches of a stream took, as one page of HTML that needs no other file."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deltawave.pages import charts
from deltawave.pages.html import figures, page, paragraph, section
from deltawave.pages.texts import Table, counted, plain

# Where a folder of results keeps them (deltawave.meshjoin.batch_folders).
_KEPT = "micro_batch=*/_metrics/metrics.json"
# However long a stream runs, its page has so many bars and lines.
_MOST_BARS = 60
_MOST_LINES = 50
_RATE = charts.Series("rate", "#1a73c9", "#5b9fe3")
_READINGS = charts.Series("readings", "#b8860b", "#f4cf6a")
_LAG = charts.Series("lag", "#8b1a3a", "#d04a66")


@dataclass(frozen=True)
class MicroBatch:
    """The figures of a micro-batch, as :class:`deltawave.meshjoin.stream_metrics.Report` writes them.

    - ``seconds``: from its trigger to its end, or, in a folder, to join and write it
    - ``lag``: seconds that a row may have waited; ``behind``: rows that the source still has. ``None`` if unknown
    """

    number: int
    rows: int
    seconds: float
    readings: float
    shed: int = 0
    peak_bytes: int = 0
    lag: float | None = None
    behind: int | None = None

    @classmethod
    def of(cls, found: dict[str, Any]) -> "MicroBatch":
        return cls(
            number=int(found["micro_batch"]),
            rows=int(found["rows"]),
            seconds=float(found["seconds"]),
            readings=float(found.get("readings", 0)),
            shed=int(found.get("shed_rows", 0)),
            peak_bytes=int(found.get("peak_bytes", 0)),
            lag=found.get("lag_seconds"),
            behind=found.get("lag_rows"),
        )


def read(source: Path) -> list[MicroBatch]:
    """The micro-batches in what ``deltawave stream --json`` has printed, or in the folder of its results.

    Of one that was printed twice, as it is after a restart, the last figures count. Raises ``ValueError`` if there are
    none, ``OSError`` if the source can't be read.
    """
    if source.is_dir():
        lines = [file.read_text(encoding="utf-8") for file in source.glob(_KEPT)]
    else:
        lines = source.read_text(encoding="utf-8").splitlines()
    batches: dict[int, MicroBatch] = {}
    for line in lines:
        # Other lines say why the stream has ended, and a run that was killed may have left a part of one.
        with suppress(ValueError, TypeError, KeyError):
            batch = MicroBatch.of(json.loads(line))
            batches[batch.number] = batch
    if not batches:
        raise ValueError(
            f"{source} has no figures of micro-batches. Take what `deltawave stream --json` prints, or the folder "
            "that its --out names, if it is on this machine."
        )
    return in_order(batches.values())


def in_order(batches: Iterable[MicroBatch]) -> list[MicroBatch]:
    """Micro-batches by their numbers; later passes, which join what was shed, have the numbers -1, -2 and so on."""
    return sorted(batches, key=lambda batch: (batch.number < 0, abs(batch.number)))


def as_html(name: str, batches: Sequence[MicroBatch]) -> str:
    """A page about at least one micro-batch."""
    lags = [batch.lag for batch in batches if batch.lag is not None]
    rows, seconds = sum(batch.rows for batch in batches), sum(batch.seconds for batch in batches)
    shown = {
        "micro-batches": f"{len(batches):,}",
        "rows": f"{rows:,}",
        "rows a second": f"{_rate(batches):,.0f}",
        "seconds": f"{seconds:,.1f}",
        "most readings": f"{max(batch.readings for batch in batches):,g}",
        "rows shed": f"{sum(batch.shed for batch in batches):,}",
    }
    if lags:
        shown["longest lag in seconds"] = f"{max(lags):,.1f}"
    body = [figures(shown.items()), *_charts(batches, bool(lags)), _listed(batches)]
    return page(f"What the stream took: {plain(name)}", "".join(body), style=charts.style((_RATE, _READINGS, _LAG)))


def _rate(batches: Sequence[MicroBatch]) -> float:
    return sum(batch.rows for batch in batches) / max(0.001, sum(batch.seconds for batch in batches))


def _charts(batches: Sequence[MicroBatch], has_lags: bool) -> Iterator[str]:
    yield _chart(batches, _RATE, "Rows a second", _rate)
    yield _chart(
        batches,
        _READINGS,
        "Readings of the relation",
        lambda group: max(batch.readings for batch in group),
        "By the task that read it most often; 1 if its rows fit in memory at once.",
    )
    if has_lags:
        yield _chart(
            [batch for batch in batches if batch.lag is not None],
            _LAG,
            "Lag in seconds",
            lambda group: max(batch.lag or 0 for batch in group),
            "The longest time that a new row may have waited.",
        )


def _chart(
    batches: Sequence[MicroBatch],
    series: charts.Series,
    title: str,
    value_of: Callable[[Sequence[MicroBatch]], float],
    note: str = "",
) -> str:
    """A bar for each micro-batch, or for several consecutive ones."""
    size = -(-len(batches) // _MOST_BARS)
    groups = [batches[begin : begin + size] for begin in range(0, len(batches), size)]
    names = [" to ".join(dict.fromkeys((str(group[0].number), str(group[-1].number)))) for group in groups]
    values = [value_of(group) for group in groups]
    rows = [(name, f"{value:,.1f}") for name, value in zip(names, values, strict=True)]
    bars = [
        charts.Bar(f"micro-batch {name}: {shown}", name, (value,))
        for (name, shown), value in zip(rows, values, strict=True)
    ]
    table = Table(f"{title}, the figures", ("micro-batch", series.name), rows)
    grouping = f"A bar is up to {size} micro-batches." if size > 1 else ""
    return charts.section(series.name, title, f"At most {max(values):,.1f}.", (series,), bars, table, note, grouping)


_COLUMNS: dict[str, Callable[[MicroBatch], str]] = {
    "micro-batch": lambda batch: str(batch.number),
    "rows": lambda batch: f"{batch.rows:,}",
    "seconds": lambda batch: f"{batch.seconds:,.1f}",
    "rows a second": lambda batch: f"{_rate([batch]):,.0f}",
    "readings": lambda batch: f"{batch.readings:,g}",
    "rows shed": lambda batch: f"{batch.shed:,}",
    "MiB of a task": lambda batch: f"{batch.peak_bytes / (1 << 20):,.1f}",
    "lag": lambda batch: "" if batch.lag is None else f"{batch.lag:,.1f}",
    "behind": lambda batch: "" if batch.behind is None else f"{batch.behind:,}",
}


def _listed(batches: Sequence[MicroBatch]) -> str:
    last = batches[: -_MOST_LINES - 1 : -1]
    rows = [[shown(batch) for shown in _COLUMNS.values()] for batch in last]
    older = len(batches) - len(last)
    note = paragraph(f"Not shown: {counted(older, 'older micro-batch')}.") if older else ""
    return section(Table("Micro-batches", list(_COLUMNS), rows)) + note
