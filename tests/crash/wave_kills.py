"""Wave indices whose transitions are killed at any step or raced by another run; fails if a reader notices.

As in kills.py one SIGKILL ends many models, each at another step. Which scheme and technique meets which step is drawn
from a seed.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import history
from house import SCHEMA, House, kill_at, open_house, run

# Scheme, technique, and whether batches prepare later days.
COMBINATIONS = (
    ("del", "in_place", False),
    ("reindex_plus_plus", "packed_shadow", True),
    ("rata", "simple_shadow", True),
)
WINDOW = 4
EVERY_STEP = ("stage", "decide", "record", "publish", "clean", "end")
UNDECIDED = ("stage", "decide")
# The next run finishes the batch, until readers see it.
DECIDED = ("record", "publish")
# Each dump has the rows of three days; the first run takes the last days of two dumps at once.
FIRST, SECOND, LAST = 2, 3, 4
DAYS = 3
SEARCHED = "north"

TEXT = """
{{{{ config(
    materialized='wave_index',
    scheme='{scheme}',
    window={window},
    constituents=3,
    update_technique='{technique}',
    day_column='day',
    search_field='region',
    buckets=2,
) }}}}
select * except (dump_date), date_add(dump_date, cast(account_id % {days} as int)) as day
from dumps.accounts
where dump_date <= date '{{{{ env_var("LAST_DUMP") }}}}'
"""


@dataclass(frozen=True)
class Model:
    """A wave index, and where its process is killed: ``+1:stage`` is that step of the run's second batch."""

    scheme: str
    technique: str
    kills: dict[int, str] = field(default_factory=dict)
    # Where a run waits that another one overtakes.
    waits: str = ""

    @property
    def step(self) -> str:
        """Where the second run is killed."""
        return self.kills[SECOND].partition(":")[2]

    @property
    def text(self) -> str:
        """Of the model's file."""
        return TEXT.format(scheme=self.scheme, technique=self.technique, window=WINDOW, days=DAYS)


def drawn(seed: int) -> dict[str, Model]:
    """A model for each step of a batch of the first run, and another step of the second."""
    chance = random.Random(seed)
    shift = chance.randrange(len(COMBINATIONS))
    models = {}
    for number, step in enumerate(EVERY_STEP):
        scheme, technique, prepares = COMBINATIONS[(number + shift) % len(COMBINATIONS)]
        # How many batches the runs have at least, if the first one begins the index and if it goes on from there.
        begun = 2 if prepares else 1
        first = chance.randrange(begun)
        other = EVERY_STEP[(number + len(EVERY_STEP) // 2) % len(EVERY_STEP)]
        is_begun = first > 0 or step not in UNDECIDED
        second = chance.randrange(DAYS if is_begun else begun)
        # In the midst of a statement that writes.
        passing = "-passing" if other == "stage" else ""
        kills = {FIRST: f"+{first}:{step}", SECOND: f"+{second}:{other}{passing}"}
        models[f"{scheme}_{number}"] = Model(scheme, technique, kills)
    return models


# Of two runs one wins: the other comes to its decision soon after, or when the winner has gone on and dropped its own.
RACED = {
    "raced": Model("reindex_plus_plus", "in_place", {FIRST: "+0:end"}, "2:decide-until-2"),
    "raced_late": Model("del", "in_place", {FIRST: "+0:end"}, "2:decide-until-6"),
}


def days_of(dumps: list[history.Dump]) -> dict[date, Counter[Any]]:
    """The rows of each day."""
    days: dict[date, Counter[Any]] = {}
    for *row, when in history.rows(dumps):
        day = when + timedelta(days=row[1] % DAYS)
        days.setdefault(day, Counter())[(*row, str(day))] += 1
    return dict(sorted(days.items()))


def bag(rows: list[dict[str, Any]]) -> Counter[Any]:
    """Rows that the reader saw, as a bag."""
    return Counter(tuple(row[name] for name in ("region", "account_id", "balance", "note", "day")) for row in rows)


def assert_only_windows(polls: list[dict[str, Any]], days: dict[date, Counter[Any]]) -> None:
    """Every poll saw the rows of one window, never an older one than before."""
    names = [str(day) for day in days]
    sizes = {str(day): rows.total() for day, rows in days.items()}
    windows = [names[first : first + WINDOW] for first in range(len(names) - WINDOW + 1)]
    last = 0
    for poll in polls:
        assert "error" not in poll, poll
        if poll["counts"]:
            shown = windows.index(sorted(poll["counts"]))
            assert poll["counts"] == {day: sizes[day] for day in windows[shown]}, poll
            assert shown >= last, poll
            last = shown


def assert_nothing_left(house: House, model: str, found: dict[str, Any]) -> None:
    """The catalog and the disk have the tables and parts that the record lists, and no other."""
    assert found["catalog"] == found["record"], model
    folder = house.folder / "metastore" / "warehouse" / f"{SCHEMA}.db"
    disk = {
        table.name: sorted(part.name for part in table.iterdir() if part.is_dir())
        for table in folder.glob(f"{model}__index*")
    }
    assert disk == found["record"], model


def kill_and_race_waves(folder: Path, jvm_options: str, seed: int) -> None:
    """Two runs of every model are killed; two others race, and the winner ends what is left."""
    plan = drawn(seed)
    models = {name: model.text for name, model in (plan | RACED).items()}
    with open_house("parquet", models, folder, jvm_options, counted_by="day") as house:
        dumps = history.dumps(LAST)
        reader = house.reader(dumps)
        kill_at(house, FIRST, {name: model.kills[FIRST] for name, model in (plan | RACED).items()})
        kill_at(house, SECOND, {name: model.kills[SECOND] for name, model in plan.items()}, exclude=RACED)
        waits = {name: model.waits for name, model in RACED.items()}
        loser = house.dbt(LAST, "--select", *RACED, stops=waits)
        loser.wait_for(*(f"STOPPED {name} AT {wait}" for name, wait in waits.items()))
        said = run(house, LAST)
        assert loser.finish() != 0
        assert loser.output.count("has changed nothing") >= len(RACED), loser.output
        for name, model in plan.items():
            assert (f"{name}: finishing batch" in said) == (model.step in DECIDED), said
        reader.stop()
        days = days_of(dumps)
        window = list(days)[-WINDOW:]
        rows = sum((days[day] for day in window), Counter())
        found = json.loads((house.folder / "waves.json").read_text())
        for name in house.models:
            seen = found[f"{SCHEMA}.{name}"]
            assert bag(seen["rows"]) == rows, name
            assert bag(seen["probed"]) == Counter({row: n for row, n in rows.items() if row[0] == SEARCHED}), name
            assert bag(seen["scanned"]) == days[window[1]] + days[window[2]], name
            assert_only_windows(reader.polls(name), days)
            # What an attempt left that never decided its batch goes at the beginning of the next run.
            if name in plan and plan[name].step in EVERY_STEP[len(UNDECIDED) :]:
                assert_nothing_left(house, name, seen)
