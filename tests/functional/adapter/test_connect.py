"""Spark Connect: the same project on a server."""

from pathlib import Path

import own_strategies
import pytest
import python_strategy
from spark_servers import SPARK_HOME, ConnectServer

OVERWRITES = """
def model(dbt, session):
    dbt.config(
        materialized="incremental",
        incremental_strategy="insert_overwrite",
        partition_by=["day"],
    )
    rows = dbt.ref("rows").mapInPandas(lambda batches: batches, "run int, day int")
    return rows.where("day = 2") if dbt.is_incremental else rows
"""

ROWS = "select {{ var('run') }} as run, day from {{ ref('days') }}"

PRINT_ROWS = """
from pyspark.sql import SparkSession

spark = SparkSession.builder.remote("{server}").getOrCreate()
print("rows", sorted((row.day, row.run) for row in spark.table("own.overwrites").collect()))
print("seed", sorted(tuple(map(str, row)) for row in spark.table("own.days").collect()))
print("mode", spark.conf.get("spark.sql.sources.partitionOverwriteMode").upper())
"""


READS_REMOTE = """
{{ config(materialized='table') }}
{% do adapter.remote_view('legacy', "select 1 as id, 'ann' as name from sysibm.sysdummy1", 'legacy_accounts') %}
select * from legacy_accounts
"""

PRINT_REMOTE = """
from pyspark.sql import SparkSession

spark = SparkSession.builder.remote("{server}").getOrCreate()
print("rows", [tuple(row) for row in spark.table("own.reads").collect()])
"""


LOG = """
{{ config(materialized='differential', unique_key='id', meta={'strategy': 'by_function', 'max_delete_fraction': 1}) }}
{% if var('dump') == 1 %}
select id, 'ann' as name from range(3)
{% else %}
select id, if(id = 1, 'bob', 'ann') as name from range(1, 4)
{% endif %}
"""

WAVE = """
{{ config(
    materialized='wave_index', buckets=2,
    meta={
        'scheme': 'wata',
        'window': 2,
        'constituents': 2,
        'day_column': 'day',
        'search_field': 'name',
    },
) }}
select id, 'ann' as name, date_add(date'2026-01-01', {{ var('dump') }}) as day from range(3)
"""

PROBED = "{{ config(materialized='table') }} {{ deltawave.timed_index_probe(ref('wave'), 'ann', '2026-01-03') }}"

FAILS_LATE = """

def fails(old, new, unique_key, columns, before_image):
    return old.select("no_such_column")
"""

PRINT_CHANGES = """
from dbt.adapters.deltawave import session
from deltawave.wave.access import timed_index_probe

spark = session._current.session
for log in ("log", "hashed"):
    changes = spark.table(f"own.{log}").where("_batch_id = 2").selectExpr("id", "_change_type", "_before.name")
    print(log, sorted(tuple(row) for row in changes.collect()))
print("wave", spark.table("own.wave").count(), spark.table("own.probed").count())
print("library", timed_index_probe(spark, "own.wave", "ann", "2026-01-03", None).count())
print("views", [table.name for table in spark.catalog.listTables() if table.isTemporary])
"""


@pytest.fixture(scope="module")
def server(quick_jvm):
    """A Spark Connect server; its address."""
    with ConnectServer(SPARK_HOME, quick_jvm) as started:
        yield started.address


def test_incremental_python_model(own_process, server):
    own_process.profile(server_side_parameters={"spark.remote": server})
    own_process.write("seeds/days.csv", "day,name,at\n1,O'Hara 🌊,2020-01-01 10:11:12\n2,,\n")
    own_process.write("models/rows.sql", ROWS)
    own_process.write("models/overwrites.py", OVERWRITES)

    outcome = own_process.dbt("build --vars 'run: 1'", "build --vars 'run: 2'", then=PRINT_ROWS.format(server=server))

    assert outcome.returncode == 0, outcome.stdout
    assert "rows [(1, 1), (2, 2)]" in outcome.stdout.splitlines()
    seeded = """seed [('1', "O'Hara 🌊", '2020-01-01 10:11:12'), ('2', 'None', 'None')]"""
    assert seeded in outcome.stdout.splitlines()
    assert "mode STATIC" in outcome.stdout.splitlines()


def test_a_remote_database(own_process, server):
    remotes = {
        "legacy": {"url": "jdbc:derby:memory:legacy;create=true"},
        "gone": {"url": "jdbc:derby:memory:gone;user=clerk;password=hunter2"},
        "driverless": {"url": "jdbc:postgresql://db/erp", "user": "clerk", "password": "hunter2"},
    }
    own_process.profile(server_side_parameters={"spark.remote": server}, remotes=remotes)
    own_process.write("models/reads.sql", READS_REMOTE)

    outcome = own_process.dbt("run", then=PRINT_REMOTE.format(server=server))
    assert outcome.returncode == 0, outcome.stdout
    assert "rows [(1, 'ann')]" in outcome.stdout.splitlines()

    own_process.write("models/reads.sql", "{% do adapter.remote_view('gone', 'values 1', 'v') %} select 1 as id")
    own_process.write("models/lacks.sql", "{% do adapter.remote_view('driverless', 'values 1', 'v') %} select 1 as id")
    outcome = own_process.dbt("--debug run")
    assert outcome.returncode == 1
    shown = " ".join(outcome.stdout.split())
    assert "Remote 'gone' can't be read. Check the database in its url. Spark's message: " in shown
    assert "Remote 'driverless': Spark finds no org.postgresql.Driver. Add spark.jars.packages" in shown
    assert "hunter2" not in shown


def test_what_runs_python(own_process, server):
    own_process.profile(server_side_parameters={"spark.remote": server})
    own_process.install_package()
    # The same as the local session runs, in the project's folder, which is on the process's path.
    own_process.write("python_strategy.py", Path(python_strategy.__file__).read_text() + FAILS_LATE)
    own_process.write("macros/own_strategies.sql", own_strategies.DECLARATIONS)
    own_process.write("models/log.sql", LOG)
    own_process.write("models/hashed.sql", LOG.replace("by_function", "hash_compressed"))
    own_process.write("models/wave.sql", WAVE)
    own_process.write("models/probed.sql", PROBED)

    outcome = own_process.dbt("run --vars 'dump: 1'", "run --vars 'dump: 2'", then=PRINT_CHANGES)
    assert outcome.returncode == 0, outcome.stdout
    lines = outcome.stdout.splitlines()
    for log in ("log", "hashed"):
        assert f"{log} [(0, 'delete', None), (1, 'update', 'ann'), (3, 'insert', None)]" in lines
    assert {"wave 6 3", "library 3", "views []"} <= set(lines)

    failing = own_strategies.DECLARATIONS.replace(python_strategy.DOTTED_PATH, "python_strategy.fails")
    own_process.write("macros/own_strategies.sql", failing)
    outcome = own_process.dbt("run --select log --vars 'dump: 1'")
    assert outcome.returncode == 1
    shown = " ".join(outcome.stdout.split())
    assert "Library function 'python_strategy.fails' failed with AnalysisException: [UNRESOLVED_COLUMN" in shown
    assert "no_such_column" in shown
    assert "JVM stacktrace" not in shown


def test_no_server(own_process):
    own_process.profile(server_side_parameters={"spark.remote": "sc://127.0.0.1:1/;token=hunter2"})
    outcome = own_process.dbt("debug")
    assert outcome.returncode == 1
    assert "No Spark Connect session at sc://127.0.0.1:1/;token=*****" in outcome.stdout
    assert "Connection refused" in outcome.stdout
