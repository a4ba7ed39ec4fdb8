"""What users of dbt on Spark have asked for elsewhere: one test per wish, with its origin."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from workbench import Workbench

LOG = """
{{ config(
    materialized='differential', unique_key=['region', 'account'], snapshot_date='dump_date',
    ignore_columns=['seen'], tolerance={'balance': 0.5},
) }}
select * from values
    ('n', '1', 'ann', 10.0D, 'mon', date'2026-01-01'),
    (null, '1', 'bob', 20.0D, 'mon', date'2026-01-01'),
    ('n', null, 'cid', 30.0D, 'mon', date'2026-01-01'),
    ('a_b', 'c', 'eve', 40.0D, 'mon', date'2026-01-01'),
    ('a', 'b_c', 'fay', 50.0D, 'mon', date'2026-01-01'),

    ('n', '1', 'ann', 10.0D, 'tue', date'2026-01-02'),
    (null, '1', 'bob', 20.3D, 'mon', date'2026-01-02'),
    ('a_b', 'c', 'eve', 40.0D, 'mon', date'2026-01-02'),
    ('a', 'b_c', 'kay', 51.0D, 'mon', date'2026-01-02'),

    ('n', '1', 'anna', 10.0D, 'tue', date'2026-01-05'),
    (null, '1', 'bob', 20.3D, 'mon', date'2026-01-05'),
    ('n', null, 'cyd', 33.0D, 'fri', date'2026-01-05'),
    ('a_b', 'c', 'eve', 40.0D, 'mon', date'2026-01-05'),
    ('a', 'b_c', 'kay', 51.0D, 'mon', date'2026-01-05')
