"""adapter.remote_view: a query of a remote database as a temporary view."""

import datetime as dt
import re
from decimal import Decimal
from pathlib import Path

import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture
from dbt_common.exceptions import DbtRuntimeError

READS = """
{{ config(materialized='table') }}
{% set query = 'select id, name from remote_view.accounts where id > 1 -- all but one' %}
{% do adapter.remote_view('legacy', query, 'legacy_accounts') %}
select * from legacy_accounts
"""


@pytest.fixture(scope="class")
def accounts(postgres):
    """Rows at the source."""
    postgres.sql("""
        create schema remote_view;
        create table remote_view.accounts (id int, name text, balance numeric(10, 2), at timestamp, seen timestamptz);
        insert into remote_view.accounts values
            (1, 'ann', 1.50, '2026-01-31 12:00:00.123456', '2026-01-31 12:00:00+02'),
            (2, null, null, null, null),
            (3, '', -1, '2026-03-29 02:30:00', '2026-03-29 02:30:00Z');
    """)
    yield
    postgres.sql("drop schema remote_view cascade")


@pytest.mark.usefixtures("accounts")
class TestReading:
    models = {"reads.sql": READS}

    def test_types_and_values(self, project, spark):
        with project.adapter.connection_named("one"):
            project.adapter.remote_view("legacy", "select * from remote_view.accounts", "typed")
        view = spark.table("typed")
        assert [field.dataType.simpleString() for field in view.schema] == [
            "int",
            "string",
            "decimal(10,2)",
            "timestamp_ntz",
            "timestamp",
        ]
        row = view.where("id = 1").selectExpr("balance", "at", "cast(seen as string)").first()
        at = dt.datetime(2026, 1, 31, 12, 0, 0, 123456)
        assert tuple(row) == (Decimal("1.50"), at, "2026-01-31 10:00:00")

    def test_a_model_reads_the_view_and_no_secret_is_written(self, project, logs_dir, spark, postgres):
        run_dbt(["compile"])
        run_dbt(["--debug", "run"])
        run_dbt(["--debug", "debug"])
        rows = spark.table(f"{project.test_schema}.reads").collect()
        assert sorted(map(tuple, rows)) == [(2, None), (3, "")]
        plan = spark.sql("explain extended select * from legacy_accounts").first()[0]
        assert "remote_view.accounts" in plan
        assert postgres.password not in plan
        folders = [Path(project.project_root, "target"), Path(logs_dir)]
        written = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
        assert {"manifest.json", "reads.sql", "dbt.log"} <= {file.name for file in written}
        assert [file for file in written if postgres.password.encode() in file.read_bytes()] == []

    def test_a_server_that_stops_and_comes_back(self, project, spark, postgres):
        with project.adapter.connection_named("one"):
            project.adapter.remote_view("legacy", "select id from remote_view.accounts", "stops")
        postgres.stop()
        try:
            with project.adapter.connection_named("one"), pytest.raises(DbtRuntimeError) as failed:
                project.adapter.execute("select * from stops", fetch=True)
        finally:
            postgres.start()
        assert "Remote 'legacy' can't be read. Check that the server runs" in str(failed.value)
        assert "refused" in str(failed.value)
        assert postgres.password not in str(failed.value)
        assert spark.table("stops").count() == 3


class TestErrors:
    @pytest.fixture(scope="class")
    def remotes(self, remotes, postgres):
        return remotes | {
            "locked": postgres.remote | {"password": "hunter2 is wrong"},
            "in_url": {"url": f"{postgres.url}?user=clerk&password=hunter%33%2fwrong"},
            "gone": {"url": "jdbc:postgresql://127.0.0.1:1/erp", "user": "clerk", "password": "hunter2"},
            "misnamed": postgres.remote | {"url": postgres.url + "_2"},
            "driverless": {"url": "jdbc:mysql://clerk:hunter2@127.0.0.1:1/erp"},
            "foreign": {"url": "jdbc:oracle:thin:@//db:1521/erp", "user": "clerk", "password": "hunter2"},
        }

    @pytest.mark.parametrize(
        ("remote", "parts"),
        [
            ("locked", ["Remote 'locked'", "Check its user and password", "password authentication failed"]),
            ("in_url", ["Remote 'in_url'", "Check its user and password"]),
            ("gone", ["Remote 'gone'", "Check that the server runs", "127.0.0.1:1 refused"]),
            ("misnamed", ["Remote 'misnamed'", "Check the database in its url", '"postgres_2" does not exist']),
            (
                "driverless",
                [
                    "Remote 'driverless': Spark finds no com.mysql.cj.jdbc.Driver",
                    "spark.jars.packages: com.mysql:mysql-connector-j:<version>",
                ],
            ),
            ("legcy", ["no remote 'legcy'", "derby, driverless, foreign, gone, in_url, legacy, locked, misnamed"]),
            ("legacy", ["Remote 'legacy'", 'relation "nowhere" does not exist']),
        ],
    )
    def test_what_is_wrong_and_what_to_do(self, project, postgres, remote, parts):
        with project.adapter.connection_named("one"), pytest.raises(DbtRuntimeError) as failed:
            project.adapter.remote_view(remote, "select * from nowhere", "unread")
        message = str(failed.value)
        for part in parts:
            assert part in message
        assert not re.search(f"hunter|clerk|{postgres.password}|\tat ", message)

    def test_an_unknown_dialect(self, project):
        with pytest.raises(DbtRuntimeError, match=r"no dialect is known for jdbc:oracle.*jdbc:postgresql:"):
            project.adapter.remote_dialect("foreign")

    def test_dbt_reports_it_without_the_secret(self, project, logs_dir):
        Path(project.project_root, "models", "locked.sql").write_text(
            "{% do adapter.remote_view('locked', 'select 1', 'unread') %} select 1 as id"
        )
        _, text = run_dbt_and_capture(["--debug", "run"], expect_pass=False)
        assert "Remote 'locked' can't be read. Check its user and password." in " ".join(text.split())
        logged = Path(logs_dir, "dbt.log").read_text()
        assert not re.search("hunter", text + logged)
