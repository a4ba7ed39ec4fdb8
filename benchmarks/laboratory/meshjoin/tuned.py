"""AMESHJOIN: a tuner chooses w and b for each iteration (MJ08 3.3)."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from deltawave.meshjoin.operator import MeshJoin, OnePass
from deltawave.meshjoin.stream import Counts, StreamBuffer


@dataclass(frozen=True)
class Progress:
    """What a tuner knows at the beginning of an iteration."""

    # Tuples that came in since the last iteration, if the join counts them.
    new: int
    # Tuples that can be read, and for which the window has room.
    waiting: int
    room: int
    # Of the relation, and how many of them are read at a time.
    pages: int
    most_pages: int


# Chooses w and b for each iteration.
Tuner = Callable[[Progress], tuple[int, int]]


def greedy(progress: Progress) -> tuple[int, int]:
    """As many tuples as there is room for, and as many pages as are read at a time: the fewest cycles."""
    return progress.room, progress.most_pages


class TunedPass(OnePass):
    def __init__(self, join: MeshJoin, source: StreamBuffer, tuner: Tuner, counts: Counts) -> None:
        super().__init__(join, source, counts)
        self._tuner = tuner

    def _choose(self, room: int) -> tuple[int, int]:
        new, waiting = self._gather(room), self._source.look()
        return self._tuner(
            Progress(new, waiting.num_rows if waiting else 0, room, self._relation.pages, self._most_pages)
        )

    def _gather(self, room: int) -> int:
        """Read new tuples ahead, and return how many. This class reads none: they wait at the stream's source."""
        return 0


def run_tuned(
    join: MeshJoin, stream: Iterable[pa.RecordBatch | None], tuner: Tuner, counts: Counts | None = None
) -> Iterator[pa.RecordBatch]:
    """``join.run``, with the w and b of a tuner."""
    return TunedPass(join, StreamBuffer(stream, join.stream_schema), tuner, counts or Counts()).batches()
