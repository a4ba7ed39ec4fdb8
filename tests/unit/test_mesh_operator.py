"""MESHJOIN and AMESHJOIN (MJ08 3): every result of the exact join once, in bounded memory, whatever w and b are."""

import itertools
import tracemalloc
import weakref
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from unit.mesh_oracle import Row, exact, rows_of

from deltawave.meshjoin import relation as relation_module
from deltawave.meshjoin.batches import pieces, row_sizes
from deltawave.meshjoin.conditions import Between, Condition, Equal, Near, Where
from deltawave.meshjoin.operator import KINDS, RESULT_BYTES, MeshJoin, OnePass
from deltawave.meshjoin.relation import PageFile, Relation, write_pages
from deltawave.meshjoin.shedding import KeyFrequencies, shedding
from deltawave.meshjoin.stream import Counts, StreamBuffer, Window

STREAM = pa.schema([("key", pa.int64()), ("branch", pa.string()), ("at", pa.int32())])
RELATION = pa.schema([("id", pa.int64()), ("place", pa.string()), ("skey", pa.int64())])
ON = Equal.on({"key": "id"})
KEYS = st.one_of(st.none(), st.integers(0, 6))
BRANCHES = st.sampled_from(["a", "b", None])
MEMORY = 1 << 20


def stream_of(keys: Sequence[Row], schema: pa.Schema = STREAM, begin: int = 0) -> pa.RecordBatch:
    """Keys, texts and numbers."""
    cells = [[key for key, _ in keys], [text for _, text in keys], list(range(begin, begin + len(keys)))]
    return pa.RecordBatch.from_arrays([pa.array(c, f.type) for c, f in zip(cells, schema, strict=True)], schema=schema)


def relation_of(keys: Sequence[Row]) -> pa.RecordBatch:
    return stream_of(keys, RELATION, 100)


def stored(folder: Path, rows: pa.RecordBatch, per_page: int, key: Sequence[str] = ("id",)) -> PageFile:
    """A relation with about so many rows on a page."""
    page_bytes = per_page * max(1, rows.nbytes // max(1, rows.num_rows))
    write_pages(folder / "relation.pages", [rows], rows.schema, key=key, page_bytes=page_bytes)
    return PageFile(folder / "relation.pages")


class Drawn(OnePass):
    """w and b that change in flight."""

    def __init__(
        self,
        join: MeshJoin,
        stream: Sequence[pa.RecordBatch | None],
        choices: Sequence[tuple[int, int]],
        counts: Counts | None = None,
    ) -> None:
        super().__init__(join, StreamBuffer(stream, join.stream_schema), counts or Counts())
        self._choices, self._turn = choices, 0

    def _choose(self, room: int) -> tuple[int, int]:
        self._turn += 1
        return self._choices[self._turn % len(self._choices)]


def all_rows(batches: Iterator[pa.RecordBatch]) -> list[Row]:
    return [tuple(row.values()) for batch in batches for row in batch.to_pylist()]


@pytest.mark.parametrize("how", KINDS)
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    stream=st.lists(st.tuples(KEYS, BRANCHES), max_size=30),
    relation=st.lists(st.tuples(KEYS, BRANCHES), max_size=20),
    per_page=st.integers(1, 6),
    choices=st.lists(st.tuples(st.integers(0, 9), st.integers(1, 5)), min_size=1, max_size=4),
    coming_in=st.integers(1, 7),
    pauses=st.integers(0, 3),
    is_composite=st.booleans(),
)
def test_the_result_is_that_of_the_exact_join(
    folder: Path,
    how: str,
    stream: list[Row],
    relation: list[Row],
    per_page: int,
    choices: list[tuple[int, int]],
    coming_in: int,
    pauses: int,
    is_composite: bool,
) -> None:
    left, right = stream_of(stream), relation_of(relation)
    names = {"key": "id", "branch": "place"} if is_composite else {"key": "id"}
    if not any(w for w, _ in choices):
        choices.append((1, 1))
    with stored(folder, right, per_page, list(names.values())) as pages:
        join = MeshJoin(pages, Equal.on(names), STREAM, how, MEMORY, most_pages=5)
        counts = Counts()
        # None: nothing new meanwhile.
        pause = [None] * pauses
        batches = [part for at in range(0, len(stream), coming_in) for part in (left.slice(at, coming_in), *pause)]
        found = all_rows(Drawn(join, batches, choices, counts).batches())
        assert counts.tuples == len(stream)
        assert counts.peak_bytes <= MEMORY

    def matches(one: Row, other: Row) -> bool:
        same = one[0] is not None and one[0] == other[0]
        return same and (not is_composite or (one[1] is not None and one[1] == other[1]))

    assert Counter(found) == exact(rows_of(left), rows_of(right), how, matches, slice(0, 3))


