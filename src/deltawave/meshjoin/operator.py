"""MESHJOIN and AMESHJOIN: a stream is joined with a relation on disk in bounded memory (MJ08 3.1, 3.3, Figures 4, 6).

Each iteration reads b pages of the relation and w tuples of the stream. Pages are read in a cycle; a tuple stays in the
window until it was joined with all of them. w and b may change from one iteration to the next.

Of pairs on their way to results (line 10 of Figure 4), rows are copied while their pages are in memory. Tuples are
fetched later, for many pairs at once. The size of what is copied at a time, outside the join's memory, is bounded,
except for a single larger row or tuple.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from deltawave.meshjoin.batches import pieces, require_plain
from deltawave.meshjoin.conditions import Condition, Equal, Matcher
from deltawave.meshjoin.relation import Pages, Relation, require_key
from deltawave.meshjoin.stream import BLOCKS, FETCHED_BYTES, PACKETS, Block, Counts, StreamBuffer, Window
from deltawave.meshjoin.stream_hash_table import Candidates, Numbers

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


class OnePass:
    """One run of the loop of MJ08 Figure 4: see ``_meshed``."""

    def __init__(self, join: "MeshJoin", source: StreamBuffer, counts: Counts) -> None:
        self._join, self._source, self._counts = join, source, counts
        self._relation, self._condition = join.relation, join.condition
        self._matched = join.matched_rows()
        self._results = join.results(self._matched)

    def batches(self) -> Iterator[pa.RecordBatch]:
        return (batch for batch in self._found() if batch.num_rows)

    def _found(self) -> Iterator[pa.RecordBatch]:
        if self._relation.pages:
            yield from self._meshed()
            if self._join.how == "right_anti":
                yield from self._unmatched_rows()
            return
        for rows in self._source.rest():
            self._counts.tuples += rows.num_rows
            if self._join.how in ("left", "left_anti"):
                yield self._unmatched(rows)

    def _meshed(self) -> Iterator[pa.RecordBatch]:
        while (first := self._source.peek()) is None:
            if self._source.has_ended:
                return
        # A previous pass may have read more pages at a time.
        self._relation.release()
        self._begin_window(self._source.tuple_bytes or _average_bytes(first))
        page, pages = 0, self._relation.pages
        while True:
            self._widen()
            room = self._capacity - (self._window.end - self._window.begin)
            w, b = self._choose(room)
            self._take(min(w, room), page)
            if self._window.is_empty:
                if self._source.has_ended and self._source.peek() is None:
                    return
                # There are no tuples to join with pages.
                continue
            self._counts.iterations += 1
            # The last iteration of a cycle reads what is left of it, so that a packet expires between two iterations.
            left = max(1, min(b, pages - page))
            while left:
                count = min(left, self._most_pages, self._window.pages_until_expiry(page, pages))
                yield from self._join_pages(page, count)
                page = (page + count) % pages
                left -= count
                yield from self._expire(page)

    def _begin_window(self, tuple_bytes: int) -> None:
        self._tuple_bytes = tuple_bytes
        self._most_pages, self._capacity = self._join.room(tuple_bytes)
        self._packet = -(-self._capacity // PACKETS)
        # Created when the first tuples are taken: so a window that is begun again at once has one table, not two.
        self._matcher: Matcher | None = None
        self._matcher_bytes = self._condition.row_bytes(self._capacity)
        self._own_bytes = self._most_pages * self._relation.page_bytes + self._matched.nbytes + self._matcher_bytes
        self._window = Window(self._join.stream_schema, self._capacity, self._join.records_matches)

    def _widen(self) -> None:
        """Enlarge the window if it is empty and the next tuples are much narrower than assumed."""
        if not self._window.is_empty or (new := self._source.peek()) is None:
            return
        tuple_bytes = max(_average_bytes(new), _average_bytes(new.slice(0, 1)))
        if 2 * tuple_bytes <= self._tuple_bytes:
            self._begin_window(tuple_bytes)

    def _choose(self, room: int) -> tuple[int, int]:
        """w and b of the next iteration. All tuples that fit, and the most pages, need the fewest cycles."""
        return room, self._most_pages

    def _take(self, count: int, page: int) -> None:
        if self._matcher is None:
            self._matcher = self._condition.matcher(self._capacity)
        while count:
            used = self._own_bytes + self._window.nbytes
            most = min(count, self._packet)
            free = self._join.memory_bytes - used - most * self._join.records_matches
            rows = self._source.take(most, free)
            if rows is None:
                self._make_room_or_refuse()
                break
            self._counts.peak_bytes = max(self._counts.peak_bytes, used + rows.nbytes)
            self._window.add(rows, page, free - rows.nbytes)
            self._matcher.add(rows)
            self._counts.tuples += rows.num_rows
            count -= rows.num_rows

    def _make_room_or_refuse(self) -> None:
        """If a tuple is too wide for the empty window, begin one that holds it; raise ``ValueError`` if none can."""
        # Not ``peek``: the stream could return a newer tuple instead of the one that does not fit.
        if not self._window.is_empty or (held := self._source.held) is None or not held.num_rows:
            return
        tuple_bytes = _average_bytes(held.slice(0, 1))
        # Its copy may take a byte per column for nulls.
        needed = tuple_bytes + held.num_columns
        if needed > self._tuple_bytes:
            with suppress(ValueError):
                self._begin_window(needed)
                # The tuple may need the memory of pages.
                self._relation.release()
                return
        raise ValueError(
            f"A tuple of the stream takes {tuple_bytes:,} bytes, for which the "
            f"{self._join.memory_bytes:,} bytes of memory granted to a mesh join are too few."
        )

    def _join_pages(self, page: int, count: int) -> Iterator[pa.RecordBatch]:
        pages = self._relation.read(page, count)
        self._counts.pages += count
        assert self._matcher is not None
        for candidates in self._matcher.candidates(pages):
            for piece in self._results.pieces(pages, candidates):
                self._results.add(pages, page, piece)
                if self._results.is_full:
                    yield from self._flushed()

    def _flushed(self) -> Iterator[pa.RecordBatch]:
        for numbers, rows in self._results.flush(self._window):
            yield from self._found_for(numbers, rows)

    def _found_for(self, numbers: Numbers, rows: pa.Table) -> Iterable[pa.RecordBatch]:
        """Results of the tuples with these numbers."""
        yield from rows.to_batches()

    def _expire(self, page: int) -> Iterator[pa.RecordBatch]:
        assert self._matcher is not None
        self._matcher.remove(self._window.expire(page))
        for block in self._window.expired_blocks():
            yield from self._last_results(block)
            self._window.release_block()

    def _last_results(self, block: Block) -> Iterator[pa.RecordBatch]:
        """The results of a block's tuples that are not returned yet."""
        yield from self._flushed()
        if self._join.records_matches:
            for numbers, rows in self._window.chosen(block, matched=self._join.how == "left_semi"):
                found = rows if self._join.how == "left_semi" else self._unmatched(rows)
                yield from self._found_for(numbers, pa.Table.from_batches([found]))

    def _unmatched_rows(self) -> Iterator[pa.RecordBatch]:
        for page in range(self._relation.pages):
            if len(unmatched := self._matched.unmatched(page)):
                yield from self._relation.read(page, 1).take(unmatched, self._join.schema.names)

    def _unmatched(self, tuples: pa.RecordBatch) -> pa.RecordBatch:
        nothing = [pa.nulls(tuples.num_rows, field.type) for field in self._join.schema][len(tuples.columns) :]
        return pa.RecordBatch.from_arrays([*tuples.columns, *nothing], schema=self._join.schema)


