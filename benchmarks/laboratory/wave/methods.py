"""Keeping a window of daily batches by wave indexes, measured."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Protocol

from pyspark.sql import DataFrame, SparkSession

from deltawave.wave.access import timed_index_probe, timed_segment_scan
from deltawave.wave.schemes import WaveIndex
from deltawave.wave.tables import WaveRecord
from deltawave.wave.wave_table import WaveTable, marked
from laboratory.wave.data import Batches
from laboratory.wave.layout import PartStore, settled


@dataclass(frozen=True)
class Taken:
    """The cost of loading a day, in seconds and bytes.

    - ``transition``: until the day can be queried; ``preparation``: after that
    - ``operation``: bytes that the window needs then, temporary indexes included
    - ``replaced``: bytes that are no longer needed, but kept for readers
    """

    transition: float
    preparation: float
    operation: int
    replaced: int


class Method(Protocol):
    """Keeps the batches of a window."""

    @property
    def name(self) -> str:
        """Its name in results."""

    def begin(self, day: int) -> None:
        """Keep the window that ends with a day."""

    def take(self, day: int) -> Taken:
        """Load the next day, and drop the oldest one."""

    def found(self, value: Any, first: int) -> DataFrame:
        """The rows with a search value, from a day on."""

    def rows(self, first: int) -> DataFrame:
        """The rows from a day on."""


class WatchedSession:
    """A session that notes when a view is replaced, and how often."""

    def __init__(self, session: SparkSession) -> None:
        self._session = session
        self.replaced: list[float] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def sql(self, text: str) -> DataFrame:
        found = self._session.sql(text)
        if text.startswith("alter view"):
            self.replaced.append(time.perf_counter())
        return found


class WaveMethod:
    """A scheme with an update technique."""

    def __init__(self, data: Batches, store: PartStore, index: WaveIndex, technique: str, name: str = "") -> None:
        self.name = name or f"{index.scheme}/{technique}"
        self.data, self.store, self.session = data, store, store.session
        self.spec = data.spec(self.session, index, technique)
        self.table = WaveTable(self.session, store.schema, self.name.replace("/", "_"))

    def begin(self, day: int) -> None:
        self.store.lay_out(settled(self.spec, day, self.table), self.table)

    def take(self, day: int) -> Taken:
        watched: Any = WatchedSession(self.session)
        begin = time.perf_counter()
        WaveTable(watched, self.table.schema, self.table.name).update(self.data.frame(self.session, [day]), self.spec)
        end = time.perf_counter()
        record = self.record
        return Taken(
            watched.replaced[0] - begin,
            end - watched.replaced[0],
            self.store.size(list(record.tables.values())),
            self.store.size(record.replaced),
        )

    @property
    def record(self) -> WaveRecord:
        """The wave index now."""
        return WaveRecord.from_json(marked(self.session, self.table.view)["wave"])

    def found(self, value: Any, first: int) -> DataFrame:
        return timed_index_probe(self.session, self.table.view, value, first, None)

    def rows(self, first: int) -> DataFrame:
        return timed_segment_scan(self.session, self.table.view, first, None)
