"""Histories in which batches are killed at any step or raced by another run; fails if the log or a reader shows it.

What costs is the start of dbt and Spark. So one process runs many models, each of which waits at another step of its
batch, and one SIGKILL ends them all; the next process finds every state that a kill leaves, repairs it, and is killed
again.
"""

import random
from collections.abc import Iterable
from pathlib import Path

import history
import wave_kills
from killed_project import FORMATS, Model, Reader, kill_at, open_project, run
from object_store import ObjectStore
from unit.macro_harness import Macros

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
# A first batch has nothing to merge.
MERGE = "merge"
UNDECIDED = [*EVERY_STEP[: EVERY_STEP.index("decide") + 1], MERGE]
# The next run finishes the batch, until readers see it.
DECIDED = ("place", "record", "publish")
SOME_STEPS = ["decide", "record", "publish"]

# The strategies that need no options of their own.
STRATEGIES = {name: declared for name, declared in Macros()._strategies().items() if not declared["requires"]}
# What they keep for the next batch.
KEEPS = {
    name: [declared["keeps"]] + ["ranges"] * (declared["ranges"] is not None) for name, declared in STRATEGIES.items()
}
# These compare dated dumps; models of the others see one dump a run, without its date.
DATED = [name for name, declared in STRATEGIES.items() if declared["reads"] == "dump"]

TEXT = """
{{{{ config(
    materialized='differential',
    unique_key=['region', 'account_id'],
    strategy='{strategy}',
    file_format=env_var('FILE_FORMAT'),
    {option}
) }}}}
select {columns}
from dumps.accounts
where dump_date {comparison} date '{{{{ env_var("LAST_DUMP") }}}}'
"""

# The steps at which a model is killed, by batch. A model is named after its strategy.
Plan = dict[str, dict[int, str]]


def strategy_of(model: str) -> str:
    return model.rpartition("_")[0]


def model_of(name: str) -> Model:
    strategy = strategy_of(name)
    if strategy in DATED:
        return Model(TEXT.format(strategy=strategy, option="snapshot_date='dump_date'", columns="*", comparison="<="))
    option = "range_rows=10" if "ranges" in KEEPS[strategy] else ""
    return Model(TEXT.format(strategy=strategy, option=option, columns="* except (dump_date)", comparison="="))


def each_step_once(chance: random.Random) -> Plan:
    """Each step once, in the first batch of a model or in the second."""
    half = len(EVERY_STEP) // 2
    pairs = zip(EVERY_STEP[:half], EVERY_STEP[half:], strict=True)
    return {f"outer_join_{number}": dict(enumerate(chance.sample(pair, 2), 1)) for number, pair in enumerate(pairs)}


def drawn(chance: random.Random, steps: list[str], strategies: Iterable[str]) -> Plan:
    """A model of each strategy, killed at a step of chance. The first batch of a slice is a whole table."""
    return {
        f"{strategy}_drawn": {1: chance.choice(steps) if strategy in DATED else "end", 2: chance.choice(steps)}
        for strategy in strategies
    }


def half(name: str, seed: int) -> list[str]:
    """The strategies on Delta or Iceberg: each is on one of them, as what it keeps is in Parquet files on both."""
    order = random.Random(seed).sample(list(KEEPS), len(KEEPS))
    return order[name == "iceberg" :: 2]


def plan_of(name: str, seed: int) -> Plan:
    """The models of a history."""
    chance = random.Random(f"{seed} {name}")
    if name == "short":
        # In the midst of a statement, one at a kill.
        passing = {1: "land-passing", 2: "stage-passing"}
        others = {"outer_join_merge": {1: "end", 2: MERGE}, "outer_join_passing": passing, LARGE: passing}
        return each_step_once(chance) | others
    if name == "parquet":
        # Its first batch is a whole table, the second a part of it.
        some = {f"range_checksum_{step}": {1: "end", 2: step} for step in ("stage", "decide", "clean")}
        return some | drawn(chance, EVERY_STEP, KEEPS)
    some = {f"outer_join_{step}": {2: step} for step in SOME_STEPS}
    return some | drawn(chance, SOME_STEPS, half(name, seed))


