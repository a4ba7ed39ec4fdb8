"""A differential model whose select runs at a remote database."""

from pathlib import Path

import pytest
from dbt.tests.util import run_dbt
from dbt_common.exceptions import DbtRuntimeError


@pytest.mark.usefixtures("deltawave_package")
class TestWrongName:
    models = {
        "accounts.sql": "{{ config(materialized='differential', unique_key='id', remote='legcy') }} select 1 as id"
    }

    def test_a_wrong_name_is_reported_first(self, project):
        with pytest.raises(DbtRuntimeError) as refused:
            run_dbt(["compile"])
        assert "There is no remote 'legcy' in the profile. Under remotes it has: derby, legacy." in str(refused.value)


@pytest.mark.usefixtures("deltawave_package")
class TestDatedDumps:
    @pytest.fixture(scope="class")
    def models(self):
        config = "{{ config(materialized='differential', unique_key='id', remote='legacy', snapshot_date='day') }}"
        days = {"date": "day::date", "text": "to_char(day, 'YYYY-MM-DD')", "timestamptz": "day"}
        return {
            f"by_{kind}.sql": f"{config} select id, name, {day} as day from remote_option.dumps"
            for kind, day in days.items()
        }

    def test_each_date_is_asked_for(self, project, logs_dir, spark, postgres):
        postgres.sql("""
            create schema remote_option;
            create table remote_option.dumps (id int, name text, day timestamptz);
            insert into remote_option.dumps values
                (1, 'ann', '2026-01-01 00:00Z'), (2, 'bob', '2026-01-01 00:00Z'),
                (1, 'ann', '2026-01-02 00:00Z'), (2, 'rob', '2026-01-02 00:00Z');
        """)
        run_dbt(["run"])
        postgres.sql("drop schema remote_option cascade")
        for kind in ("date", "text", "timestamptz"):
            log = spark.table(f"{project.test_schema}.by_{kind}").orderBy("_batch_id", "id")
            rows = log.select("id", "name", "_change_type", "_batch_id").collect()
            assert [tuple(row) for row in rows] == [
                (1, "ann", "insert", 1),
                (2, "bob", "insert", 1),
                (2, "rob", "update", 2),
            ], kind
        asked = Path(logs_dir, "dbt.log").read_text()
        assert "where \"day\" = date '2026-01-02'" in asked
        assert 'where ("day"::text collate "C") = \'2026-01-02\'' in asked
        assert 'where "day" = timestamptz \'2026-01-02 00:00:00' in asked
