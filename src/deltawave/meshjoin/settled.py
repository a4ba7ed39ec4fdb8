"""A note of the micro-batches that a table has for good, so that no run compares them again."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from deltawave.meshjoin.batch_folders import BATCH


@dataclass(frozen=True)
class Settled:
    """Which micro-batches of a folder were found in a table, and what the last run returned.

    - ``first``, ``last``: all from first to last are settled (none at the beginning). Later passes are negative numbers
    - ``present``: some of them that have rows in the table: if these are missing, it is an earlier state of the table
    - ``run``: the run that has returned results last
    - ``before``: how many rows the table had of each micro-batch that was not settled then
    - ``where``: the condition of that run
    - ``is_appended``: whether all rows that this run's model made of the results were appended
    """

    first: int = 0
    last: int = -1
    present: tuple[int, ...] = ()
    run: str = ""
    before: Mapping[int, int] | None = None
    where: str | None = None
    is_appended: bool = False

    @classmethod
    def of(cls, text: str | None) -> Settled:
        """What a note says; without a note nothing is settled."""
        try:
            told: dict[str, Any] = json.loads(text or "{}")
            if told.get("before") is not None:
                told["before"] = {int(batch): rows for batch, rows in told["before"].items()}
            return cls(**{**told, "present": tuple(told.get("present", ()))})
        except (ValueError, TypeError, AttributeError):
            # Half of it was written when a machine failed, or another version has written it.
            return cls()

    def text(self) -> str:
        """The note."""
        return json.dumps(asdict(self))

    def __contains__(self, batch: int) -> bool:
        return self.first <= batch <= self.last

    def others(self) -> Column:
        """The condition that rows of a table are of no settled micro-batch; it prunes files and row groups."""
        batch = F.col(BATCH)
        return batch.isNull() | (batch < self.first) | (batch > self.last)

    def returned(self, had: Mapping[int, int], where: str | None) -> Collection[int]:
        """The micro-batches of which the table has what the last run's model made of them.

        ``had``: the number of rows that the table now has by micro-batch. If it has no more than before that run, it
        may have been restored since.
        """
        before = self.before or {}
        grew = any(had.get(batch, 0) > rows for batch, rows in before.items())
        return before.keys() if self.is_appended and grew and self.where == where else ()

    def grown(self, batches: Iterable[int], found: Collection[int], had: Collection[int]) -> Settled:
        """The note when of these ``batches`` the table has those that were ``found``; ``had``: has rows of them."""
        first, last = self.first, self.last
        others = sorted(batch for batch in batches if batch not in self)
        for batch in (each for each in others if each > last):
            if batch not in found:
                break
            last = batch
        for batch in (each for each in reversed(others) if each < self.first):
            if batch not in found:
                break
            first = batch
        seen = [batch for batch in had if first <= batch <= last]
        present = tuple(sorted({min(seen), max(seen)})) if seen else self.present
        return replace(self, first=first, last=last, present=present)