HISTORIES = tuple(FORMATS)
# Small tables are those whose names end in another way, see project/macros/small.sql.
LARGE = "outer_join_passing1"
# Killed by nobody: of two runs that build them one wins. The other comes to its decision soon after, or when the winner
# has gone on and dropped its first decision.
RACED = "outer_join_raced"
RACED_LATE = "outer_join_late"
LAST = 3


def accepted(model: str, plan: Plan, dumps: list[history.Dump]) -> list[history.Dump]:
    """The dumps that a model compares: where they have no dates, one that was not decided is never seen again."""
    is_lost = strategy_of(model) not in DATED and plan[model][2] in UNDECIDED
    return [dumps[0], dumps[2]] if is_lost else dumps


def assert_only_whole_batches(model: str, reader: Reader, dumps: list[history.Dump]) -> None:
    """Every poll saw a prefix of the batches, each with all of its rows, and never fewer than before."""
    sizes = history.sizes(history.log(dumps))
    last = 0
    for poll in reader.polls(model):
        assert "error" not in poll, poll
        counts = poll["counts"]
        assert counts == {str(batch): sizes[str(batch)] for batch in range(1, len(counts) + 1)}, model
        assert len(counts) >= last, model
        last = len(counts)


def kill_and_race(name: str, folder: Path, jvm_options: str, seed: int, store: ObjectStore | None = None) -> None:
    """The first two batches of every model are killed; two runs race for two more, and the winner ends the others."""
    plan = plan_of(name, seed)
    file_format = name if name in FORMATS else "parquet"
    waves = wave_kills.drawn(seed) if name == "parquet" else {}
    kills = {model: {batch: f"{batch}:{step}" for batch, step in killed.items()} for model, killed in plan.items()}
    kills |= {name: wave.kills for name, wave in waves.items()}
    raced = [RACED] if name == "short" else [RACED, RACED_LATE]
    models = {name: model_of(name) for name in (*plan, *raced)}
    models |= {name: Model(wave.text, counted_by="day") for name, wave in waves.items()}
    # Of two runs that compare the same dumps, one waits before its decision until the other has decided.
    waits = dict(zip(raced, ("1:decide-until-1", f"1:decide-until-{LAST}"), strict=False))
    waits |= {name: wave.waits for name, wave in waves.items() if wave.waits}
    with open_project(file_format, models, folder, jvm_options, store) as project:
        dumps = history.dumps(LAST)
        reader = project.reader(dumps)
        for number in (1, 2):
            if stops := {model: killed[number] for model, killed in kills.items() if number in killed}:
                kill_at(project, number, stops)
        loser = project.dbt(LAST, "--select", *waits, stops=waits)
        loser.wait_for(*(f"STOPPED {model} AT {wait}" for model, wait in waits.items()))
        output = run(project, LAST)
        assert loser.finish() != 0
        assert f"{RACED}, batch 1" in loser.output
        assert "another run" in loser.output
        is_late = f"other runs have decided this batch and continued to batch {LAST}" in loser.output
        assert is_late == (RACED_LATE in raced)
        assert loser.output.count("has changed nothing") >= len(waits)
        reader.stop()
        for model, killed in plan.items():
            assert (f"{model}: finishing batch 2" in output) == (killed[2] in DECIDED), output
        for model in (*plan, *raced):
            seen = accepted(model, plan, dumps)
            assert reader.log(model) == history.log(seen), model
            assert_only_whole_batches(model, reader, seen)
            # What an attempt left that never decided its batch goes at the beginning of the next run.
            if model in plan and plan[model][2] in EVERY_STEP and plan[model][2] not in UNDECIDED:
                helpers = [name.removeprefix(f"{model}__") for name in reader.tables if name.startswith(f"{model}__")]
                # The select of a dated model has another text in each run, so that compared dates are looked at again.
                kept = KEEPS[strategy_of(model)] + ["deliveries"] * (strategy_of(model) in DATED)
                found = sorted(name.split("_")[0] for name in helpers)
                assert found == sorted(["batches", "commit", "history", "history", "log", *kept]), helpers
        if LARGE in plan:
            # DuckDB reads and writes files of this machine.
            assert project.writers(f"{LARGE}__copy_*") == {"parquet-mr" if store else "DuckDB"}
        for name, wave in waves.items():
            assert (f"{name}: finishing batch" in output) == (wave.step in wave_kills.DECIDED), output
            wave_kills.assert_is_window(project, reader, name, wave, dumps)
