"""Strategies window and text_diff: rows near and far from their order, files in place, and what Spark joins."""

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from bad_input import messages
from found import kinds
from numbered import kept, table
from pyspark.sql import DataFrame, SparkSession
from workbench import SEVERAL, Run, Workbench, temporary_views

from deltawave.differencing import snapshot_differential, window
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
# Strategies that read both sides in their order.
IN_ORDER = ("window", "text_diff")
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


class TestModel:
    def test_how_near_rows_lie_is_recorded(self, bench: Workbench) -> None:
        # Room for some tens of rows.
        bench.configure(strategy="window", memory_bytes=20_000)
        reported = "strategy, distance, divergence, window_rows"
        for order in ("id", "hash(id)"):
            for row in (ROW, NEW_ROW):
                bench.build(f"select {row} from range(0, 1000, 1, 1) sort by {order}")
        rows = bench.batches(reported)
        assert rows[0] == ("window", None, None, None), "there is nothing to compare with"
        assert all(10 < row[3] < 200 for row in rows[1:])
        assert [row[1:3] for number, row in enumerate(rows) if number not in (0, 2)] == [(0, 0)] * 2
        shuffled = rows[2]
        assert shuffled[1] == pytest.approx(2 / 3, abs=0.1)
        assert shuffled[2] == pytest.approx((1 - shuffled[3] / 1000) ** 2, abs=0.1)

    def test_the_state_of_another_strategy_has_no_order(self, bench: Workbench) -> None:
        for changed, strategy in enumerate(("outer_join", "window", "window", "outer_join")):
            bench.configure(strategy=strategy)
            bench.build(table(changed))
        assert bench.batches("strategy, distance is null") == [
            ("outer_join", True),
            ("window", True),
            ("window", False),
            ("outer_join", True),
        ]


@pytest.fixture
def dumped(bench: Workbench, tmp_path: Path) -> Callable[[str, str], Path]:
    """A dump as files in a folder of its own."""

    def folder_of(name: str, query: str) -> Path:
        folder = tmp_path / name
        rows = bench.spark.sql(f"select /*+ repartition_by_range(2, account_id) */ * from ({query})")
        rows.write.parquet(str(folder))
        return folder

    return folder_of


@pytest.fixture
def deliver(bench: Workbench, dumped: Callable[[str, str], Path]) -> Callable[..., Path]:
    """A dump as files, which the model compares in place; the first file."""

    def delivered(name: str, query: str, **options: Any) -> Path:
        folder = dumped(name, query)
        bench.configure(f"select * from parquet.`{folder}`", **{"strategy": "window", "in_place": True} | options)
        return min(folder.glob("*.parquet"))

    return delivered


OLD = f"select {ROW} from range(0, 1000, 1, 3)"
NEW = f"select {NEW_ROW} from range(0, 1005, 1, 3) where {PRESENT}"
# An instant that no file of these tests is from.
LONG_AGO = (1_000_000_000, 1_000_000_000)