as t(region, account, name, balance, seen, dump_date)
"""
PRICES = "select * from values {} as t(id, price)"
MODELS = {
    "log.sql": LOG,
    "versions.sql": "{{ deltawave.scd2(ref('log'), ['region', 'account'], track_columns=['name']) }}",
    "old_prices.sql": PRICES.format("(1, 1.00D), (2, 2.00D), (3, 3.00D)"),
    "new_prices.sql": PRICES.format("(1, 1.01D), (2, 2.50D), (4, 4.00D)"),
    "price_changes.sql": """
        select id, price, _change_type, _before.price as former
        from ({{ deltawave.diff(ref('old_prices'), ref('new_prices'), 'id', tolerance={'price': 0.1}) }})
    """,
    "texts.sql": """
        select * from values
            (1, null, 'a'), (2, '', 'a'), (3, ' ', 'a'), (4, 'a', ''), (5, 'a', null), (6, 'a|', '|b'), (7, 'a', '||b'),
            (8, 'NULL', 'a'), (9, 'a', 'a '), (10, 'a', 'a')
        as t(id, first_text, second_text)
    """,
    "checksums.sql": """
        select id, {{ deltawave.row_checksum(['first_text', 'second_text'], relation=ref('texts')) }} as checksum
        from {{ ref('texts') }}
    """,
}
ACCOUNTS = "select id as account_id, cast(id as string) as name from range(10)"


@pytest.mark.usefixtures("deltawave_package")
class TestWishes:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return MODELS

    @pytest.fixture(scope="class")
    def bench(self, project: Any, deltawave_package: Path, spark: SparkSession) -> Workbench:
        """Everything is built once; tests that need more dumps send them to the model accounts."""
        bench = Workbench(spark, Path(project.project_root), project.test_schema)
        bench.configure(on_schema_change="append_new_columns")
        bench.build(ACCOUNTS)
        return bench

    def rows(self, bench: Workbench, query: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in bench.spark.sql(query.format(schema=bench.schema)).collect()]

    def test_wish_1_columns_left_out_of_the_comparison(self, bench: Workbench) -> None:
        """A column that changes all the time (here: seen) must not make updates (dbt-core#1966, #10438)."""
        assert self.rows(bench, "select _changed_columns from {schema}.log where name = 'ann' and _batch_id = 2") == []
        assert self.rows(bench, "select seen, _changed_columns from {schema}.log where name = 'anna'") == [
            ("tue", ["name"])
        ]

    def test_wish_2_composite_keys_with_nulls_that_are_never_joined_as_text(self, bench: Workbench) -> None:
        """A null part matches a null part, and (a_b, c) is not (a, b_c) (dbt-core#11950, data-diff#634)."""
        changed = "select region, account, name, _change_type from {schema}.log where _batch_id = 2 order by name"
        assert self.rows(bench, changed) == [("n", None, "cid", "delete"), ("a", "b_c", "kay", "update")]

    def test_wish_3_a_stated_policy_for_duplicate_keys(self, bench: Workbench) -> None:
        """Duplicates are an error that counts and shows them, not chance (dbt-core#2642, #6215, SQLMesh#2810)."""
        text = bench.refused(f"{ACCOUNTS} union all select 3, 'x'", "--select", "accounts")
        assert "1 key(s) (account_id) occur more than once, for instance (3)" in text

    def test_wish_4_deletes_with_the_last_values_and_keys_that_come_back(self, bench: Workbench) -> None:
        """A row that goes and returns is deleted as it was, inserted as it is (dbt-adapters#1401, dbt-core#11949)."""
        assert self.rows(
            bench,
            "select name, balance, _change_type, _batch_id from {schema}.log where account is null order by _batch_id",
        ) == [("cid", 30.0, "insert", 1), ("cid", 30.0, "delete", 2), ("cyd", 33.0, "insert", 3)]

    def test_wish_5_a_guard_against_empty_and_partial_dumps(self, bench: Workbench) -> None:
        """A source that failed silently must not delete the table (dbt-adapters#1329)."""
        assert "the dump is empty" in bench.refused(f"{ACCOUNTS} where id < 0", "--select", "accounts")
        assert "60.0%" in bench.refused(f"{ACCOUNTS} where id < 4", "--select", "accounts")

    def test_wish_6_a_new_column_makes_no_update_and_no_error(self, bench: Workbench) -> None:
        """A column that the source gains neither renews every row nor stops the run (dbt-core#3146, #5636)."""
        bench.build(ACCOUNTS.replace("as name", "as name, id * 2 as points"), "--select", "accounts")
        assert bench.batches() == [(1, 10, 0, 0), (2, 0, 0, 0)]
        assert "points" in bench.spark.table(f"{bench.schema}.accounts").columns

    def test_wish_7_full_dumps_become_inserts_updates_and_deletes(self, bench: Workbench) -> None:
        """Full dumps in, changes out, nothing written for rows that stay (dlt#4305, delta#1963)."""
        assert self.rows(
            bench, "select _batch_id, _change_type, count(*) from {schema}.log group by all order by 1, 2"
        ) == [(1, "insert", 5), (2, "delete", 1), (2, "update", 1), (3, "insert", 1), (3, "update", 1)]

    def test_wish_8_dated_dumps_replayed_with_their_own_dates(self, bench: Workbench) -> None:
        """Each dump of a backlog becomes a batch, dated by the dump, not by the run (dbt-core#9892, #8760)."""
        assert self.rows(
            bench, "select distinct _batch_id, date_format(_batch_at, 'yyyy-MM-dd') from {schema}.log order by 1"
        ) == [(1, "2026-01-01"), (2, "2026-01-02"), (3, "2026-01-05")]

    def test_wish_11_the_changed_columns_old_beside_new(self, bench: Workbench) -> None:
        """An update says which columns changed, and from what to what, in SQL (audit-helper#123)."""
        assert self.rows(
            bench,
            "select _changed_columns, _before.name, name, _before.balance, balance "
            "from {schema}.log where name = 'kay'",
        ) == [(["name", "balance"], "fay", "kay", 50.0, 51.0)]

    def test_wish_12_a_tolerance(self, bench: Workbench) -> None:
        """Numbers that differ only by rounding are equal, in a log and in a diff (audit-helper#119)."""
        assert self.rows(bench, "select _batch_id from {schema}.log where name = 'bob'") == [(1,)]
        assert self.rows(bench, "select id from {schema}.price_changes where _change_type = 'update'") == [(2,)]

    def test_wish_13_versions_straight_from_a_change_log(self, bench: Workbench) -> None:
        """SCD2 is a select over the log: no snapshot, no merge (iceberg#15593)."""
        assert self.rows(
            bench,
            "select name, day(valid_from), day(valid_to), is_current from {schema}.versions "
            "where region = 'n' order by name",
        ) == [("ann", 1, 5, False), ("anna", 5, None, True), ("cid", 1, 2, False), ("cyd", 5, None, True)]

    def test_wish_14_the_difference_of_two_tables_as_a_relation(self, bench: Workbench) -> None:
        """Two tables in, a relation of their differences out, to select from as from any other (SPARK-30296)."""
        assert self.rows(bench, "select id, price, _change_type, former from {schema}.price_changes order by id") == [
            (2, 2.5, "update", 2.0),
            (3, 3.0, "delete", None),
            (4, 4.0, "insert", None),
        ]

    def test_wish_15_checksums_that_tell_null_blanks_and_delimiters_apart_and_stay(self, bench: Workbench) -> None:
        """Rows that look alike as joined text have other checksums, the same in each release (datavault4dbt#409)."""
        found = dict(self.rows(bench, "select id, checksum from {schema}.checksums"))
        assert len(set(found.values())) == len(found) == 10
        assert found[1] == -1010403264180844141
