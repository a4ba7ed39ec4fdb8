"""Range checksums that a database computes: only moved ranges cross the wire, and a lost server loses nothing."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture
from postgres import PostgresServer
from pyspark.sql import SparkSession

CONFIG = {
    "materialized": "differential",
    "unique_key": ["region", "id"],
    "remote": "legacy",
    "strategy": "range_checksum",
    "range_rows": 50,
}
SELECT = "select id, region, name, changed_at from remote_ranges.accounts where region is not null"


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
    models = {"by_checksum.sql": f"{{{{ config(**fromjson({json.dumps(CONFIG)!r})) }}}}\n{SELECT}"}

    def log(self, project: Any, spark: SparkSession) -> list[tuple[Any, ...]]:
        rows = spark.table(f"{project.test_schema}.by_checksum").where("_batch_id > 1")
        rows = rows.orderBy("_batch_id", "id", "region")
        return [tuple(row) for row in rows.select("id", "region", "name", "_change_type", "_changed_columns").collect()]

    def test_only_moved_ranges_are_fetched(self, project: Any, spark: SparkSession, accounts: PostgresServer) -> None:
        for _ in range(2):
            run_dbt(["run"])
        assert self.log(project, spark) == []
        accounts.sql("""
            update remote_ranges.accounts set name = null where id = 501;
            update remote_ranges.accounts set changed_at = changed_at + interval '1 microsecond' where id = 503;
            update remote_ranges.accounts set region = 'South' where id = 500;
            delete from remote_ranges.accounts where id = 777;
            insert into remote_ranges.accounts values (2000, 'Zoo', '', null);
        """)
        run_dbt(["run"])
        assert self.log(project, spark) == [
            (500, "South", "name 500", "insert", None),
            (500, "é-north", "name 500", "delete", None),
            (501, "South", None, "update", ["name"]),
            (503, "South", "name 503", "update", ["changed_at"]),
            (777, "South", "name 777", "delete", None),
            (2000, "Zoo", "", "insert", None),
        ]
        batch = spark.table(f"{project.test_schema}.by_checksum__batches").where("batch_id = 2").first()
        assert batch.rows_dump <= 5 * 100
        assert batch.comparisons_before_error > 1e15
        for file in Path(project.project_root, "target").rglob("*.sql"):
            assert accounts.password not in file.read_text()

    def test_a_server_that_stops_in_mid_run_loses_nothing(
        self, project: Any, spark: SparkSession, accounts: PostgresServer
    ) -> None:
        run_dbt(["run"])
        before = self.log(project, spark)
        accounts.sql("update remote_ranges.accounts set name = 'changed' where id between 10 and 12")
        file = Path(project.project_root, "models", "by_checksum.sql")
        good = file.read_text()
        # The first reading is the checksum's; at the second, of the rows, the server ends the connection.
        kill = "pg_terminate_backend(pg_backend_pid())::text"
        fuse = f"case when id = 11 and nextval('remote_ranges.readings') > 1 then {kill} else name end as name"
        file.write_text(good.replace("name, changed_at", f"{fuse}, changed_at"))
        try:
            _, text = run_dbt_and_capture(["run"], expect_pass=False)
        finally:
            file.write_text(good)
        assert "FATAL: terminating connection" in text
        assert accounts.password not in text
        assert accounts.sql("select last_value from remote_ranges.readings") == [["2"]]
        assert self.log(project, spark) == before
        run_dbt(["run"])
        found = self.log(project, spark)[len(before) :]
        assert [(row[0], row[2], row[3]) for row in found] == [(id_, "changed", "update") for id_ in (10, 11, 12)]