def _average_bytes(tuples: pa.RecordBatch) -> int:
    average: int = -(-tuples.nbytes // tuples.num_rows)
    return max(1, average)


KINDS = ("inner", "left", "left_semi", "left_anti", "right_anti")

# A reading takes about 1/_PART_OF_MEMORY of the memory, and has up to _ROWS rows, but at least one page. If the next
# pages are read while others are processed, it takes 1/_PART_AHEAD: handing a reading from thread to thread costs
# time, so fewer and larger ones are better.
_PART_OF_MEMORY, _PART_AHEAD, _ROWS = 16, 8, 1 << 15


@dataclass(frozen=True)
class MeshJoin:
    """A join of a stream with a relation.

    - ``how``: ``inner``; ``left``, also unmatched tuples; ``left_semi`` and ``left_anti``, tuples with or without a
      match, each once; ``right_anti``, rows that no tuple of the finite stream matches
    - ``memory_bytes``: for the pages, the tuples and the hash table (equation 1)
    - ``most_pages``: how many pages are read at a time; if none, as many as suit the memory. With a larger b an
      iteration reads several times

    Not part of that memory: a batch of the stream, as it came in, and the one before, from which tuples are read; and
    24 MiB of results and working arrays (``RESULT_BYTES``), or about ten copies of a row or tuple of more than 1 MiB.
    """

    relation: Relation
    condition: Condition
    stream_schema: pa.Schema
    how: str = "inner"
    memory_bytes: int = 64 << 20
    most_pages: int | None = None

    def __post_init__(self) -> None:
        if self.how not in KINDS:
            raise ValueError(f"There is no mesh join {self.how!r}: {', '.join(KINDS)}.")
        require_plain(self.stream_schema)
        self.condition.check(self.stream_schema, self.relation.schema)
        if isinstance(self.condition, Equal):
            require_key(self.relation, self.condition.relation_columns)
        own = {name.lower(): name for name in self.stream_schema.names}
        repeated = ["/".join(dict.fromkeys([own[name.lower()], name])) for name in self.carried if name.lower() in own]
        if repeated:
            raise ValueError(f"Both sides have the column(s) {', '.join(sorted(repeated))}: rename them in one.")

    @property
    def pages_at_a_time(self) -> int:
        """How many pages are in memory at a time, if tuples leave room for them; with reading ahead, two of each."""
        relation = self.relation
        wanted = self.most_pages
        if wanted is None and relation.pages:
            part = _PART_AHEAD if relation.reads_ahead else _PART_OF_MEMORY
            by_memory = round((self.memory_bytes - self.matched_rows().nbytes) / (part * max(1, relation.page_bytes)))
            wanted = min(by_memory, _ROWS // max(relation.row_counts))
        return max(1, min(wanted or 1, relation.pages))

    @property
    def carried(self) -> list[str]:
        """The relation's columns in the result: all but those that are joined by equality and have the same name."""
        if self.how not in ("inner", "left"):
            return []
        equal = self.condition.pairs if isinstance(self.condition, Equal) else []
        left_out = {own for own, other in equal if own == other}
        return [name for name in self.relation.schema.names if name not in left_out]

    @property
    def schema(self) -> pa.Schema:
        if self.how == "right_anti":
            return self.relation.schema
        carried = [self.relation.schema.field(name) for name in self.carried]
        if self.how == "left":
            carried = [field.with_nullable(True) for field in carried]
        return pa.schema([*self.stream_schema, *carried])

    def capacity(self, tuple_bytes: int) -> int:
        """How many tuples the window can hold. Raises ``ValueError`` if there is no room for one."""
        return self.room(tuple_bytes)[1]

    def room(self, tuple_bytes: int) -> tuple[int, int]:
        """How many pages are read at a time, and how many tuples the window can hold in addition.

        Raises ``ValueError`` if there is no room for a page and a tuple.
        """
        most = self.pages_at_a_time
        fewest = 1 if self.most_pages is None else most
        for pages in range(most, fewest - 1, -1):
            if capacity := self._tuples_with(pages, tuple_bytes):
                return pages, capacity
        raise ValueError(
            f"A mesh join needs more than the {self.memory_bytes:,} bytes of memory granted: "
            f"{fewest * self.relation.page_bytes:,} for pages of the relation, {tuple_bytes:,} for a tuple. "
            "Grant more, or store the relation in smaller pages."
        )

    def _tuples_with(self, pages: int, tuple_bytes: int) -> int:
        """How many tuples fit alongside pages, by equation 1; one more packet and one more block have to fit, too."""
        free = self.memory_bytes - pages * self.relation.page_bytes - self.matched_rows().nbytes

        def needed(tuples: int) -> int:
            held = tuples + tuples // BLOCKS + tuples // PACKETS
            return held * (tuple_bytes + self.records_matches) + self.condition.row_bytes(tuples)

        return bisect_right(range(1, free + 1), free, key=needed)

    @property
    def records_matches(self) -> bool:
        """Whether it records which tuples match a row."""
        return self.how in ("left", "left_semi", "left_anti")

    def matched_rows(self) -> MatchedRows:
        return MatchedRows(self.relation.row_counts if self.how == "right_anti" else ())

    def results(self, matched: MatchedRows) -> Results:
        schema = self.schema if self.how in ("inner", "left") else None
        return Results(self.condition, schema, self.carried, matched)

    def run(
        self, stream: Iterable[pa.RecordBatch | None] | StreamBuffer, counts: Counts | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Join, and return batches of the result as they are found. ``counts`` is kept up to date.

        None in the stream means that there is nothing new yet.
        """
        source = stream if isinstance(stream, StreamBuffer) else StreamBuffer(stream, self.stream_schema)
        return OnePass(self, source, counts or Counts()).batches()