class TestInPlace:
    def test_files_are_compared_where_they_lie(
        self, bench: Workbench, dumped: Callable[[str, str], Path], tmp_path: Path
    ) -> None:
        """Nothing is landed, the same files are not read again, and others become the previous ones."""

        def compare_in_place(folder: Path) -> Run:
            for strategy in IN_ORDER:
                select = f"select * from parquet.`{folder}`"
                bench.add_differential(strategy, select, strategy=strategy, in_place=True)
            return bench.build(None, "--select", *IN_ORDER, *SEVERAL)

        first = dumped("first", OLD)
        compare_in_place(first)
        done = compare_in_place(first)
        assert {name: message.partition(",")[0] for name, message in done.messages.items()} == dict.fromkeys(
            IN_ORDER, "no changes"
        )
        assert " over " not in done.text
        compare_in_place(dumped("second", OLD))
        first.rename(tmp_path / "purged")
        message = compare_in_place(dumped("third", NEW)).text
        for strategy in IN_ORDER:
            assert f"deltawave: {strategy}: {strategy.replace('_', ' ')} over" in message
            assert bench.batches(model=strategy) == [(1, 1000, 0, 0), (2, 0, 0, 0), (3, 5, 10, 10)]
            assert bench.batches("divergence", strategy) == [(None,), (0,), (0,)]
            changes = bench.log("account_id, branch, _before.branch, _before.name", strategy)
            assert changes[1000] == (0, -1, 0, "name of 0")
            relations = {name.partition("__")[2].partition("_")[0] for name in bench.names(strategy)}
            assert relations == {"", "log", "batches", "commit", "files"}
            (files,) = kept(bench, "files", strategy)
            # Sizes and times of two files are all that there is beside the log.
            assert bench.spark.table(f"{bench.schema}.{files}").count() == 2
        assert not [name for name in temporary_views(bench.spark) if bench.schema in name]

    def test_the_log_goes_on_without_the_previous_files(
        self, bench: Workbench, deliver: Callable[..., Path], tmp_path: Path
    ) -> None:
        expected = messages("Compared in place")
        previous = deliver("first", OLD)
        bench.build()
        deliver("second", NEW)
        content, times = previous.read_bytes(), (previous.stat().st_atime_ns, previous.stat().st_mtime_ns)
        os.utime(previous, LONG_AGO)
        assert expected["a previous file that was written again"] in bench.refused()
        previous.write_bytes(b"PAR1.PAR1")
        assert expected["a previous file that was replaced"] in bench.refused()
        previous.unlink()
        assert expected["a previous file that is missing"] in (message := bench.refused())
        assert f"the dump of batch 1, but its file file://{previous} is missing" in message
        previous.write_bytes(content)
        os.utime(previous, ns=times)
        bench.build()
        (tmp_path / "second").rename(tmp_path / "purged")
        # A copy of the same rows takes the place of the files.
        deliver("third", NEW, in_place=False)
        bench.build()
        deliver("fourth", OLD)
        bench.build()
        assert bench.batches() == [(1, 1000, 0, 0), (2, 5, 10, 10), (3, 0, 0, 0), (4, 10, 5, 10)]

    def test_a_file_that_changes_meanwhile(
        self, bench: Workbench, deliver: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        previous = deliver("first", OLD)
        bench.build()
        new = deliver("second", NEW)
        compare_sides = window.changes
        kinds = {previous: "a previous file that was written again", new: "a file that is still written"}
        for file, kind in kinds.items():
            times = (file.stat().st_atime_ns, file.stat().st_mtime_ns)

            def changes(*frames: Any, _file: Path = file, **options: Any) -> Any:
                os.utime(_file, LONG_AGO)
                return compare_sides(*frames, **options)

            monkeypatch.setattr(window, "changes", changes)
            assert messages("Compared in place")[kind] in bench.refused(), kind
            os.utime(file, ns=times)

    def test_days_of_a_table(self, bench: Workbench, tmp_path: Path) -> None:
        """Folders with the signs of patterns and of URIs; each day is compared with the one before."""
        folder = tmp_path / "days [of] {a}? 100%"
        days = "select id % 2000 as id, date'2024-01-01' + cast(id div 2000 as int) as day from range({}, {}, 1, 3)"
        rows = f"select {ROW}, day from ({days})"
        table_of_days = f"{bench.schema}.days"
        bench.spark.sql(f"create schema if not exists {bench.schema}")
        columns = "account_id bigint, name string, branch bigint, share double, day date"
        bench.spark.sql(
            f"create table {table_of_days} ({columns}) using parquet partitioned by (day) location '{folder}'"
        )
        for ids in ((0, 1000), (2500, 3100), (4500, 5200)):
            bench.spark.sql(f"insert into {table_of_days} {rows.format(*ids)}")
        options = {"in_place": True, "snapshot_date": "day", "max_delete_fraction": 1}
        bench.configure(f"select * from {table_of_days}", strategy="window", **options)
        bench.build()
        assert bench.batches("snapshot_date, inserts, deletes, updates, rows_dump") == [
            ("2024-01-01", 1000, 0, 0, 1000),
            ("2024-01-02", 100, 500, 0, 600),
            ("2024-01-03", 100, 0, 0, 700),
        ]
        assert len(kept(bench, "files")) == 1
        assert "no changes" in bench.build().text
        bench.spark.sql(f"alter table {table_of_days} drop partition (day = date'2024-01-03')")
        shutil.rmtree(folder / "day=2024-01-03")
        bench.spark.sql(f"insert into {table_of_days} {rows.format(6500, 7000)}")
        assert messages("Compared in place")["a previous file that is missing"] in bench.refused()

    def test_a_baseline_goes_on_in_place_only(self, bench: Workbench, deliver: Callable[..., Path]) -> None:
        expected = messages("Compared in place")
        previous = deliver("first", OLD, initial_load="baseline")
        bench.build()
        deliver("second", NEW, initial_load="baseline", in_place=False)
        assert expected["rows that only files hold"] in bench.refused()
        bench.configure(bench_select(bench), strategy="window", in_place=True, initial_load="baseline")
        times = (previous.stat().st_atime_ns, previous.stat().st_mtime_ns)
        os.utime(previous, LONG_AGO)
        assert expected["a previous file of a baseline"] in bench.refused()
        os.utime(previous, ns=times)
        bench.build()
        assert bench.batches() == [(1, 0, 0, 0), (2, 5, 10, 10)]

    def test_a_dump_without_files(self, bench: Workbench) -> None:
        bench.spark.sql(f"create schema if not exists {bench.schema}")
        select = f"select * from {bench.schema}.stored"
        bench.configure(select, strategy="window", in_place=True, allow_empty=True, max_delete_fraction=1)
        bench.spark.sql(f"create table {bench.schema}.stored using parquet as select {ROW} from range(0)")
        bench.spark.sql(f"truncate table {bench.schema}.stored")
        bench.build()
        bench.spark.sql(f"insert into {bench.schema}.stored {OLD}")
        bench.build()
        assert bench.batches() == [(1, 0, 0, 0), (2, 1000, 0, 0)]

    def test_what_files_do_not_hold_is_refused(self, bench: Workbench, tmp_path: Path) -> None:
        expected = messages("Compared in place")
        bench.spark.sql(f"create schema if not exists {bench.schema}")
        bench.spark.sql(f"create table {bench.schema}.flat using parquet as {OLD}")
        bench.spark.sql(f"create table {bench.schema}.padded (account_id int, code char(3)) using parquet")
        bench.spark.sql(OLD).write.partitionBy("branch").parquet(str(tmp_path / "branches"))
        folder = f"parquet.`{tmp_path / 'branches'}`"
        bench.spark.sql(f"create table {bench.schema}.cached using parquet as {OLD}")
        bench.spark.sql(f"cache table {bench.schema}.cached")
        cases: dict[str, tuple[str, dict[str, Any]]] = {
            "dates that are no partitions": (f"{bench.schema}.flat", {"snapshot_date": "name"}),
            "dates of a folder": (folder, {"snapshot_date": "branch"}),
            "partitions of a folder": (folder, {}),
            "padded text": (f"{bench.schema}.padded", {}),
            "rows that Spark has in memory": (f"{bench.schema}.cached", {}),
        }
        for number, (relation, options) in enumerate(cases.values()):
            bench.add_differential(
                f"case_{number}", f"select * from {relation}", strategy="window", in_place=True, **options
            )
        done = bench.run("--select", "case_*", *SEVERAL)
        for number, kind in enumerate(cases):
            assert expected[kind] in done.messages[f"case_{number}"], kind
        assert not bench.names("case")
        files = [
            "a previous file that is missing",
            "a previous file that was replaced",
            "a previous file that was written again",
        ]
        files += ["a previous file of a baseline", "a file that is still written", "rows that only files hold"]
        assert list(expected) == [*files, *cases]


def bench_select(bench: Workbench) -> str:
    """The model's select."""
    return (bench.root / "models" / "accounts.sql").read_text().partition("\n")[2].strip()
