"""MJ08 3.2 and 3.3: the costs of MESHJOIN, and the w and b that suit a memory or a rate.

Times are in seconds, sizes in bytes. The cost factors are those of a machine:
:func:`laboratory.meshjoin.factors.measured_model` measures them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class CostFactors:
    """The costs of the steps of an iteration (Table 1), in seconds.

    - ``read``: c_I/O(b), of reading b pages
    - ``expire``: c_E, of removing a tuple from H and Q
    - ``take``: c_S, of reading a tuple from the stream's buffer
    - ``add``: c_A, of adding a tuple to H and Q
    - ``probe``: c_H(n), of looking up a row of the relation in a table of n tuples, as in Table 1 (equation 2 writes
      c_H): it grows as the table outgrows the processor's caches
    - ``output``: c_O, of making a result
    - ``iterate``: of an iteration, whatever it reads. The paper has no such cost: here an iteration is a few dozen
      calls
    - ``reads_ahead``: whether pages are read while others are joined, so that only the longer of the two counts. The
      paper adds them
    """

    read: Callable[[int], float]
    expire: float
    take: float
    add: float
    probe: Callable[[float], float]
    output: float
    iterate: float = 0.0
    reads_ahead: bool = False

    def times(self, slower: float) -> CostFactors:
        """The factors of a machine on which every step takes ``slower`` times as long."""
        return CostFactors(
            read=lambda b: slower * self.read(b),
            expire=slower * self.expire,
            take=slower * self.take,
            add=slower * self.add,
            probe=lambda size: slower * self.probe(size),
            output=slower * self.output,
            iterate=slower * self.iterate,
            reads_ahead=self.reads_ahead,
        )


@dataclass(frozen=True)
class MeshJoinModel:
    """A stream and a relation (Table 1), and what an iteration costs.

    - ``tuple_bytes``: v_S
    - ``row_bytes``: v_R
    - ``page_bytes``: v_P
    - ``pages``: N_R
    - ``selectivity``: sigma, results for each row of the relation that is looked up
    - ``fudge``: f, bytes of H for each byte of its tuples
    - ``pointer_bytes``: of a pointer in Q
    - ``page_rows``: rows of a page, by default v_P / v_R: a mapped page takes less memory than its rows have bytes

    Raises ``ValueError`` for sizes that are not positive.
    """

    tuple_bytes: float
    row_bytes: float
    page_bytes: float
    pages: int
    factors: CostFactors
    selectivity: float = 1.0
    fudge: float = 1.0
    pointer_bytes: float = 8.0
    page_rows: float | None = None

    def __post_init__(self) -> None:
        for name in ("tuple_bytes", "row_bytes", "page_bytes", "pages", "fudge"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be more than 0.")

    def window(self, w: float, b: int) -> float:
        """Tuples in the window: w N_R / b."""
        return w * self.pages / b

    def memory(self, w: float, b: int) -> float:
        """Memory M in bytes: buffers, queue and hash table (equation 1)."""
        window = self.window(w, b)
        return (
            b * self.page_bytes
            + w * self.tuple_bytes
            + window * self.pointer_bytes
            + window * self.fudge * self.tuple_bytes
        )

    def loop_seconds(self, w: float, b: int, taken: float | None = None) -> float:
        """Seconds of an iteration, c_loop (equation 2). ``taken``: how many tuples it takes, by default w."""
        rows = b * (self.page_rows or self.page_bytes / self.row_bytes)
        factors = self.factors
        read = factors.read(b)
        joined = (
            factors.iterate
            + (w if taken is None else taken) * (factors.expire + factors.take + factors.add)
            + rows * factors.probe(self.window(w, b))
            + self.selectivity * rows * factors.output
        )
        return max(read, joined) if factors.reads_ahead else read + joined

    def service_rate(self, w: float, b: int) -> float:
        """Tuples of the stream in a second, mu (equation 3)."""
        return w / self.loop_seconds(w, b)

    def reads_per_tuple(self, w: float, b: int) -> float:
        """Pages read for each tuple (equation 4; Table 1 calls it IO_t, the equation IO_s)."""
        return b / w

    def reads_per_second(self, w: float, b: int) -> float:
        """Pages read in a second (equation 4)."""
        return b / self.loop_seconds(w, b)

    def keeps_up(self, w: float, b: int, rate: float) -> bool:
        """Whether the join serves a stream of this rate: rate c_loop <= w (equation 5)."""
        return rate * self.loop_seconds(w, b) <= w

    def largest_w(self, memory: float, b: int) -> float:
        """The w with which b pages fill a memory (equation 1 solved); 0 if b pages alone exceed it."""
        per_tuple = self.tuple_bytes + self.pages / b * (self.pointer_bytes + self.fudge * self.tuple_bytes)
        return max(0.0, (memory - b * self.page_bytes) / per_tuple)

    def smallest_w(self, rate: float, b: int, most: float = 1e12) -> float | None:
        """The least w that keeps up with a rate: w = rate c_loop (equation 5); none if no w does.

        An iteration takes longer the larger w is, so that the equation is solved by halving.
        """
        if not self.keeps_up(most, b, rate):
            return None
        low, high = 0.0, most
        while high - low > 1e-6 * high + 1e-9:
            middle = (low + high) / 2
            low, high = (low, middle) if self.keeps_up(middle, b, rate) else (middle, high)
        return high


@dataclass(frozen=True)
class Tuned:
    """Chosen parameters, with the memory that they take and the rate that they serve."""

    w: float
    b: int
    memory: float
    service_rate: float


def best_rate(model: MeshJoinModel, memory: float) -> Tuned | None:
    """The w and b of the highest service rate in a memory (MJ08 3.3, Figure 5b); none if no page fits."""
    found = [
        Tuned(w, b, model.memory(w, b), model.service_rate(w, b))
        for b in _choices(model.pages)
        if (w := model.largest_w(memory, b)) > 0
    ]
    return max(found, key=lambda tuned: tuned.service_rate, default=None)


def least_memory(model: MeshJoinModel, rate: float) -> Tuned | None:
    """The w and b that keep up with a rate in the least memory (MJ08 3.3, Figure 5a); none if none do."""
    found = [
        Tuned(w, b, model.memory(w, b), model.service_rate(w, b))
        for b in _choices(model.pages)
        if (w := model.smallest_w(rate, b)) is not None
    ]
    return min(found, key=lambda tuned: tuned.memory, default=None)


def _choices(pages: int) -> list[int]:
    """Numbers of pages to try: all small ones, then in steps of about a twentieth."""
    found, b = [], 1
    while b <= pages:
        found.append(b)
        b = max(b + 1, b * 21 // 20)
    return [*found, pages] if pages not in found else found
