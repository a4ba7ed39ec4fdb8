"""Histories in which batches are killed at any step or raced by another run; each function fails if the log or a reader
shows it."""

from __future__ import annotations

from pathlib import Path

import history
from house import House, open_house

# batch:step; each run goes on from where the one before was killed; "passing" is in the midst of the step. At the steps
# that are not here test_state.py stops a run with an error.
EVERY_STEP = [
    "1:land-passing",
    "1:decide",
    "1:place",
    "2:publish",
    "3:clean",
    "4:end",
]
SOME_STEPS = ["2:record"]
STEPS = {"parquet": EVERY_STEP, "delta": SOME_STEPS, "iceberg": SOME_STEPS}


def kill_at(house: House, step: str, last: int) -> None:
    """Run until ``step`` and SIGKILL the process there."""
    is_passing = step.endswith("-passing")
    run = house.dbt(last, stop_at=step, SLOW_LAND="100" if is_passing else "")
    run.wait_for(f"STOPPED AT {step}")
    if is_passing:
        # The statement has begun to write, and is slow.
        house.wait_for_files(f"accounts__*_{step[0]}_*/_temporary")
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


def assert_one_of_two_wins(house: House, last: int) -> None:
    """Two runs compare the last dump; one waits before its decision until the other has decided."""
    loser = house.dbt(last, stop_at=f"{last}:decide-lost")
    loser.wait_for(f"STOPPED AT {last}:decide-lost")
    run(house, last)
    assert loser.finish() != 0
    assert "another run" in loser.output
    assert "has changed nothing" in loser.output


def kill_and_race(file_format: str, folder: Path, jvm_options: str) -> None:
    """One history, killed and raced on a warehouse of that format, beside a reader."""
    with open_house(file_format, folder, jvm_options) as house:
        steps = STEPS[file_format]
        last = int(steps[-1][0]) + 1
        dumps = history.dumps(last)
        reader = house.reader(dumps)
        for step in steps:
            kill_at(house, step, last - 1)
        assert_one_of_two_wins(house, last)
        reader.stop()
        assert reader.log == history.log(dumps)
        assert_only_whole_batches(reader.polls, dumps)


def kill_slices(folder: Path, jvm_options: str) -> None:
    """Three attempts at a batch of a slice, of which the last one decides it; then the next batch."""
    with open_house("parquet", folder, jvm_options, strategy="range_checksum") as house:
        dumps = history.dumps(3)
        reader = house.reader(dumps)
        run(house, 1)
        for step in ("2:land-passing", "2:decide", "2:clean"):
            kill_at(house, step, 2)
        assert "finishing batch" not in run(house, 3)
        reader.stop()
        assert reader.log == history.log(dumps)
        assert_only_whole_batches(reader.polls, dumps)
        helpers = sorted(name.removeprefix("accounts__").split("_")[0] for name in reader.tables - {"accounts"})
        assert helpers == ["base", "batches", "commit", "log", "ranges"], reader.tables
