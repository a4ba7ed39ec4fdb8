"""Strategy row_checksum: what is kept, what checksums hide, and a source that changes while a run reads it twice."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from numbered import kept, table
from pyspark.sql import SparkSession
from workbench import MODEL, REWRITING, SEVERAL, Workbench

# What is kept of the first rows: the rows in the log, or their checksums alone.
MODELS: dict[str, dict[str, Any]] = {"logged": {}, "summed": {"initial_load": "baseline"}}
# Keys from 10 have another name, those from 20 come, those from 30 go: in one of the first two readings alone.
DUMP = """
    select id as account_id, {0} and id div 10 = 1 as name_flips, {0} and id div 10 > 1 as key_flips
    from range(40)
    where {0} or id div 10 <> 2
"""
SELECT = """
    select account_id, if(flips(concat('{0}', account_id), name_flips), 'old', 'new') as name
    from {{{{ target.schema }}}}.dump
    where flips(concat('{0}', account_id), key_flips)
"""


class TestChecksums:
    def test_a_row_checksum_is_kept_and_nothing_else(self, bench: Workbench) -> None:
        select = "select * from {{ target.schema }}.dump -- of every department"
        bench.configure(select, strategy="row_checksum")
        bench.build(table(3))
        (checksums,) = kept(bench, "checksums")
        assert set(bench.spark.table(f"{bench.schema}.{checksums}").columns) == {
            "account_id",
            "row_checksum",
            "row_checksum_high",
            "key_hash",
        }
        bench.build(table(4))
        assert kept(bench, "checksums") == {checksums}
        assert not kept(bench, "slice") | kept(bench, "keys")
        assert bench.batches("batch_id, rows_dump, updates") == [(1, 100, 0), (2, 100, 2)]
        (first,), (second,) = bench.batches("comparisons_before_error")
        assert first is None
        assert second == pytest.approx(2.0**128 / 100)

    def test_a_copy_of_narrower_numbers(self, bench: Workbench) -> None:
        """Checksums are those of the log's wider type."""
        dump = "select id as account_id, cast(id as {}) as amount, if(id = 0, '{}', 'old') as name from range(3)"
        bench.configure(strategy="outer_join", before_image="none", on_schema_change="sync_all_columns")
        bench.build(dump.format("bigint", "old"))
        bench.build(dump.format("int", "new"))
        bench.configure(strategy="row_checksum", before_image="none")
        bench.build(dump.format("bigint", "new"))
        assert bench.log("account_id, _change_type, _batch_id")[3:] == [(0, "update", 2)]

    def test_columns_may_have_any_name(self, bench: Workbench) -> None:
        """Those that the comparison gives its own columns, too."""
        key = ["K0", "account_id"]
        bench.configure(strategy="row_checksum", unique_key=key)
        bench.add_differential("probed", strategy="hash_compressed", unique_key=key)
        others = "1 as kept_hash, 2 as C0, 'a' as numbered, 3 as `x.y`, 4 as summed, 5 as differing, 6 as e0"
        dump = f"select id as k0, id as account_id, {{}} as dump, {others} from range(3)"
        bench.build(dump.format("id"), *SEVERAL)
        bench.build(dump.format("if(id = 1, null, id)"), *SEVERAL)
        for model in (MODEL, "probed"):
            changes = bench.log("k0, dump, _before.dump, _batch_id", model)
            assert changes[-1] == (1, None, 1, 2)


class TestWeakChecksums:
    @pytest.fixture(scope="class")
    def macros(self) -> dict[str, str]:
        weak = "{% macro default___half_of_checksum(columns, lane) %}{{ return('length(name)') }}{% endmacro %}"
        return {"weak.sql": weak}

    def test_a_collision_hides_a_change(self, bench: Workbench) -> None:
        """'old' and 'new' are as long as each other."""
        bench.configure(strategy="row_checksum")
        bench.build(table(3))
        assert "no changes" in bench.build(table(4)).text
        bench.build(table(4).replace("'new'", "'newer'"))
        assert bench.log("account_id, name, _before.name, _batch_id")[-1] == (4, "newer", "old", 2)


# Of the rows of a baseline, what their strategy keeps; and how another strategy is refused.
KEPT_ALONE = {
    "row_checksum": ["its last batch kept only checksums"],
    "hash_compressed": [
        "its last batch kept only hashes of rows, so the rows themselves are not known",
        "strategy: hash_compressed and its previous compare_columns, ignore_columns",
    ],
}


