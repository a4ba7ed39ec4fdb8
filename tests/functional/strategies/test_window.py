"""The algorithms window and text_diff: rows near and far from their order, and what Spark joins."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from found import kinds
from pyspark.sql import DataFrame, SparkSession

from deltawave.differencing import snapshot_differential
from laboratory.differencing.algorithms import BY_NAME, WINDOW_AS_PUBLISHED
from laboratory.evaluation.comparator import compare
from laboratory.evaluation.hashed import Messages, Snapshot

pytestmark = pytest.mark.usefixtures("interpreted", "small_segments", "heard")

ROW = "id as account_id, concat('name of ', id) as name, id % 3 as branch, 0.5D as share"
# Rows 0 to 9 are updated, 900 to 909 gone, 1000 to 1004 new.
NEW_ROW = ROW.replace("id % 3", "if(id < 10, -1, id % 3)")
PRESENT = "id not between 900 and 909"
KINDS = {"update": 10, "delete": 10, "insert": 5}
RENAMED = "columns are renamed or cast"
JOINED = "no text diff, Spark joins both snapshots: only {} of the sampled rows are in the same order"
BY_TEXT = "text diff over 2 segments: 100% of the sampled rows"
# Orders, and how rows are compared that have to keep theirs.
ORDERS = {
    "the same": ("id", BY_TEXT),
    "a row moved to the end": ("id = 500, id", BY_TEXT),
    "halves exchanged": ("id < 500, id", BY_TEXT),
    "reversed by tens": ("id div 10, -id", JOINED.format("10%")),
    "mixed": ("hash(id)", JOINED.format("12%")),
}


class TestFunction:
    @pytest.mark.parametrize("order", ORDERS)
    def test_the_order_does_not_matter(
        self, stored: Callable[..., DataFrame], caplog: pytest.LogCaptureFixture, order: str
    ) -> None:
        by, message = ORDERS[order]
        old = stored("old", f"select {ROW} from range(1000) order by id")
        new = stored("new", f"select {NEW_ROW} from range(1005) where {PRESENT} order by {by}")
        assert kinds(old, new, "window", "account_id") == kinds(old, new, "text_diff", "account_id") == KINDS
        assert "window over 2 segments: 100% of the sampled rows" in caplog.text
        assert message in caplog.text

    @pytest.mark.parametrize("order", ["reversed by tens", "mixed"])
    def test_rows_beyond_the_window_are_joined(
        self, stored: Callable[..., DataFrame], caplog: pytest.LogCaptureFixture, order: str
    ) -> None:
        old = stored("old", f"select {ROW} from range(1000) order by id", 1)
        new = stored("new", f"select {NEW_ROW} from range(1005) where {PRESENT} order by {ORDERS[order][0]}", 1)
        # Room for about fifty rows.
        assert kinds(old, new, "window", "account_id", memory_bytes=20_000) == KINDS
        assert ("Spark joins both snapshots: only" in caplog.text) is (order == "mixed")

    def test_a_text_diff_in_little_memory(self, stored: Callable[..., DataFrame]) -> None:
        old = stored("old", f"select {ROW} from range(1000) order by id", 1)
        new = stored("new", f"select {NEW_ROW} from range(-300, 1005) where {PRESENT} order by id", 9)
        # Room for about fifty rows.
        assert kinds(old, new, "text_diff", "account_id", memory_bytes=20_000) == KINDS | {"insert": 305}

    @pytest.mark.parametrize(
        ("order", "groups", "memory_bytes", "has_pairs"),
        [("id", 1, 1 << 30, False), ("if(id % 10 = 3, 1000 - id, id)", 20, 4_000, True)],
    )
    def test_rows_beyond_the_window_are_pairs_of_a_delete_and_an_insert(
        self, stored: Callable[..., DataFrame], order: str, groups: int, memory_bytes: int, has_pairs: bool
    ) -> None:
        """LG96's own messages, by LG96's comparator."""
        old = stored("old", f"select {ROW} from range(1000) order by id", groups)
        new = stored("new", f"select {NEW_ROW} from range(1005) where {PRESENT} order by {order}", groups)
        options: dict[str, Any] = {"unique_key": "account_id", "memory_bytes": memory_bytes, "check_keys": False}
        frame = snapshot_differential(old, new, algorithm=WINDOW_AS_PUBLISHED, **options)
        reported = Messages.of(frame.toArrow().to_batches(), ["account_id"], new.columns[1:])
        sides = [Snapshot.of(each.toArrow().to_batches(), ["account_id"]) for each in (old, new)]
        found = compare(reported.deletes_first(), *sides)
        assert (found.is_right, found.expected, found.correct) == (True, 25, 25)
        assert (found.extra > 0) is (found.useless_delete_insert_pairs > 0) is has_pairs

    def test_a_snapshot_that_grew_in_front(self, stored: Callable[..., DataFrame]) -> None:
        old = stored("old", f"select {ROW} from range(500, 1000) order by id")
        new = stored("new", f"select {ROW} from range(1000) order by id", 7)
        assert kinds(old, new, "window", "account_id") == {"insert": 500}

    def test_a_result_is_not_that_of_files_that_were_there_before(
        self, spark: SparkSession, stored: Callable[..., DataFrame]
    ) -> None:
        old = stored("old", "select id, 'a' as name from range(2)", 1)
        results = []
        for name in ("b", "c"):
            new = stored("new", f"select id, '{name}' as name from range(2)", 1)
            spark.catalog.refreshByPath(new.inputFiles()[0])
            changes = snapshot_differential(old, new, unique_key="id", algorithm="window", check_keys=False)
            assert {row.name for row in changes.collect()} == {name}
            results.append(changes)

    def test_renamed_and_widened_columns(
        self, stored: Callable[..., DataFrame], caplog: pytest.LogCaptureFixture
    ) -> None:
        # Each of two columns has the other's name.
        renamed = ("account_id as key", "branch as name", "name as branch", "cast(share as double) as share")
        old = stored("old", f"select {ROW.replace('0.5D', '0.5F')} from range(1000) order by id").selectExpr(*renamed)
        new = stored("new", f"select {NEW_ROW.replace('0.5D', '0.5F')} from range(1005) where {PRESENT} order by id")
        new = new.selectExpr(*renamed)
        for algorithm in ("window", "similar", "sort_merge_pointed", "hash_compressed", "stagnant_by_blocks"):
            assert kinds(old, new, BY_NAME[algorithm], "key") == KINDS, algorithm
        assert "window over" in caplog.text
        assert re.findall("no (.*): (.*)", caplog.text) == [("blocks, Spark joins both snapshots", RENAMED)]

    def test_names_in_other_letters(self, stored: Callable[..., DataFrame]) -> None:
        old = stored("old", "select id, 1L as value from range(3)", 1)
        new = stored("new", "select id as ID, id as VALUE from range(3)", 1)
        assert kinds(old, new, "window", "ID") == {"update": 2}


class TestWhatSparkJoins:
    def test_what_is_no_plain_table(self, stored: Callable[..., DataFrame], caplog: pytest.LogCaptureFixture) -> None:
        read = stored("old", f"select {ROW} from range(100) order by id").where("account_id < 50")
        assert not kinds(read, read, "window", "account_id")
        assert "Spark joins both snapshots: the old one is not read in place, it is more than" in caplog.text

    def test_a_frame_in_the_cache_stays_there(
        self, stored: Callable[..., DataFrame], caplog: pytest.LogCaptureFixture
    ) -> None:
        frame = stored("old", f"select {ROW} from range(100) order by id").persist()
        assert not kinds(frame, frame, "window", "account_id")
        assert "the old one is not read in place, Spark has it in its cache" in caplog.text
        assert frame.storageLevel.useMemory
        frame.unpersist()

    def test_a_column_that_the_folders_name(self, spark: SparkSession, tmp_path: Path) -> None:
        # The file says 1 in both, the folder 1 and 2.
        sides = []
        for part in (1, 2):
            folder = tmp_path / f"side{part}" / f"part={part}"
            folder.mkdir(parents=True)
            pq.write_table(pa.table({"id": [1, 2], "part": [1, 1]}), folder / "rows.parquet")
            sides.append(spark.read.parquet(str(folder.parent)))
        assert kinds(*sides, "window") == {"update": 2}

    def test_files_that_are_none(self, spark: SparkSession, stored: Callable[..., DataFrame], tmp_path: Path) -> None:
        stored("old", f"select {ROW} from range(9)")
        (tmp_path / "new").mkdir()
        (tmp_path / "old.parquet").rename(tmp_path / "new" / "rows.parquet")
        old = spark.read.parquet(str(tmp_path / "new" / "rows.parquet"))
        (tmp_path / "new" / "empty.parquet").touch()
        new = spark.read.schema(old.schema).parquet(str(tmp_path / "new"))
        assert not kinds(old, new, "window", "account_id")
