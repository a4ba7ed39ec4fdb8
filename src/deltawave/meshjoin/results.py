"""Pairs of tuples and rows on their way to results (line 10 of Figure 4 of MJ08).

Rows are copied while their pages are in memory. Tuples are fetched later, for many pairs at once. The size of what is
copied at a time, outside the join's memory, is bounded, except for a single larger row or tuple.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from deltawave.meshjoin.batches import pieces
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
