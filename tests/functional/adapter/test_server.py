"""`deltawave server`: the Spark that dbt commands of a project share."""

import json
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from dbt.adapters.deltawave import server_command
from dbt.adapters.deltawave.server import FILE, running, stop
from deltawave import cli

IN_A_SERVER = "Spark runs in a server"

NUMBERS = "{{ config(materialized='table') }} select id, concat('name ', id) as name from range({{ var('rows', 3) }})"
DOUBLED = """
def model(dbt, session):
    return dbt.ref("numbers").mapInPandas(lambda frames: (2 * frame[["id"]] for frame in frames), "id bigint")
"""
LOG = """
{{ config(materialized='differential', unique_key='id', meta={'strategy': '%s'}) }}
select * from {{ ref('numbers') }}
"""
STREAMED = """
from deltawave.meshjoin import StoredRelation, join_new_rows, stream_of


def model(dbt, session):
    dbt.config(materialized="incremental", incremental_strategy="append")
    relation = StoredRelation.alongside_tables(dbt.ref("doubled"), str(dbt.this), key="id", parts=2)
    rows = stream_of(dbt.ref("numbers"))
    return join_new_rows(rows, relation, str(dbt.this), done=None, on="id", how="left")
"""
COUNT = (
    "show --output json --inline "
    '"select (select count(*) from own.joined) as joined, (select sum(id) from own.doubled) as doubled, '
    '(select count(*) from own.streamed) as streamed"'
)

OUTLIVES = """
import os, signal
from dbt.cli.main import dbtRunner
from dbt.adapters.deltawave.server import running

first = dbtRunner().invoke(["run", "--vars", "rows: 4"]).success
os.kill(running("spark_data").process, signal.SIGKILL)
print("outcome", first, dbtRunner().invoke(["run", "--vars", "rows: 5"]).success)
"""


@pytest.fixture
def server(own_process, monkeypatch, capfd):
    """`deltawave server` in the project's folder: its exit code, and what it says."""
    monkeypatch.chdir(own_process.root)
    monkeypatch.setenv("SPARK_SUBMIT_OPTS", own_process.jvm_options)
    monkeypatch.delenv("DBT_PROFILES_DIR", raising=False)

    def call(*arguments):
        capfd.readouterr()
        code = server_command.main(arguments)
        output = capfd.readouterr()
        return code, output.out or output.err

    yield call
    stop(own_process.root / "spark_data")


def test_commands_share_a_spark(own_process, server, capfd):
    settings = {"spark.hadoop.password": "hunter2"}
    own_process.profile(server_side_parameters=settings)
    own_process.profile("other/profiles.yml", server_side_parameters={"spark.hadoop.password": "other"})
    own_process.install_package()
    own_process.write("models/numbers.sql", NUMBERS)
    own_process.write("models/doubled.py", DOUBLED)
    own_process.write("models/streamed.py", STREAMED)
    own_process.write("models/joined.sql", LOG % "outer_join")
    own_process.write("models/hashed.sql", LOG % "hash_compressed")
    own_process.write("models/alone.sql", "{{ config(materialized='table') }} select 1 as id")
    own_process.write("models/tests.yml", "models: [{name: numbers, columns: [{name: id, data_tests: [unique]}]}]")
    data = own_process.root / "spark_data"

    # As a user calls it, in a process of its own.
    assert cli.main(["server", "start"]) == 0
    started = capfd.readouterr().out
    process = running(data).process
    assert f"process {process}" in started
    for action in ("start", "status"):
        code, output = server(action)
        assert (code, f"process {process}" in output) == (0, True), output

    with ThreadPoolExecutor() as pool:
        runs = [
            pool.submit(own_process.dbt, "build --exclude alone", "docs generate", COUNT),
            pool.submit(own_process.dbt, "run --select alone --target-path alone"),
            pool.submit(own_process.dbt, "debug --profiles-dir other"),
        ]
    built, alone, refused = (run.result() for run in runs)
    for done in (built, alone):
        assert done.returncode == 0, done.stdout
        assert done.stdout.count(IN_A_SERVER) == 1
    shown = built.stdout.replace("\\", "")
    assert '"joined": 3' in shown, shown
    assert '"doubled": 6' in shown
    assert '"streamed": 3' in shown
    assert refused.returncode == 1
    assert f"(process {process}) was started with other settings: spark.hadoop.password." in refused.stdout
    assert "`deltawave server stop` ends it" in refused.stdout

    again = own_process.dbt("run --select joined hashed").stdout
    assert again.count("no changes, source not read") == 2, again

    # Only this user reads how it is reached.
    assert (data / FILE).stat().st_mode & 0o777 == 0o600
    token = json.loads((data / FILE).read_text())["token"]
    assert token not in built.stdout + started
    assert "hunter2" not in (data / FILE).read_text()
    arguments = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
    assert token not in arguments

    # Killed while a program runs commands, it leaves nothing that needs hands.
    outlives = own_process.python(OUTLIVES)
    assert "outcome True True" in outlives.stdout, outlives.stdout
    assert outlives.stdout.count(IN_A_SERVER) == 1
    assert outlives.stdout.count("1 batch: 1 insert, 0 deletes, 0 updates") == 4
    assert server("status") == (0, "No server runs.\n")
    code, again = server("start", "--idle-minutes", "0.1")
    assert code == 0, again
    assert f"process {process}," not in again
    # It ends when it was idle.
    while running(data):
        time.sleep(0.2)


def test_one_that_cannot_start_says_why(own_process, server):
    own_process.profile(server_side_parameters={"spark.master": "nonsense"})
    code, output = server("start")
    assert code == 1
    assert "deltawave server: The server did not start." in output
    assert "Master must either be yarn" in output

    own_process.profile(data_dir="target/spark")
    assert "`dbt clean` would delete" in server("start")[1]

    own_process.profile(server_side_parameters={"spark.remote": "sc://localhost:1"})
    assert "names a server itself" in server("start")[1]
