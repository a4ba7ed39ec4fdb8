"""What the package's operations call: they print the texts that these return."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from deltawave.pages.texts import require_writable
from deltawave.reporting.batches import batches_of
from deltawave.reporting.change_summary import change_summary, incomparable, summary_lines
from deltawave.reporting.changes import collected
from deltawave.reporting.history import history_text as described
from deltawave.reporting.log_report import log_report
from deltawave.reporting.page import as_html
from deltawave.reporting.wave_page import as_html as wave_as_html
from deltawave.wave.tables import WaveRecord


def page(
    log: DataFrame,
    batches: DataFrame,
    quarantine: DataFrame | None = None,
    removals: DataFrame | None = None,
    *,
    name: str,
    key: Sequence[str],
    is_multiset: bool,
    batch: int | None,
    output: str | None,
) -> dict[str, str]:
    """Return a page about a change log as ``text``, empty without batches, or why it can't be written as ``refused``.

    - ``log``: the model; ``batches``, ``quarantine``: what the macros of these names select; ``removals``: the table
    - ``batch``: the page is about this one alone
    - ``output``: a file for the page; the text then says so
    """

    def made() -> str:
        found = log_report(log, batches, quarantine, removals, name=name, key=key, is_multiset=is_multiset, batch=batch)
        return as_html(found) if found.batches else ""

    return _written(made, output, f"What changed in {name} is described in {output}.")


def wave_page(batches: DataFrame, *, name: str, record: Mapping[str, Any], output: str | None) -> dict[str, str]:
    """The same about a wave index, whose record is that of its view."""

    def made() -> str:
        made_at = datetime.now(timezone.utc)
        return wave_as_html(name, WaveRecord.from_json(record), batches_of(batches), made_at)

    return _written(made, output, f"The wave index {name} is described in {output}.")


def stream_page(table: DataFrame, *, name: str, output: str | None) -> dict[str, str]:
    """The same about the stream that a Python model joins (:func:`deltawave.meshjoin.join_new_rows`).

    - ``table``: the model's; ``name``: that of its results, which lie next to the session's tables
    """
    from deltawave.meshjoin.batch_folders import BatchFolders
    from deltawave.meshjoin.stored_relation import alongside_tables
    from deltawave.meshjoin.stream_page import MicroBatch, in_order
    from deltawave.meshjoin.stream_page import as_html as stream_as_html

    session = table.sparkSession

    def made() -> str:
        folders = BatchFolders(session, alongside_tables(session, "stream_join", name))
        found = [folders.metrics(number) for number in folders.batches()]
        batches = in_order(MicroBatch.of(figures) for figures in found if figures)
        return stream_as_html(name, batches) if batches else ""

    return _written(made, output, f"What the stream of {name} took is described in {output}.")


def _written(made: Callable[[], str], output: str | None, message: str) -> dict[str, str]:
    try:
        if output is not None:
            require_writable(output)
        text = made()
        if output is None or not text:
            return {"text": text}
        Path(output).write_text(text, encoding="utf-8")
    except (OSError, LookupError) as error:
        return {"refused": str(error)}
    return {"text": message}


def batch_lines(log: DataFrame, *, key: Sequence[str], batch: int, is_multiset: bool, knows_rows: bool) -> list[str]:
    """Return what moved in a batch and where its changes concentrate, as lines for a terminal.

    - ``knows_rows``: whether the log has the rows of its first dump
    """
    return list(summary_lines(change_summary(log, key, incomparable(is_multiset, knows_rows), batch)))


def history_text(
    history: DataFrame,
    log: DataFrame,
    batches: DataFrame,
    *,
    name: str,
    key: Sequence[Sequence[str | None]],
    column: str | None,
) -> str:
    """Return the versions of a row as text.

    - ``history``, ``batches``: what the macros of these names select; ``log``: the model
    - ``key``: pairs of a column and its value
    """
    changes = sorted(collected(history), key=lambda change: (change.batch, change.kind != "delete"))
    pairs = [(str(each), value) for each, value in key]
    first_batch = log.agg(F.min("_batch_id").cast("bigint")).collect()[0][0]
    return described(name, pairs, changes, batches_of(batches), first_batch=first_batch, column=column)