def test_a_relation_that_is_stored_by_another_key(folder: Path) -> None:
    """Its hashes would match nothing."""
    relation = relation_of([(1, "a")])
    on = Equal.on({"branch": "place"})
    for key, message in ((["id"], "stored by the key id, and compared by place"), ([], "stored without a key")):
        with stored(folder, relation, 1, key) as pages:
            with pytest.raises(ValueError, match=message):
                MeshJoin(pages, on, STREAM)
            with pytest.raises(ValueError, match=message):
                KeyFrequencies.of(pages, on)
            # Other conditions do not look at the hashes.
            assert len(all_rows(MeshJoin(pages, Near("key", "id", 1), STREAM).run([stream_of([(2, "b")])]))) == 1


@pytest.mark.parametrize("direct", [False, True])
def test_two_joins_of_one_file(folder: Path, direct: bool) -> None:
    """Each waits in the midst of a page while the other one reads."""
    relation = relation_of([(key, "x" * 1000) for key in range(4)] * 5000)
    write_pages(folder / "shared.pages", [relation], relation.schema, key=["id"], page_bytes=1 << 22)
    with PageFile(folder / "shared.pages", direct) as pages:
        join = MeshJoin(pages, ON, STREAM, memory_bytes=64 << 20)
        runs = [join.run([stream_of([(key, None)])]) for key in range(4)]
        found = [
            [row[5] for batches in parts for row in batches]
            for parts in zip(*[map(rows_of, run) for run in runs], strict=True)
        ]
    skeys = relation.column("skey").to_pylist()
    assert sorted(skey for part in found for skey in part) == skeys


def test_many_nulls_on_both_sides(folder: Path) -> None:
    """They match nothing, and are not compared with each other."""
    relation = relation_of([(None, "a")] * 20_000 + [(7, "b")])
    stream = stream_of([(None, "a")] * 20_000 + [(7, None)])
    with stored(folder, relation, 5000) as pages:
        join = MeshJoin(pages, ON, STREAM)
        matcher = join.condition.matcher(20_001)
        matcher.add(stream)
        compared = [len(rows) for page in range(pages.pages) for rows, _ in matcher.candidates(pages.read(page, 1))]
        assert sum(compared) == 1
        assert [row[0] for row in all_rows(join.run([stream]))] == [7]


@pytest.mark.parametrize("kind", [pa.float16(), pa.null(), pa.list_(pa.int64())], ids=str)
def test_types_that_are_no_keys(kind: pa.DataType) -> None:
    schema = pa.schema([("id", kind)])
    with pytest.raises(ValueError, match=r"The key column id is of type .*, which cannot be a key"):
        MeshJoin(Relation(schema), Equal.on("id"), schema)


def test_an_idle_join_reads_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    relation, rows, reads = relation_of([(1, "a"), (2, "b")]), stream_of([(1, "a")]), []
    read = PageFile.read
    monkeypatch.setattr(PageFile, "read", lambda self, first, count: reads.append(first) or read(self, first, count))
    with stored(folder, relation, 1) as pages:
        batches = [rows, *[None] * 100, rows]
        assert len(all_rows(MeshJoin(pages, ON, STREAM).run(batches))) == 2
    assert len(reads) <= 2 * pages.pages


