"""AMESHJOIN: a tuner chooses w and b for each iteration (MJ08 3.3)."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from deltawave.meshjoin.operator import MeshJoin, OnePass
from deltawave.meshjoin.stream import Counts, StreamBuffer


@dataclass(frozen=True)
class Progress:
    """What a tuner knows at the beginning of an iteration."""

    # Tuples that came in during the last iteration, and whether the stream may have had more of them.
    new: int
    has_more: bool
    # Tuples for which the window has room, and whether it has none yet.
    room: int
    is_empty: bool
    # Of the relation, and how many of them are read at a time.
    pages: int
    most_pages: int
    # How many tuples come in for each one that is joined; 1 if none are shed.
    overload: float = 1.0

    @property
    def is_behind(self) -> bool:
        """Whether more tuples come in than fit in the window, if only for the moment."""
        return self.has_more or self.overload > 1 or not self.room

    @property
    def best_w(self) -> int:
        """As many tuples as there is room for; if the join is behind, only when they fill a whole window.

        It costs less to fetch the results of a whole window at once than those of the tuples that expire one after the
        other.
        """
        return self.room if self.is_empty or not self.is_behind else 0


# Chooses w and b for each iteration.
Tuner = Callable[[Progress], tuple[int, int]]


def greedy(progress: Progress) -> tuple[int, int]:
    """As many tuples as there is room for, and as many pages as are read at a time: the fewest cycles."""
    return progress.best_w, progress.most_pages


class TunedPass(OnePass):
    def __init__(self, join: MeshJoin, source: StreamBuffer, tuner: Tuner, counts: Counts) -> None:
        super().__init__(join, source, counts)
        self._tuner, self._seen = tuner, 0

    @property
    def overload(self) -> float:
        """How many tuples come in for each one that is joined. This class sheds none."""
        return 1.0

    def _choose(self, room: int) -> tuple[int, int]:
        seen, self._seen = self._seen, self._counts.tuples + self._counts.shed
        return self._tuner(
            Progress(
                new=self._seen - seen,
                has_more=self._source.held is not None,
                room=room,
                is_empty=self._window.is_empty,
                pages=self._relation.pages,
                most_pages=self._most_pages,
                overload=self.overload,
            )
        )


def run_tuned(
    join: MeshJoin, stream: Iterable[pa.RecordBatch | None], tuner: Tuner, counts: Counts | None = None
) -> Iterator[pa.RecordBatch]:
    """``join.run``, with the w and b of a tuner."""
    return TunedPass(join, StreamBuffer(stream, join.stream_schema), tuner, counts or Counts()).batches()
