"""The cost factors of MESHJOIN (MJ08 Table 1), measured on this machine with the parts of the join."""

from __future__ import annotations

import statistics
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise, repeat

import numpy as np
import pyarrow as pa

from deltawave.meshjoin.conditions import Matcher
from deltawave.meshjoin.operator import MeshJoin
from deltawave.meshjoin.relation import Pages, Relation
from deltawave.meshjoin.stream import BLOCKS, PACKETS, StreamBuffer, Window
from laboratory.meshjoin.cost_model import CostFactors, MeshJoinModel
from laboratory.meshjoin.self_tuner import Fixed
from laboratory.meshjoin.tuned import Progress, run_tuned

# The hash table is measured for windows of these shares of the full one.
_PARTS = (0.1, 0.4, 1.0)
# A measurement reads this many times, and at least this many bytes: more than processors cache.
_TIMES, _BYTES = 8, 64 << 20
# How many iterations with one tuple and one page are measured, and how many with a full window.
_ITERATIONS, _STEADY = 100, 25
# The part of the window that is added during the latter.
_ADDED = 0.1


@dataclass(frozen=True)
class _Filled:
    """A window of tuples, and the seconds that adding each took."""

    window: Window
    matcher: Matcher
    take: float
    add: float


@dataclass(frozen=True)
class _ProbeStatistics:
    """Seconds to probe pages that are read together, without reading them, and seconds per result."""

    seconds: float
    output: float
    matched: float


