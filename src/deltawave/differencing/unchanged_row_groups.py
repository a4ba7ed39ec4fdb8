"""Row groups of a dump whose stored bytes are those of the last dump (LG95 4.3): only their keys are decoded.

All rows of such a row group are as they were. Their keys are read because they alone tell which rows were deleted.
"""

import logging
from base64 import b64encode
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256

import pyarrow as pa
from pyspark.sql import DataFrame

from deltawave.differencing.local_engine import LocalEngine
from deltawave.differencing.row_group_checksums import StoredFile
from deltawave.rows.in_place import RowGroups
from deltawave.rows.parquet_files import NotInPlaceError

_LOG = logging.getLogger(__name__)

# Letters of a mark: of the size, and of the checksum, with six bits each.
_SIZE, _CHECKSUM = 5, 22
# What a run remembers is in the text of a view, for which some metastores have 32,700 characters.
_MOST = 1_000
# DuckDB compares the number of each row with all ranges of row groups.
_MOST_RANGES = 50


@dataclass(frozen=True)
class Split:
    """Two selects that together are all rows of a dump: of ``changed`` and of ``unchanged`` row groups.

    ``rows``: how many rows are unchanged; ``share``: how many of the row groups, as a text.
    """

    changed: str
    unchanged: str
    rows: int
    share: str


@dataclass(frozen=True)
class Marks:
    """A mark for each row group of a dump: of its size, and of its bytes if they may be those of the last dump."""

    groups: RowGroups
    each: tuple[str, ...]
    known: frozenset[str]

    @classmethod
    def of(cls, groups: RowGroups, names: Sequence[str], known: Iterable[str], threads: int) -> "Marks | None":
        """The marks over these columns; ``known``: those of the last dump.

        Bytes are read where a known mark has the same size, or if none is known. None if files are not read as they
        are, have too many row groups, or do not say where their bytes are.
        """
        # Equal bytes of columns that are named or cast differently are no equal rows.
        if groups.stored or len(groups.groups) > _MOST:
            return None
        marks = frozenset(known)
        sizes = {mark[:_SIZE] for mark in marks}

        def mark(group: tuple[str, int]) -> str:
            uri, number = group
            rows, stored = files[uri].size(number)
            size = _letters(sha256(f"{rows} {stored}".encode()).digest(), _SIZE)
            # Nothing is gained by an empty one, whose bytes some writers place nowhere.
            is_read = rows and (not marks or size in sizes)
            return size + (_letters(files[uri].checksum(number), _CHECKSUM) if is_read else "")

        try:
            files = {uri: StoredFile(uri, names) for uri in groups.states}
            with ThreadPoolExecutor(threads) as pool:
                return cls(groups, tuple(pool.map(mark, groups.groups)), marks)
        except (NotInPlaceError, pa.ArrowException, OSError) as error:
            _LOG.debug("row groups have no marks: %s", error)
            return None

    def split(self, engine: LocalEngine, frame: DataFrame) -> Split | None:
        """The rows of a frame with these row groups; None if none of these is known."""
        same = {number for number, mark in enumerate(self.each) if len(mark) > _SIZE and mark in self.known}
        if not same:
            return None
        others = set(range(len(self.each))) - same
        rows = sum(self.groups.rows[number] for number in same)
        try:
            changed, unchanged = (_rows_of(engine, frame, self.groups, numbers) for numbers in (others, same))
            return Split(changed, unchanged, rows, f"{len(same)} of {len(self.each)}")
        except NotInPlaceError as error:
            # Or a column has the name of the number that DuckDB gives to a row.
            _LOG.debug("all row groups are decoded: %s", error)
            return None


def _letters(checksum: bytes, count: int) -> str:
    return b64encode(checksum).decode()[:count]


def _rows_of(engine: LocalEngine, frame: DataFrame, groups: RowGroups, numbers: Iterable[int]) -> str:
    """A select of these row groups of a frame's files. DuckDB decodes no others."""
    wanted = set(numbers)
    ends: Counter[str] = Counter()
    places: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, ((uri, _), rows) in enumerate(zip(groups.groups, groups.rows, strict=True)):
        begin, ends[uri] = ends[uri], ends[uri] + rows
        if number in wanted:
            if places[uri] and places[uri][-1][1] == begin:
                # Each row is compared with each range.
                begin, _ = places[uri].pop()
            places[uri].append((begin, ends[uri]))
    if max(map(len, places.values()), default=0) > _MOST_RANGES:
        raise NotInPlaceError("unchanged row groups lie between too many others")
    whole = [uri for uri, ranges in places.items() if ranges == [(0, ends[uri])]]
    selects = [engine.of_files(frame, whole)] if whole else []
    for uri in places.keys() - set(whole):
        numbered = engine.of_files(frame, [uri], is_numbered=True)
        within = " or ".join(f"file_row_number between {begin} and {end - 1}" for begin, end in places[uri])
        selects.append(f"select * exclude (file_row_number) from ({numbered}) where {within}")
    return "\nunion all\n".join(selects) or f"select * from ({engine.of_files(frame, groups.states)}) where false"
