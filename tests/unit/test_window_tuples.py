"""The window of a mesh join: each tuple comes back as it was added, and those that have left take no memory."""

from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltawave.meshjoin.conditions import Equal
from deltawave.meshjoin.operator import MeshJoin
from deltawave.meshjoin.relation import PageFile, write_pages
from deltawave.meshjoin.stream import BLOCKS, Counts, Window

# A value of each width and a text, and how it is made of a number.
KINDS_OF_VALUES: dict[pa.DataType, Any] = {
    pa.int64(): int,
    pa.int8(): lambda number: number % 100,
    pa.bool_(): lambda number: number % 3 == 0,
    pa.float32(): float,
    pa.decimal128(20, 2): lambda number: Decimal(number).scaleb(-2),
    pa.timestamp("us", "UTC"): lambda number: datetime.fromtimestamp(number, timezone.utc),
    pa.binary(3): lambda number: number.to_bytes(3, "big"),
    pa.string(): lambda number: "x" * (number % 7),
}
SCHEMA = pa.schema([(str(kind), kind) for kind in KINDS_OF_VALUES])
BLOCK_ROWS = 70


def added(begin: int, count: int, nulls: bool) -> pa.RecordBatch:
    """Tuples with these numbers, of which each fifth has nulls, each in another column."""
    numbers = range(begin, begin + count)
    cells = [
        pa.array([None if nulls and number % 5 == at % 5 else of(number) for number in numbers], kind)
        for at, (kind, of) in enumerate(KINDS_OF_VALUES.items())
    ]
    return pa.RecordBatch.from_arrays(cells, schema=SCHEMA)


@settings(deadline=None, max_examples=15)
@given(
    steps=st.lists(
        st.tuples(st.integers(1, 35), st.booleans(), st.booleans(), st.integers(0, 9)), min_size=1, max_size=80
    ),
    blocks=st.sampled_from([4, BLOCKS]),
)
def test_tuples_come_back_as_they_were_added(steps: list[tuple[int, bool, bool, int]], blocks: int) -> None:
    """Of a full window too: then the oldest block is there in addition until it has left."""
    window = Window(SCHEMA, BLOCKS * BLOCK_ROWS, records_matches=False)
    packets: list[pa.RecordBatch] = []
    begin = end = 0
    for page, (count, with_nulls, is_sliced, at) in enumerate(steps):
        rows = added(end, count + 3, with_nulls).slice(3) if is_sliced else added(end, count, with_nulls)
        window.add(rows, page, 1 << 30)
        packets.append(rows)
        end += rows.num_rows
        while end - begin > blocks * BLOCK_ROWS:
            gone = packets.pop(0).num_rows
            begin += gone
            assert window.expire(page - len(packets)) == gone
            for _ in window.expired_blocks():
                window.release_block()
        # A block leaves as a whole.
        assert begin - 2 * BLOCK_ROWS < window._blocks[0].begin <= begin
        assert window.nbytes >= sum(packet.nbytes for packet in packets) - 2 * len(SCHEMA) * len(packets)
        numbers = np.random.default_rng(at).integers(begin, end, 50)
        found = window.take(numbers)
        found.validate(full=True)
        assert found.equals(pa.Table.from_batches(packets, SCHEMA).take(pa.array(numbers - begin)))
        some = [SCHEMA.names[at % len(SCHEMA)]]
        assert window.take(numbers, some).equals(found.select(some))
        cuts = list(window.pieces(numbers, 400))
        assert [first for first, _ in cuts] == [0, *(last for _, last in cuts)][: len(cuts)]
        assert cuts[-1][1] == len(numbers)


STREAM = pa.schema([("key", pa.int32()), ("flag", pa.bool_()), ("at", pa.int64())])
RELATION = pa.schema([("id", pa.int32()), ("place", pa.int64())])


@pytest.mark.parametrize("how", ["inner", "left", "right_anti"])
@pytest.mark.parametrize("direct", [False, True])
def test_a_stream_many_times_as_long_as_the_window(
    folder: Path, monkeypatch: pytest.MonkeyPatch, seed: int, how: str, direct: bool
) -> None:
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
            assert fixed + window.nbytes + packet.nbytes <= memory
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
