"""Kept hashes with blocks (LG95 4.3): row groups that are as they were when their rows were hashed are not decoded.

A kept row has the block from which it was hashed: the number of rows of the row group, its stored bytes, and their
checksum (:mod:`~deltawave.differencing.unchanged_blocks`). It has none once its hash comes from elsewhere. A row group
of a dump whose block is kept whole holds just the kept rows of that block: neither are compared.
"""

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pyarrow as pa
from pyspark.sql import DataFrame

from deltawave.differencing.in_place import NotInPlaceError, RowGroups, open_file, parallelism
from deltawave.differencing.local_engine import LocalEngine, literal, local_path
from deltawave.differencing.unchanged_blocks import checksum

_LOG = logging.getLogger(__name__)

# The column of ``with_blocks``. No column of the files has this name: DuckDB would refuse to number their rows.
BLOCK = "filename"
# Rows of a file from which one finds the row group of another one nearby.
_STRIDE = 2048


def with_blocks(engine: LocalEngine, rows: str, frame: DataFrame, names: Sequence[str]) -> str | None:
    """The same rows of a frame, each with the ``BLOCK`` of these columns.

    None if there are none, or their files do not say where their bytes are, or Spark wrote these for this once.
    """
    groups = _plain(engine.row_groups(rows))
    if groups is None or not any(groups.rows):
        return None
    numbers = [number for number, count in enumerate(groups.rows) if count]
    try:
        blocks = _blocks(frame, groups.only(names), numbers, _sizes(groups.only(names)))
        numbered = engine.of_files(frame, groups.states, numbered=True)
    except (NotInPlaceError, pa.ArrowException, OSError) as error:
        _LOG.debug("hashes without blocks: %s", error)
        return None
    bounds = _bounds(groups)
    paths = {uri: literal(str(local_path(uri))) for uri in groups.states}
    listed = ", ".join(
        f"({paths[groups.groups[number][0]]}, {bounds[number].start}, {bounds[number].stop - 1}, {_encoded(block)})"
        for number, block in zip(numbers, blocks, strict=True)
    )
    listed = f"(values {listed}) as groups(file, begin, until, block)"
    strides = f"unnest(range(begin // {_STRIDE}, until // {_STRIDE} + 1))"
    return (
        f"select stored.* exclude (file_row_number) replace (groups.block as {BLOCK}) from ({numbered}) as stored "
        f"left join (select *, {strides} as stride from {listed}) as groups "
        f"on stored.filename = groups.file and stored.file_row_number // {_STRIDE} = groups.stride "
        "and stored.file_row_number between groups.begin and groups.until"
    )


def without_kept_blocks(
    engine: LocalEngine, kept: str, rows: str, frame: DataFrame, names: Sequence[str]
) -> tuple[str, str] | None:
    """The kept rows, and the rows of a frame, without the blocks that both have. None if there is no such block.

    What differs is the same without them, unless a key of the other rows is in them, too.
    """
    if (groups := _plain(engine.row_groups(rows))) is None:
        return None
    counts = engine.execute(f"select decode(block), count(*) from ({kept}) where block is not null group by block")
    # Rows that were patched have left their block.
    whole = {block for block, count in counts if block.split()[0] == str(count)}
    try:
        sizes = _sizes(groups.only(names)) if whole else []
        known = {block.rpartition(" ")[0] for block in whole}
        alike = [number for number, size in enumerate(sizes) if size in known]
        blocks = dict(zip(alike, _blocks(frame, groups.only(names), alike, sizes), strict=True))
        copies = Counter(blocks.values())
        # Rows that stand twice are those of duplicate keys.
        same = {number for number, block in blocks.items() if block in whole and copies[block] == 1}
        if not same:
            return None
        others = _of_groups(
            engine, frame, groups, [number for number in range(len(groups.groups)) if number not in same]
        )
    except (NotInPlaceError, pa.ArrowException, OSError) as error:
        _LOG.debug("all row groups are decoded: %s", error)
        return None
    _LOG.info("%d of %d row groups are as they were when they were hashed", len(same), len(groups.groups))
    left_out = ", ".join(f"({_encoded(blocks[number])})" for number in same)
    # Joined, since a long list is compared anew with each row.
    rest = (
        f"select kept.* from ({kept}) as kept anti join (values {left_out}) as same(block) on kept.block = same.block"
    )
    return rest, others


def _plain(groups: RowGroups | None) -> RowGroups | None:
    """Only as they are: equal bytes of columns that are named or cast differently are no equal rows."""
    return None if groups is None or groups.stored else groups


def _sizes(groups: RowGroups) -> list[str]:
    """How many rows and stored bytes each row group has, in its columns."""
    wanted = {name.lower() for name in groups.schema.names}
    footers = {uri: open_file(uri).metadata for uri, _ in groups.groups}
    places = {
        uri: [at for at in range(footer.num_columns) if footer.schema.column(at).path.lower() in wanted]
        for uri, footer in footers.items()
    }
    sizes = []
    for (uri, number), rows in zip(groups.groups, groups.rows, strict=True):
        group = footers[uri].row_group(number)
        sizes.append(f"{rows} {sum(group.column(at).total_compressed_size for at in places[uri])}")
    return sizes


def _blocks(frame: DataFrame, groups: RowGroups, numbers: Iterable[int], sizes: Sequence[str]) -> list[str]:
    """The blocks of row groups: by the bytes that are stored, and what a reader needs to decode them."""
    with ThreadPoolExecutor(parallelism(frame.sparkSession)) as pool:
        return list(pool.map(lambda number: f"{sizes[number]} {checksum(groups, number)}", numbers))


def _of_groups(engine: LocalEngine, frame: DataFrame, groups: RowGroups, numbers: Sequence[int]) -> str:
    """A select of these row groups of a frame's files. DuckDB decodes no others."""
    bounds, wanted = _bounds(groups), defaultdict(list)
    for number in numbers:
        wanted[groups.groups[number][0]].append(bounds[number])
    if not wanted:
        return f"select * from ({engine.of_files(frame, groups.states)}) where false"
    counts = Counter(uri for uri, _ in groups.groups)
    whole = [uri for uri, ranges in wanted.items() if len(ranges) == counts[uri]]
    selects = [engine.of_files(frame, whole)] if whole else []
    for uri in wanted.keys() - set(whole):
        places = " or ".join(f"file_row_number between {rows.start} and {rows.stop - 1}" for rows in wanted[uri])
        numbered = engine.of_files(frame, [uri], numbered=True)
        selects.append(f"select * exclude (filename, file_row_number) from ({numbered}) where {places}")
    return "\nunion all\n".join(selects)


def _bounds(groups: RowGroups) -> list[range]:
    """The places of each row group's rows in its file."""
    firsts: dict[str, int] = {}
    begins = groups.begins.tolist()
    return [
        range(begin - firsts.setdefault(uri, begin), end - firsts[uri])
        for (uri, _), (begin, end) in zip(groups.groups, pairwise(begins), strict=True)
    ]


def _encoded(block: str) -> str:
    return f"encode({literal(block)})"
