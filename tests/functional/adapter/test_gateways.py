"""Commands in the JVM of a server, here of this process: what they run ends with them."""

import socket
import subprocess
import sys
import time

import pytest

from dbt.adapters.deltawave.gateways import Gateways

TOKEN = "known to the user alone"
# A session, then a statement that would take hours.
COMMAND = """
import sys
from dbt.adapters.deltawave.gateways import join

link = join(int(sys.argv[1]), sys.argv[2])
link.claim_jobs()
rows = link.session.range(3).mapInPandas(lambda frames: frames, "id bigint").collect()
print(sorted(row.id for row in rows), flush=True)
link.session.sql("create temporary view mine as select 1")
link.session.range(10**15).selectExpr("sum(id % 7)").collect()
"""


@pytest.fixture
def gateways(spark):
    return Gateways(spark, TOKEN)


def wait_until(is_true):
    while not is_true():
        time.sleep(0.05)


def test_what_a_killed_command_runs_ends(spark, gateways):
    tracker = spark.sparkContext.statusTracker()
    command = subprocess.Popen(
        [sys.executable, "-c", COMMAND, str(gateways.port), TOKEN], stdout=subprocess.PIPE, text=True
    )
    try:
        assert command.stdout.readline() == "[0, 1, 2]\n"
        wait_until(lambda: any(tracker.getActiveJobsIds()))
        assert gateways.are_used
        assert not spark.catalog.tableExists("mine")
    finally:
        command.kill()
        command.wait()
        command.stdout.close()
    wait_until(lambda: not gateways.are_used and not any(tracker.getActiveJobsIds()))
    # Spark itself goes on.
    assert spark.range(3).count() == 3
    assert not gateways.have_ended


def test_others_get_no_gateway(gateways):
    for said in (b"", b"\n", b"guessed\n", "gu\u00e9\n".encode("latin-1")):
        with socket.create_connection(("127.0.0.1", gateways.port)) as stranger:
            stranger.sendall(said)
            stranger.shutdown(socket.SHUT_WR)
            assert stranger.recv(1) == b""
    assert not gateways.are_used
