"""What chooses w and b for each iteration of MESHJOIN, and what it knows (MJ08 3.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Progress:
    """What a tuner knows at the beginning of an iteration.

    - ``arrived``: tuples that have arrived since the last iteration, if the stream counts them (with ``shed``)
    - ``waiting``: tuples that can be taken
    - ``room``: tuples for which the window has room
    - ``pages``: of the relation
    - ``most_pages``: the most pages that are read at a time
    """

    arrived: int
    waiting: int
    room: int
    pages: int
    most_pages: int


class Tuner(Protocol):
    """Chooses w and b for each iteration."""

    def __call__(self, progress: Progress) -> tuple[int, int]:
        """Return w and b."""
        ...


@dataclass(frozen=True)
class Fixed:
    """The same w and b all the time."""

    w: int
    b: int

    def __call__(self, progress: Progress) -> tuple[int, int]:
        return self.w, self.b


@dataclass(frozen=True)
class Greedy:
    """As many tuples as there is room for: the fewest cycles for a finite stream.

    ``b``: pages of an iteration; if none, as many as are read at a time.
    """

    b: int | None = None

    def __call__(self, progress: Progress) -> tuple[int, int]:
        return progress.room, self.b or progress.most_pages
