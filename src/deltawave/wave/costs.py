"""What wave indexes cost on Spark, after WI Tables 8 to 11; the work of a day (WI 5); what a partitioned table costs.

Space in MB, time in seconds; parameters are those of WI Table 12, and what Spark takes besides. X is W / n and Y is
(W - 1) / (n - 1), the days of a constituent.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any, NamedTuple

from deltawave.wave.operations import clusters
from deltawave.wave.schemes import SCHEMES, WaveIndex
from deltawave.wave.tables import TECHNIQUES

# Measured with two cores; see docs/wave_costs.md.
_SPARK_FIXED = {"batch": 0.4, "write": 0.25, "probe": 0.15, "scan": 0.15, "file": 0.0015, "partition": 0.001}


def _require(least: int, values: Mapping[str, float | None]) -> None:
    for name, value in values.items():
        if value is not None and not value >= least:
            raise ValueError(f"{name} {value}: take {least} or more.")


@dataclass(frozen=True)
class FixedCosts:
    """Seconds that Spark takes however few rows there are; the paper has none. Values below 0 raise ``ValueError``.

    Of a ``batch``, of each insert in it (``write``), of a ``probe`` and a ``scan``, of each further ``file`` of a
    bucket that a query opens (indexes that are not packed have one for each day), of each ``partition`` of a table.
    """

    batch: float = 0
    write: float = 0
    probe: float = 0
    scan: float = 0
    file: float = 0
    partition: float = 0

    def __post_init__(self) -> None:
        _require(0, {f"fixed {name}": value for name, value in vars(self).items()})


@dataclass(frozen=True)
class WaveParameters:
    """The data of a wave index and its queries; sizes and times are those of one day's data.

    - ``window``: W, in days
    - ``seek``: seconds of a seek; ``transfer``: Trans, MB per second
    - ``packed``, ``unpacked``: S and S', MB of an index
    - ``bucket``: c, MB of a value's bucket
    - ``build``, ``add``, ``delete``: Build, Add and Del, seconds
    - ``copy``, ``smart_copy``: CP and SMCP, seconds. Table 12 has none; by default the index is read and written once:
      2 S' / Trans and 2 S / Trans
    - ``probes``, ``scans``: Probe_num and Scan_num, TimedIndexProbes and TimedSegmentScans per day
    - ``probe_indexes``, ``scan_indexes``: Probe_idx and Scan_idx, how many constituents each reads on average; by
      default all, and never more than there are
    - ``fixed``: what Spark takes besides; the other times are then those of a day among many

    Raises ``ValueError`` for invalid values.
    """

    window: int
    packed: float
    unpacked: float
    build: float
    add: float
    delete: float
    probes: float = 0
    scans: float = 0
    probe_indexes: float | None = None
    scan_indexes: float | None = None
    bucket: float = 100e-6
    seek: float = 0.014
    transfer: float = 10
    copy: float | None = None
    smart_copy: float | None = None
    fixed: FixedCosts = FixedCosts()

    def __post_init__(self) -> None:
        for name in ("window", "packed", "unpacked", "transfer"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} {getattr(self, name)}: take more than 0.")
        _require(1, {"probe_indexes": self.probe_indexes, "scan_indexes": self.scan_indexes})
        _require(0, {name: value for name, value in vars(self).items() if name != "fixed"})

    @property
    def copy_seconds(self) -> float:
        """CP: to copy an unpacked index of a day."""
        return 2 * self.unpacked / self.transfer if self.copy is None else self.copy

    @property
    def smart_copy_seconds(self) -> float:
        """SMCP: to copy a packed index of a day without its expired entries."""
        return 2 * self.packed / self.transfer if self.smart_copy is None else self.smart_copy


@dataclass(frozen=True)
class TableParameters:
    """A table with a partition for each day of the window, instead of an index; the queries are those of the index.

    - ``size``: MB of a day
    - ``take``: seconds to insert a day and to drop the oldest one
    - ``find``, ``scan``: seconds for each day that is read to find a value's rows, or to read all
    - ``find_fixed``, ``scan_fixed``: seconds of such a query besides

    Raises ``ValueError`` for invalid values.
    """

    size: float
    take: float
    find: float
    scan: float
    find_fixed: float = 0
    scan_fixed: float = 0

    def __post_init__(self) -> None:
        _require(0, {f"{name} of a partitioned table": value for name, value in vars(self).items()})

    @staticmethod
    def assumed(given: WaveParameters, size: float | None = None) -> "TableParameters":
        """Where nothing was measured: written like a packed index of that size, and read whole by each query.

        ``size``: MB of a day, by default that of a packed index. An index of an array is larger than the table: it has
        an entry for each value.
        """
        size, fixed = given.packed if size is None else size, given.fixed
        one_day, take = size / given.transfer + fixed.partition, given.build * size / given.packed + fixed.write
        return TableParameters(size, take, one_day, one_day, fixed.probe, fixed.scan)


def on_spark(given: Mapping[str, Any]) -> WaveParameters:
    """Parameters with what fits Spark on two cores (docs/wave_costs.md) where they are not given, or none.

    Copies take as long as building, deleting a day drops a part, and files are read by several tasks. Raises
    ``ValueError`` for parameters that are missing, unknown or invalid.
    """
    known = {name: value for name, value in given.items() if value is not None}
    if missing := [name for name in ("window", "packed", "build", "add") if name not in known]:
        raise ValueError(f"{', '.join(missing)} not given: take figures of your data, or a model to measure.")
    fixed = {**_SPARK_FIXED, **known.pop("fixed", {})}
    if unknown := sorted(fixed.keys() - _SPARK_FIXED.keys()):
        raise ValueError(f"fixed {', '.join(unknown)}: take {', '.join(_SPARK_FIXED)}.")
    copies = dict.fromkeys(("copy", "smart_copy"), known["build"])
    assumed = {"unpacked": known["packed"], "delete": 0.01, "seek": 0.016, "transfer": 500.0, **copies}
    return WaveParameters(**{**assumed, **known}, fixed=FixedCosts(**fixed))


# Of a table, by default; a scan reads each, a probe one.
_BUCKETS = 8


class Daily(NamedTuple):
    """What the planner's operations take: batches, inserts (one for each part that is written) and days indexed."""

    preparing_batches: float = 0.0
    preparing_inserts: float = 0.0
    days_prepared: float = 0.0
    inserts: float = 0.0
    days_indexed: float = 0.0