class TestBaselines:
    """The log lacks the rows of the first dump, and nothing else is kept of them but checksums or hashes."""

    macros = REWRITING

    def test_they_log_keys_and_resume_after_many_changes_under_no_other_strategy(self, bench: Workbench) -> None:
        (bench.root / "models" / f"{MODEL}.sql").unlink()
        for strategy in KEPT_ALONE:
            bench.add_differential(strategy, strategy=strategy, initial_load="baseline")
        dump = "select id as account_id, if(id < {}, 'new', 'old') as name from range({})"
        for changed, rows in ((0, 10), (5, 9), (6, 9), (7, 10)):
            bench.build(dump.format(changed, rows), *SEVERAL)
        updates = [(key, "new", "update", None, None) for key in range(7)]
        deleted, inserted = (9, None, "delete", None, None), (9, "old", "insert", None, None)
        for strategy in KEPT_ALONE:
            assert bench.batches("batch_id, rows_old, inserts, deletes, updates", strategy) == [
                (1, 0, 0, 0, 0),
                (2, 10, 0, 1, 5),
                (3, 9, 0, 0, 1),
                (4, 9, 1, 0, 1),
            ], strategy
            logged = bench.log("account_id, name, _change_type, _changed_columns, _before", strategy)
            assert logged == [*updates[:5], deleted, *updates[5:], inserted], strategy
        bench.add_model("spelled", "{{ deltawave.changes(ref('row_checksum'), 'account_id') }}")
        assert bench.run("--select", "spelled").ok
        spelled = bench.spark.table(f"{bench.schema}.spelled").select("account_id", "_change_type").collect()
        assert sorted(tuple(row) for row in spelled) == [
            *((key, "update_postimage") for key in range(7)),
            (9, "delete"),
            (9, "insert"),
        ]
        for strategy, messages in KEPT_ALONE.items():
            bench.add_differential(strategy, strategy="outer_join", initial_load="baseline")
            text = bench.refused(dump.format(8, 10), "--select", strategy, models=[strategy])
            assert [message for message in messages if message not in text] == []


@pytest.fixture
def flips(spark: SparkSession, tmp_path: Path) -> Iterator[None]:
    """A function that says one thing of a key when it is first asked, then the other, unknown to Spark."""

    def say(key: str, is_flipping: bool) -> bool:
        if not is_flipping:
            return True
        is_odd = int(key[-1]) % 2 == 1
        try:
            (tmp_path / key).mkdir()
        except FileExistsError:
            return is_odd
        return not is_odd

    spark.udf.register("flips", say, "boolean")
    yield
    spark.sql("drop temporary function flips")


@pytest.mark.usefixtures("flips")
def test_row_checksums_log_no_row_that_never_was(bench: Workbench) -> None:
    (bench.root / "models" / f"{MODEL}.sql").unlink()
    for name, config in MODELS.items():
        bench.add_differential(name, SELECT.format(name), strategy="row_checksum", **config)
    bench.build(DUMP.format("false"), *SEVERAL)
    # Each reading contradicts the other: a key that one of them lacks, or has as it was, has not changed.
    bench.build(DUMP.format("true"), *SEVERAL)
    for name in MODELS:
        assert bench.spark.table(f"{bench.schema}.{name}").where("_batch_id > 1").collect() == [], name
    # From now on they agree.
    bench.build(DUMP.format("true"), *SEVERAL)
    for name in MODELS:
        log = bench.spark.table(f"{bench.schema}.{name}").where("_batch_id > 1")
        found = sorted(tuple(row) for row in log.select("account_id", "_change_type", "name").collect())
        assert found == [
            *((number, "update", "new") for number in range(10, 20, 2)),
            *((number, "insert", "old") for number in range(21, 30, 2)),
            *((number, "delete", "old" if name == "logged" else None) for number in range(30, 40, 2)),
        ], name


class TestWhatChecksumsLack:
    def test_a_log_without_its_first_rows_takes_no_other_columns(self, bench: Workbench) -> None:
        """The dump would be joined with the log, where all rows were new. Also a column that is not compared counts."""
        bench.configure(
            strategy="row_checksum",
            initial_load="baseline",
            compare_columns=["name"],
            on_schema_change="append_new_columns",
        )
        bench.build("select id as account_id, 'old' as name from range(10)")
        bench.dump("select id as account_id, if(id < 1, 'new', 'old') as name, 7 as extra from range(10)")
        done = bench.run()
        assert not done.ok
        assert "It can only continue with strategy: row_checksum" in done.text
        bench.build("select id as account_id, if(id < 1, 'new', 'old') as name from range(10)")
        assert bench.log("account_id, _change_type") == [(0, "update")]

    def test_keys_that_spark_would_cut_are_refused(self, bench: Workbench) -> None:
        """Written without microseconds, a key would be found in neither reading."""
        bench.configure(
            "select *, timestamp_micros(account_id) as at from {{ target.schema }}.dump",
            strategy="row_checksum",
            unique_key=["account_id", "at"],
        )
        bench.build(table(3))
        bench.dump(table(4))
        bench.spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MILLIS")
        try:
            done = bench.run()
        finally:
            bench.spark.conf.unset("spark.sql.parquet.outputTimestampType")
        assert not done.ok
        assert "writes the key column 'at' without its microseconds" in done.text

    def test_a_log_that_spark_began_goes_on_where_duckdb_reaches_its_rows(self, bench: Workbench) -> None:
        rows = "select id as account_id, if(id = {}, 'new', 'old') as name from range(4)"
        bench.configure(strategy="row_checksum", initial_load="baseline")
        bench.build(rows.format(9))
        bench.configure(strategy="hash_compressed", initial_load="baseline")
        bench.build(rows.format(1))
        assert bench.batches("strategy, updates")[-1] == ("row_checksum", 1)

    def test_a_relation_of_any_name_is_read(self, bench: Workbench) -> None:
        bench.configure("select * from differing", strategy="row_checksum")
        for name in ("old", "new"):
            bench.spark.sql(
                f"create or replace temp view differing as select id as account_id, '{name}' as name from range(3)"
            )
            bench.build("select 1 as one")
        assert bench.batches("updates") == [(0,), (3,)]
