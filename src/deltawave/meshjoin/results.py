"""Pairs of tuples and rows on their way to results (line 10 of Figure 4 of MJ08).

Rows are copied while their pages are in memory. Tuples are fetched later, for many pairs at once. The size of what is
copied at a time, outside the join's memory, is bounded, except for a single larger row or tuple.
"""

import mmap
from collections.abc import Iterator, Sequence
from tempfile import TemporaryFile
from typing import IO

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from deltawave.meshjoin.batches import pieces, row_sizes
from deltawave.meshjoin.conditions import Condition
from deltawave.meshjoin.relation import Pages
from deltawave.meshjoin.stream_hash_table import Candidates, Numbers
from deltawave.meshjoin.stream_window import FETCHED_BYTES, Window

# The most waiting pairs, and bytes of their rows: as many as tuples that are fetched at a time.
_PAIRS, _PAIR_BYTES = 1 << 15, FETCHED_BYTES
# The most bytes, outside the join's memory, of copies, working arrays and the returned batch, as long as no row and no
# tuple is larger than what is fetched at a time.
RESULT_BYTES = 24 << 20


class Results:
    """Candidate pairs that wait until the condition is checked.

    - ``schema``: of results; none if none are wanted
    - ``carried``: the relation's columns in them
    """

    def __init__(
        self, condition: Condition, schema: pa.Schema | None, carried: Sequence[str], matched: "MatchedRows"
    ) -> None:
        self._condition, self._schema, self._carried, self._matched = condition, schema, carried, matched
        self._fetched = list(dict.fromkeys([*carried, *condition.relation_columns]))
        self._clear()

    def _clear(self) -> None:
        self._numbers: list[Numbers] = []
        self._rows: list[pa.RecordBatch] = []
        self._row_numbers: list[Numbers] = []
        self._waiting = self._waiting_bytes = 0

    @property
    def is_full(self) -> bool:
        """Whether no more pairs should wait."""
        return self._waiting >= _PAIRS or self._waiting_bytes >= _PAIR_BYTES

    def pieces(self, pages: Pages, candidates: Candidates) -> Iterator[Candidates]:
        """The pairs in pieces of bounded size, to be added one by one; flush in between if too many wait."""
        places, numbers = candidates
        if len(pages.parts) > 1:
            order = np.argsort(places, kind="stable")
            places, numbers = places[order], numbers[order]
        for begin, end in pieces(pages.sizes(places, self._fetched), _PAIR_BYTES):
            yield places[begin:end], numbers[begin:end]

    def add(self, pages: Pages, first_page: int, candidates: Candidates) -> None:
        places, numbers = candidates
        rows = pages.take(places, self._fetched)
        self._rows += rows
        self._numbers.append(numbers)
        if self._matched.nbytes:
            self._row_numbers.append(self._matched.numbers(first_page, places))
        self._waiting += len(numbers)
        self._waiting_bytes += sum(part.nbytes for part in rows)

    def flush(self, window: Window) -> Iterator[tuple[Numbers, pa.Table]]:
        """Fetch the tuples of the waiting pairs and check the condition; return tuples' numbers and results."""
        if not self._waiting:
            return
        numbers, rows = np.concatenate(self._numbers), pa.Table.from_batches(self._rows)
        row_numbers = np.concatenate(self._row_numbers) if self._row_numbers else None
        self._clear()
        wanted = None if self._schema is not None else list(self._condition.stream_columns)
        for begin, end in window.pieces(numbers, _PAIR_BYTES, wanted):
            own = numbers[begin:end]
            tuples, relation_rows = window.take(own, wanted), rows.slice(begin, end - begin)
            holds = self._condition.holds(tuples, relation_rows)
            if row_numbers is not None:
                self._matched.note(row_numbers[begin:end][holds])
            if not holds.all():
                kept = np.flatnonzero(holds)
                own, relation_rows, tuples = own[kept], relation_rows.take(pa.array(kept)), tuples.take(pa.array(kept))
            window.mark_matched(own)
            if self._schema is not None:
                columns = [*tuples.columns, *(relation_rows.column(name) for name in self._carried)]
                yield own, pa.table(columns, schema=self._schema).combine_chunks()


