"""`deltawave server`: the Spark that dbt commands of a project share."""

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from dbt.adapters.deltawave.server import FILE, running, stop

IN_A_SERVER = "Spark runs in a server"

NUMBERS = "{{ config(materialized='table') }} select id, concat('name ', id) as name from range({{ var('rows', 3) }})"
DOUBLED = """
def model(dbt, session):
    return dbt.ref("numbers").mapInPandas(lambda frames: (2 * frame[["id"]] for frame in frames), "id bigint")
"""
LOG = "{{ config(materialized='differential', unique_key='id', strategy='%s') }} select * from {{ ref('numbers') }}"
COUNT = (
    "show --output json --inline "
    '"select (select count(*) from own.joined) as joined, (select sum(id) from own.doubled) as doubled"'
)

OUTLIVES = """
import os, signal
from dbt.cli.main import dbtRunner
from dbt.adapters.deltawave.server import running

first = dbtRunner().invoke(["run", "--vars", "rows: 4"]).success
os.kill(running("spark_data").process, signal.SIGKILL)
print("outcome", first, dbtRunner().invoke(["run", "--vars", "rows: 5"]).success)
"""


def server(own_process, *arguments):
    """Run `deltawave server`, as a user does."""
    command = [Path(sys.executable).with_name("deltawave"), "server", *arguments]
    environment = os.environ | {"SPARK_SUBMIT_OPTS": own_process.jvm_options}
    environment.pop("DBT_PROFILES_DIR", None)
    return subprocess.run(command, cwd=own_process.root, env=environment, capture_output=True, text=True, timeout=300)


def test_commands_share_a_spark(own_process):
    settings = {"spark.hadoop.password": "hunter2"}
    own_process.profile(server_side_parameters=settings)
    own_process.install_package()
    own_process.write("models/numbers.sql", NUMBERS)
    own_process.write("models/doubled.py", DOUBLED)
    own_process.write("models/joined.sql", LOG % "outer_join")
    own_process.write("models/hashed.sql", LOG % "hash_compressed")
    own_process.write("models/tests.yml", "models: [{name: numbers, columns: [{name: id, data_tests: [unique]}]}]")
    data = own_process.root / "spark_data"
    try:
        started = server(own_process, "start")
        assert started.returncode == 0, started.stderr
        process = running(data).process
        assert f"process {process}" in server(own_process, "start").stdout
        assert f"process {process}" in server(own_process, "status").stdout

        built = own_process.dbt("build", "build --vars 'rows: 4'", "docs generate")
        assert built.returncode == 0, built.stdout
        assert built.stdout.count(IN_A_SERVER) == 1
        assert built.stdout.count("1 batch: 1 insert, 0 deletes, 0 updates") == 2

        with ThreadPoolExecutor() as pool:
            both = list(pool.map(own_process.dbt, ["run --select doubled", "test"]))
        assert [each.returncode for each in both] == [0, 0], [each.stdout for each in both]
        assert '"joined": 4' in (shown := own_process.dbt(COUNT).stdout).replace("\\", ""), shown
        assert '"doubled": 12' in shown.replace("\\", "")

        # Only this user reads how it is reached.
        assert (data / FILE).stat().st_mode & 0o777 == 0o600
        token = json.loads((data / FILE).read_text())["token"]
        assert token not in built.stdout + started.stdout
        assert "hunter2" not in (data / FILE).read_text()
        arguments = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
        assert token not in arguments

        own_process.profile(server_side_parameters={"spark.hadoop.password": "other"})
        refused = own_process.dbt("run")
        assert refused.returncode == 1
        assert f"(process {process}) was started with other settings: spark.hadoop.password." in refused.stdout
        assert "`deltawave server stop` ends it" in refused.stdout

        # Killed while a program runs commands, it leaves nothing that needs hands.
        own_process.profile(server_side_parameters=settings)
        outlives = own_process.python(OUTLIVES)
        assert "outcome True True" in outlives.stdout, outlives.stdout
        assert outlives.stdout.count(IN_A_SERVER) == 1
        assert outlives.stdout.count("1 batch: 1 insert, 0 deletes, 0 updates") == 2
        assert server(own_process, "status").stdout == "No server runs.\n"
        again = server(own_process, "start")
        assert f"process {process}," not in again.stdout
        assert IN_A_SERVER in own_process.dbt("run --select numbers").stdout
    finally:
        stop(data)


def test_an_idle_server_ends_and_one_that_cannot_start_says_why(own_process):
    own_process.profile(server_side_parameters={"spark.master": "nonsense"})
    failed = server(own_process, "start")
    assert failed.returncode == 1
    assert "deltawave server: The server did not start." in failed.stderr
    assert "Master must either be yarn" in failed.stderr

    own_process.profile(data_dir="target/spark")
    assert "`dbt clean` would delete" in server(own_process, "start").stderr

    own_process.profile()
    started = server(own_process, "start", "--idle-minutes", "0.1")
    assert started.returncode == 0, started.stderr
    while running(own_process.root / "spark_data"):
        time.sleep(0.2)

    own_process.profile(server_side_parameters={"spark.remote": "sc://localhost:1"})
    assert "names a server itself" in server(own_process, "start").stderr