def measured_model(join: MeshJoin, tuples: pa.RecordBatch) -> MeshJoinModel:
    """The cost model of this join, with factors of this machine.

    ``tuples``: typical tuples of the stream, best as many as the window holds, since fewer are repeated. Measuring
    takes about as long as reading the relation once or twice. Raises ``ValueError`` if there is no room for a tuple,
    and for a relation without rows.
    """
    relation = join.relation
    if not relation.pages:
        raise ValueError("Costs can't be measured with a relation that has no rows.")
    tuple_bytes = max(1, tuples.nbytes // tuples.num_rows)
    most, capacity = join.room(tuple_bytes)
    page_rows = sum(relation.row_counts) / relation.pages
    windows = [max(1, int(capacity * part)) for part in _PARTS]
    filled = [_filled(join, tuples.take(pa.array(np.arange(size) % tuples.num_rows))) for size in windows]
    looked = [_looked(join, each, most) for each in filled]
    one = _looked(join, filled[-1], 1) if most > 1 else looked[-1]
    # The fixed time of a probe, and the time per row.
    fixed = max(0.0, one.seconds - (looked[-1].seconds - one.seconds) / (most - 1)) if most > 1 else 0.0
    by_window = [max(0.0, each.seconds - fixed) / (most * page_rows) for each in looked]
    sizes = sorted({1, max(1, most // 4), most})
    reads = [_read(join, size) for size in sizes]
    factors = CostFactors(
        read=lambda b: reads[-1] * b / most if b >= most else float(np.interp(b, sizes, reads)),
        # Tuples leave the hash table by moving a bound, which costs nothing.
        expire=0.0,
        take=filled[-1].take,
        add=filled[-1].add,
        probe=lambda size: float(np.interp(size, windows, by_window)),
        output=looked[-1].output,
        iterate=max(fixed, _iterate(join, tuples) - page_rows * by_window[0]) + _handed_over(join, reads[0]),
        reads_ahead=relation.reads_ahead,
    )
    model = MeshJoinModel(
        tuple_bytes=tuple_bytes,
        row_bytes=relation.page_bytes / page_rows,
        page_bytes=relation.page_bytes,
        pages=relation.pages,
        factors=factors,
        selectivity=looked[-1].matched / (most * page_rows),
        fudge=1 + 1 / BLOCKS + 1 / PACKETS,
        pointer_bytes=join.condition.row_bytes(capacity) / capacity,
        page_rows=page_rows,
    )
    return replace(model, factors=model.factors.times(_slower(join, model, tuples, most)))


def _slower(join: MeshJoin, model: MeshJoinModel, tuples: pa.RecordBatch, b: int) -> float:
    """How many times longer than predicted iterations of b pages take with a full window.

    The steps of an iteration together cost more than measured one by one, where each finds its data in the processor's
    caches.
    """
    iterations = min(_STEADY, join.relation.pages // b - 1)
    if iterations < 1:
        return 1.0
    w = model.largest_w(join.memory_bytes, b)
    # No tuple leaves before the first cycle ends. Only some are added, so that the window is nearly full all the time.
    added = max(1, min(int(w), int(_ADDED * model.window(w, b)) // iterations))
    ticks: list[float] = []

    def filled(progress: Progress) -> tuple[int, int]:
        ticks.append(time.perf_counter())
        if len(ticks) > iterations + 1:
            raise _SampleComplete
        return max(1, progress.room - iterations * added) if len(ticks) == 1 else added, b

    with suppress(_SampleComplete):
        deque(run_tuned(join, repeat(tuples), filled), 0)
    seconds = statistics.median(later - previous for previous, later in pairwise(ticks[1:]))
    return seconds / model.loop_seconds(w, b, added)


def _filled(join: MeshJoin, tuples: pa.RecordBatch) -> _Filled:
    count = tuples.num_rows
    matcher, window = join.condition.matcher(count), Window(tuples.schema, count, join.records_matches)
    packet = -(-count // PACKETS)
    source = StreamBuffer([tuples], tuples.schema)
    taken = added = 0.0
    while True:
        begin = time.perf_counter()
        rows = source.take(packet, 2 * tuples.nbytes)
        took = time.perf_counter()
        if rows is None:
            return _Filled(window, matcher, taken / count, added / count)
        window.add(rows, 0, tuples.nbytes)
        matcher.add(rows)
        taken, added = taken + took - begin, added + time.perf_counter() - took


def _turns(join: MeshJoin, pages: int) -> list[int]:
    """The first pages of the consecutive readings of a measurement."""
    relation = join.relation
    row_bytes = sum(_field_bytes(field.type) for field in relation.schema)
    wanted = max(_TIMES, _BYTES // max(1, pages * max(relation.row_counts) * row_bytes))
    return list(range(0, relation.pages - pages + 1, pages))[:wanted]


def _field_bytes(kind: pa.DataType) -> int:
    """About how many bytes a value takes."""
    try:
        return max(1, int(kind.bit_width) // 8)
    except ValueError:
        return 32


def _read(join: MeshJoin, pages: int) -> float:
    """c_I/O(b), by consecutive readings, as in the join."""
    turns = _turns(join, pages)
    begin = time.perf_counter()
    for first in turns:
        join.relation.read(first, pages)
    return (time.perf_counter() - begin) / len(turns)


def _handed_over(join: MeshJoin, seconds: float) -> float:
    """Seconds to hand over a page that was read ahead, and to start reading the next one; 0 without reading ahead.

    ``seconds``: of reading a page.
    """
    if not join.relation.reads_ahead:
        return 0.0
    waits = []
    for first in range(min(_TIMES, join.relation.pages)):
        begin = time.perf_counter()
        join.relation.read(first, 1)
        waits.append(time.perf_counter() - begin)
        time.sleep(2 * seconds)
    # The first one may have had to be read.
    return statistics.median(waits[1:] or waits)


def _looked(join: MeshJoin, filled: _Filled, pages: int) -> _ProbeStatistics:
    """c_H and c_O. The second pass counts: in the first one, a mapped file's pages enter the process's page tables."""
    turns = _turns(join, pages)
    results = join.results(join.matched_rows())
    for _ in range(2):
        looks, made, matched = [], 0.0, 0
        for first in turns:
            held = join.relation.read(first, pages)
            begin = time.perf_counter()
            found = list(filled.matcher.candidates(held))
            looked = time.perf_counter()
            for candidates in found:
                for piece in results.pieces(held, candidates):
                    results.add(held, first, piece)
                    if results.is_full:
                        deque(results.flush(filled.window), 0)
                matched += len(candidates[1])
            if first == turns[-1]:
                deque(results.flush(filled.window), 0)
            looks.append(looked - begin)
            made += time.perf_counter() - looked
    return _ProbeStatistics(statistics.fmean(looks), made / max(1, matched), matched / len(turns))


class _SampleComplete(Exception):
    pass


class _Held(Relation):
    """A relation that returns its first page again and again, without reading."""

    def __init__(self, relation: Relation) -> None:
        super().__init__(relation.schema)
        self.key, self.page_bytes = relation.key, relation.page_bytes
        self.row_counts = [relation.row_counts[0]] * relation.pages
        self._page = relation.read(0, 1)

    def read(self, first: int, count: int) -> Pages:
        return self._page


def _iterate(join: MeshJoin, tuples: pa.RecordBatch) -> float:
    """Seconds of an iteration with one tuple and one page: its fixed cost."""
    ticks: list[float] = []

    def one_by_one() -> Iterator[pa.RecordBatch]:
        for turn in range(_ITERATIONS):
            ticks.append(time.perf_counter())
            yield tuples.slice(turn % tuples.num_rows, 1)
        raise _SampleComplete

    with suppress(_SampleComplete):
        for _ in run_tuned(replace(join, relation=_Held(join.relation)), one_by_one(), Fixed(1, 1)):
            pass
    return statistics.median(later - previous for previous, later in pairwise(ticks))
