"""Micro-batches that leave a table of a stream's results, and the folder that keeps them, by their age."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import takewhile

from pyspark.sql import SparkSession

from deltawave.meshjoin.batch_folders import BATCH, SHED, BatchFolders
from deltawave.meshjoin.erasing import delete_rows
from deltawave.meshjoin.table_results import LoadedBatches


def span_of(text: str) -> timedelta:
    """A span such as ``30 days``; also hours and weeks. Raises ``ValueError``."""
    found = re.fullmatch(r"([1-9]\d*) (hour|day|week)s?", text)
    if found is None:
        raise ValueError(f"retain can't be {text!r}: write hours, days or weeks, such as '30 days'.")
    return timedelta(**{f"{found[2]}s": int(found[1])})


def expire(session: SparkSession, name: str, kept: BatchFolders, loaded: LoadedBatches, span: timedelta) -> int:
    """Delete the micro-batches that are older than the newest one by more than the span, and return how many.

    First their rows of the table ``name``, so that a run which is killed returns them once more, then their folders.
    Micro-batches that the table has not ``loaded`` stay, as do those with shed rows that no pass has joined.
    """
    old = set(_expired(kept, loaded, span))
    if old:
        are_old = f"coalesce({BATCH} in ({', '.join(map(str, sorted(old)))}), false)"
        delete_rows(session, name, are_old, [BATCH])
        noted = LoadedBatches.of(kept.loaded())
        # Otherwise the next run would take the table for an earlier state, and compare all of it.
        present = tuple(batch for batch in noted.present if batch not in old)
        kept.write_loaded(replace(noted, present=present).text())
        kept.delete(old)
    return len(old)


def _expired(kept: BatchFolders, loaded: LoadedBatches, span: timedelta) -> Iterator[int]:
    batches, waiting = kept.batches(), set(kept.batches(f"/{SHED}"))
    times = {batch: kept.written_at(batch) for batch in batches}
    oldest = max(times.values(), default=0) - span / timedelta(milliseconds=1)

    def is_old(batch: int) -> bool:
        return batch in loaded and batch not in waiting and times[batch] < oldest

    # Later passes are counted downwards. The last number of both says how to go on.
    for numbers in ([each for each in batches if each >= 0], [each for each in reversed(batches) if each < 0]):
        yield from takewhile(is_old, numbers[:-1])
