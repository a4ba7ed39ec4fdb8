"""Timestamps and delete flags of a table in a database: what a run fetches of it, and tombstones beside live rows."""

import pytest
from dbt.tests.util import run_dbt

MODEL = """
{{ config(
    materialized='differential',
    unique_key='code',
    strategy='timestamp_delete_flag',
    updated_at='version',
    delete_flag="state = 'D'",
    remote='legacy',
) }}
select code, name, state, version from remote_time.accounts -- in the dialect of the source
"""


@pytest.mark.usefixtures("deltawave_package")
class TestRemoteTime:
    models = {"accounts.sql": MODEL}

    @pytest.fixture(scope="class")
    def accounts(self, postgres):
        postgres.sql("""
            create schema remote_time;
            create table remote_time.accounts (code text, name text, state text not null, version int);
            insert into remote_time.accounts values ('a', 'ann', 'A', 1), ('B', 'bob', 'A', 1), ('c', 'cid', 'A', 3);
        """)
        yield
        postgres.sql("drop schema remote_time cascade")

    def test_a_tombstone_beside_a_live_row_deletes_nothing(self, project, accounts, spark, postgres):
        run_dbt(["run"])
        postgres.sql("""
            insert into remote_time.accounts values ('a', 'old', 'D', 4);
            update remote_time.accounts set state = 'D', version = 4 where code = 'B';
        """)
        run_dbt(["run"])
        log = spark.table(f"{project.test_schema}.accounts").where("_batch_id > 1")
        rows = log.select("code", "name", "state", "version", "_change_type").collect()
        assert [tuple(row) for row in rows] == [("B", "bob", "A", 4, "delete")]
        # The row at the mark, two that are flagged, and the live one beside one of them.
        batches = spark.table(f"{project.test_schema}.accounts__batches").orderBy("batch_id")
        assert [row.rows_dump for row in batches.collect()] == [3, 4]
