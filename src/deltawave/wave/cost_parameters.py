"""The parameters of WI Table 12, and what Spark takes besides. Sizes in MB, times in seconds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# Measured with two cores; see docs/wave_costs.md.
_SPARK_FIXED = {"batch": 0.2, "write": 0.25, "probe": 0.15, "scan": 0.15, "file": 0.0015}


def _require(least: int, values: Mapping[str, float | None]) -> None:
    for name, value in values.items():
        if value is not None and not value >= least:
            raise ValueError(f"{name} {value}: take {least} or more.")


@dataclass(frozen=True)
class FixedCosts:
    """Seconds that Spark takes however few rows there are; the paper has none. Values below 0 raise ``ValueError``.

    Of a ``batch``, of each insert in it (``write``), of a ``probe`` and a ``scan``, and of each further ``file`` of a
    bucket that a query opens: indexes that are not packed have one for each day.
    """

    batch: float = 0
    write: float = 0
    probe: float = 0
    scan: float = 0
    file: float = 0

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
    def assumed(given: WaveParameters) -> "TableParameters":
        """Where nothing was measured: as large as a packed index, written like one, and read whole by each query."""
        one_day, fixed = given.packed / given.transfer + given.fixed.file, given.fixed
        return TableParameters(given.packed, given.build + fixed.write, one_day, one_day, fixed.probe, fixed.scan)


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
    assumed = {"unpacked": known["packed"], "delete": 0.01, "transfer": 500.0, **copies}
    return WaveParameters(**{**assumed, **known}, fixed=FixedCosts(**fixed))
