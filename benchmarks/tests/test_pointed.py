"""Algorithms that read no more of the snapshots than they need: by pointers, by blocks, by parts, by loops."""

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from functional.strategies.found import kinds, storing
from pyspark.errors import PythonException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from deltawave.differencing import compression, hash_compressed, snapshot_differential, sort_merge_compressed
from deltawave.resources import release
from laboratory.differencing import parts, stored_rows
from laboratory.differencing.algorithms import BY_NAME

pytestmark = pytest.mark.usefixtures("interpreted", "heard")

Stored = Callable[..., DataFrame]
POINTED = ["sort_merge_pointed", "partitioned_hash_pointed"]


@pytest.fixture
def stored(spark: SparkSession, tmp_path: Path) -> Stored:
    """A snapshot in a Parquet file of four row groups."""
    return storing(spark, tmp_path, 250)


def accounts(ids: range, changed: int = -1, note: str = "") -> pa.Table:
    branch = [-1 if number == changed else number % 7 for number in ids]
    types = [pa.int64(), pa.int64(), pa.string()]
    cells = [pa.array(cell, kind) for cell, kind in zip((list(ids), branch, [note] * len(ids)), types, strict=True)]
    return pa.table(cells, names=["id", "branch", "note"])


def tasks_of(frame: DataFrame) -> int:
    return len({row.task for row in frame.select(F.spark_partition_id().alias("task")).collect()})


