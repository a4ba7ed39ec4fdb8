"""Micro-batches that leave a table of a stream's results, and the folder that keeps them, by their age."""

import re
from datetime import timedelta
from itertools import takewhile

from pyspark.sql import SparkSession

from deltawave.meshjoin.batch_folders import BATCH, SHED, BatchFolders
from deltawave.meshjoin.erasing import delete_rows, provider_of
from deltawave.meshjoin.table_results import LoadedBatches

_PROVIDERS = ("parquet", "delta", "iceberg")


def span_of(text: str) -> timedelta:
    """A span such as ``30 days``; also hours and weeks. Raises ``ValueError``."""
    found = re.fullmatch(r"([1-9]\d{0,4}) (hour|day|week)s?", text)
    if found is None:
        raise ValueError(f"retain can't be {text!r}: write hours, days or weeks, such as '30 days'.")
    return timedelta(**{f"{found[2]}s": int(found[1])})


def require_deletable(session: SparkSession, name: str) -> None:
    """Raise ``ValueError`` if rows of the table can't be deleted."""
    if (provider := provider_of(session, name)) not in _PROVIDERS:
        raise ValueError(f"retain can't be given for {name}, of {provider}: it needs {', '.join(_PROVIDERS)}.")


def expire(session: SparkSession, name: str, kept: BatchFolders, loaded: LoadedBatches, span: timedelta) -> None:
    """Delete the micro-batches that began earlier than the newest one by more than the span.

    They are noted, leave the table ``name``, and then the folder: killed in between, the next run goes on. Those that
    the table has not ``loaded`` stay, as do those with shed rows that no pass has joined.
    """
    batches = kept.batches()
    # Later passes are counted downwards.
    passes, new = [each for each in reversed(batches) if each < 0], [each for each in batches if each >= 0]
    newest = kept.begun_at(new[-1]) if new else None
    if newest is None:
        return
    oldest, waiting = newest - span / timedelta(milliseconds=1), set(kept.batches(f"/{SHED}"))

    def is_old(batch: int) -> bool:
        return batch in loaded and batch not in waiting and (kept.begun_at(batch) or newest) < oldest

    # The last number of both says how to go on.
    old = [each for numbers in (new, passes) for each in takewhile(is_old, numbers[:-1])]
    noted = LoadedBatches.of(kept.loaded())
    if old:
        noted = noted.without(old)
        kept.write_loaded(noted.text())
    low, high = noted.expired
    are_old = f"{BATCH} between {low} and {high}"
    # A table that was restored may have them again.
    if low <= high and not session.table(name).where(are_old).isEmpty():
        delete_rows(session, name, are_old, [BATCH])
    kept.delete(batch for batch in batches if low <= batch <= high)
