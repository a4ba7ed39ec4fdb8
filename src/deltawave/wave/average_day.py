"""What a scheme does on an average day: the days that it indexes, and its inserts."""

from __future__ import annotations

from dataclasses import dataclass

from deltawave.wave.schemes import SCHEMES
from deltawave.wave.state import clusters


@dataclass(frozen=True)
class DaysIndexed:
    """Days that are built or added on an average day, in preparation and in the transition."""

    preparation: float
    transition: float


@dataclass(frozen=True)
class Writes:
    """Batches and inserts of an average day, in preparation and in the transition."""

    preparing_batches: float
    preparing_inserts: float
    inserts: float


def planned(scheme: str, window: int, constituents: int) -> DaysIndexed:
    """The days that the planner's operations index, for clusters of uneven lengths, too.

    While a cluster of L days expires, REINDEX indexes L days each day. REINDEX+ indexes L (L + 1) / 2 days in all, and
    REINDEX++ prepares L (L - 1) / 2 of them; both REINDEX++ and RATA* prepare L - 1 in their temporary indexes.
    """
    lengths = _cluster_lengths(scheme, window, constituents)
    preparation = {
        "reindex_plus_plus": sum(days * (days - 1) / 2 + days - 1 for days in lengths),
        "rata": sum(days - 1 for days in lengths),
    }
    transition = {
        "reindex": sum(days**2 for days in lengths),
        "reindex_plus": sum(days * (days + 1) / 2 for days in lengths),
    }
    total = sum(lengths)
    return DaysIndexed(preparation.get(scheme, 0) / total, transition.get(scheme, total) / total)


def writes(scheme: str, window: int, constituents: int, technique: str) -> Writes:
    """The inserts that the planner's operations take, one for each part that is written, and batches of preparation.

    Simple shadows copy each part of a constituent. REINDEX++ prepares each day, RATA* once for each cluster.
    """
    lengths = _cluster_lengths(scheme, window, constituents)
    transition = {"reindex_plus": sum(2 * days - 1 for days in lengths)}
    if technique == "simple_shadow":
        transition = {
            "del": sum(days**2 for days in lengths),
            "reindex_plus": sum((days**2 + 2 * days - 1) // 2 for days in lengths),
            "wata": sum(days * (days + 1) // 2 for days in lengths),
            "rata": sum(days * (days + 1) // 2 for days in lengths),
        }
    batches = {"reindex_plus_plus": sum(lengths), "rata": sum(days > 1 for days in lengths)}
    inserts = {
        "reindex_plus_plus": sum(2 * (days - 1) for days in lengths),
        "rata": sum(days - 1 for days in lengths),
    }
    total = sum(lengths)
    return Writes(batches.get(scheme, 0) / total, inserts.get(scheme, 0) / total, transition.get(scheme, total) / total)


def _cluster_lengths(scheme: str, window: int, constituents: int) -> list[int]:
    fewer = SCHEMES[scheme].least - 1
    return [len(days) for days in clusters(range(window - fewer), constituents - fewer)]
