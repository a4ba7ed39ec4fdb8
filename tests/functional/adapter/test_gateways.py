"""Commands in the JVM of a server, here of this process: what they run ends with them."""

import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from dbt.adapters.deltawave.gateways import Gateways

TOKEN = "known to the user alone"
JOINS = """
import sys
from dbt.adapters.deltawave.gateways import join

link = join(int(sys.argv[1]), sys.argv[2])
link.claim_thread()
session = link.session
"""
# It runs what would take hours, in a stream, too, and leaves a cached table.
RUNS = f"""{JOINS}
rows = session.range(3).mapInPandas(lambda frames: frames, "id bigint").collect()
session.sql("create temporary view mine as select 7 as id").collect()
session.sql("cache table kept as select 7 as id").collect()
stream = session.readStream.format("rate").load().writeStream
stream.foreachBatch(lambda frame, number: frame.count()).option("checkpointLocation", sys.argv[3]).start()
print(sorted(row.id for row in rows), flush=True)
# In one task, since Spark has two at a time here.
session.range(0, 10**15, 1, 1).selectExpr("sum(id % 7)").collect()
"""
STOPS = f"""{JOINS}
session.stop()
link.leave()
print(link.session.sparkContext._jsc, flush=True)
"""


@pytest.fixture
def gateways(spark):
    return Gateways(spark, TOKEN)


@contextmanager
def command(code, gateways, *arguments):
    arguments = [sys.executable, "-c", code, str(gateways.port), TOKEN, *map(str, arguments)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_until(is_true):
    deadline = time.monotonic() + 60
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_what_a_killed_command_runs_ends(spark, gateways, tmp_path):
    tracker = spark.sparkContext.statusTracker()
    shared = spark._jsparkSession.sharedState()
    with command(RUNS, gateways, tmp_path / "other") as other:
        assert other.stdout.readline() == "[0, 1, 2]\n"
        with command(RUNS, gateways, tmp_path / "killed") as killed:
            assert killed.stdout.readline() == "[0, 1, 2]\n"
            assert len(shared.activeStreamingQueries()) == 2
        wait_until(lambda: len(shared.activeStreamingQueries()) == 1)
        # What the other command runs goes on.
        wait_until(lambda: any(tracker.getActiveJobsIds()))
        assert gateways.are_used
        assert not spark.catalog.tableExists("mine")
        assert not shared.cacheManager().isEmpty()
    wait_until(lambda: not gateways.are_used)
    wait_until(lambda: not any(tracker.getActiveJobsIds()))
    assert not len(shared.activeStreamingQueries())
    # Another command, which waits for this, would read rows that may have changed since.
    wait_until(lambda: shared.cacheManager().isEmpty())


def test_a_command_stops_its_own_session_alone(spark, gateways):
    with command(STOPS, gateways) as process:
        assert process.stdout.readline() == "None\n"
    wait_until(lambda: not gateways.are_used)
    assert not gateways.have_ended
    assert spark.range(3).count() == 3


def test_others_get_no_gateway(gateways):
    for sent in (b"", b"\n", b"guessed\n", "gu\u00e9\n".encode("latin-1")):
        with socket.create_connection(("127.0.0.1", gateways.port)) as stranger:
            stranger.sendall(sent)
            stranger.shutdown(socket.SHUT_WR)
            assert stranger.recv(1) == b""
    assert not gateways.are_used
