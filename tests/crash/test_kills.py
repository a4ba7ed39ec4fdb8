"""A batch killed at any step, or raced by another run, ends in the same log; readers never notice."""

from __future__ import annotations

import history
import pytest
from house import House, Reader

# (batch:step, last dump on offer). Each run goes on from where the one before was killed.
EVERY_STEP = [
    "1:land",
    "1:check",
    "1:prepare",
    "1:stage",
    "1:count",
    "1:guard",
    "1:decide",
    "1:record",
    "2:stage",
    "2:decide",
    "2:publish",
    "3:clean",
    "4:end",
]
SOME_STEPS = ["2:stage", "2:record", "3:publish"]


def kill_at(house: House, step: str, last: int) -> None:
    """Run until ``step`` and SIGKILL the process there."""
    run = house.dbt(last, stop_at=step)
    run.wait_for(f"STOPPED AT {step}")
    run.kill()


def run(house: House, last: int) -> str:
    """Run undisturbed."""
    process = house.dbt(last)
    assert process.finish() == 0, process.output
    return process.output


def assert_only_whole_batches(polls: list[dict], dumps: list[history.Dump]) -> None:
    """Every poll saw a prefix of the batches, each with all of its rows, and never fewer than before."""
    sizes: dict[str, int] = {}
    for change in history.log(dumps):
        sizes[str(change.batch_id)] = sizes.get(str(change.batch_id), 0) + 1
    last = 0
    for poll in polls:
        assert "error" not in poll, poll
        counts = poll["counts"]
        assert counts == {str(batch): sizes[str(batch)] for batch in range(1, len(counts) + 1)}
        assert len(counts) >= last
        last = len(counts)
    assert last > 0, "the reader saw nothing"


@pytest.mark.parametrize("house", ["parquet"], indirect=True)
def test_killed_at_every_step(house: House) -> None:
    dumps = history.dumps(5)
    house.deliver(dumps)
    reader: Reader = house.reader()
    slow = house.dbt(len(dumps), stop_at="1:land-passing", SLOW_LAND="yes")
    slow.wait_for("STOPPED AT")
    slow.kill()
    for step in EVERY_STEP:
        kill_at(house, step, len(dumps))
    run(house, len(dumps))
    assert house.log() == history.log(dumps)
    assert_only_whole_batches(reader.stop(), dumps)


@pytest.mark.parametrize("house", ["delta", "iceberg"], indirect=True)
def test_killed_on_other_formats(house: House) -> None:
    dumps = history.dumps(4)
    house.deliver(dumps)
    reader = house.reader()
    run(house, 1)
    for step in SOME_STEPS:
        kill_at(house, step, 3)
    run(house, 4)
    assert house.log() == history.log(dumps)
    assert_only_whole_batches(reader.stop(), dumps)


@pytest.mark.parametrize("house", ["parquet", "delta", "iceberg"], indirect=True)
def test_of_two_writers_one_wins(house: House) -> None:
    dumps = history.dumps(2)
    house.deliver(dumps)
    loser = house.dbt(2, stop_at="2:decide-lost")
    loser.wait_for("STOPPED AT 2:decide-lost")
    run(house, 2)
    assert loser.finish() != 0
    assert "another run" in loser.output
    assert "has changed nothing" in loser.output
    assert house.log() == history.log(dumps)
    assert not [name for name in house.names() if name.startswith("accounts__copy_1_")]
