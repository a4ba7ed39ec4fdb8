"""MESHJOIN and AMESHJOIN: a stream meets a relation on disk under a memory budget (MJ08 3.1 and 3.3, Figures 4 and 6).

Each iteration reads b pages of the relation and w tuples of the stream. Pages are read in a cycle; a tuple stays in the
window until it has met them all. w and b may change from one iteration to the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from deltawave.meshjoin.conditions import Condition
from deltawave.meshjoin.one_pass import Counts, OnePass
from deltawave.meshjoin.relation import Relation, demand_key
from deltawave.meshjoin.results import Results, RowsMet
from deltawave.meshjoin.shed_stream import Shed, ShedStream
from deltawave.meshjoin.stream import Arrived
from deltawave.meshjoin.tuners import Greedy, Tuner
from deltawave.meshjoin.window import BLOCKS, PACKETS

KINDS = ("inner", "left", "left_semi", "left_anti", "right_anti")

# Pages that are read at a time take about this part of the memory, but at least one is read, and have up to this many
# rows. Where they are read while others are processed, each reading is handed from one thread to the other: there,
# larger ones are worth their memory.
_PART_OF_MEMORY, _PART_AHEAD, _ROWS = 16, 8, 1 << 15


@dataclass(frozen=True)
class MeshJoin:
    """A join of a stream with a relation.

    - ``how``: ``inner``; ``left``, also unmatched tuples; ``left_semi`` and ``left_anti``, tuples with or without a
      match, each once; ``right_anti``, rows that no tuple of the finite stream meets
    - ``memory_bytes``: for the pages, the tuples and the hash table (equation 1)
    - ``most_pages``: how many pages are read at a time and are in memory; if none, as many as suit the memory. A tuner
      may choose a larger b: then an iteration reads several times
    - ``is_ordered``: results come in the order of the stream, when their tuples have met all pages; until then they
      wait in temporary files

    Not part of that memory: a batch of the stream, as it arrived, and the one before, from which tuples are taken; and
    24 MiB of results and working arrays (``BESIDE_BYTES`` of :mod:`deltawave.meshjoin.results`), or about ten copies of
    a row or tuple of more than 1 MiB.
    """

    relation: Relation
    condition: Condition
    stream_schema: pa.Schema
    how: str = "inner"
    memory_bytes: int = 64 << 20
    most_pages: int | None = None
    is_ordered: bool = False

    def __post_init__(self) -> None:
        if self.how not in KINDS:
            raise ValueError(f"There is no mesh join {self.how!r}: {', '.join(KINDS)}.")
        self.condition.check(self.stream_schema, self.relation.schema)
        demand_key(self.relation, [other for _, other in self.condition.equal])
        own = {name.lower(): name for name in self.stream_schema.names}
        repeated = [
            name if name in own.values() else f"{own[name.lower()]}/{name}"
            for name in self.carried
            if name.lower() in own
        ]
        if repeated:
            raise ValueError(f"Both sides have the column(s) {', '.join(sorted(repeated))}: rename them in one.")

    @property
    def pages_at_a_time(self) -> int:
        """How many pages are read at a time, if tuples leave room for them."""
        relation = self.relation
        wanted = self.most_pages
        if wanted is None and relation.pages:
            part = _PART_AHEAD if relation.reads_ahead else _PART_OF_MEMORY
            by_memory = round((self.memory_bytes - self.rows_met().nbytes) / (part * max(1, relation.page_bytes)))
            wanted = min(by_memory, _ROWS // max(relation.row_counts))
        return max(1, min(wanted or 1, relation.pages))

    @property
    def carried(self) -> list[str]:
        """The relation's columns in the result: without columns of an equal key that have the stream's name."""
        if self.how not in ("inner", "left"):
            return []
        left_out = {own for own, other in self.condition.equal if own == other}
        return [name for name in self.relation.schema.names if name not in left_out]

    @property
    def schema(self) -> pa.Schema:
        """The schema of the result."""
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
        """How many pages are read at a time, and how many tuples the window can hold beside them.

        Raises ``ValueError`` if there is no room for a page and a tuple.
        """
        most = self.pages_at_a_time
        fewest = 1 if self.most_pages is None else most
        for pages in range(most, fewest - 1, -1):
            if capacity := self._tuples_beside(pages, tuple_bytes):
                return pages, capacity
        raise ValueError(
            f"A mesh join needs more than the {self.memory_bytes:,} bytes of memory granted: "
            f"{fewest * self.relation.page_bytes:,} for pages of the relation, {tuple_bytes:,} for a tuple. "
            "Grant more, or store the relation in smaller pages."
        )

    def _tuples_beside(self, pages: int, tuple_bytes: int) -> int:
        """The tuples that fit beside pages: equation 1, with a packet that is copied and a block to be released."""
        free = self.memory_bytes - pages * self.relation.page_bytes - self.rows_met().nbytes
        low, high = 0, max(0, free)
        while low < high:
            middle = (low + high + 1) // 2
            held = middle + middle // BLOCKS + middle // PACKETS
            taken = held * (tuple_bytes + self.notes_met) + self.condition.row_bytes(middle)
            low, high = (middle, high) if taken <= free else (low, middle - 1)
        return low

    @property
    def notes_met(self) -> bool:
        """Whether it records which tuples meet a row."""
        return self.how in ("left", "left_semi", "left_anti")

    def rows_met(self) -> RowsMet:
        """A set for the rows that a tuple has met, if these are recorded."""
        return RowsMet(self.relation.row_counts if self.how == "right_anti" else ())

    def results(self, met: RowsMet) -> Results:
        """The buffer for pairs on their way to results."""
        schema = self.schema if self.how in ("inner", "left") else None
        return Results(self.condition, schema, self.carried, self.notes_met, met, self.relation.pages)

    def run(
        self,
        stream: Iterable[pa.RecordBatch | None],
        tuner: Tuner | None = None,
        counts: Counts | None = None,
        shed: Shed | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Join, and return batches of the result as they are found. ``counts`` is kept up to date.

        None in the stream means that nothing more has arrived yet. ``shed``: arrived tuples that do not fit are shed
        and kept in a file; without it they wait at their source. Raises ``FileExistsError`` if that file has tuples,
        and ``ValueError`` for ``right_anti`` with ``shed``: unmatched rows are not known before the last tuple.
        """
        if shed is not None and self.how == "right_anti":
            raise ValueError(
                "A right_anti mesh join can't shed tuples: which rows of the relation have no match is known only when "
                "all tuples were joined. Leave out shed."
            )
        source = Arrived(stream, self.stream_schema)
        if shed is not None:
            source = ShedStream(stream, self.stream_schema, shed)
        return OnePass(self, source, tuner or Greedy(), counts or Counts()).batches()
