"""Where a window stores its tuples: each comes back as it was added, and those that have left take no memory."""

from __future__ import annotations

import mmap
import re
from collections import Counter
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from unit.mesh_oracle import exact, rows_of

from deltawave.meshjoin import stream_window as stored_tuples
from deltawave.meshjoin.conditions import Equal
from deltawave.meshjoin.operator import KINDS, Counts, MeshJoin
from deltawave.meshjoin.relation import PageFile, write_pages
from deltawave.meshjoin.ring import SPARE_PLACES, BitRing
from deltawave.meshjoin.stream_window import PACKETS, Columns, Parts, Tuples, Window, tuples_of

# A value of each width, and how it is made of a number.
KINDS_OF_VALUES: dict[pa.DataType, Any] = {
    pa.int64(): int,
    pa.int8(): lambda number: number % 100,
    pa.bool_(): lambda number: number % 3 == 0,
    pa.float32(): float,
    pa.decimal128(20, 2): lambda number: Decimal(number).scaleb(-2),
    pa.timestamp("us", "UTC"): lambda number: datetime.fromtimestamp(number, timezone.utc),
    pa.binary(3): lambda number: number.to_bytes(3, "big"),
}
SCHEMA = pa.schema([(str(kind), kind) for kind in KINDS_OF_VALUES])
BLOCK_ROWS = 700


def added(begin: int, count: int, nulls: bool) -> pa.RecordBatch:
    """Tuples with these numbers, of which each fifth has nulls, each in another column."""
    numbers = range(begin, begin + count)
    cells = [
        pa.array([None if nulls and number % 5 == at % 5 else of(number) for number in numbers], kind)
        for at, (kind, of) in enumerate(KINDS_OF_VALUES.items())
    ]
    return pa.RecordBatch.from_arrays(cells, schema=SCHEMA)


