"""Range checksums that a database computes: only moved ranges cross the wire, and a lost server loses nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture
from postgres import PostgresServer
from pyspark.sql import SparkSession

CONFIG = {"materialized": "differential", "unique_key": ["region", "id"], "remote": "legacy"}
SELECT = "select id, region, name, changed_at from remote_ranges.accounts where region is not null"


def model(**config: Any) -> str:
    return f"{{{{ config(**fromjson({json.dumps(CONFIG | config)!r})) }}}}\n{SELECT}"


@pytest.fixture(scope="class")
def accounts(postgres: PostgresServer) -> Iterator[PostgresServer]:
    """A table of 1,000 accounts in two regions, in a database whose own order of text is not Spark's."""
    postgres.sql("""
        create schema remote_ranges;
        create sequence remote_ranges.readings;
        create table remote_ranges.accounts (
            id int, region text, name text, changed_at timestamptz, primary key (region, id)
        );
        insert into remote_ranges.accounts
        select n, case when n % 2 = 0 then 'é-north' else 'South' end, 'name ' || n, timestamptz '2026-01-01 00:00+01'
        from generate_series(1, 1000) as n;
    """)
    yield postgres
    postgres.sql("drop schema remote_ranges cascade")


@pytest.mark.usefixtures("deltawave_package", "postgres")
class TestRemoteRanges:
    models = {
        "by_checksum.sql": model(strategy="range_checksum", range_rows=50),
        "by_two.sql": model(strategy="range_checksum", checksum_bits=128, range_rows=50),
        "by_range.sql": model(strategy="ranges", range_rows=300),
        "by_row.sql": model(strategy="row_checksum"),
        "whole.sql": model(strategy="outer_join"),
    }

    def log(self, project: Any, spark: SparkSession, name: str) -> list[tuple[Any, ...]]:
        rows = spark.table(f"{project.test_schema}.{name}").where("_batch_id > 1").orderBy("_batch_id", "id", "region")
        return [tuple(row) for row in rows.select("id", "region", "name", "_change_type", "_changed_columns").collect()]

    def test_every_strategy_finds_what_changed(
        self, project: Any, spark: SparkSession, accounts: PostgresServer
    ) -> None:
        run_dbt(["run"])
        assert len(run_dbt(["run"])) == 5
        assert self.log(project, spark, "by_checksum") == []
        accounts.sql("""
            update remote_ranges.accounts set name = null where id = 501;
            update remote_ranges.accounts set changed_at = changed_at + interval '1 microsecond' where id = 503;
            update remote_ranges.accounts set region = 'South' where id = 500;
            delete from remote_ranges.accounts where id = 777;
            insert into remote_ranges.accounts values (2000, 'Zoo', '', null);
        """)
        run_dbt(["run"])
        expected = self.log(project, spark, "whole")
        assert len(expected) == 6
        for name in ("by_checksum", "by_two", "by_range", "by_row"):
            assert self.log(project, spark, name) == expected, name
        batch = spark.table(f"{project.test_schema}.by_checksum__batches").where("batch_id = 2").first()
        assert batch.rows_dump <= 5 * 100
        assert batch.comparisons_before_error > 1e15
        for file in Path(project.project_root, "target").rglob("*.sql"):
            assert accounts.password not in file.read_text()

    def test_a_server_that_stops_in_mid_run_loses_nothing(
        self, project: Any, spark: SparkSession, accounts: PostgresServer
    ) -> None:
        run_dbt(["run", "--select", "by_checksum"])
        before = self.log(project, spark, "by_checksum")
        accounts.sql("update remote_ranges.accounts set name = 'changed' where id between 10 and 12")
        file = Path(project.project_root, "models", "by_checksum.sql")
        good = file.read_text()
        # The first reading is the checksum's; at the second, of the rows, the server ends the connection.
        kill = "pg_terminate_backend(pg_backend_pid())::text"
        fuse = f"case when id = 11 and nextval('remote_ranges.readings') > 1 then {kill} else name end as name"
        file.write_text(good.replace("name, changed_at", f"{fuse}, changed_at"))
        try:
            _, text = run_dbt_and_capture(["run", "--select", "by_checksum"], expect_pass=False)
        finally:
            file.write_text(good)
        assert "FATAL: terminating connection" in text
        assert accounts.password not in text
        assert accounts.sql("select last_value from remote_ranges.readings") == [["2"]]
        assert self.log(project, spark, "by_checksum") == before
        run_dbt(["run", "--select", "by_checksum"])
        found = self.log(project, spark, "by_checksum")[len(before) :]
        assert [(row[0], row[2], row[3]) for row in found] == [(id_, "changed", "update") for id_ in (10, 11, 12)]