def test_segments_and_row_groups_have_tasks_of_their_own(
    spark: SparkSession, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces = spark.range(8).selectExpr("cast(id as int) as segment", "0Y as kind")
    for segments in (2, 4, 8):
        assert tasks_of(compression.by_segment(pieces.where(f"segment < {segments}"), segments)) == segments
    monkeypatch.setattr(stored_rows, "parallelism", lambda session: 3)
    rows = stored_rows.StoredRows.of(stored(accounts(range(1000))), ["id"])
    positions = spark.range(0, 1000, 250).selectExpr("id as position", "cast(id / 250 as int) as row_group")
    assert tasks_of(rows.at(positions)) == 3


@pytest.mark.parametrize("algorithm", POINTED)
class TestPointers:
    def test_rows_of_many_segments(
        self, stored: Stored, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, algorithm: str
    ) -> None:
        monkeypatch.setattr(compression, "_SEGMENT_ROWS", 300)
        old, new = stored(accounts(range(1000))), stored(accounts(range(995, 4, -1), 500), 300)
        assert kinds(old, new, BY_NAME[algorithm]) == {"update": 1, "delete": 9}
        assert "no pointers" not in caplog.text

    def test_only_row_groups_with_a_difference_are_read_whole(self, stored: Stored, algorithm: str) -> None:
        old, new = stored(accounts(range(1000))), stored(accounts(range(1000), 600))
        frame = snapshot_differential(old, new, unique_key="id", algorithm=BY_NAME[algorithm], ignore_columns="note")
        # What is carried alone is read for the first time when a row is fetched. The file lacks the first row group.
        file = Path(new.inputFiles()[0].removeprefix("file://"))
        note, times = pq.ParquetFile(file).metadata.row_group(0).column(2), file.stat()
        data = bytearray(file.read_bytes())
        begin = min(note.dictionary_page_offset, note.data_page_offset)
        data[begin : begin + note.total_compressed_size] = b"\xff" * note.total_compressed_size
        file.write_bytes(bytes(data))
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
        assert [row.branch for row in frame.collect()] == [-1]
        release(frame)

    def test_a_file_that_changes_meanwhile_is_an_error(self, stored: Stored, algorithm: str) -> None:
        old, new = stored(accounts(range(100))), stored(accounts(range(100), 60))
        frame = snapshot_differential(old, new, unique_key="id", algorithm=BY_NAME[algorithm])
        os.utime(new.inputFiles()[0].removeprefix("file://"), ns=(1, 1))
        with pytest.raises(PythonException, match=r"was changed while it was compared\. Run again when"):
            frame.collect()
        release(frame)

    @pytest.mark.parametrize("empty", ["old", "new"])
    def test_an_empty_side(self, stored: Stored, algorithm: str, empty: str) -> None:
        sides = [stored(accounts(range(0 if side == empty else 9))) for side in ("old", "new")]
        assert kinds(*sides, BY_NAME[algorithm]) == {"insert" if empty == "old" else "delete": 9}

    def test_what_is_no_plain_table_is_found_by_keys(
        self, stored: Stored, caplog: pytest.LogCaptureFixture, algorithm: str
    ) -> None:
        frame = stored(accounts(range(100)))
        assert kinds(frame, frame.where("id < 50"), BY_NAME[algorithm]) == {"delete": 50}
        assert "no pointers, rows are found by their keys: it is more than all rows" in caplog.text


class TestBlocks:
    SAID = "{} of {} row groups of the old snapshot and {} of {} of the new one differ from all of the other"

    def found(self, old: DataFrame, new: DataFrame, **options: Any) -> Counter[str]:
        return kinds(old, new, BY_NAME["stagnant_by_blocks"], **options)

    def test_a_block_with_an_update(self, stored: Stored, caplog: pytest.LogCaptureFixture) -> None:
        old, new = stored(accounts(range(1000))), stored(accounts(range(1000), 600))
        assert self.found(old, new) == {"update": 1}
        assert self.SAID.format(1, 4, 1, 4) in caplog.text

    def test_rows_are_appended(self, stored: Stored, caplog: pytest.LogCaptureFixture) -> None:
        old, new = stored(accounts(range(1000))), stored(accounts(range(1500)))
        assert self.found(old, new) == {"insert": 500}
        assert self.SAID.format(0, 4, 2, 6) in caplog.text

    def test_blocks_in_another_place(self, stored: Stored, caplog: pytest.LogCaptureFixture) -> None:
        rows = accounts(range(1000))
        old, new = stored(rows), stored(pa.concat_tables([rows.slice(500), rows.slice(0, 500)]))
        assert not self.found(old, new)
        assert self.SAID.format(0, 4, 0, 4) in caplog.text

    def test_rows_that_crossed_the_border_of_a_block(self, stored: Stored) -> None:
        assert self.found(stored(accounts(range(1000))), stored(accounts(range(1, 1000)))) == {"delete": 1}

    def test_columns_that_are_carried_do_not_count(self, stored: Stored, caplog: pytest.LogCaptureFixture) -> None:
        old, new = stored(accounts(range(500))), stored(accounts(range(500), note="seen"))
        assert not self.found(old, new, ignore_columns="note")
        assert self.SAID.format(0, 2, 0, 2) in caplog.text

    @pytest.mark.parametrize("codec", ["zstd", "none"])
    def test_the_same_rows_in_other_bytes(self, stored: Stored, codec: str) -> None:
        rows = accounts(range(500))
        assert not self.found(stored(rows), stored(rows, compression=codec, use_dictionary=False))

    def test_equal_bytes_of_another_meaning(self, stored: Stored) -> None:
        # One day and one millisecond after 1970 as numbers of different units.
        one = pa.table({"id": [1], "at": pa.array([1000], pa.timestamp("ms", tz="UTC"))})
        other = pa.table({"id": [1], "at": pa.array([1000], pa.timestamp("us", tz="UTC"))})
        assert self.found(stored(one), stored(other)) == {"update": 1}

    def test_equal_bytes_of_other_nulls(self, spark: SparkSession, tmp_path: Path) -> None:
        # The one array may be null, the elements of the other may be.
        array = "filter(array(7), element -> id = 3)"
        old = f"select id, if(id = 1, null, {array}) as a from range(1, 4, 1, 1)"
        new = f"select id, if(id = 2, array(cast(null as int)), {array}) as a from range(1, 4, 1, 1)"
        frames = []
        for number, select in enumerate((old, new)):
            spark.sql(select).write.parquet(str(tmp_path / str(number)))
            frames.append(spark.read.parquet(str(tmp_path / str(number))))
        assert self.found(*frames) == {"update": 2}

    def test_what_is_no_plain_table_is_joined(self, stored: Stored, caplog: pytest.LogCaptureFixture) -> None:
        frame = stored(accounts(range(100)))
        assert self.found(frame, frame.where("id < 50")) == {"delete": 50}
        assert "no blocks, Spark joins both snapshots" in caplog.text

    def test_files_that_state_sizes_too_small_are_joined(
        self, stored: Stored, caplog: pytest.LogCaptureFixture
    ) -> None:
        frame = stored(accounts(range(100)))
        file = Path(frame.inputFiles()[0].removeprefix("file://"))
        writer = pq.ParquetFile(file).metadata.created_by.encode()
        file.write_bytes(file.read_bytes().replace(writer, b"parquet-mr version 1.2.8".ljust(len(writer))))
        assert self.found(frame, stored(accounts(range(100), 60))) == {"update": 1}
        assert "no blocks, Spark joins both snapshots" in caplog.text
        assert "was written by parquet-mr version 1.2.8" in caplog.text


class TestSimilar:
    def test_hashes_wait_in_a_longer_window(self, stored: Stored, caplog: pytest.LogCaptureFixture) -> None:
        # Thousands of bytes per row, and room for hundreds of rows' hashes.
        old = stored(accounts(range(1000), note="long" * 1000))
        rows = accounts(range(5, 1000), 600, "long" * 1000)
        new = stored(rows.take(sorted(range(995), key=lambda at: (at // 300, -at))))
        assert kinds(old, new, BY_NAME["similar"], memory_bytes=200_000) == {"update": 1, "delete": 5}
        assert "window of hashes over 1 segments: 100% of the sampled rows lie within 781 rows" in caplog.text
        assert kinds(old, new, "window", memory_bytes=200_000) == {"update": 1, "delete": 5}
        assert "no window, Spark joins both snapshots" in caplog.text

    def test_another_order_is_left_to_keys(self, stored: Stored, caplog: pytest.LogCaptureFixture) -> None:
        rows = accounts(range(1000))
        assert not kinds(
            stored(rows), stored(rows.sort_by([("branch", "ascending")])), BY_NAME["similar"], memory_bytes=10_000
        )
        assert "no window of hashes, rows are found by their keys: only" in caplog.text


class TestParts:
    # Of the table of hashes this is a third.
    MEMORY = 1000 * parts._TABLE_BYTES // 3

    @pytest.mark.parametrize(
        ("algorithm", "tables", "merges"),
        [("nested_loop_compressed", 4, 0), ("hybrid_hash_compressed", 1, 1), ("hybrid_hash", 0, 0)],
    )
    def test_tables_hold_as_much_as_memory_does(
        self, stored: Stored, monkeypatch: pytest.MonkeyPatch, algorithm: str, tables: int, merges: int
    ) -> None:
        compared: list[str] = []
        for library in (hash_compressed, sort_merge_compressed):
            own = library.differing_rows

            def noted(*frames: DataFrame, _own: Any = own, _name: str = library.__name__, **options: Any) -> Any:
                compared.append(_name.rpartition(".")[2])
                assert options.get("memory_bytes", self.MEMORY) == self.MEMORY
                return _own(*frames, **options)

            monkeypatch.setattr(library, "differing_rows", noted)
        old, new = stored(accounts(range(1000))), stored(accounts(range(995, 4, -1), 500))
        assert kinds(old, new, BY_NAME[algorithm], memory_bytes=self.MEMORY) == {"update": 1, "delete": 9}
        assert Counter(compared) == +Counter(hash_compressed=tables, sort_merge_compressed=merges)

    @pytest.mark.parametrize("algorithm", ["nested_loop_compressed", "hybrid_hash_compressed"])
    def test_keys_that_are_equal_in_other_bytes(
        self, spark: SparkSession, caplog: pytest.LogCaptureFixture, algorithm: str
    ) -> None:
        key = "cast(chr({} + id) as string) collate utf8_lcase as id"
        old = spark.range(20).selectExpr(key.format(97), "id as value")
        new = spark.range(20).selectExpr(key.format(65), "if(id = 3, -1, id) as value")
        assert kinds(old, new, BY_NAME[algorithm], memory_bytes=400) == {"update": 1}
        assert "no parts, Spark joins both snapshots" in caplog.text


class TestNestedLoop:
    def test_neither_side_is_exchanged(self, spark: SparkSession, capsys: pytest.CaptureFixture[str]) -> None:
        old, new = spark.range(5), spark.range(1, 6)
        frame = snapshot_differential(old, new, unique_key="id", algorithm=BY_NAME["nested_loop"], check_keys=False)
        frame.explain()
        plan = capsys.readouterr().out
        assert "BroadcastNestedLoopJoin" in plan
        assert "hashpartitioning" not in plan

    def test_a_snapshot_that_memory_does_not_hold(self, stored: Stored) -> None:
        frame = stored(accounts(range(1000)))
        # The first rows say nothing of the others.
        frame = frame.withColumn("text", F.when(F.col("id") < 200, "").otherwise(F.repeat(F.lit("x"), F.lit(1000))))
        with pytest.raises(ValueError, match=r"1,000 rows of about [89]\d\d bytes are more than memory_bytes"):
            snapshot_differential(frame, frame, unique_key="id", algorithm=BY_NAME["nested_loop"], memory_bytes=700_000)