_UNEVEN: pa.Array = pa.array([""] * 1000 + ["x" * 100_000] * 40)


@pytest.mark.parametrize(
    ("columns", "page_bytes"),
    [
        # By their average, all would lie on two pages.
        ([_UNEVEN], 1 << 20),
        ([pa.ListArray.from_arrays(pa.array(range(1041), pa.int32()), _UNEVEN)], 1 << 20),
        ([pa.array([True, False] * 5000)] * 800, 1 << 18),
        ([pa.array([True, None] * 5000)] * 800, 1 << 18),
    ],
    ids=["texts", "lists", "bits", "bits and nulls"],
)
def test_pages_have_the_wanted_size(folder: Path, columns: list[pa.Array], page_bytes: int) -> None:
    count = len(columns[0])
    rows = pa.record_batch([pa.array(range(count)), *columns], ["id", *map(str, range(len(columns)))])
    assert write_pages(folder / "sized", [rows], rows.schema, key=["id"], page_bytes=page_bytes) == count
    with PageFile(folder / "sized") as pages:
        # The bits of a column are whole bytes of each page.
        most = page_bytes + 2 * len(columns) * (len(columns) > 1)
        assert max(pages.read(page, 1).rows.nbytes for page in range(pages.pages)) <= most
        assert sum(pages.row_counts) == count


@pytest.mark.parametrize(
    "kind",
    [
        pa.dictionary(pa.int32(), pa.string()),
        pa.list_view(pa.string()),
        pa.list_(pa.int64(), 2),
        pa.run_end_encoded(pa.int32(), pa.string()),
        pa.uuid(),
    ],
    ids=str,
)
def test_types_that_spark_does_not_have(folder: Path, kind: pa.DataType) -> None:
    """As a column, and within one, of the relation and of the stream."""
    for each in (kind, pa.struct([("a", pa.list_(kind))]), pa.map_(pa.string(), kind)):
        schema = pa.schema([("id", pa.int64()), ("value", each)])
        with pytest.raises(ValueError, match=r"The column value is of type .*, which a mesh join can't hold"):
            write_pages(folder / "refused", [], schema, key=["id"])
        with pytest.raises(ValueError, match=r"The column value is of type .*, which a mesh join can't hold"):
            MeshJoin(Relation(RELATION), Equal.on("id"), schema)
    assert not list(folder.glob("refused*"))


def test_columns_of_tuples_that_match_nothing_are_nullable(folder: Path) -> None:
    relation = relation_of([(1, "a")]).cast(pa.schema([field.with_nullable(False) for field in RELATION]))
    with stored(folder, relation, 1) as pages:
        assert {field.nullable for field in list(MeshJoin(pages, ON, STREAM).schema)[3:]} == {False}
        (found,) = MeshJoin(pages, ON, STREAM, "left").run([stream_of([(2, None)])])
        pq.write_table(pa.table(found), folder / "found.parquet")
        assert pq.read_table(folder / "found.parquet").column("skey").to_pylist() == [None]


CONDITIONS: dict[str, tuple[Condition, Any]] = {
    "a range": (Between("key", "id", "skey"), lambda one, other: other[0] <= one[0] <= other[2]),
    "an inequality": (Between("key", high="id", is_strict=True), lambda one, other: one[0] < other[0]),
    "a distance": (Near("key", "id", 1), lambda one, other: abs(one[0] - other[0]) <= 1),
    "any function": (
        Where(lambda left, right: np.asarray(left["key"]) % 2 == np.asarray(right["id"]) % 2, ("key",), ("id",)),
        lambda one, other: one[0] % 2 == other[0] % 2,
    ),
}


