"""Histories in which batches are killed at any step or raced by another run; fails if the log or a reader shows it.

What costs is the start of dbt and Spark. So one process runs many models, each of which waits at another step of its
batch, and one SIGKILL ends them all; the next process finds every state that a kill leaves, repairs it, and is killed
again.
"""

from __future__ import annotations

from pathlib import Path

import history
import wave_kills
from house import FORMATS, PROJECT, Model, Reader, kill_at, open_house, run

EVERY_STEP = [
    "land",
    "check",
    "prepare",
    "stage",
    "count",
    "guard",
    "decide",
    "place",
    "record",
    "publish",
    "clean",
    "end",
]
UNDECIDED = EVERY_STEP[: EVERY_STEP.index("decide") + 1]
# The next run finishes the batch, until readers see it.
DECIDED = ("place", "record", "publish")
SOME_STEPS = ["decide", "record", "publish"]

# The steps at which a model is killed, by batch.
Plan = dict[str, dict[int, str]]


def each_step() -> Plan:
    """A model for each step of the first batch, and another step of the second."""
    count = len(EVERY_STEP)
    return {
        f"accounts_{number}": {1: step, 2: EVERY_STEP[(number + count // 2) % count]}
        for number, step in enumerate(EVERY_STEP)
    }


PLANS: dict[str, Plan] = {
    "outer_join": {
        **each_step(),
        # In the midst of a statement, one at a kill.
        "accounts_passing": {1: "land-passing", 2: "stage-passing"},
    },
    # With wave indices. The first batch of a slice is a whole table, the second a part of it.
    "parquet": {f"slices_{step}": {1: "end", 2: step} for step in ("stage", "decide", "clean")},
    "delta": {f"accounts_{step}": {2: step} for step in SOME_STEPS},
    "iceberg": {f"accounts_{step}": {2: step} for step in SOME_STEPS},
}
# Killed by nobody: of two runs that build them one wins. The other comes to its decision soon after, or when the winner
# has gone on and dropped its first decision.
RACED = "raced"
RACED_LATE = "raced_late"
LAST = 3


def accepted(model: str, plan: Plan, dumps: list[history.Dump]) -> list[history.Dump]:
    """The dumps that a model compares: where they have no dates, one that was not decided is never seen again."""
    is_lost = model.startswith("slices") and plan[model][2] in UNDECIDED
    return [dumps[0], dumps[2]] if is_lost else dumps


def assert_only_whole_batches(model: str, reader: Reader, dumps: list[history.Dump]) -> None:
    """Every poll saw a prefix of the batches, each with all of its rows, and never fewer than before."""
    sizes: dict[str, int] = {}
    for change in history.log(dumps):
        sizes[str(change.batch_id)] = sizes.get(str(change.batch_id), 0) + 1
    last = 0
    for poll in reader.polls(model):
        assert "error" not in poll, poll
        counts = poll["counts"]
        assert counts == {str(batch): sizes[str(batch)] for batch in range(1, len(counts) + 1)}, model
        assert len(counts) >= last, model
        last = len(counts)


def kill_and_race(name: str, folder: Path, jvm_options: str, seed: int) -> None:
    """The first two batches of every model are killed; two runs race for two more, and the winner ends the others."""
    plan = PLANS[name]
    file_format = name if name in FORMATS else "parquet"
    waves = wave_kills.drawn(seed) if name == "parquet" else {}
    kills = {model: {batch: f"{batch}:{step}" for batch, step in killed.items()} for model, killed in plan.items()}
    kills |= {name: wave.kills for name, wave in waves.items()}
    models = dict.fromkeys([*plan, RACED, RACED_LATE], Model((PROJECT / "model.sql").read_text()))
    models |= {name: Model(wave.text, counted_by="day") for name, wave in waves.items()}
    # Of two runs that compare the same dumps, one waits before its decision until the other has decided.
    waits = {RACED: "1:decide-until-1", RACED_LATE: f"1:decide-until-{LAST}"}
    waits |= {name: wave.waits for name, wave in waves.items() if wave.waits}
    with open_house(file_format, models, folder, jvm_options) as house:
        dumps = history.dumps(LAST)
        reader = house.reader(dumps)
        for number in (1, 2):
            if stops := {model: killed[number] for model, killed in kills.items() if number in killed}:
                kill_at(house, number, stops)
        loser = house.dbt(LAST, "--select", *waits, stops=waits)
        loser.wait_for(*(f"STOPPED {model} AT {wait}" for model, wait in waits.items()))
        said = run(house, LAST)
        assert loser.finish() != 0
        assert f"{RACED}, batch 1" in loser.output
        assert "another run" in loser.output
        assert f"other runs have decided this batch and gone on to batch {LAST}" in loser.output
        assert loser.output.count("has changed nothing") >= len(waits)
        reader.stop()
        for model, killed in plan.items():
            assert (f"{model}: finishing batch 2" in said) == (killed[2] in DECIDED), said
        for model in (*plan, RACED, RACED_LATE):
            seen = accepted(model, plan, dumps)
            assert reader.log(model) == history.log(seen), model
            assert_only_whole_batches(model, reader, seen)
            # What an attempt left that never decided its batch goes at the beginning of the next run.
            if model in plan and plan[model][2] in EVERY_STEP and plan[model][2] not in UNDECIDED:
                helpers = [name.removeprefix(f"{model}__") for name in reader.tables if name.startswith(f"{model}__")]
                # The select of a dated model has another text in each run, so that compared dates are looked at again.
                kept = ["base", "ranges"] if model.startswith("slices") else ["copy", "deliveries"]
                found = sorted(name.split("_")[0] for name in helpers)
                assert found == sorted(["batches", "commit", "log", *kept]), helpers
        for name, wave in waves.items():
            assert (f"{name}: finishing batch" in said) == (wave.step in wave_kills.DECIDED), said
            wave_kills.assert_is_window(house, reader, name, wave, dumps)