@pytest.mark.parametrize("is_in_rings", [True, False])
@settings(deadline=None, max_examples=15)
@given(
    steps=st.lists(
        st.tuples(st.integers(1, 1200), st.booleans(), st.booleans(), st.integers(0, 9)), min_size=1, max_size=40
    ),
    passed=st.integers(0, 3 * SPARE_PLACES),
)
def test_tuples_come_back_as_they_were_added(
    is_in_rings: bool, steps: list[tuple[int, bool, bool, int]], passed: int
) -> None:
    held: Tuples = Columns(SCHEMA, 6 * BLOCK_ROWS) if is_in_rings else Parts(SCHEMA, BLOCK_ROWS // 2)
    # Others have been in their places before.
    begin = end = 0
    earlier = added(0, 2000, nulls=True)
    while end < passed:
        held.begin_block()
        held.add(earlier, 1 << 30)
        held.release_block(earlier.num_rows)
        end += earlier.num_rows
        begin = end
    blocks: list[pa.RecordBatch] = []
    for count, with_nulls, is_sliced, at in steps:
        rows = added(end, count + 3, with_nulls).slice(3) if is_sliced else added(end, count, with_nulls)
        held.begin_block()
        held.add(rows, 1 << 30)
        blocks.append(rows)
        end += rows.num_rows
        while end - begin > 4 * BLOCK_ROWS:
            gone = blocks.pop(0).num_rows
            begin += gone
            held.release_block(gone)
        assert held.nbytes >= sum(block.nbytes for block in blocks) - 2 * len(SCHEMA) * len(blocks)
        expected = pa.Table.from_batches(blocks, SCHEMA)
        numbers = np.random.default_rng(at).integers(begin, end, 50) if begin < end else np.zeros(0, dtype=np.int64)
        found = held.take(numbers)
        found.validate(full=True)
        assert found.equals(expected.take(pa.array(numbers - begin)))
        some = [SCHEMA.names[at % len(SCHEMA)], SCHEMA.names[0]]
        assert held.take(numbers, some[:1]).equals(found.select(some[:1]))
        cuts = list(held.pieces(numbers, 400))
        assert [begin for begin, _ in cuts] == [0, *(end for _, end in cuts)][: len(cuts)]
        assert not cuts or cuts[-1][1] == len(numbers)


@pytest.mark.parametrize(
    ("kind", "is_in_rings"),
    [
        (pa.int32(), True),
        (pa.bool_(), True),
        (pa.duration("ms"), True),
        (pa.binary(mmap.PAGESIZE), True),
        (pa.binary(mmap.PAGESIZE + 1), False),
        (pa.string(), False),
        (pa.null(), False),
        (pa.dictionary(pa.int8(), pa.int64()), False),
        (pa.list_(pa.int32(), 2), False),
        (pa.struct([("a", pa.int32())]), False),
        (pa.uuid(), False),
        (pa.run_end_encoded(pa.int32(), pa.int64()), False),
    ],
    ids=str,
)
def test_which_types_lie_in_rings(kind: pa.DataType, is_in_rings: bool) -> None:
    schema = pa.schema([("key", pa.int64()), ("other", kind)])
    assert isinstance(tuples_of(schema, 20_000, 1250), Columns) == is_in_rings
    assert isinstance(tuples_of(schema, 4, 1), Parts)


def resident_bytes(held: Columns) -> int:
    """The memory of all rings."""
    rings = [ring for column in held._columns for ring in (column._values, column._nulls) if ring is not None]
    memories = [ring._bytes._memory if isinstance(ring, BitRing) else ring._memory for ring in rings]
    begins = [np.frombuffer(memory, dtype=np.uint8).ctypes.data for memory in memories]
    found, is_ring = 0, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if region := re.match("([0-9a-f]+)-([0-9a-f]+) ", line):
            first, last = (int(text, 16) for text in region.groups())
            is_ring = any(first <= begin < last for begin in begins)
        elif is_ring and line.startswith("Rss:"):
            found += int(line.split()[1]) << 10
    return found


def test_what_has_left_takes_no_memory() -> None:
    """Many times as many tuples as fit pass through; then all leave."""
    schema = pa.schema([("key", pa.int64()), ("value", pa.int64()), ("flag", pa.int8())])
    count = 100_000
    values = pa.array([None, *range(count - 1)], pa.int64())
    rows = pa.RecordBatch.from_arrays([values, values, pa.array([1] * count, pa.int8())], schema=schema)
    held = Columns(schema, 12 * count)
    most = 0
    for number in range(60):
        held.begin_block()
        held.add(rows, 1 << 30)
        if number >= 10:
            held.release_block(count)
            most = max(most, resident_bytes(held))
    # The first and the last page of each ring, and one where it begins anew.
    spare = 3 * 5 * mmap.PAGESIZE
    assert held.nbytes == 10 * rows.nbytes
    assert held.nbytes - spare < most < held.nbytes + spare
    for _ in range(10):
        held.release_block(count)
    assert held.nbytes == 0
    assert resident_bytes(held) < spare


def test_bits_count_exactly() -> None:
    """Of tuples that come one by one."""
    schema = pa.schema([("key", pa.int32()), *((f"flag{number}", pa.bool_()) for number in range(100))])
    rows = pa.RecordBatch.from_arrays([pa.array([1], pa.int32()), *[pa.array([True])] * 100], schema=schema)
    held = Columns(schema, 5000)
    held.begin_block()
    for _ in range(200):
        held.add(rows, 1 << 30)
    assert held.nbytes == 200 * (4 * 8 + 100) // 8


def test_a_full_window_with_a_block_that_waits() -> None:
    """Until the oldest block has left, it is there beside as many tuples as the window may have."""
    schema = pa.schema([("key", pa.int32())])
    capacity = 1_000_000
    window = Window(schema, capacity, records_matches=False)
    packet = -(-capacity // PACKETS)
    end, live = 0, 0
    for page in range(80):
        rows = pa.RecordBatch.from_arrays([pa.array(np.arange(end, end + packet, dtype=np.int32))], schema=schema)
        if live + packet > capacity:
            live -= window.expire(page - PACKETS)
            for block in window.expired_blocks():
                window.give_up(block)
        window.add(rows, page, 1 << 30)
        end, live = end + packet, live + packet
        numbers = np.arange(int(window.begins[0]), end)
        assert np.array_equal(window.take(numbers).column(0).to_numpy(), numbers)


STREAM = pa.schema([("key", pa.int32()), ("flag", pa.bool_()), ("at", pa.int64())])
RELATION = pa.schema([("id", pa.int32()), ("place", pa.int64())])
KEYS = st.one_of(st.none(), st.integers(0, 9))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("relation")


@pytest.mark.parametrize("is_ordered", [False, True])
@pytest.mark.parametrize("how", KINDS)
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    stream=st.lists(st.tuples(KEYS, st.sampled_from([None, True, False])), max_size=60),
    relation=st.lists(KEYS, min_size=1, max_size=30),
    coming_in=st.integers(1, 20),
    memory=st.integers(1200, 6000),
)
def test_a_join_of_tuples_in_rings_is_exact(
    folder: Path,
    how: str,
    is_ordered: bool,
    stream: list[tuple[int | None, bool | None]],
    relation: list[int | None],
    coming_in: int,
    memory: int,
) -> None:
    rows = pa.RecordBatch.from_arrays([pa.array(relation, pa.int32()), pa.array(range(len(relation)))], schema=RELATION)
    cells = [[key for key, _ in stream], [flag for _, flag in stream], list(range(len(stream)))]
    arrays = [pa.array(cell, kind) for cell, kind in zip(cells, STREAM.types, strict=True)]
    tuples = pa.RecordBatch.from_arrays(arrays, schema=STREAM)
    write_pages(folder / "relation.pages", [rows], RELATION, key=["id"], page_bytes=40)
    with pytest.MonkeyPatch.context() as patch, PageFile(folder / "relation.pages") as pages:
        patch.setattr(stored_tuples, "_LEAST_COLUMN_BYTES", 0)
        condition, counts = Equal.on({"key": "id"}), Counts()
        join = MeshJoin(pages, condition, STREAM, how, memory, is_ordered=is_ordered)
        batches = (tuples.slice(begin, coming_in) for begin in range(0, len(stream), coming_in))
        found = [tuple(row.values()) for batch in join.run(batches, counts=counts) for row in batch.to_pylist()]
        assert counts.peak_bytes <= memory
    wanted = exact(
        rows_of(tuples), rows_of(rows), how, lambda one, other: one[0] is not None and one[0] == other[0], slice(0, 2)
    )
    assert Counter(found) == wanted
    if is_ordered and how in ("inner", "left"):
        assert [row[2] for row in found] == sorted(row[2] for row in found)


@pytest.mark.parametrize("how", ["inner", "left", "right_anti"])
@pytest.mark.parametrize("direct", [False, True])
def test_a_stream_many_times_as_long_as_the_rings(
    folder: Path, monkeypatch: pytest.MonkeyPatch, seed: int, how: str, direct: bool
) -> None:
    """Their places are taken again and again; while a packet is added, it is in memory twice."""
    chance = np.random.default_rng(seed)
    count, memory = 200_000, 600_000
    keys = chance.integers(0, 4000, count)
    flags = pa.array(chance.random(count) < 0.5, mask=chance.random(count) < 0.1)
    cells = [pa.array(keys, pa.int32(), mask=chance.random(count) < 0.1), flags, pa.array(np.arange(count))]
    tuples = pa.RecordBatch.from_arrays(cells, schema=STREAM)
    ids = chance.permutation(4500)[:3000].astype(np.int32)
    rows = pa.RecordBatch.from_arrays([pa.array(ids), pa.array(np.arange(3000))], schema=RELATION)
    write_pages(folder / "relation.pages", [rows], RELATION, key=["id"], page_bytes=4000)
    add = Window.add
    with PageFile(folder / "relation.pages", direct) as pages:
        join, counts = MeshJoin(pages, Equal.on({"key": "id"}), STREAM, how, memory), Counts()
        fixed = join.room(13)[0] * pages.page_bytes + join.condition.row_bytes(join.capacity(13))

        def noted(window: Window, packet: pa.RecordBatch, *arguments: Any) -> None:
            assert isinstance(window._tuples, Columns)
            assert fixed + window.nbytes + 2 * packet.nbytes <= memory
            add(window, packet, *arguments)

        monkeypatch.setattr(Window, "add", noted)
        batches = [tuples.slice(begin, 700) for begin in range(0, count, 700)]
        found = pa.Table.from_batches(list(join.run(batches, counts=counts)), join.schema)
    assert counts.peak_bytes <= memory
    assert join.capacity(13) * 5 < count
    kind = {"inner": "inner", "left": "left outer", "right_anti": "right anti"}[how]
    wanted = pa.Table.from_batches([tuples]).join(
        pa.Table.from_batches([rows]), keys="key", right_keys="id", join_type=kind, coalesce_keys=False
    )
    order = [(name, "ascending") for name in (["place"] if how == "right_anti" else ["at", "place"])]
    assert found.sort_by(order).equals(wanted.select(found.column_names).cast(found.schema).sort_by(order))


def test_a_stream_with_a_name_twice(folder: Path) -> None:
    rows = pa.RecordBatch.from_arrays([pa.array([1, 2], pa.int32()), pa.array([10, 20])], schema=RELATION)
    schema = pa.schema([("key", pa.int32()), ("at", pa.int64()), ("at", pa.int64())])
    cells = [pa.array([1, 2, 3] * 1000, pa.int32()), pa.array(range(3000)), pa.array(range(3000, 6000))]
    write_pages(folder / "relation.pages", [rows], RELATION, key=["id"])
    with PageFile(folder / "relation.pages") as pages:
        join = MeshJoin(pages, Equal.on({"key": "id"}), schema, memory_bytes=1 << 24)
        found = pa.Table.from_batches(list(join.run([pa.RecordBatch.from_arrays(cells, schema=schema)])), join.schema)
    assert sorted(zip(*(column.to_pylist() for column in found.columns), strict=True)) == sorted(
        (key, at, at + 3000, key, 10 * key) for at, key in enumerate([1, 2, 3] * 1000) if key < 3
    )
