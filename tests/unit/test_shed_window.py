"""Micro-batches that need more memory than is granted: one window is joined, the rest comes out unjoined."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deltawave.meshjoin.conditions import Equal
from deltawave.meshjoin.operator import MeshJoin
from deltawave.meshjoin.relation import PageFile, Relation, write_pages
from deltawave.meshjoin.shedding import PRIORITIES, KeyFrequencies, keep_w, shedding
from deltawave.meshjoin.stream import Counts

ON = Equal.on("key")


def tuples_of(keys: Sequence[int], widths: Sequence[int | None] = ()) -> pa.RecordBatch:
    rows = pa.record_batch([pa.array(keys, pa.int64()), pa.array(range(len(keys)), pa.int32())], ["key", "at"])
    texts = [None if width is None else "x" * width for width in widths]
    return rows.append_column("text", pa.array(texts, pa.string())) if widths else rows


def relation_of(folder: Path, keys: Sequence[int], per_page: int = 4) -> PageFile:
    rows = pa.record_batch([pa.array(keys, pa.int64()), pa.array(range(len(keys)), pa.int64())], ["key", "skey"])
    write_pages(folder / "relation.pages", [rows], rows.schema, key=["key"], page_bytes=16 * per_page)
    (folder / "relation.pages.frequencies").unlink(missing_ok=True)
    return PageFile(folder / "relation.pages")


def all_rows(batches: Iterable[pa.RecordBatch]) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(row.values()) for batch in batches for row in batch.to_pylist())


def parted(
    join: MeshJoin, batches: Sequence[pa.RecordBatch], priority: str, folder: Path, counts: Counts
) -> tuple[list[pa.RecordBatch], list[pa.RecordBatch]]:
    """The results, and the tuples that were shed."""
    schema = join.schema.append(pa.field("is_shed", pa.bool_()))
    results, shed = [], []
    for found in shedding(join, iter(batches), priority, str(folder / "relation.pages"), schema, counts):
        is_shed = found.column("is_shed")
        results.append(found.filter(pc.invert(is_shed)).drop_columns(["is_shed"]))
        shed.append(found.filter(is_shed).select(join.stream_schema.names))
    return results, shed


@pytest.mark.parametrize("priority", PRIORITIES)
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    keys=st.lists(st.tuples(st.integers(0, 9), st.sampled_from([None, 0, 3, 90, 9000])), max_size=60),
    relation=st.lists(st.integers(0, 7), min_size=1, max_size=20),
    size=st.integers(1, 20),
    memory=st.integers(500, 6000),
    how=st.sampled_from(["inner", "left", "left_semi", "left_anti"]),
)
def test_what_was_shed_completes_the_result(
    folder: Path,
    priority: str,
    keys: list[tuple[int, int | None]],
    relation: list[int],
    size: int,
    memory: int,
    how: str,
) -> None:
    tuples = tuples_of([key for key, _ in keys], [width for _, width in keys])
    batches = [tuples.slice(at, size) for at in range(0, tuples.num_rows, size)]
    with relation_of(folder, relation) as pages:
        join, counts = MeshJoin(pages, ON, tuples.schema, how, memory, most_pages=1), Counts()
        results, shed = parted(join, batches, priority, folder, counts)
        assert counts.peak_bytes <= memory
        assert counts.tuples + counts.shed == len(keys)
        assert counts.shed == sum(rows.num_rows for rows in shed)
        whole = MeshJoin(pages, ON, tuples.schema, how)
        assert all_rows(results) + all_rows(whole.run(shed)) == all_rows(whole.run([tuples]))


@pytest.mark.parametrize("widths", [(0,), (0, 200)], ids=["one width", "wide ones first"])
@pytest.mark.parametrize("priority", ["keep_w", "top_w"])
def test_one_window_is_joined_in_one_reading(folder: Path, priority: str, widths: Sequence[int]) -> None:
    """Many times what the memory holds is there: most of the memory is used, and the best tuples are kept."""
    texts = sorted((widths[n % len(widths)] for n in range(40_000)), reverse=True)
    tuples = tuples_of([n % 100 for n in range(40_000)], texts)
    batches = [tuples.slice(at, 1000) for at in range(0, 40_000, 1000)]
    with relation_of(folder, [n % 100 for n in range(150)], per_page=10) as pages:
        join, counts = MeshJoin(pages, ON, tuples.schema, "inner", 400_000, most_pages=1), Counts()
        results, shed = parted(join, batches, priority, folder, counts)
        assert counts.pages <= pages.pages
        assert 0 < counts.shed < 40_000
        assert 360_000 < counts.peak_bytes <= 400_000
        # The first 50 keys match two rows each.
        assert (sum(rows.num_rows for rows in results) == 2 * counts.tuples) == (priority == "top_w")
        assert all_rows(results) + all_rows(join.run(shed)) == all_rows(join.run(batches))
        assert [at for rows in shed for at in rows.column("at").to_pylist()] == sorted(
            at for rows in shed for at in rows.column("at").to_pylist()
        )
        if priority == "keep_w":
            assert min(rows.column("at")[0].as_py() for rows in shed if rows.num_rows) == counts.tuples


def test_a_wide_tuple_is_shed_before_many_others(folder: Path) -> None:
    tuples = tuples_of([1] * 5000, [100_000, *[0] * 4999])
    with relation_of(folder, [1]) as pages:
        join, counts = MeshJoin(pages, ON, tuples.schema, "inner", 120_000), Counts()
        _, shed = parted(join, [tuples], "keep_w", folder, counts)
        assert 0 in [at for rows in shed for at in rows.column("at").to_pylist()]
        assert counts.tuples > 2000
        few, counts = tuples.slice(0, 2), Counts()
        assert sum(rows.num_rows for rows in parted(join, [few], "keep_w", folder, counts)[0]) == 2


def test_tuples_that_match_nothing_of_a_part_without_rows(folder: Path) -> None:
    tuples, counts = tuples_of(range(5000)), Counts()
    empty = Relation(pa.schema([("key", pa.int64()), ("skey", pa.int64())]))
    join = MeshJoin(empty, ON, tuples.schema, "left", 1000)
    results, _ = parted(join, [tuples], "top_w", folder, counts)
    assert (sum(rows.num_rows for rows in results), counts.shed) == (5000, 0)


@pytest.mark.parametrize("priority", ["sample_w", "cluster_sampling"])
def test_probabilities_make_estimates_of_samples_unbiased(folder: Path, priority: str) -> None:
    """Two tasks, one of which has a hot key and most of the stream: by Horvitz and Thompson, of all results.

    Without the probabilities, the hot key has a much smaller share of the sample than of the stream.
    """
    tasks = {(1,): 24_000, tuple(range(2, 12)): 4000}
    wanted, kept, estimates = 0, Counter[int](), np.zeros(12)
    for keys, count in tasks.items():
        tuples = tuples_of([keys[n % len(keys)] for n in range(count)])
        matches = [key for key in keys for _ in range(1 + key % 3)]
        own = folder / f"{priority} {keys[0]}"
        own.mkdir()
        with relation_of(own, matches) as pages:
            join = MeshJoin(pages, ON, tuples.schema, "inner", 60_000, most_pages=1)
            schema = join.schema.append(pa.field("p", pa.float64())).append(pa.field("is_shed", pa.bool_()))
            file, counts = str(own / "relation.pages"), Counts()
            for rows in shedding(join, iter([tuples]), priority, file, schema, counts):
                found = rows.filter(pc.invert(rows.column("is_shed")))
                np.add.at(
                    estimates, found.column("key").to_numpy(), 1 / found.column("p").to_numpy(zero_copy_only=False)
                )
                kept.update(found.column("key").to_pylist())
            wanted += sum(count // len(keys) * (1 + key % 3) for key in keys)
        assert counts.shed
    assert kept[1] / sum(kept.values()) < 0.7 * 2 * 24_000 / wanted
    # The standard deviation is below 3% for the hot key.
    assert estimates[1] == pytest.approx(2 * 24_000, rel=0.15)
    assert estimates.sum() == pytest.approx(wanted, rel=0.15)


def test_what_shedding_spares(folder: Path) -> None:
    """What the shed rows would have taken at the speed of the others, less what it takes to choose and write them.

    Of a clock that only these move: a page is read in a second, a priority is given in ten, a tuple is waited for and
    a result is used in a thousand.
    """
    tuples, counts, now = tuples_of([n % 10 for n in range(10_000)]), Counts(), [0.0]

    def passing(seconds: float, function: Any) -> Any:
        def passed(*arguments: Any) -> Any:
            now[0] += seconds
            return function(*arguments)

        return passed

    source = map(passing(1000, lambda rows: rows), [tuples])
    prioritized = {"keep_w": lambda random: passing(10, keep_w)}
    with (
        relation_of(folder, range(10)) as pages,
        patch("deltawave.meshjoin.shedding.time.monotonic", lambda: now[0]),
        patch("deltawave.meshjoin.shedding.PRIORITIES", prioritized),
        patch.object(pages, "read", passing(1, pages.read)),
    ):
        join = MeshJoin(pages, ON, tuples.schema, "inner", 60_000, most_pages=1)
        schema = join.schema.append(pa.field("is_shed", pa.bool_()))
        for _ in shedding(join, source, "keep_w", str(folder / "relation.pages"), schema, counts):
            now[0] += 1000
    assert counts.pages == 3
    assert counts.spared_seconds == pytest.approx(3 * counts.shed / counts.tuples - 10)
    assert counts.shed > counts.tuples


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(relation=st.lists(st.integers(0, 30), max_size=50), most=st.integers(1, 20))
def test_how_many_rows_keys_have(folder: Path, relation: list[int], most: int) -> None:
    """However few hashes are sorted at a time; and the file next to the pages says the same later."""
    real = [relation.count(key) for key in range(40)]
    with patch("deltawave.meshjoin.shedding._HASHES", most), relation_of(folder, relation) as pages:
        counted = KeyFrequencies.of(pages, ON)
        stored = KeyFrequencies.stored(folder / "relation.pages", pages, ON)
    assert counted.hashes.tolist() == sorted(set(counted.hashes.tolist()))
    again = KeyFrequencies.stored(folder / "relation.pages", Relation(pages.schema), ON)
    for found in (counted, stored, again):
        assert found(tuples_of(range(40))).tolist() == real
    assert (folder / "relation.pages.frequencies").stat().st_size == 12 * len(set(relation))


def test_a_null_key_has_no_matches(folder: Path) -> None:
    with relation_of(folder, [None, None, 1, 2, 2]) as pages:
        assert KeyFrequencies.of(pages, ON)(tuples_of([None, 1, 2])).tolist() == [0, 1, 2]