class MatchedRows:
    """Which rows of a relation were matched: one bit each. ``row_counts``: rows per page; empty if not needed."""

    def __init__(self, row_counts: Sequence[int]) -> None:
        self._begins = np.cumsum([0, *row_counts])
        self._bits: npt.NDArray[np.uint8] = np.zeros(-(-int(self._begins[-1]) // 8), dtype=np.uint8)

    @property
    def nbytes(self) -> int:
        return len(self._bits)

    def numbers(self, page: int, places: Numbers) -> Numbers:
        """The numbers of rows at these places from a page on."""
        numbers: Numbers = places + self._begins[page]
        return numbers

    def note(self, numbers: Numbers) -> None:
        matched = np.unique(numbers)
        np.bitwise_or.at(self._bits, matched >> 3, (1 << (matched & 7)).astype(np.uint8))

    def unmatched(self, page: int) -> Numbers:
        """The places in a page of rows that were not matched."""
        numbers = np.arange(self._begins[page], self._begins[page + 1])
        return np.flatnonzero((self._bits[numbers >> 3] >> (numbers & 7).astype(np.uint8)) & 1 == 0)


# Bytes of results that are put in order at a time: each time the file is read once.
_BYTES = 2 << 20


class Ordered:
    """Results that wait. ``numbers`` are those of their tuples."""

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema
        # By the first number of each block.
        self._files: dict[int, tuple[IO[bytes], pa.ipc.RecordBatchStreamWriter]] = {}
        self._stored = pa.schema([pa.field("", pa.int64()), *schema])

    def add(self, numbers: Numbers, rows: pa.Table, begins: Numbers) -> None:
        """Add results; ``begins``: the first number of each block of the window."""
        order = np.argsort(numbers, kind="stable")
        numbers = numbers[order]
        bounds = [*np.searchsorted(numbers, begins).tolist(), len(numbers)]
        for begin, first, last in zip(begins.tolist(), bounds[:-1], bounds[1:], strict=True):
            if first < last:
                cells = [pa.array(numbers[first:last]), *rows.take(pa.array(order[first:last])).columns]
                self._writer(begin).write_table(pa.table(cells, schema=self._stored))

    def leave(self, begin: int) -> Iterator[pa.RecordBatch]:
        """The results of a block."""
        if begin not in self._files:
            return
        file, writer = self._files.pop(begin)
        with file:
            writer.close()
            file.flush()
            mapped = pa.py_buffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            yield from self._in_order(list(pa.ipc.open_stream(mapped)), begin)

    def _in_order(self, batches: list[pa.RecordBatch], begin: int) -> Iterator[pa.RecordBatch]:
        """``begin``: the first number there may be."""
        # Views of the file, each of them in order.
        numbers = [batch.column(0).to_numpy() for batch in batches]
        sizes = np.zeros(max(int(own[-1]) for own in numbers) + 1 - begin)
        for batch, own in zip(batches, numbers, strict=True):
            sizes += np.bincount(own - begin, row_sizes(batch, np.arange(len(own))), len(sizes))
        for first, end in pieces(sizes.astype(np.int64), _BYTES):
            found = (
                batch.take(pa.array(np.arange(*bounds)))
                for batch, own in zip(batches, numbers, strict=True)
                if len(range(*(bounds := np.searchsorted(own, (first + begin, end + begin)).tolist())))
            )
            if end - first == 1:
                # However many results a tuple has, they are in order.
                yield from map(self._without_numbers, found)
                continue
            # There are tuples without results.
            if parts := list(found):
                rows = pa.concat_batches(parts)
                order = np.argsort(rows.column(0).to_numpy(), kind="stable")
                yield self._without_numbers(rows.take(pa.array(order)))

    def _without_numbers(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        return pa.RecordBatch.from_arrays(rows.columns[1:], schema=self._schema)

    def close(self) -> None:
        for file, _ in self._files.values():
            file.close()

    def _writer(self, begin: int) -> pa.ipc.RecordBatchStreamWriter:
        if begin not in self._files:
            file = TemporaryFile(prefix="deltawave-ordered-")  # noqa: SIM115
            self._files[begin] = file, pa.ipc.new_stream(file, self._stored)
        return self._files[begin][1]
