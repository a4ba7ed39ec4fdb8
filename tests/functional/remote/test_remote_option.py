"""A differential model whose select runs at a remote database."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture
from dbt_common.exceptions import DbtRuntimeError

SOURCES = """
version: 2
sources:
  - name: legacy
    schema: remote_option
    tables: [{name: accounts}]
"""

MODEL = """
{{{{ config(**fromjson({config!r})) }}}}
select id, name, note::varchar as note from {{{{ source('legacy', 'accounts') }}}} -- in the dialect of the source
"""


# What a strategy does with a model's job, in dbt's own Jinja.
ASKS = """
{% macro ask() %}
  {% set target_relation = api.Relation.create(schema='shop', identifier='accounts') %}
  {% set job = {'name': 'accounts', 'target': target_relation, 'attempt': 'a1', 'settings': {'remote': 'legacy'}} %}
  {% do job.update(sql='select id, name from remote_option.numbers', remote=none) %}
  {% do deltawave._open_remote(job) %}
  {% set columns = [
    {'name': 'id', 'data_type': 'int', 'is_key': true, 'is_chosen': false},
    {'name': 'name', 'data_type': 'string', 'is_key': false, 'is_chosen': true},
  ] %}
  {% set ranges = [{'range_id': 1, 'low': none}, {'range_id': 2, 'low': ['4']}] %}
  {% set checksums = deltawave._remote_checksums(job, columns, ranges, 64) %}
  {% for row in run_query(checksums ~ ' order by range_id').rows %}
    {% do log('range ' ~ row[0] ~ ' rows ' ~ row[1], info=true) %}
  {% endfor %}
  {% set rows = deltawave._remote_rows(job, columns, [{'low': ['4'], 'high': ['6']}], 64) %}
  {% for row in run_query(rows ~ ' order by id').rows %}
    {% do log('row ' ~ row[0] ~ ' ' ~ row[1], info=true) %}
  {% endfor %}
{% endmacro %}
"""


def model(**config):
    return MODEL.format(config=json.dumps({"materialized": "differential", "unique_key": "id", **config}))


@pytest.mark.usefixtures("deltawave_package")
class TestRemoteDumps:
    @pytest.fixture(scope="class")
    def models(self):
        return {"sources.yml": SOURCES, "accounts.sql": model(remote="legacy")}

    @pytest.fixture(scope="class")
    def accounts(self, postgres):
        postgres.sql("""
            create schema remote_option;
            create table remote_option.accounts (id int primary key, name text, note char(3));
            insert into remote_option.accounts values (1, 'ann', 'x'), (2, 'bob', null), (3, '', 'y');
        """)
        yield
        postgres.sql("drop schema remote_option cascade")

    def test_changes_at_the_source_make_a_batch(self, project, accounts, spark, postgres):
        run_dbt(["run"])
        postgres.sql("""
            update remote_option.accounts set name = 'rob' where id = 2;
            update remote_option.accounts set name = null where id = 3;
            delete from remote_option.accounts where id = 1;
        """)
        run_dbt(["run"])
        log = spark.table(f"{project.test_schema}.accounts").where("_batch_id = 2").orderBy("id")
        rows = log.select("id", "name", "_change_type", "_changed_columns").collect()
        assert [tuple(row) for row in rows] == [
            (1, "ann", "delete", None),
            (2, "rob", "update", ["name"]),
            (3, None, "update", ["name"]),
        ]
        for kind in ("compiled", "run"):
            (text,) = Path(project.project_root, "target", kind).rglob("accounts.sql")
            assert postgres.password not in text.read_text()

    def test_a_server_that_is_down_changes_nothing(self, project, accounts, spark, postgres):
        before = spark.table(f"{project.test_schema}.accounts").collect()
        postgres.stop()
        try:
            _, text = run_dbt_and_capture(["run"], expect_pass=False)
        finally:
            postgres.start()
        assert "Remote 'legacy' can't be read. Check that the server runs" in " ".join(text.split())
        assert spark.table(f"{project.test_schema}.accounts").collect() == before

    @pytest.mark.parametrize(
        ("remote", "message"),
        [
            ("legcy", "There is no remote 'legcy' in the profile. Under remotes it has: derby, legacy."),
            (["legacy"], "accounts: 'remote' can't be ['legacy']; it takes a name."),
        ],
    )
    def test_a_wrong_name_is_told_first(self, project, remote, message):
        file = Path(project.project_root, "models", "accounts.sql")
        good = file.read_text()
        file.write_text(model(remote=remote))
        try:
            with pytest.raises(DbtRuntimeError) as refused:
                run_dbt(["compile"])
        finally:
            file.write_text(good)
        assert message in str(refused.value)


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


@pytest.mark.usefixtures("deltawave_package")
class TestAsking:
    @pytest.fixture(scope="class")
    def macros(self):
        return {"ask.sql": ASKS}

    def test_ranges_and_rows(self, project, postgres):
        postgres.sql("""
            create schema remote_option;
            create table remote_option.numbers as select n as id, 'n' || n as name from generate_series(1, 10) as n;
        """)
        _, text = run_dbt_and_capture(["run-operation", "ask"])
        postgres.sql("drop schema remote_option cascade")
        found = re.findall(r"range \d rows \d|row \d+ n\d+", text)
        assert found == ["range 1 rows 3", "range 2 rows 7", "row 4 n4", "row 5 n5"]


@pytest.mark.usefixtures("deltawave_package")
class TestStockSpark:
    @pytest.fixture(scope="class")
    def adapter_type(self):
        return "spark"

    @pytest.fixture(scope="class")
    def remotes(self):
        return None

    @pytest.fixture(scope="class")
    def models(self):
        return {"sources.yml": SOURCES, "accounts.sql": model(remote="legacy")}

    def test_it_says_what_it_takes(self, project):
        _, text = run_dbt_and_capture(["run"], expect_pass=False)
        assert (
            "accounts: 'remote' (legacy) needs a profile of type: deltawave, with legacy under remotes; "
            "the adapter of this profile reads no databases."
        ) in " ".join(text.split())
