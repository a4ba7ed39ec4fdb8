"""Wave indices among the models of kills.py: where transitions are killed or raced, and what has to be seen of them."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import history
from killed_project import KilledProject, Reader

# Scheme, technique, and whether batches prepare later days.
COMBINATIONS = (
    ("del", "in_place", False),
    ("reindex_plus_plus", "packed_shadow", True),
    ("rata", "simple_shadow", True),
)
EVERY_STEP = ("stage", "decide", "record", "publish", "clean", "end")
UNDECIDED = ("stage", "decide")
# The next run finishes the batch, until readers see it.
DECIDED = ("record", "publish")
WINDOW = 3
# Each dump has the rows of two days.
DAYS = 2
SEARCHED = "north"

TEXT = """
{{{{ config(
    materialized='wave_index',
    scheme='{scheme}',
    window={window},
    constituents=2,
    update_technique='{technique}',
    day_column='day',
    search_field='region',
    buckets=2,
    gaps='skip',
) }}}}
select * except (dump_date), date_add(dump_date, cast(account_id % {days} as int)) as day
from dumps.accounts
where dump_date <= date '{{{{ env_var("LAST_DUMP") }}}}'
"""


@dataclass(frozen=True)
class Wave:
    """A wave index, and where the processes of the first runs are killed: ``+1:stage`` is a step of their second batch.

    ``waits``: where a run of it waits until another one has overtaken it.
    """

    scheme: str
    technique: str
    kills: dict[int, str] = field(default_factory=dict)
    waits: str = ""

    @property
    def text(self) -> str:
        """Of the model's file."""
        return TEXT.format(scheme=self.scheme, technique=self.technique, window=WINDOW, days=DAYS)

    @property
    def step(self) -> str:
        """Where the second run is killed."""
        return self.kills.get(2, "").partition(":")[2]


def drawn(seed: int) -> dict[str, Wave]:
    """Each step of a batch once, for a technique and a run that are drawn; and one that is raced."""
    chance = random.Random(seed)
    steps = chance.sample(EVERY_STEP, len(EVERY_STEP))
    waves = {}
    for scheme, technique, prepares in COMBINATIONS:
        first, second = steps.pop(), steps.pop()
        # How many batches the second run has at least: it begins the index if the first one has not.
        least = (2 if prepares else 1) if first in UNDECIDED else (3 if prepares else 2)
        passing = "-passing" if second == "stage" else ""
        kills = {1: f"+0:{first}", 2: f"+{chance.randrange(least)}:{second}{passing}"}
        waves[f"{scheme}_{technique}"] = Wave(scheme, technique, kills)
    # The loser comes to its decision soon after, or when the winner has gone on and dropped its own.
    waves["wave_raced"] = Wave("del", "in_place", {1: "+0:end"}, f"2:decide-until-{chance.choice((2, 5))}")
    return waves


def days_of(dumps: Sequence[history.Dump]) -> dict[date, Counter[Any]]:
    """The rows of each day, in order."""
    days: dict[date, Counter[Any]] = {}
    for *row, when in history.rows(list(dumps)):
        day = when + timedelta(days=row[1] % DAYS)
        days.setdefault(day, Counter())[(*row, str(day))] += 1
    return dict(sorted(days.items()))


def assert_is_window(
    project: KilledProject, reader: Reader, name: str, wave: Wave, dumps: Sequence[history.Dump]
) -> None:
    """View, probe and scan have the rows of the last days, nothing else is left, and no poll saw anything else."""
    days = days_of(dumps)
    window = list(days)[-WINDOW:]
    rows = sum((days[day] for day in window), Counter())
    seen = reader.wave(name)
    assert bag(seen["rows"]) == rows, name
    assert bag(seen["probed"]) == Counter({row: count for row, count in rows.items() if row[0] == SEARCHED}), name
    assert bag(seen["scanned"]) == sum((days[day] for day in window[1:]), Counter()), name
    assert seen["batches"] == list(range(1, len(seen["batches"]) + 1)), name
    assert_only_windows(reader.polls(name), days)
    # What an attempt left that never decided its batch goes in the next run.
    if wave.step in EVERY_STEP and wave.step not in UNDECIDED:
        assert seen["catalog"] == seen["record"], name
        tables = project.tables.glob(f"{name}__index*")
        disk = {table.name: sorted(part.name for part in table.iterdir() if part.is_dir()) for table in tables}
        assert disk == seen["record"], name


def assert_only_windows(polls: Sequence[dict[str, Any]], days: dict[date, Counter[Any]]) -> None:
    """Every poll saw the rows of a window, as far as it had grown, and never of an older one than before."""
    names = [str(day) for day in days]
    sizes = {str(day): rows.total() for day, rows in days.items()}
    last = 0
    for poll in polls:
        assert "error" not in poll, poll
        if poll["counts"]:
            newest = names.index(max(poll["counts"])) + 1
            assert poll["counts"] == {day: sizes[day] for day in names[max(0, newest - WINDOW) : newest]}, poll
            assert newest >= last, poll
            last = newest


def bag(rows: Sequence[dict[str, Any]]) -> Counter[Any]:
    """Rows that the reader saw, as a bag."""
    return Counter(tuple(row[name] for name in ("region", "account_id", "balance", "note", "day")) for row in rows)