@pytest.mark.parametrize("kind", CONDITIONS)
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    stream=st.lists(st.integers(0, 9), max_size=40),
    relation=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=20),
    per_page=st.integers(1, 6),
    w=st.integers(1, 9),
    b=st.integers(1, 4),
    how=st.sampled_from(KINDS),
)
def test_other_conditions(
    folder: Path, kind: str, stream: list[int], relation: list[Row], per_page: int, w: int, b: int, how: str
) -> None:
    condition, matches = CONDITIONS[kind]
    left = pa.RecordBatch.from_pydict({"key": pa.array(stream, pa.int64())})
    rows = [pa.array([row[at] for row in relation], pa.int64()) for at in (0, 1, 1)]
    right = pa.RecordBatch.from_arrays(rows, ["id", "place", "skey"])
    with stored(folder, right, per_page, ()) as pages:
        join = MeshJoin(pages, condition, left.schema, how, MEMORY, most_pages=4)
        batches = [left.slice(at, 3) for at in range(0, len(stream), 3)]
        found = all_rows(Drawn(join, batches, [(w, b), (0, 1)]).batches())
    assert Counter(found) == exact(rows_of(left), rows_of(right), how, matches, slice(0, 3))


def test_not_a_number_lies_in_no_range(folder: Path) -> None:
    left = pa.RecordBatch.from_pydict({"key": [0.5, float("nan")]})
    right = pa.RecordBatch.from_pydict({"low": [0.0, float("nan"), 0.0], "high": [1.0, 1.0, float("nan")]})
    with stored(folder, right, 2, ()) as pages:
        join = MeshJoin(pages, Between("key", "low", "high"), left.schema, "inner", MEMORY)
        assert all_rows(join.run([left])) == [(0.5, 0.0, 1.0)]


@pytest.mark.parametrize("how", ["inner", "left"])
def test_a_relation_of_keys_alone(folder: Path, how: str) -> None:
    right = pa.RecordBatch.from_pydict({"key": pa.array([1, 2], pa.int64())})
    with stored(folder, right, 1, ["key"]) as pages:
        found = all_rows(MeshJoin(pages, Equal.on("key"), STREAM, how, MEMORY).run([stream_of([(2, "a"), (5, "b")])]))
    assert sorted(found) == [(2, "a", 0), (5, "b", 1)][: 2 if how == "left" else 1]


@pytest.mark.parametrize("piece", [100, 20_000])
def test_memory_bounds_the_window(folder: Path, piece: int) -> None:
    """Also if a batch of the stream is larger than the memory."""
    left = stream_of([(n, "a" * 50) for n in range(20_000)])
    cycles = []
    with stored(folder, relation_of([(n, "x") for n in range(2000)]), 200) as pages:
        for memory in (100_000, 400_000):
            counts = Counts()
            join = MeshJoin(pages, ON, STREAM, "inner", memory, most_pages=2)
            found = all_rows(join.run((left.slice(at, piece) for at in range(0, 20_000, piece)), counts))
            assert len(found) == 2000
            assert counts.peak_bytes <= memory
            cycles.append(counts.iterations * 2 / pages.pages)
    assert 60 > cycles[0] > 3 * cycles[1] > 3


@pytest.mark.parametrize("direct", [False, True])
def test_a_tuple_that_never_fits(folder: Path, direct: bool) -> None:
    stored(folder, relation_of([(2, "x")]), 1).close()
    keys: list[Row] = [(1, "a"), (2, "a" * 50_000), (3, "a")]
    with PageFile(folder / "relation.pages", direct) as pages:
        join = MeshJoin(pages, ON, STREAM, "inner", 20_000)
        with pytest.raises(ValueError, match="A tuple of the stream takes 50,016 bytes, for which the 20,000 bytes"):
            all_rows(join.run([stream_of(keys[:1]), stream_of(keys[1:])]))


WIDE = pa.schema([("key", pa.int64()), ("at", pa.int32()), ("text", pa.string()), ("flag", pa.bool_())])


