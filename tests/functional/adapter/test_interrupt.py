"""Ctrl-C ends the running statement, and nothing runs after it."""

import json
import multiprocessing
import threading
from types import SimpleNamespace

import pytest
import yaml
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.deltawave import DeltawaveCredentials
from dbt.adapters.deltawave.connections import DeltawaveConnectionManager
from dbt.adapters.deltawave.handle import SessionHandle

LOG = """
{{ config(materialized='differential', unique_key='id') }}
select id, '{{ env_var("NAME") }}' as name from range(3)
"""

# dbt calls back in the thread that logs: here that of a model, between two of its statements.
RUN = """
import json, os, signal, threading
from dbt.cli.main import dbtRunner
from pyspark.sql import SparkSession

waits_for = None
cancelled = threading.Event()

def listen(event):
    if event.info.name == "LogCancelLine":
        cancelled.set()
    elif waits_for is not None and event.info.msg.endswith(waits_for):
        os.kill(os.getpid(), signal.SIGINT)
        cancelled.wait(60)

def run(name, interrupted_at=None):
    global waits_for
    os.environ["NAME"], waits_for = name, interrupted_at
    cancelled.clear()
    try:
        outcome = dbtRunner(callbacks=[listen]).invoke(["run", "--quiet"]).success
    except KeyboardInterrupt:
        outcome = "interrupted"
    spark = SparkSession.builder.getOrCreate()
    names = [row.tableName for row in spark.sql("show tables in own").collect()]
    rows = spark.sql("select distinct _batch_id, name from own.log order by all").collect()
    print("seen", json.dumps([outcome, cancelled.is_set(), sorted(names), [list(row) for row in rows]]))

run("ann")
run("bob", "batch 2: decide")
run("eve")
"""


def test_nothing_is_decided_after_an_interrupt(own_process):
    project = {"name": "own", "profile": "own", "flags": {"send_anonymous_usage_stats": False}}
    own_process.write("dbt_project.yml", yaml.safe_dump(project))
    own_process.profile(server_side_parameters={"spark.sql.shuffle.partitions": 1})
    own_process.install_package()
    own_process.write("models/log.sql", LOG)

    outcome = own_process.python(RUN)

    lines = [line.removeprefix("seen ") for line in outcome.stdout.splitlines() if line.startswith("seen ")]
    assert len(lines) == 3, outcome.stdout + outcome.stderr
    first, interrupted, again = map(json.loads, lines)
    assert first[:2] == [True, False]
    # Depending on the moment, dbt reports an interrupt in its result or raises it.
    assert interrupted[0] in (False, "interrupted")
    assert interrupted[1]
    assert "log__commit_1" in interrupted[2]
    assert "log__commit_2" not in interrupted[2]
    assert interrupted[3] == [[1, "ann"]]
    assert again[:2] == [True, False]
    assert again[3] == [[1, "ann"], [2, "eve"]]


@pytest.fixture
def manager(tmp_path):
    profile = SimpleNamespace(credentials=DeltawaveCredentials(schema="dev"), project_root=str(tmp_path))
    return DeltawaveConnectionManager(profile, multiprocessing.get_context("spawn"))


def test_other_threads_are_cancelled_not_the_one_that_cancels(manager):
    def work() -> None:
        manager.set_connection_name("model").handle = None
        begun.set()
        cancelled.wait()
        for _ in range(2):
            try:
                manager.get_thread_connection()
            except DbtRuntimeError as error:
                messages.append(str(error))
        # A model that had not begun.
        manager.release()
        manager.set_connection_name("next")
        with pytest.raises(DbtRuntimeError, match="cancelled"):
            manager.get_thread_connection()
        messages.append("next")

    begun, cancelled = threading.Event(), threading.Event()
    messages: list[str] = []
    thread = threading.Thread(target=work)
    thread.start()
    begun.wait()
    manager.set_connection_name("master")
    assert manager.cancel_open() == ["model"]
    cancelled.set()
    thread.join()
    cancelled_statement = "The run was cancelled, so this statement was not run."
    assert [message for message in messages if cancelled_statement in message] == messages[:2]
    assert messages[2:] == ["next"]
    # Hooks at the end of a run with --fail-fast.
    assert manager.get_thread_connection().name == "master"


def test_a_stream_that_a_model_waits_for_is_stopped(spark):
    query = spark.readStream.format("rate").load().writeStream.format("noop").start()
    SessionHandle(spark).cancel()
    assert query.awaitTermination(60)
