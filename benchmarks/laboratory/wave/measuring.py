"""Measured costs of wave indexes, compared with predictions of WI's cost model and with other ways to keep a window.

All methods keep the same window, in one Spark session of two cores, in rounds: every method loads a day before any
loads the next one. Each begins with a full, settled window. On two of the days each answers probes and scans.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
from collections.abc import Collection
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any

from pyspark.sql import Row, SparkSession

from deltawave.wave import SCHEMES, WaveIndex
from deltawave.wave.measuring import MB, seconds
from deltawave.wave.tables import TECHNIQUES
from deltawave.wave.wave_table import delivered
from laboratory.session import open_session
from laboratory.wave.data import DATA, Batches
from laboratory.wave.layout import PartStore
from laboratory.wave.methods import Method, Taken, WaveMethod
from laboratory.wave.parameters import Measured, measure
from laboratory.wave.peers import DELTA, PEERS
from laboratory.wave.prediction import MIXES, Costs, predicted
from laboratory.wave.report import write_report

# Search values that each method is probed for on a day of queries, and the number of such days.
_PROBES, _QUERY_DAYS = 3, 2
# The scale of days with hardly any rows, and how many such days are loaded.
_TINY, _TINY_DAYS = 0.001, 5


@dataclass(frozen=True)
class Setting:
    """The setting: a window of W days in n constituents, and the number of days to load."""

    data: str
    window: int
    constituents: int
    days: int
    scale: float

    def __post_init__(self) -> None:
        if self.data not in DATA:
            raise ValueError(f"--data {self.data}: take one of {', '.join(DATA)}.")
        if self.days < 1:
            raise ValueError(f"--days has to be 1 or more, not {self.days}.")
        if self.scale <= 0:
            raise ValueError(f"--scale has to be more than 0, not {self.scale}.")
        WaveIndex("del", self.window, self.constituents)

    @property
    def indexes(self) -> list[WaveIndex]:
        """The schemes that can have this number of constituents."""
        return [
            WaveIndex(name, self.window, self.constituents)
            for name, rules in SCHEMES.items()
            if self.constituents >= rules.least
        ]

    @property
    def last(self) -> int:
        """The day on which all begin."""
        return 2 * self.window

    @property
    def batches(self) -> range:
        """The days with batches: the longest soft window, and the days to load."""
        soft = ceil(cluster("wata", self.window, self.constituents)) if self.constituents > 1 else 1
        return range(self.last - self.window - soft + 2, self.last + self.days + 1)


@dataclass
class Result:
    """Measured and predicted costs of a method; ``days``: the days over which they are averages."""

    method: str
    data: str
    window: int
    constituents: int
    days: int
    measured: Costs
    predicted: Costs | None = None
    predicted_with_fixed: Costs | None = None
    total_work: dict[str, dict[str, float]] = field(default_factory=dict)


def cluster(scheme: str, window: int, constituents: int) -> Fraction:
    """The days of a constituent: X or Y (WI 5)."""
    fewer = SCHEMES[scheme].least - 1
    return Fraction(window - fewer, constituents - fewer)


def cycle(scheme: str, window: int, constituents: int, days: int) -> int:
    """The most of ``days`` that make whole cycles of a scheme; all, if there is no whole cycle."""
    length = cluster(scheme, window, constituents)
    return next((count for count in range(days, 0, -1) if (count / length).denominator == 1), days)


def run(setting: Setting, out: Path, only: Collection[str] = ()) -> list[Result]:
    """Measure, and write ``results.json``, ``parameters.json``, ``results.md`` and charts into ``out``.

    ``only``: names of methods; all, if there are none. Raises ``ValueError`` for invalid settings, and ``RuntimeError``
    if a method finds other rows.
    """
    out.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="deltawave-bench-", dir=out)).resolve()
    session = open_session(DELTA)
    try:
        rounds = Rounds(setting, session, folder, only)
        results, parameters = rounds.run()
    finally:
        session.stop()
        shutil.rmtree(folder, ignore_errors=True)
    write_report([asdict(result) for result in results], asdict(parameters), out)
    return results


class Rounds:
    """The methods, and their measurements day by day."""

    def __init__(self, setting: Setting, session: SparkSession, folder: Path, only: Collection[str]) -> None:
        known = [f"{index.scheme}/{technique}" for index in setting.indexes for technique in TECHNIQUES]
        known += [peer.name for peer in PEERS]
        if unknown := sorted(set(only) - set(known)):
            raise ValueError(f"There is no method {', '.join(unknown)}: they are {', '.join(known)}.")
        self.setting, self.session, self.folder = setting, session, folder
        self.data = self._written("batches", setting.batches, setting.scale)
        self.store = self._store(self.data, "bench")
        waves = [WaveMethod(self.data, self.store, index, each) for index in setting.indexes for each in TECHNIQUES]
        peers = [peer(self.data, session, setting.window, self.store.folder / peer.name) for peer in PEERS]
        self.methods: list[Method] = [method for method in (*waves, *peers) if not only or method.name in only]
        self.taken: dict[str, list[Taken]] = {method.name: [] for method in self.methods}
        self.queries: dict[str, list[tuple[float, float, float]]] = {method.name: [] for method in self.methods}

    def _written(self, name: str, days: range, scale: float) -> Batches:
        data = DATA[self.setting.data](self.folder / name, days, scale)
        print(f"==> Writing {len(days)} batches of {self.setting.data}, scale {scale}", flush=True)
        data.write()
        return data

    def _store(self, data: Batches, schema: str) -> PartStore:
        place = self.folder / schema
        self.session.sql(f"create schema {schema} location '{place}'")
        rows, source = data.frame(self.session, data.days), f"{schema}_batches"
        rows.createOrReplaceTempView(source)
        spec = data.spec(self.session, WaveIndex("reindex", 1, 1), "packed_shadow")
        days = {int(day.value): day for day in delivered(rows, spec)}
        return PartStore(self.session, spec, source, days, schema, place)

    def run(self) -> tuple[list[Result], Measured]:
        """Measure."""
        setting = self.setting
        for method in self.methods:
            print(f"begin: {method.name} {seconds(partial(method.begin, setting.last)):.1f} s", flush=True)
        query_days = {setting.last + ceil(setting.days * (place + 1) / _QUERY_DAYS) for place in range(_QUERY_DAYS)}
        for day in range(setting.last + 1, setting.last + setting.days + 1):
            for method in self.methods:
                self.taken[method.name].append(method.take(day))
            reported = ", ".join(f"{name} {_seconds(taken[-1]):.1f}" for name, taken in self.taken.items())
            print(f"day {day}: {reported} s", flush=True)
            if day in query_days:
                self._ask(day)
        print("parameters", flush=True)
        parameters = self._parameters()
        return [self._result(method, parameters) for method in self.methods], parameters

    def _ask(self, day: int) -> None:
        """Probes and scans of the window that ends with a day; each method has to find the same."""
        first = day - self.setting.window + 1
        values = self.data.values(_PROBES)
        answers = {}
        for method in self.methods:
            # Asked once before anything is measured, so that Spark has planned such a query before.
            found = [sorted(map(str, self._found(method, value, first))) for value in values]
            answers[method.name] = (found, self._scanned(method, first))
            probe = statistics.median(seconds(partial(self._found, method, value, first)) for value in values)
            scan, newest = (seconds(partial(self._scanned, method, low)) for low in (first, day))
            self.queries[method.name].append((probe, scan, newest))
        expected = answers[self.methods[0].name]
        for name, answer in answers.items():
            if answer != expected:
                raise RuntimeError(f"On day {day}, {name} finds other rows than {self.methods[0].name}.")

    def _found(self, method: Method, value: Any, first: int) -> list[Row]:
        return method.found(value, first).collect()

    def _scanned(self, method: Method, first: int) -> list[Row]:
        return self.data.scanned(method.rows(first)).collect()

    def _parameters(self) -> Measured:
        setting = self.setting
        index = WaveIndex("reindex", setting.window, setting.constituents)
        packed = WaveMethod(self.data, self.store, index, "packed_shadow", "laboratory")
        packed.begin(setting.last)
        # Days of hardly any rows.
        tiny = self._written("tiny", range(2, 6 + _TINY_DAYS), _TINY)
        least = WaveMethod(tiny, self._store(tiny, "tiny"), WaveIndex("reindex", 2, 2), "packed_shadow")
        least.begin(5)
        taken = [least.take(day) for day in range(6, 6 + _TINY_DAYS)]
        return measure(self.data, self.store, packed, statistics.median(_seconds(day) for day in taken))

    def _result(self, method: Method, parameters: Measured) -> Result:
        setting = self.setting
        days = setting.days
        if isinstance(method, WaveMethod):
            days = cycle(method.spec.index.scheme, setting.window, setting.constituents, days)
        taken = self.taken[method.name][-days:]
        probe, scan, newest = (statistics.median(asked) for asked in zip(*self.queries[method.name], strict=True))
        measured = Costs(
            transition=statistics.fmean(day.transition for day in taken),
            preparation=statistics.fmean(day.preparation for day in taken),
            probe=probe,
            scan=scan,
            scan_newest=newest,
            space=statistics.fmean(day.operation for day in taken) / MB,
            most_space=max(day.operation for day in taken) / MB,
            transition_space=statistics.fmean(day.replaced for day in taken) / MB,
            most_transition_space=max(day.replaced for day in taken) / MB,
        )
        result = Result(method.name, setting.data, setting.window, setting.constituents, days, measured)
        if isinstance(method, WaveMethod):
            spec = method.spec
            result.predicted = predicted(parameters.of_one_day, spec.index, spec.technique)
            result.predicted_with_fixed = predicted(parameters.per_day, spec.index, spec.technique)
        for name in ("measured", "predicted", "predicted_with_fixed"):
            costs: Costs | None = getattr(result, name)
            if costs:
                result.total_work[name] = {mix: costs.total_work(MIXES[mix]) for mix in MIXES}
        return result


def _seconds(taken: Taken) -> float:
    return taken.transition + taken.preparation