@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.tuples(KEYS, st.sampled_from([None, 0, 1, 7, 60, 400]), st.sampled_from([None, True])), max_size=150
    ),
    sizes=st.lists(st.integers(1, 40), min_size=1, max_size=3),
    choices=st.lists(st.tuples(st.integers(1, 60), st.integers(1, 5)), min_size=1, max_size=3),
    memory=st.integers(900, 9000),
    how=st.sampled_from(["inner", "left", "left_semi", "left_anti"]),
)
def test_nulls_and_varied_widths_in_little_memory(
    folder: Path,
    rows: list[Row],
    sizes: list[int],
    choices: list[tuple[int, int]],
    memory: int,
    how: str,
) -> None:
    texts = [None if width is None else "x" * width for _, width, _ in rows]
    cells = [[key for key, _, _ in rows], list(range(len(rows))), texts, [flag for _, _, flag in rows]]
    left = pa.RecordBatch.from_arrays([pa.array(c, f.type) for c, f in zip(cells, WIDE, strict=True)], schema=WIDE)
    right = relation_of([(key, "x") for key in (0, 1, 1, 2, None, 4)])
    batches, at = [], 0
    while at < left.num_rows:
        batches.append(left.slice(at, sizes[len(batches) % len(sizes)]))
        at += batches[-1].num_rows
    with stored(folder, right, 2) as pages:
        join, counts = MeshJoin(pages, ON, WIDE, how, memory, most_pages=1), Counts()
        found = all_rows(Drawn(join, batches, choices, counts).batches())
        assert counts.peak_bytes <= memory

    def matches(one: Row, other: Row) -> bool:
        return one[0] is not None and one[0] == other[0]

    assert Counter(found) == exact(rows_of(left), rows_of(right), how, matches, slice(0, 3))


