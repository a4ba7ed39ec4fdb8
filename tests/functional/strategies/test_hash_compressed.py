"""Strategy hash_compressed: what differs, files in place, and what it refuses.

Both strategies by hashes: keys that stand more than once, and columns that come, go and grow.
"""

import gc
import json
import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from numbered import kept, of_every_type, table
from pyspark.sql import DataFrame, SparkSession
from workbench import DUMP, MODEL, REWRITING, SEVERAL, STOPPING, Workbench

from deltawave import source_state
from deltawave.differencing import hash_compressed, hash_selects, logged_rows, sort_merge_compressed
from deltawave.resources import releasing
from deltawave.rows import in_place
from deltawave.rows.in_place import groups_in_place
from deltawave.rows.parquet_files import ChangedFileError

IN_PLACE = "select * from {{ target.schema }}.stored"
# A dump of which every kind of change is in the next one: rows 0 to 9 are updated, 90 to 99 gone, 100 to 104 new.
ROW = "id as account_id, concat('name of ', id) as name, id % 3 as branch, cast(id as decimal(9, 2)) as `a.b`"
OLD = f"select {ROW} from range(100)"
NEW = OLD.replace("id % 3", "if(id < 10, -1, id % 3)").replace("range(100)", "range(105) where id < 90 or id > 99")
TYPES = of_every_type()


def store(bench: Workbench, select: str, name: str = "stored", using: str = "parquet", partitioned: str = "") -> None:
    """A table as a source delivers it, in several files."""
    bench.spark.sql(f"create schema if not exists {bench.schema}")
    bench.spark.sql(f"drop table if exists {bench.schema}.{name}")
    rows = f"select /*+ repartition(3) */ * from ({select})"
    bench.spark.sql(f"create table {bench.schema}.{name} using {using} {partitioned} as {rows}")


def accounts(changed: int, amount: str = "int", points: str = ", nullif(id, 0) as points") -> str:
    """Accounts, some of which are renamed; whether they have points, and how wide their amounts are."""
    row = f"id as account_id, if(id < {changed}, 'new', 'old') as name, cast(id as {amount}) as amount{points}"
    return f"select {row} from range(10)"


def tagged(select: str) -> str:
    """A select whose rows DuckDB does not compare: they have an array."""
    return select.replace("*", "*, array(1) as tags", 1)


TAGGED = tagged(DUMP)


def counts(bench: Workbench, model: str = MODEL) -> list[tuple[Any, ...]]:
    return bench.batches("inserts, deletes, updates", model)


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """An entry for each comparison by DuckDB."""
    seen: list[str] = []
    probed = hash_selects.HashSelects.differing

    def probes(*arguments: Any) -> str:
        seen.append("probed")
        return probed(*arguments)

    monkeypatch.setattr(hash_selects.HashSelects, "differing", probes)
    return seen