# While a cluster of so many days expires. REINDEX++ prepares each day, RATA* once for each cluster.
_IN_CLUSTER: dict[str, Callable[[int], Daily]] = {
    "del": lambda days: Daily(inserts=days, days_indexed=days),
    "reindex": lambda days: Daily(inserts=days, days_indexed=days**2),
    "reindex_plus": lambda days: Daily(inserts=2 * days - 1, days_indexed=days * (days + 1) / 2),
    "reindex_plus_plus": lambda days: Daily(days, 2 * (days - 1), days * (days - 1) / 2 + days - 1, days, days),
    "wata": lambda days: Daily(inserts=days, days_indexed=days),
    "rata": lambda days: Daily(days > 1, days - 1, days - 1, days, days),
}
# Simple shadows copy each part of a constituent.
_SHADOW_INSERTS: dict[str, Callable[[int], float]] = {
    "del": lambda days: days**2,
    "reindex_plus": lambda days: (days**2 + 2 * days - 1) // 2,
    "wata": lambda days: days * (days + 1) // 2,
    "rata": lambda days: days * (days + 1) // 2,
}


def _read(given: float | None, all_of_them: int) -> float:
    """How many constituents or partitions a query reads."""
    return all_of_them if given is None else min(given, all_of_them)


@dataclass(frozen=True)
class WaveCost:
    """A scheme with n constituents under an update technique, for given parameters.

    It counts the days that the planner's operations index; the paper prints half a cluster instead, which is half a day
    too few for REINDEX+. The paper prints simple shadow (Tables 8 to 10; no copies for REINDEX++) and packed shadow
    (Table 11) and describes the rest. In place, no constituent is copied before it is updated; the other copies of
    REINDEX+ and RATA* (Temp, and one T to the next) stay.

    Raises ``ValueError`` for an unknown technique and as ``WaveIndex`` does.
    """

    parameters: WaveParameters
    scheme: str
    constituents: int
    technique: str = "simple_shadow"

    def __post_init__(self) -> None:
        if self.technique not in TECHNIQUES:
            raise ValueError(f"technique {self.technique!r}: take one of {', '.join(TECHNIQUES)}.")
        WaveIndex(self.scheme, self.parameters.window, self.constituents)

    @property
    def cluster(self) -> float:
        """Days of a constituent: Y for the schemes that throw away, otherwise X."""
        fewer = SCHEMES[self.scheme].least - 1
        return (self.parameters.window - fewer) / (self.constituents - fewer)

    @property
    def _is_packed(self) -> bool:
        return self.technique == "packed_shadow" or SCHEMES[self.scheme].rebuilds

    @property
    def day_size(self) -> float:
        """MB of a day in an index: S if it is packed, otherwise S'."""
        return self.parameters.packed if self._is_packed else self.parameters.unpacked

    @property
    def max_space(self) -> float:
        """Space in operation, at most (Table 8)."""
        longest = ceil(self.cluster)
        more = {
            "reindex_plus": longest - 1,
            "reindex_plus_plus": longest * (longest - 1) / 2,
            "wata": longest - 1,
            "rata": longest * (longest - 1) / 2,
        }
        return (self.parameters.window + more.get(self.scheme, 0)) * self.day_size

    @property
    def max_transition_space(self) -> float:
        """Further space during a transition, at most (Table 8); packed shadows copy temporary indexes, too.

        In place it is 0, except for REINDEX, which always builds alongside the old index; the paper counts none.
        """
        # REINDEX++ adds a day to a temporary index, which replaces the old one.
        is_copied = self.technique == "simple_shadow" and self.scheme != "reindex_plus_plus"
        return ceil(self.cluster) * self.day_size if is_copied or self._is_packed else 0.0

    @property
    def most_space(self) -> float:
        """MB at most, during a transition."""
        return self.max_space + self.max_transition_space

    @property
    def probe(self) -> float:
        """Seconds of a TimedIndexProbe (Table 9)."""
        given = self.parameters
        one = given.seek + given.window / self.constituents * given.bucket / given.transfer
        return given.fixed.probe + _read(given.probe_indexes, self.constituents) * (one + self._further_files)

    @property
    def scan(self) -> float:
        """Seconds of a TimedSegmentScan (Table 9)."""
        given = self.parameters
        days = float(given.window)
        if not SCHEMES[self.scheme].is_hard:
            days += self.cluster / 2 - 1
        one = given.seek + days / self.constituents * self.day_size / given.transfer
        return given.fixed.scan + _read(given.scan_indexes, self.constituents) * (one + _BUCKETS * self._further_files)

    @property
    def _further_files(self) -> float:
        """Seconds to open the files of a bucket besides the first: one for each day, unless the index is packed."""
        return 0.0 if self._is_packed else (self.cluster - 1) * self.parameters.fixed.file

    @property
    def precomputation(self) -> float:
        """Seconds of preparation per day (Tables 10 and 11), and the fixed costs of its batches and inserts."""
        fixed, daily = self.parameters.fixed, self.daily
        return self._maintenance()[0] + daily.preparing_batches * fixed.batch + daily.preparing_inserts * fixed.write

    @property
    def transition(self) -> float:
        """Seconds until a new day can be queried (Tables 10 and 11), and the fixed costs of its batch and inserts."""
        return self._maintenance()[1] + self.parameters.fixed.batch + self.daily.inserts * self.parameters.fixed.write

    @property
    def daily(self) -> Daily:
        """What the planner's operations take on an average day; clusters may be uneven."""
        fewer = SCHEMES[self.scheme].least - 1
        lengths = [len(days) for days in clusters(range(self.parameters.window - fewer), self.constituents - fewer)]
        daily = [_IN_CLUSTER[self.scheme](days) for days in lengths]
        found = Daily(*(sum(each) / sum(lengths) for each in zip(*daily, strict=True)))
        if self.technique == "simple_shadow" and self.scheme in _SHADOW_INSERTS:
            return found._replace(inserts=sum(map(_SHADOW_INSERTS[self.scheme], lengths)) / sum(lengths))
        return found

    def _maintenance(self) -> tuple[float, float]:
        given = self.parameters
        days, half = self.cluster, self.cluster / 2
        prepared, indexed = self.daily.days_prepared, self.daily.days_indexed
        build, add, delete = given.build, given.add, given.delete
        copy, smart = given.copy_seconds, given.smart_copy_seconds
        if SCHEMES[self.scheme].rebuilds:
            return 0.0, indexed * build
        packed = {
            "del": (0.0, days * smart + build),
            "reindex_plus": (0.0, days * (smart + copy) + indexed * build),
            "reindex_plus_plus": (half * smart + prepared * build, half * smart + build),
            "wata": (0.0, half * copy + build),
            "rata": (half * smart + prepared * build, half * copy + build),
        }
        # In place, no constituent is copied before it is updated.
        shadow = half * copy if self.technique == "simple_shadow" else 0.0
        unpacked = {
            "del": (2 * shadow + delete, add),
            "reindex_plus": (0.0, half * copy + shadow + indexed * add),
            "reindex_plus_plus": (prepared * add, add),
            "wata": (0.0, shadow + add),
            "rata": (half * copy + prepared * add, shadow + add),
        }
        return (packed if self.technique == "packed_shadow" else unpacked)[self.scheme]

    @property
    def total_work(self) -> float:
        """Seconds of a day's preparation, transition and queries, one after the other (WI 5)."""
        queries = self.parameters.probes * self.probe + self.parameters.scans * self.scan
        return self.precomputation + self.transition + queries


@dataclass(frozen=True)
class TableCost:
    """A table with a partition for each day: the new one is inserted, the oldest one dropped.

    A query reads each day of the window; if ``probe_indexes`` or ``scan_indexes`` are given, as many days. The
    properties are those of :class:`WaveCost`.
    """

    parameters: WaveParameters
    table: TableParameters

    @property
    def transition(self) -> float:
        return self.table.take

    @property
    def probe(self) -> float:
        return self.table.find_fixed + _read(self.parameters.probe_indexes, self.parameters.window) * self.table.find

    @property
    def scan(self) -> float:
        return self.table.scan_fixed + _read(self.parameters.scan_indexes, self.parameters.window) * self.table.scan

    @property
    def most_space(self) -> float:
        """MB at most: before the oldest day is dropped."""
        return (self.parameters.window + 1) * self.table.size

    @property
    def total_work(self) -> float:
        return self.transition + self.parameters.probes * self.probe + self.parameters.scans * self.scan