@pytest.mark.parametrize("memory", [1 << 20, 64 << 20])
def test_a_wide_tuple_after_narrow_ones(folder: Path, memory: int) -> None:
    """Of nine tenths of what is free after the hash table: that is as large as the first tuples suggest."""
    left = stream_of([(2, "a" * 100)] * 50)
    right = relation_of([(2, "x")])
    with stored(folder, right, 1) as pages:
        join, counts = MeshJoin(pages, ON, STREAM, "left", memory), Counts()
        free = memory - Equal.on("key").row_bytes(join.capacity(left.nbytes // 50))
        wide = stream_of([(2, "a" * (free * 9 // 10))])
        assert sum(found.num_rows for found in join.run([left, wide, left], counts=counts)) == 101
        assert counts.peak_bytes <= memory


@pytest.mark.parametrize("before", ["nothing", "narrow ones", "a wide one"])
@pytest.mark.parametrize("columns", [2, 12])
def test_a_tuple_that_fits_with_fewer_pages_is_accepted(folder: Path, columns: int, before: str) -> None:
    """Of each size around those at which one page less is read at a time."""
    names = ["key", "text", *(f"c{number}" for number in range(2, columns))]

    def tuples(keys: list[int], text: str) -> pa.RecordBatch:
        cells = [
            pa.array(keys, pa.int64()),
            pa.array([text] * len(keys), pa.string()),
            *[pa.array([1] * len(keys), pa.int8())] * (columns - 2),
        ]
        return pa.record_batch(cells, names=names)

    rows = pa.record_batch([pa.array(range(8000)), pa.array(["y" * 24] * 8000)], names=["id", "place"])
    write_pages(folder / "relation.pages", [rows], rows.schema, key=["id"], page_bytes=1 << 14)
    with PageFile(folder / "relation.pages", direct=True) as pages:
        join = MeshJoin(pages, ON, tuples([], "").schema, memory_bytes=1 << 19)
        most = join.pages_at_a_time
        assert most > 1
        for count in range(most, 0, -1):
            widest = bisect_left(range(1 << 19), True, key=lambda size: not join._tuples_with(count, size)) - 1
            own = tuples([1], "").nbytes + columns
            for text in ("z" * (widest - own + more) for more in range(-columns - 1, columns + 2 if count > 1 else 1)):
                new = {
                    "nothing": [],
                    "narrow ones": [tuples([1, 2], "a")],
                    "a wide one": [tuples([7], text[:-columns])],
                }[before]
                counts = Counts()
                found = sum(batch.num_rows for batch in join.run([*new, tuples([5], text)], counts=counts))
                assert found == 1 + sum(batch.num_rows for batch in new)
                assert counts.peak_bytes <= join.memory_bytes


def test_direct_reads_keep_no_more_memory_than_they_need(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a wide tuple leaves room for fewer pages at a time, and later on."""
    memory = 1 << 20
    rows = pa.record_batch([pa.array(range(64_000)), pa.array(["y" * 24] * 64_000)], names=["id", "place"])
    write_pages(folder / "relation.pages", [rows], rows.schema, key=["id"], page_bytes=1 << 15)
    sizes: list[int] = []
    buffers: list[weakref.ref[Any]] = []
    add, aligned = Window.add, relation_module._aligned

    def noted_buffer(size: int) -> Any:
        buffer = aligned(size)
        buffers.append(weakref.ref(buffer))
        return buffer

    def held() -> int:
        return sum(len(buffer) for each in buffers if (buffer := each()) is not None)

    def noted(window: Window, *arguments: Any) -> None:
        add(window, *arguments)
        sizes.append(window.nbytes + held())

    monkeypatch.setattr(relation_module, "_aligned", noted_buffer)
    monkeypatch.setattr(Window, "add", noted)
    with PageFile(folder / "relation.pages", direct=True) as pages:
        wide = "z" * (memory - pages.page_bytes - 1000)
        new = [pa.record_batch([pa.array([n]), pa.array([t])], names=["key", "text"]) for n, t in ((1, "a"), (5, wide))]
        join = MeshJoin(pages, ON, new[0].schema, memory_bytes=memory)
        assert join.pages_at_a_time > 1
        assert sum(batch.num_rows for batch in join.run([*new, new[0]])) == 3
        assert len(sizes) == 3
        assert max(sizes) <= memory
        for count in (6, 2):
            for begin in (0, count, 2 * count):
                read = pages.read(begin, count)
        assert 0 < read.rows.nbytes < held() <= 2 * pages.page_bytes


def test_a_wide_tuple_before_narrow_ones(folder: Path) -> None:
    """It takes most of the memory; when it has left, those that follow fit a window together."""
    right = relation_of([(2, "x")])
    narrow = stream_of([(2, "a")] * 3000)
    with stored(folder, right, 1) as pages:
        join, counts = MeshJoin(pages, ON, STREAM, "left", 4 << 20), Counts()
        batches = [stream_of([(2, "a" * 1_000_000)]), *(narrow.slice(at, 500) for at in range(0, 3000, 500))]
        assert sum(found.num_rows for found in join.run(batches, counts=counts)) == 3001
    assert counts.peak_bytes <= 4 << 20
    assert counts.iterations < 20


_POOLS: list[pa.MemoryPool] = []


@contextmanager
def watched() -> Iterator[Callable[[], int]]:
    """The most bytes that Arrow's and Python's objects, numpy's arrays too, have sizes within the block; after it."""
    previous = pa.default_memory_pool()
    pool = pa.proxy_memory_pool(previous)
    # What is allocated in it, such as the last batch, may outlive the block.
    _POOLS.append(pool)
    peak: list[int] = []
    pa.set_memory_pool(pool)
    tracemalloc.start()
    try:
        yield lambda: pool.max_memory() + peak[0]
    finally:
        peak.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        pa.set_memory_pool(previous)


@pytest.mark.parametrize(
    ("memory", "keys", "rows", "row", "tuples", "text"),
    [
        (48 << 20, 1, 10, 20_000, 1500, lambda n: ""),
        (48 << 20, 1, 1000, 0, 4, lambda n: "x" * 200_000),
        (48 << 20, 1, 2, 0, 400_000, lambda n: "x" * 80),
        (48 << 20, 1, 1, 0, 500_000, lambda n: b"x" * 64),
        (2 << 20, 20, 1000, 60, 2000, lambda n: "x" * (n * 7919 % 120)),
    ],
    ids=["wide rows", "wide tuples", "a large window", "one width", "uneven texts"],
)
def test_what_is_copied_for_results_is_bounded(
    folder: Path, memory: int, keys: int, rows: int, row: int, tuples: int, text: Callable[[int], Any]
) -> None:
    """Of frequent keys, each with many rows and tuples."""
    right = pa.record_batch(
        [pa.array(np.repeat(range(keys), rows)), pa.array(["y" * row] * keys * rows)], ["id", "wide"]
    )
    texts = [text(n) for n in range(tuples)]
    cells = pa.array(texts, pa.string() if isinstance(texts[0], str) else pa.binary(len(texts[0])))
    left = pa.record_batch([pa.array(np.arange(tuples) % keys), cells], ["key", "text"])
    with stored(folder, right, 3000) as pages:
        join = MeshJoin(pages, ON, left.schema, "inner", memory)
        with watched() as most:
            found = sum(batch.num_rows for batch in join.run([left]))
    assert found == rows * tuples
    assert most() <= memory + RESULT_BYTES


@pytest.mark.parametrize("tuples", [1, 400, 40_000])
def test_many_results_take_no_more_memory(folder: Path, tuples: int) -> None:
    """Arrow's and numpy's arrays together, whatever one key has many of."""
    rows = 400_000 // tuples
    right = pa.RecordBatch.from_pydict({"id": pa.array([1] * rows, pa.int64()), "wide": ["y" * 80] * rows})
    left = pa.RecordBatch.from_pydict({"key": pa.array([1] * tuples, pa.int64()), "at": range(tuples)})
    with stored(folder, right, 5000) as pages:
        join = MeshJoin(pages, ON, left.schema, "left", MEMORY)
        found: Counter[int] = Counter()
        with watched() as most:
            for batch in join.run([left]):
                own, counts = np.unique(batch.column("at").to_numpy(), return_counts=True)
                found.update(dict(zip(own.tolist(), counts.tolist(), strict=True)))
    assert found == dict.fromkeys(range(tuples), rows)
    assert most() <= MEMORY + RESULT_BYTES


@pytest.mark.parametrize("width", [None, 12])
def test_tuples_that_wait_or_are_shed_take_no_more_memory(folder: Path, width: int | None) -> None:
    """Arrow's and numpy's arrays together, of a micro-batch of which a part fits; tuples of one width, and texts."""
    memory, count = 32 << 20, 50_000
    right = pa.RecordBatch.from_pydict({"id": pa.array([-1], pa.int64()), "wide": ["y"]})
    frame = {"key": pa.array(range(count), pa.int64())}
    left = pa.RecordBatch.from_pydict(frame if width is None else {**frame, "text": ["x" * width] * count})
    with stored(folder, right, 1000) as pages:
        join, counts = MeshJoin(pages, ON, left.schema, "inner", memory), Counts()
        with watched() as most:
            schema = join.schema.append(pa.field("is_shed", pa.bool_()))
            for found in shedding(join, itertools.repeat(left, 50), "sample_w", None, schema, counts):
                assert all(found.column("is_shed").to_pylist())
    assert counts.tuples > 0.9 * join.capacity(-(-left.nbytes // count))
    assert counts.shed + counts.tuples == 50 * count
    assert counts.peak_bytes <= memory
    assert most() <= memory + RESULT_BYTES


def nested(count: int) -> pa.RecordBatch:
    """Columns of all kinds, whose values grow."""
    kinds: dict[str, Any] = {
        "number": list(range(count)),
        "flag": [True] * count,
        "text": ["x" * n for n in range(count)],
        "texts": [["y" * n] * (n % 3) for n in range(count)],
        "struct": [{"a": n, "b": "z" * n} for n in range(count)],
        "null": [None] * count,
    }
    return pa.RecordBatch.from_pydict(kinds)


@given(begin=st.integers(0, 9), count=st.integers(1, 20))
def test_sizes_of_rows(begin: int, count: int) -> None:
    rows = nested(30).slice(begin, count)
    sizes = row_sizes(rows, np.arange(count))
    assert sizes.sum() == pytest.approx(rows.nbytes, abs=30)
    cut = list(pieces(sizes, 200))
    assert [at for begin, end in cut for at in range(begin, end)] == list(range(count))
    assert all(sizes[begin:end].sum() <= 200 or end - begin == 1 for begin, end in cut)


@pytest.mark.parametrize(
    ("column", "bits"),
    [
        (pa.array(["", None, "x" * 20, "ab"]).slice(1), [1 + 32, 1 + 32 + 160, 1 + 32 + 16]),
        (pa.array([None, [1]], pa.list_(pa.int8())), [1 + 32, 1 + 32 + 8]),
        (pa.array([True, False] * 4), [1] * 8),
        (pa.array([True, None] * 8), [2] * 16),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else "",
)
def test_sizes_are_exact(column: pa.Array, bits: list[int]) -> None:
    """A bit for a null of a nullable column; where eight columns are alike, their bits are bytes."""
    rows = pa.RecordBatch.from_arrays([column] * 8, [str(number) for number in range(8)])
    assert row_sizes(rows, np.arange(len(column))).tolist() == bits


def test_notes_of_rows_may_need_the_memory_of_pages_that_are_read_ahead(folder: Path) -> None:
    stored(folder, relation_of([(n % 5000, "a") for n in range(20_000)]), 500).close()
    with PageFile(folder / "relation.pages", direct=True) as pages:
        join = MeshJoin(pages, ON, STREAM, "right_anti", pages.page_bytes + 4000)
        found = all_rows(join.run([stream_of([(n, "a") for n in range(4999)])]))
    assert [row[0] for row in found] == [4999] * 4


class TestBadInput:
    def test_columns_that_do_not_fit(self) -> None:
        relation = Relation(RELATION.set(0, pa.field("id", pa.string())))
        for names, message in (
            ({"key": "id"}, r"The key is of type int64 in the stream \(key\), string in the relation \(id\)."),
            ({"kee": "id"}, "The stream has no column kee; it has key, branch, at."),
            ({"key": "nr"}, "The relation has no column nr; it has id, place, skey."),
            ({}, "A mesh join needs at least one key column."),
        ):
            with pytest.raises(ValueError, match=message):
                MeshJoin(relation, Equal.on(names), STREAM)
        for name, repeated in (("branch", "branch"), ("Branch", "branch/Branch")):
            relation = Relation(RELATION.set(1, pa.field(name, pa.string())))
            with pytest.raises(ValueError, match=rf"Both sides have the column\(s\) {repeated}: rename them in one."):
                MeshJoin(relation, ON, STREAM)
        with pytest.raises(ValueError, match="There is no mesh join 'outer': inner, left"):
            MeshJoin(relation, ON, STREAM, "outer")

    def test_memory_that_is_too_small_for_a_page(self, folder: Path) -> None:
        right = relation_of([(n, "x") for n in range(2000)])
        stored(folder, right, 2000).close()
        with PageFile(folder / "relation.pages", direct=True) as pages:
            join = MeshJoin(pages, ON, STREAM, "inner", 50_000)
            with pytest.raises(ValueError, match="needs more than the 50,000 bytes of memory granted"):
                all_rows(join.run([stream_of([(1, "a")])]))

    def test_a_stream_that_changes_its_columns(self, folder: Path) -> None:
        right = relation_of([(1, "x")])
        other = stream_of([(1, "a")]).rename_columns(["key", "branch", "when"])
        with stored(folder, right, 5) as pages:
            join = MeshJoin(pages, ON, STREAM)
            with pytest.raises(
                ValueError, match="The stream has the columns key, branch, when, and had key, branch, at"
            ):
                all_rows(join.run([stream_of([(1, "a")]), other]))

    def test_files_that_hold_no_relation(self, folder: Path) -> None:
        with pytest.raises(FileNotFoundError):
            PageFile(folder / "missing.pages")
        (folder / "half.pages").write_bytes(b"deltawave")
        with pytest.raises(ValueError, match=r"half.pages is no file of pages, or was not written to its end."):
            PageFile(folder / "half.pages")
