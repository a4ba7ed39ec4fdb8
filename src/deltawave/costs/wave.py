"""The costs of wave indexes: WI Tables 8 to 11, and the total work of a day (WI 5).

Space in MB, time in seconds. X is W / n and Y is (W - 1) / (n - 1), the days of a constituent.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from deltawave.costs.wave_averages import planned, printed
from deltawave.costs.wave_parameters import WaveParameters
from deltawave.wave import WaveIndex

TECHNIQUES = ("in_place", "simple_shadow", "packed_shadow")


@dataclass(frozen=True)
class WaveCost:
    """A scheme with n constituents under an update technique, for given parameters.

    - ``scheme``: as in :class:`deltawave.wave.WaveIndex`
    - ``technique``: ``in_place``, ``simple_shadow`` or ``packed_shadow``
    - ``exact``: whether to count the days that the planner's operations index. The paper prints half a cluster instead,
      which is half a day too few for REINDEX+, and with clusters of one day a preparation that does not take place

    The paper prints simple shadow (Tables 8 to 10) and packed shadow (Table 11) and describes the rest. In place, no
    constituent is copied before it is updated; the other copies of REINDEX+ and RATA* (Temp, and one T to the next)
    stay. Table 10 has no copies for REINDEX++.

    Raises ``ValueError`` for an unknown technique and as ``WaveIndex`` does.
    """

    parameters: WaveParameters
    scheme: str
    constituents: int
    technique: str = "simple_shadow"
    exact: bool = False

    def __post_init__(self) -> None:
        if self.technique not in TECHNIQUES:
            raise ValueError(f"technique {self.technique!r}: take one of {', '.join(TECHNIQUES)}.")
        WaveIndex(self.scheme, self.parameters.window, self.constituents)

    @property
    def cluster(self) -> float:
        """Days of a constituent: Y for the schemes that throw away, otherwise X."""
        if self.scheme in ("wata", "rata"):
            return (self.parameters.window - 1) / (self.constituents - 1)
        return self.parameters.window / self.constituents

    @property
    def day_size(self) -> float:
        """MB of a day in an index: S if it is packed, otherwise S'."""
        is_packed = self.technique == "packed_shadow" or self.scheme == "reindex"
        return self.parameters.packed if is_packed else self.parameters.unpacked

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
    def average_space(self) -> float:
        """Space in operation, on average (Table 8)."""
        days = self.cluster
        more = {
            "reindex_plus": days / 2,
            "reindex_plus_plus": days**2 / 6 + days / 2,
            "wata": days / 2,
            "rata": days**2 / 6 + days / 2,
        }
        return (self.parameters.window + more.get(self.scheme, 0)) * self.day_size

    @property
    def max_transition_space(self) -> float:
        """Further space during a transition, at most (Table 8); packed shadows copy temporary indexes, too.

        In place it is 0, except for REINDEX, which always builds beside the old index; the paper counts none.
        """
        return self._shadow(ceil(self.cluster), ceil(self.cluster))

    @property
    def average_transition_space(self) -> float:
        """Further space during a transition, on average (Table 8)."""
        is_partly_filled = self.scheme in ("reindex_plus", "wata", "rata")
        return self._shadow(self.cluster / 2 if is_partly_filled else self.cluster, self.cluster)

    def _shadow(self, days: float, of_temporaries: float) -> float:
        if self.technique == "in_place" and self.scheme != "reindex":
            return 0.0
        if self.scheme == "reindex_plus_plus":
            return of_temporaries * self.day_size if self.technique == "packed_shadow" else 0.0
        return days * self.day_size

    @property
    def probe(self) -> float:
        """Seconds of a TimedIndexProbe (Table 9)."""
        given = self.parameters
        one = given.seek + given.window / self.constituents * given.bucket / given.transfer
        return self._indexes(given.probe_indexes) * one

    @property
    def scan(self) -> float:
        """Seconds of a TimedSegmentScan (Table 9)."""
        given = self.parameters
        days = float(given.window)
        if self.scheme == "wata":
            days += self.cluster / 2 - 1
        one = given.seek + days / self.constituents * self.day_size / given.transfer
        return self._indexes(given.scan_indexes) * one

    def _indexes(self, asked: float | None) -> float:
        return self.constituents if asked is None else min(asked, self.constituents)

    @property
    def precomputation(self) -> float:
        """Seconds of preparation per day (Tables 10 and 11)."""
        return self._maintenance()[0]

    @property
    def transition(self) -> float:
        """Seconds until a new day can be queried (Tables 10 and 11)."""
        return self._maintenance()[1]

    def _maintenance(self) -> tuple[float, float]:
        given = self.parameters
        days, half = self.cluster, self.cluster / 2
        indexed = (planned if self.exact else printed)(self.scheme, given.window, self.constituents)
        build, add, delete = given.build, given.add, given.delete
        copy, smart = given.copy_seconds, given.smart_copy_seconds
        packed = {
            "del": (0.0, days * smart + build),
            "reindex": (0.0, indexed.transition * build),
            "reindex_plus": (0.0, days * (smart + copy) + indexed.transition * build),
            "reindex_plus_plus": (half * smart + indexed.preparation * build, half * smart + build),
            "wata": (0.0, half * copy + build),
            "rata": (half * smart + indexed.preparation * build, half * copy + build),
        }
        simple = {
            "del": (days * copy + delete, add),
            "reindex": (0.0, indexed.transition * build),
            "reindex_plus": (0.0, days * copy + indexed.transition * add),
            "reindex_plus_plus": (indexed.preparation * add, add),
            "wata": (0.0, half * copy + add),
            "rata": (half * copy + indexed.preparation * add, half * copy + add),
        }
        in_place = {
            "del": (delete, add),
            "reindex": (0.0, indexed.transition * build),
            "reindex_plus": (0.0, half * copy + indexed.transition * add),
            "reindex_plus_plus": (indexed.preparation * add, add),
            "wata": (0.0, add),
            "rata": (half * copy + indexed.preparation * add, add),
        }
        return {"packed_shadow": packed, "simple_shadow": simple, "in_place": in_place}[self.technique][self.scheme]

    @property
    def queries(self) -> float:
        """Seconds of a day's probes and scans."""
        return self.parameters.probes * self.probe + self.parameters.scans * self.scan

    @property
    def total_work(self) -> float:
        """Seconds of a day's preparation, transition and queries, one after the other (WI 5)."""
        return self.precomputation + self.transition + self.queries