def test_two_dumps_and_the_second_one_again(
    bench: Workbench, readings: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the least memory, too, and with the later changes alone."""
    temporary = tmp_path / "of a%20user"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    bench.configure(strategy="hash_compressed")
    bench.add_differential("baseline", strategy="hash_compressed", initial_load="baseline")
    bench.add_differential("granted_little", strategy="hash_compressed", memory_bytes=2999)
    bench.build(OLD)
    assert not readings
    bench.build(NEW)
    assert readings == ["probed"] * 3
    again = bench.build(NEW).messages
    assert again == dict.fromkeys([MODEL, "baseline", "granted_little"], "no changes")
    gc.collect()
    assert not [*temporary.glob("deltawave-*")], "files that were written meanwhile are removed"
    for model in (MODEL, "granted_little"):
        assert len(kept(bench, "hashes", model)) == 1
        assert counts(bench, model) == [(100, 0, 0), (5, 10, 10)]
        changed = bench.log("account_id, _change_type, branch, _before.branch, _changed_columns", model)[100:]
        assert changed[0] == (0, "update", -1, 0, ["branch"])
        assert changed[10] == (90, "delete", 0, None, None)
        assert changed[-1] == (104, "insert", 2, None, None)
    # The log of a baseline lacks the rows of the first dump.
    assert counts(bench, "baseline") == [(0, 0, 0), (5, 10, 10)]
    columns = "account_id, branch, _change_type, _changed_columns, _before"
    assert bench.log(columns, "baseline")[10] == (90, None, "delete", None, None)


def test_a_bad_key(bench: Workbench) -> None:
    """A key that is kept, one that is not, and none; null keys are refused where Spark compares, too."""
    (bench.root / "models" / f"{MODEL}.sql").unlink()
    probing = {f"key_{key}": key for key in ("1", "1000", "null")}
    for name in probing:
        bench.add_differential(name, strategy="hash_compressed")
    bench.add_differential("tagged_null", TAGGED, strategy="hash_compressed")
    bench.build(table(3), *SEVERAL)
    before = bench.contents()
    for name, key in (probing | {"tagged_null": "null"}).items():
        bad = f"select cast({key} as bigint) as account_id, 'old' as name"
        rows = f"select * from ({table(3)} union all {bad} union all {bad})"
        is_tagged = name == "tagged_null"
        bench.add_differential(name, tagged(rows) if is_tagged else rows, strategy="hash_compressed")
    said = bench.run(*SEVERAL).messages
    for name in (*probing, "tagged_null"):
        assert ("null" if name.endswith("null") else "more than once") in said[name], name
    assert bench.contents() == before


DESCRIBED: Any = {
    "unique_key": ["id"],
    "columns": [
        {"name": "id", "is_key": True, "is_compared": False, "comparable": None},
        {"name": "name", "is_key": False, "is_compared": True, "comparable": "`name`"},
    ],
}


def test_later_changes_are_in_the_table(spark: SparkSession, tmp_path: Path) -> None:
    old = spark.sql("select id, 'old' as name from range(100)")
    hash_compressed.kept_hashes(old, **DESCRIBED, count=100).write.parquet(str(tmp_path / "kept"))
    # Keys are updated, deleted and inserted; the dump has one of each change more.
    patches = "if(id < 10, 'update', if(id < 20, 'delete', 'insert')) as _change_type"
    patches = f"select id, 'new' as name, {patches} from range(120) where id < 20 or id >= 100"
    dump = "select id, if(id < 10 or id >= 100, if(id = 5, 'newer', 'new'), 'old') as name from range(121)"
    found = hash_compressed.differing_rows(
        spark.read.parquet(str(tmp_path / "kept")),
        spark.sql(f"{dump} where id not between 10 and 19 and id <> 110"),
        patches=spark.sql(patches),
        rows=100,
        **DESCRIBED,
    )
    with releasing(found):
        assert sorted(map(tuple, found.collect())) == [
            (5, "newer", True, True),
            (110, None, True, False),
            (120, "new", False, True),
        ]


class TestDuplicateKeys:
    """The whole rows of duplicate keys are delivered, whether their keys were kept, and whether the rows were."""

    # Key 1 has the kept row twice, 2 has it and another one, 3 two others; 4 is updated, 5 deleted; 11 and 12 come.
    NEW = (
        "select id, 'old' as name from range(10) where id not between 3 and 5 union all select * from values "
        "(1, 'old'), (2, 'new'), (3, 'a'), (3, 'b'), (4, 'new'), (11, 'c'), (11, 'c'), (12, 'd') as t(id, name)"
    )
    SINGLE = ((4, "new", True, True), (5, None, True, False), (12, "d", False, True))
    DUPLICATE = ((1, "old"), (1, "old"), (2, "new"), (2, "old"), (3, "a"), (3, "b"))

    def differing(self, spark: SparkSession, library: Any = hash_compressed, new: str = NEW) -> list[tuple[Any, ...]]:
        kept = library.kept_hashes(spark.sql("select id, 'old' as name from range(10)"), **DESCRIBED, count=10)
        with releasing(library.differing_rows(kept, spark.sql(new), rows=10, **DESCRIBED)) as found:
            return sorted(map(tuple, found.collect()))

    @pytest.mark.parametrize("library", [hash_compressed, sort_merge_compressed])
    def test_all_their_rows(self, spark: SparkSession, library: Any) -> None:
        of_kept = [(*row, True, True) for row in self.DUPLICATE]
        of_new = [(11, "c", False, True)] * 2
        assert self.differing(spark, library) == sorted([*of_kept, *of_new, *self.SINGLE])

    def test_keys_are_not_grouped_without_them(self, spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(hash_selects.HashSelects, "_repeated", lambda *_: pytest.fail("they were grouped"))
        new = "select if(id = 0, 11, id) as id, 'old' as name from range(10) union all select 11, 'old'"
        of_new = [(11, "old", False, True)] * 2
        assert self.differing(spark, new=new) == [(0, None, True, False), *of_new]

    def test_a_key_that_has_its_kept_row_alone_by_then(
        self, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fetched = sort_merge_compressed._fetched
        meanwhile = "id <> 1 and (id <> 2 or name = 'old')"
        monkeypatch.setattr(
            sort_merge_compressed, "_fetched", lambda new, *others: fetched(new.where(meanwhile), *others)
        )
        of_3 = [(3, name, True, True) for name in "ab"]
        found = self.differing(spark, sort_merge_compressed)
        assert found == sorted([*of_3, *[(11, "c", False, True)] * 2, *self.SINGLE])

    def test_a_file_that_changes_between_the_readings(
        self, spark: SparkSession, stored: Callable[..., DataFrame], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        repeated = hash_selects.HashSelects._repeated

        def later(*arguments: Any) -> str:
            stored("new", "select id, 'new' as name from range(99)")
            return repeated(*arguments)

        monkeypatch.setattr(hash_selects.HashSelects, "_repeated", later)
        (file,) = stored("new", self.NEW).inputFiles()
        with pytest.raises(ChangedFileError, match=r"was changed while it was compared\. Run again when"):
            self.differing(spark, new=f"select * from parquet.`{file}`")


class TestWholeDumps:
    """A strategy by hashes takes the options of outer_join, and writes its log."""

    # Spark compares the rows of the last one.
    MODELS = ("outer_join", "hash_compressed", "hash_compressed_tagged")
    COUNTS = "rows_old, rows_dump, rows_new, quarantined, inserts, deletes, updates, backfilled"
    # Keys 0 and 5 go, 4 is updated, 201 comes. Key 2 has its row twice, 3 another one as well, of 200 both are new.
    HELD = (
        "select id as account_id, if(id = 4, 'new', 'old') as name from range(1, 100) where id <> 5 union all "
        "select * from values (2, 'old'), (3, 'other'), (200, 'a'), (200, 'b'), (201, 'c') as t(account_id, name)"
    )
    ASIDE = ((2, "old"), (2, "old"), (3, "old"), (3, "other"), (200, "a"), (200, "b"))
    # Key 2 goes, 3 is updated, 200 comes.
    CLEAN = (
        "select id as account_id, if(id in (3, 4), 'new', 'old') as name from range(1, 100) where id not in (2, 5) "
        "union all select * from values (200, 'b'), (201, 'c') as t(account_id, name)"
    )

    def add_models(self, bench: Workbench, **options: Any) -> None:
        (bench.root / "models" / f"{MODEL}.sql").unlink()
        for name in self.MODELS:
            strategy = name.removesuffix("_tagged")
            bench.add_differential(name, DUMP if name == strategy else TAGGED, strategy=strategy, **options)

    def check_logs(self, bench: Workbench, columns: str) -> None:
        joined, *hashed = self.MODELS
        for model in hashed:
            assert bench.log(columns, model) == bench.log(columns, joined), model
            assert bench.batches(self.COUNTS, model) == bench.batches(self.COUNTS, joined), model
            form, other = ("checksums", "hashes")[:: 1 if model.endswith("_tagged") else -1]
            assert len(kept(bench, form, model)) == 1
            assert not any(kept(bench, kind, model) for kind in (other, "copy", "slice", "keys", "accepted"))

    def test_duplicate_keys_are_held(self, bench: Workbench) -> None:
        self.add_models(bench, duplicate_keys="quarantine")
        without = {"unread": {"before_image": "none"}, "baseline": {"initial_load": "baseline"}}
        alone = {f"{model}{by}": options for model, options in without.items() for by in ("", "_by_spark")}
        for model, options in alone.items():
            strategy = "row_checksum" if model.endswith("_by_spark") else "hash_compressed"
            bench.add_differential(model, strategy=strategy, duplicate_keys="quarantine", **options)
        for dump in (table(0), self.HELD, self.HELD, self.CLEAN):
            bench.build(dump, *SEVERAL)
        self.check_logs(bench, "account_id, name, _change_type, _before.name, _changed_columns, _batch_id")
        totals = bench.batches(self.COUNTS, "outer_join")[1:]
        assert totals == [(100, 103, 99, 6, 1, 2, 1, 0), (99, 103, 99, 6, 0, 0, 0, 0), (99, 99, 99, 0, 1, 1, 1, 0)]
        columns = "_batch_id, account_id, _change_type, if(_change_type <> 'delete', name, null)"
        for model in alone:
            assert bench.batches(self.COUNTS, model)[1:] == totals, model
            found = [bench.log(columns, name) for name in (model, "outer_join")]
            assert [row for row in found[0] if row[0] > 1] == [row for row in found[1] if row[0] > 1], model
        for model in (*self.MODELS, *alone):
            rows = bench.spark.table(f"{bench.schema}.{model}__quarantine").select("account_id", "name", "batch_id")
            assert sorted(map(tuple, rows.collect())) == sorted((*row, batch) for row in self.ASIDE for batch in (2, 3))

    # The amounts grow, and are as narrow as before again.
    SYNCED = (accounts(0, points=""), accounts(1), accounts(2, "bigint"), accounts(3), accounts(4, points=""))
    APPENDED = (accounts(0, points=""), *map(accounts, (1, 2)), *(accounts(number, points="") for number in (3, 4)))

    @pytest.mark.parametrize(
        ("on_schema_change", "dumps", "compared"),
        [("sync_all_columns", SYNCED, 2), ("append_new_columns", APPENDED, 3)],
    )
    def test_columns_come_and_go(
        self, bench: Workbench, readings: list[str], on_schema_change: str, dumps: tuple[str, ...], compared: int
    ) -> None:
        self.add_models(bench, on_schema_change=on_schema_change)
        for dump in (*dumps, accounts(5), accounts(6)):
            bench.build(dump, *SEVERAL)
        # Only the model that is tagged has tags.
        before = "replace(to_json(_before), ',\"tags\":[1]', '')"
        self.check_logs(bench, f"account_id, name, amount, points, _change_type, _changed_columns, {before}, _batch_id")
        assert [row[0] for row in bench.batches("updates", "hash_compressed")] == [0, 1, 1, 1, 1, 1, 1]
        assert bench.batches("backfilled", "hash_compressed")[1] == (9,)
        # Hashes of the same columns are compared.
        assert len(readings) == compared
        assert {strategy for (strategy,) in bench.batches("strategy", self.MODELS[-1])} == {"row_checksum"}

    def test_a_log_without_the_first_rows_keeps_its_columns(self, bench: Workbench) -> None:
        bench.configure(strategy="hash_compressed", initial_load="baseline", on_schema_change="sync_all_columns")
        bench.build(accounts(0, points=""))
        assert "its last batch kept only hashes of rows" in bench.refused(accounts(1))

    def test_an_empty_dump_is_accepted_each_time(self, bench: Workbench) -> None:
        models = (MODEL, "summed")
        bench.configure(strategy="hash_compressed")
        bench.add_differential("summed", strategy="row_checksum")
        bench.build(accounts(0), *SEVERAL)
        empty = f"{accounts(0)} where id < 0"
        bench.build(empty, *SEVERAL, "--vars", json.dumps({"deltawave_accept": models}))
        text = bench.refused(empty, *SEVERAL, models=models)
        assert all(f"{model}, batch 3: the dump is empty (the last one had 0 rows)" in text for model in models)


class TestLogFiles:
    """DuckDB reads the log's files; the hashes are written anew after the second batch."""

    macros = STOPPING | REWRITING

    def test_a_log_is_that_of_a_join(self, bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
        """With duplicate keys, and after a run that was stopped once its rows were staged."""
        of_keys: list[bool] = []
        last_changes = logged_rows.last_changes

        def noted(*given: Any) -> str:
            of_keys.append(len(given) > 5)
            return last_changes(*given)

        for module in (logged_rows, hash_compressed):
            monkeypatch.setattr(module, "last_changes", noted)
        bench.configure(strategy="hash_compressed", duplicate_keys="quarantine")
        bench.add_differential("joined", strategy="outer_join", duplicate_keys="quarantine")
        twice = f"select {ROW} from values (20L), (300L), (300L) as t(id)"
        third = f"{NEW.replace('-1', '-2')} union all {twice}"
        bench.build(OLD, *SEVERAL)
        bench.build(NEW, *SEVERAL)
        bench.dump(third)
        assert "stopped at count" in bench.run("--vars", "stop_at: count", *SEVERAL).text
        bench.build(None, *SEVERAL)
        bench.build(NEW.replace("-1", "-3"), *SEVERAL)
        # The changes since the hashes were written, then the last rows of what differs.
        assert of_keys == [True, False, True, False, True, False, False, True]
        columns = "account_id, name, branch, `a.b`, _change_type, _changed_columns, to_json(_before), _batch_id"
        assert bench.log(columns) == bench.log(columns, "joined")
        totals = bench.batches(TestWholeDumps.COUNTS)
        assert totals == bench.batches(TestWholeDumps.COUNTS, "joined")
        assert totals[1:] == [
            (100, 95, 95, 0, 5, 10, 10, 0),
            (95, 98, 95, 4, 0, 0, 10, 0),
            (95, 95, 95, 0, 0, 0, 10, 0),
        ]
        assert not kept(bench, "slice")

    def test_duckdb_logs_a_first_dump_as_spark_would(self, bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
        """But for quarantined rows, and for a baseline, of which nothing is logged."""
        # New files are known at once, so that they are not copied first.
        monkeypatch.setattr(source_state, "_SETTLED_SECONDS", -60)
        held = "select * from {{ target.schema }}.twice"
        key: dict[str, Any] = {"unique_key": ["account_id", "it's"]}
        models: dict[str, tuple[str, dict[str, Any]]] = {
            MODEL: (IN_PLACE, key),
            "kept": (IN_PLACE, {**key, "initial_load": "baseline"}),
            "held": (held, {**key, "duplicate_keys": "quarantine"}),
        }
        (bench.root / "models" / f"{MODEL}.sql").unlink()
        for model, (select, options) in models.items():
            bench.add_differential(model, select, strategy="hash_compressed", **options)
            bench.add_differential(f"{model}_joined", select, strategy="outer_join", **options)
        twice = f"select * from ({TYPES}) union all select * from ({TYPES}) where account_id = 3"
        store(bench, twice)
        store(bench, twice, "twice")
        assert "1 key(s) (account_id, it's) occur more than once" in bench.refused()
        store(bench, TYPES)
        bench.build(None, *SEVERAL)
        assert bench.writers() == ["DuckDB"]
        for (model, _), rows in zip(models.items(), (8, 0, 7), strict=True):
            assert bench.log("to_json(struct(*))", model) == bench.log("to_json(struct(*))", f"{model}_joined")
            assert len(bench.log("*", model)) == rows
            assert bench.batches(TestWholeDumps.COUNTS, model) == bench.batches(
                TestWholeDumps.COUNTS, f"{model}_joined"
            )

    def test_duckdb_writes_the_rows_that_spark_would_write(self, bench: Workbench) -> None:
        """But for texts that are not valid."""
        bench.configure(strategy="hash_compressed", unique_key=["account_id", "it's"])
        bench.add_differential("joined", strategy="outer_join", unique_key=["account_id", "it's"])
        second = f"""
            select * except (`name's`, ratio, zero, old_date, seen, nothing),
            if(account_id < 3, 'other', `name's`) as `name's`,
            if(account_id = 2, double('NaN'), ratio) as ratio, float('-0.0') as zero,
            if(account_id = 3, date '0001-01-01', old_date) as old_date,
            if(account_id = 4, timestamp '1500-01-01 00:00:00', seen) as seen,
            if(account_id = 5, '', nothing) as nothing
            from ({TYPES}) where account_id > 0 union all
            select 9L, null, null, timestamp_ntz '2000-01-01 00:00:00', null, null, 3y, 4s, 5, false, 'new', null, 0f,
            null, null, null"""
        names = [row[0] for row in bench.spark.sql(f"describe query {TYPES}").collect()]
        in_order = ", ".join(f"`{name}`" for name in names)
        bench.build(TYPES, *SEVERAL)
        bench.build(f"select {in_order} from ({second})", *SEVERAL)
        assert bench.writers() == ["DuckDB", "DuckDB"]
        columns = "to_json(struct(*))"
        assert bench.log(columns) == bench.log(columns, "joined")
        assert counts(bench) == [(8, 0, 0), (1, 1, 5)]
        invalid = "string(unhex('ff')) as `name's`"
        cells = in_order.replace("`name's`", invalid)
        bench.build(f"select {cells} from ({TYPES})", *SEVERAL)
        assert bench.writers() == ["DuckDB", "DuckDB", "parquet-mr"]
        texts = "account_id, `name's`, _change_type, _changed_columns, _before.`name's`, _batch_id"
        assert bench.log(texts) == bench.log(texts, "joined")


class TestTable:
    def test_spark_compares_columns_that_duckdb_does_not(self, bench: Workbench, readings: list[str]) -> None:
        bench.configure(strategy="hash_compressed")
        dump = "select id as account_id, parse_json(if(id = {}, '1', '2')) as document from range(3)"
        bench.build(dump.format(1))
        bench.build(dump.format(2))
        assert not readings
        assert counts(bench) == [(3, 0, 0), (0, 0, 2)]
        reason = "compared by Spark, since DuckDB does not reach the rows"
        assert bench.batches("strategy, reason") == [("row_checksum", reason)] * 2

    def test_it_goes_on_after_any_other_strategy(self, bench: Workbench) -> None:
        """The state that it begins with has another number of rows than the recorded one, which may be of ranges."""
        others = ("outer_join", "row_checksum", "ranges", "range_checksum")
        (bench.root / "models" / f"{MODEL}.sql").unlink()
        for strategy in others:
            bench.add_differential(strategy, strategy=strategy)
        bench.build(OLD, *SEVERAL)
        bench.build(OLD.replace("range(100)", "range(103)"), *SEVERAL)
        for strategy in others:
            bench.add_differential(strategy, strategy="hash_compressed")
        for changed in (1, 2):
            bench.build(NEW.replace("-1", f"-{changed}"), *SEVERAL)
        for strategy in others:
            assert counts(bench, strategy) == [(100, 0, 0), (3, 0, 0), (2, 10, 10), (0, 0, 10)], strategy
            assert bench.log(model=strategy) == bench.log(model=others[0]), strategy

    def test_a_table_without_files_has_lost_every_row(self, bench: Workbench) -> None:
        bench.configure(IN_PLACE, strategy="hash_compressed", allow_empty=True, max_delete_fraction=1)
        store(bench, OLD)
        bench.build(None)
        bench.spark.sql(f"truncate table {bench.schema}.stored")
        bench.build(None)
        assert bench.build(None).messages[MODEL] == "no changes, source not read"
        store(bench, OLD)
        bench.build(None)
        assert counts(bench) == [(100, 0, 0), (0, 100, 0), (100, 0, 0)]


class TestInPlace:
    def test_files_are_read_where_they_lie(self, bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
        read: list[int] = []
        of = in_place.RowGroups.of

        def noted(frame: DataFrame, *scan: Any) -> Any:
            groups = of(frame, *scan)
            # What is kept is read so, too.
            if "account_id" in frame.columns:
                read.append(len(groups.groups))
            return groups

        monkeypatch.setattr(in_place.RowGroups, "of", noted)
        select = f"{IN_PLACE} -- as it was delivered"
        bench.configure(select, strategy="hash_compressed")
        store(bench, OLD)
        # A run without rows reads nothing, and leaves all to the next one.
        bench.build(None, "--empty", *SEVERAL)
        assert not read
        bench.build(None, *SEVERAL)
        read.clear()
        store(bench, NEW)
        bench.build(None, *SEVERAL)
        assert read == [3]
        assert counts(bench) == [(100, 0, 0), (5, 10, 10)]
        changes = bench.spark.table(f"{bench.schema}.{MODEL}")
        found = changes.where("_batch_id = 2 and account_id = 3").first()
        assert (found["branch"], found["a.b"], found["_before"]["branch"]) == (-1, 3, 0)

    def test_a_file_may_lack_a_column_or_have_another_type(self, bench: Workbench, tmp_path: Path) -> None:
        first = "select id as account_id, cast(id as int) as amount from range(4)"
        bench.spark.sql(first).repartition(1).write.parquet(str(tmp_path / "dump"))
        select = f"select * from parquet.`{tmp_path / 'dump'}`"
        bench.configure(select, strategy="hash_compressed")
        bench.build("select 1")
        more = "select 10L as ACCOUNT_ID, cast(7 as int) as AMOUNT union all select 11L, null"
        bench.spark.sql(more).repartition(1).write.mode("append").parquet(str(tmp_path / "dump"))
        bench.build("select 1")
        assert counts(bench) == [(4, 0, 0), (2, 0, 0)]
        assert bench.log("account_id, amount")[-2:] == [(10, 7), (11, None)]

    def test_values_of_another_type_are_not_converted(self, bench: Workbench, tmp_path: Path) -> None:
        """Spark refuses to read numbers as texts, and so does a run in place: '01' is not 1."""
        folder = tmp_path / "dump"
        bench.spark.sql(f"create schema if not exists {bench.schema}")
        columns = "account_id bigint, zip string"
        bench.spark.sql(f"create table {bench.schema}.stored ({columns}) using parquet location '{folder}'")
        bench.spark.sql(f"insert into {bench.schema}.stored select id, concat('0', id) from range(4)")
        bench.configure(IN_PLACE, strategy="hash_compressed")
        bench.build(None, *SEVERAL)
        numbers = bench.spark.sql("select id as account_id, id as zip from range(4, 6)")
        numbers.write.mode("append").parquet(str(folder))
        bench.spark.sql(f"refresh table {bench.schema}.stored")
        done = bench.run(*SEVERAL)
        assert "[zip]. Expected Spark type string, actual Parquet type INT64" in done.messages[MODEL]
        assert counts(bench) == [(4, 0, 0)]

    def test_sentinels_and_keys_of_time_keep_their_meaning_in_another_zone(
        self, bench: Workbench, setting: Callable[[str, str], Any]
    ) -> None:
        """Spark reads the former ones in the same way."""
        ends = "timestamp'9999-12-31 00:00:00', timestamp'1900-01-01 00:00:00', null"
        row = f"id as account_id, array({ends})[id] as ends_at, timestamp_ntz'9999-12-31 00:00:00' as seen_at"
        bench.configure(IN_PLACE, strategy="hash_compressed")
        store(bench, f"select {row}, 'old' as name from range(3)")
        dump = "select timestamp'2024-01-01 00:00:00Z' + make_dt_interval(id) as account_id, {} as name from range(3)"
        bench.add_differential("keyed", strategy="hash_compressed")
        bench.add_differential("by_spark", TAGGED, strategy="hash_compressed")
        bench.build(dump.format("'old'"))
        store(bench, f"select {row}, if(id = 1, 'new', 'old') as name from range(3)")
        bench.build(None, "--select", MODEL)
        assert counts(bench) == [(3, 0, 0), (0, 0, 1)]
        with setting("spark.sql.session.timeZone", "Asia/Tokyo"):
            done = bench.build(dump.format("if(id = 1, 'new', 'old')"))
            assert done.messages[MODEL].startswith("no changes")
        for model in ("keyed", "by_spark"):
            assert counts(bench, model) == [(3, 0, 0), (0, 0, 1)], model

    def test_what_is_more_than_columns_of_files_is_read_by_spark(
        self, bench: Workbench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        row = "account_id, branch, name, day"
        days = f"select {ROW}, date'2026-01-01' + cast(id % 2 as int) as day from range(40)"
        store(bench, days, "divided", partitioned="partitioned by (day)")
        folder = (
            next(iter(bench.spark.table(f"{bench.schema}.divided").inputFiles())).rpartition("/")[0].rpartition("/")[0]
        )
        bench.spark.sql(f"create view {bench.schema}.seen as select name, account_id from {bench.schema}.divided")
        store(bench, OLD, "delimited", using="csv")
        store(bench, days, "nested", partitioned="partitioned by (day)")
        file = Path(bench.spark.table(f"{bench.schema}.nested").where("day = date'2026-01-02'").inputFiles()[0][7:])
        # Spark does not read it.
        (file.parent / "archive").mkdir()
        (file.parent / "archive" / file.name).write_bytes(file.read_bytes())
        bench.spark.sql(f"refresh table {bench.schema}.nested")
        numbers = ", ".join(f"id + {number} as n{number}" for number in range(40))
        store(bench, f"select id as account_id, {numbers} from range(4)", "wide")
        of_day = "select account_id, name from {} where day = date'2026-01-02'"
        cases = {
            "select name, account_id from {schema}.stored": True,
            of_day.format("{schema}.divided"): True,
            "select account_id from {schema}.stored where account_id < 50": False,
            "select account_id, upper(name) as name from {schema}.stored": False,
            "select account_id, name as title from {schema}.stored": True,
            "select account_id, name as branch, branch as name from {schema}.stored": True,
            "select id as a, id as b from (select 0, * from (select account_id as id from {schema}.stored))": True,
            "select cast(account_id as string) as account_id, name from {schema}.stored": False,
            "select account_id, cast(name as date) as name from {schema}.stored": False,
            "select cast(account_id as double) as account_id, name from {schema}.stored": False,
            "select account_id, cast(branch as int) as branch from {schema}.stored": False,
            "select cast(`a.b` as decimal(9, 1)) as amount from {schema}.stored": False,
            "select cast(`a.b` as decimal(10, 3)) as `a.b` from {schema}.stored": True,
            "select cast(`a.b` as decimal(9, 3)) as `a.b` from {schema}.stored": False,
            "select account_id, _metadata.file_name as name from {schema}.stored": False,
            "select account_id, name from {schema}.stored order by account_id limit 50": False,
            "select account_id from {schema}.stored union all select account_id + 5000 from {schema}.stored": False,
            f"select {row} from {{schema}}.divided": False,
            "select account_id, name from {schema}.divided": True,
            "select name, account_id from {schema}.seen": True,
            of_day.replace("=", ">=").format("{schema}.divided"): True,
            of_day.replace("= ", "in (date'2026-01-01', ").format("{schema}.divided") + ")": True,
            "select name from {schema}.divided where day = (select max(day) from {schema}.divided)": False,
            of_day.format("{schema}.divided") + " and account_id < 5": False,
            of_day.format(f"parquet.`{folder}`"): True,
            "select * from {schema}.delimited": False,
            "select account_id, name from {schema}.nested where day = date'2026-01-02'": True,
            "select * from {schema}.wide": True,
            "select * from (select * from {schema}.wide) where account_id = 1": False,
        }
        store(bench, OLD)
        for select, is_plain in cases.items():
            frame = bench.spark.sql(select.format(schema=bench.schema))
            groups = groups_in_place(frame, [f"`{name}`" for name in frame.columns])
            assert (groups is not None) is is_plain, select
            if groups:
                assert sum(groups.rows) == frame.count(), select
        monkeypatch.setattr(in_place, "_MANY", 2)
        assert groups_in_place(bench.spark.table(f"{bench.schema}.stored"), ["`account_id`"]) is None, "small files"

    def test_the_dump_of_a_date_is_read_from_its_partition(self, bench: Workbench, readings: list[str]) -> None:
        select = "select * from {{ target.schema }}.dumps"
        bench.configure(select, strategy="hash_compressed", snapshot_date="day")
        bench.add_differential("joined", select, strategy="outer_join", snapshot_date="day")
        dumps = [
            f"select *, date'2026-01-0{day}' as day from ({rows})"
            for day, rows in enumerate([OLD, NEW, NEW.replace("105", "103"), NEW.replace("105", "104")], 1)
        ]
        store(bench, " union all ".join(dumps[:2]), "dumps", partitioned="partitioned by (day)")
        bench.build(None, *SEVERAL)
        bench.spark.sql(f"insert into {bench.schema}.dumps {' union all '.join(dumps[2:])}")
        bench.build(None, *SEVERAL)
        again = bench.build(None, *SEVERAL)
        assert "skipped" not in again.text
        assert again.messages == {MODEL: "no changes", "joined": "no changes"}
        corrected = NEW.replace("105", "104").replace("'name of '", "'title of '")
        bench.spark.sql(f"insert overwrite {bench.schema}.dumps partition (day = date'2026-01-04') {corrected}")
        done = bench.run(*SEVERAL)
        assert all("1 dump skipped" in done.messages[model] for model in (MODEL, "joined"))
        logs = [
            bench.log("_batch_id, _change_type, account_id, branch, _before.name", model) for model in (MODEL, "joined")
        ]
        assert logs[0] == logs[1]
        assert counts(bench) == counts(bench, "joined") == [(100, 0, 0), (5, 10, 10), (0, 2, 0), (1, 0, 0)]
        assert bench.batches("cast(snapshot_date as string)")[-1] == ("2026-01-04",)
        assert readings == ["probed"] * 3


class TestUnchangedRowGroups:
    macros = {"many.sql": "{% macro default___many_rows() %}{{ return(1) }}{% endmacro %}"}

    def test_row_groups_as_they_were_are_not_decoded(self, bench: Workbench, tmp_path: Path) -> None:
        """Of dumps in which a row group is changed, changed back, appended and removed, and then a key stands twice."""
        file = tmp_path / "dump" / "part-0.parquet"
        file.parent.mkdir()
        select = f"select * from parquet.`{file.parent}`"
        bench.configure(select, strategy="hash_compressed", duplicate_keys="quarantine")
        bench.add_differential("joined", select, strategy="outer_join", duplicate_keys="quarantine")
        tens = [f"range({begin}, {begin + 10})" for begin in range(10, 70, 10)]
        dumps = [
            (tens[:5], []),
            ([*tens[:2], "range(30, 39)", *tens[3:5]], []),
            (tens[:5], ["4 of 5"]),
            # The bytes of a row group of another size are read when that size is known.
            (tens, ["4 of 6"]),
            ([tens[0], *tens[3:]], ["4 of 4"]),
            ([*tens[3:], tens[0], "range(45, 46)"], []),
            # A quarantined row is in the dump, and not among the rows that are compared.
            ([tens[0], *tens[3:]], []),
            ([tens[0], *tens[3:], "range(70, 71)"], ["4 of 5"]),
        ]
        for day, (groups, unchanged) in enumerate(dumps, 1):
            tables = [bench.spark.sql(f"select {ROW} from {rows}").toArrow() for rows in groups]
            with pq.ParquetWriter(file, tables[0].schema) as writer:
                for each in tables:
                    writer.write_table(each)
            # A file that has just changed may change again unnoticed.
            os.utime(file, (day, day))
            text = bench.build("select 1", *SEVERAL).text
            assert re.findall(r"(\d of \d) row groups are as they were", text) == unchanged, day
        columns = "account_id, name, branch, `a.b`, _change_type, _changed_columns, to_json(_before), _batch_id"
        assert bench.log(columns) == bench.log(columns, "joined")
        assert bench.batches(TestWholeDumps.COUNTS) == bench.batches(TestWholeDumps.COUNTS, "joined")
        assert counts(bench) == [(50, 0, 0), (0, 1, 0), (1, 0, 0), (10, 0, 0), (0, 20, 0), (0, 0, 0), (1, 0, 0)]
        assert 2 in [held for (held,) in bench.batches("quarantined")]
