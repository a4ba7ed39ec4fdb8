"""Aligned segments: parts of two snapshots with about the same rows, which tasks compare separately.

A window (LG96 4) reads two snapshots from their beginnings. To let several tasks read, both are cut at rows that
correspond: keys of the new snapshot's row groups are looked for in the old one's key columns.
"""

import logging
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import SparkSession

from deltawave.differencing.signatures import key_hashes
from deltawave.rows.batches import Batches, Places, Positions
from deltawave.rows.in_place import RowGroups, map_numbers, parallelism
from deltawave.rows.parquet_files import NotInPlaceError

_LOG = logging.getLogger(__name__)

_HASHED = "hash bigint, position bigint"

# The new snapshot may be cut at some places. So many keys are sampled right after each.
_SAMPLED_KEYS = 256
# Row groups with fewer rows are sampled together.
_SEGMENT_ROWS = 1 << 18
# This share of the sampled keys that both have must lie within the window, or in the same order.
_ENOUGH = 0.75


@dataclass(frozen=True)
class Segment:
    """Positions of rows in the old and the new snapshot: the first one, and the one after the last."""

    old: tuple[int, int]
    new: tuple[int, int]


class NotSegmentedError(NotInPlaceError):
    """Tasks cannot read these snapshots in their order, or it would not help."""


def aligned(
    session: SparkSession,
    name: str,
    old: RowGroups,
    new: RowGroups,
    unique_key: Sequence[str],
    reach: int,
    needs_order: bool = False,
) -> tuple[Segment, ...]:
    """Cut two snapshots into a segment per task: rows that moved to another segment are joined in the end.

    - ``reach``: how many rows apart a window (``name`` in the run's messages) finds equal keys
    - ``needs_order``: whether it finds only rows that keep their order

    Raises ``NotSegmentedError`` if it would find too few of the sampled rows.
    """
    segments = parallelism(session)
    bounds = [*_places(new), sum(new.rows)]
    places = bounds[:-1]
    hashes, positions = _sample(session, new.only(unique_key), bounds, segments)
    found = _found(session, old.only(unique_key), hashes, segments)
    first = _first_keys(positions, bounds)
    at_old, at_new = found[first], positions[first]
    shifts, near_fraction = _shifts(places, at_old, at_new, reach, sum(old.rows) / max(1, sum(new.rows)))
    near = f"{near_fraction:.0%} of the sampled rows lie within {reach:,} rows of each other"
    if near_fraction < _ENOUGH:
        raise NotSegmentedError(f"only {near}")
    if needs_order and (ordered := _ordered_fraction(len(places), at_old, at_new)) < _ENOUGH:
        raise NotSegmentedError(f"only {ordered:.0%} of the sampled rows are in the same order")
    chosen = _cuts(bounds, shifts, reach, segments)
    starts = np.array([places[each] + shifts[each] for each in chosen], dtype=np.int64).clip(0, sum(old.rows))
    new_parts = pairwise([*(places[each] for each in chosen), sum(new.rows)])
    parts = tuple(map(Segment, _parts(_snapped(starts, old, reach // 2), sum(old.rows)), new_parts))
    _LOG.info("%s over %d segments: %s", name, len(parts), near)
    return parts


def _places(new: RowGroups) -> list[int]:
    """Where the new snapshot may be cut: at row groups, so that none is decoded twice."""
    places = [0]
    for position in new.begins[1:-1].tolist():
        if position - places[-1] >= _SEGMENT_ROWS:
            places.append(position)
    return places


def _shifts(
    places: list[int], at_old: Positions, at_new: Positions, reach: int, stretch: float
) -> tuple[list[int], float]:
    """For each place, the median of old minus new positions; and the share of sampled keys within ``reach`` of it."""
    shifts: list[int] = []
    near = known = 0
    for old, new in zip(at_old.reshape(len(places), -1), at_new.reshape(len(places), -1), strict=True):
        own = (old - new)[old >= 0]
        if len(own):
            shifts.append(int(np.median(own)))
            near += int(np.count_nonzero(np.abs(own - shifts[-1]) <= reach))
            known += len(own)
        else:
            # Without a common key, the previous shift is assumed to continue; at the first place, an even stretch.
            place = places[len(shifts)]
            shifts.append(shifts[-1] if shifts else int(place * stretch) - place)
    return shifts, near / known if known else 1.0


def _ordered_fraction(places: int, at_old: Positions, at_new: Positions) -> float:
    """The share of sampled keys that keep their order, counted at each place separately: parts may have moved."""
    ordered = known = 0
    for old, new in zip(at_old.reshape(places, -1), at_new.reshape(places, -1), strict=True):
        # A key that is sampled repeatedly counts once.
        once = old[np.unique(new, return_index=True)[1]]
        own = once[once >= 0]
        ordered += len(longest_increasing(own))
        known += len(own)
    return ordered / known if known else 1.0


def longest_increasing(values: Places) -> Places:
    """The places of a longest strictly increasing subsequence: by sorting into piles (Hunt, Szymanski 1977)."""
    if len(values) < 2 or bool(np.all(values[1:] > values[:-1])):
        return np.arange(len(values))
    # A value above all before it and below all after it is in every longest one. So only those in between are sorted.
    above = np.concatenate([[True], values[1:] > np.maximum.accumulate(values)[:-1]])
    below = np.concatenate([values[:-1] < np.minimum.accumulate(values[::-1])[::-1][1:], [True]])
    chosen = above & below
    bounds = np.flatnonzero(np.diff(np.concatenate([[True], chosen, [True]])))
    for begin, end in zip(bounds[::2].tolist(), bounds[1::2].tolist(), strict=True):
        chosen[begin:end][_by_piles(values[begin:end].tolist())] = True
    return np.flatnonzero(chosen)


def _by_piles(values: list[int]) -> list[int]:
    """The same by sorting into piles: the values of a pile end increasing subsequences of the same length."""
    ends: list[int] = []
    places: list[int] = []
    before: list[int] = []
    for place, value in enumerate(values):
        pile = bisect_left(ends, value)
        before.append(places[pile - 1] if pile else -1)
        ends[pile : pile + 1] = [value]
        places[pile : pile + 1] = [place]
    found = []
    place = places[-1]
    while place >= 0:
        found.append(place)
        place = before[place]
    return found[::-1]


def _cuts(bounds: list[int], shifts: list[int], reach: int, segments: int) -> list[int]:
    """The numbers of the places that begin a segment: where the shift leaves the window, or the size is reached."""
    size = -(-bounds[-1] // segments)
    cuts, end = [0], size
    for place in range(1, len(shifts)):
        is_elsewhere = abs(shifts[place] - shifts[place - 1]) > reach // 2
        # Cut at the place nearest to the wanted end, which may lie before it.
        if is_elsewhere or bounds[place] + (bounds[place + 1] - bounds[place]) // 2 >= end:
            cuts.append(place)
            end = size + (bounds[place] if is_elsewhere else end)
    return cuts


def _parts(starts: Positions, rows: int) -> list[tuple[int, int]]:
    """For each start, the part up to the next higher start. Starts need not increase: files may have moved."""
    order = np.argsort(starts, kind="stable")
    bounds = [0, *starts[order][1:].tolist(), rows]
    parts = [(0, 0)] * len(starts)
    for place, part in zip(order.tolist(), pairwise(bounds), strict=True):
        parts[place] = part
    return parts


def _sample(session: SparkSession, new: RowGroups, bounds: list[int], tasks: int) -> tuple[Positions, Positions]:
    """Hashes and positions of the first keys of the new snapshot at each place."""
    parts = [(begin, min(begin + _SAMPLED_KEYS, end)) for begin, end in pairwise(bounds)]

    def read(number: int) -> Batches:
        for at, rows in new.between(*parts[number]):
            hashes = key_hashes(rows.columns).view(np.int64)
            yield pa.RecordBatch.from_pydict({"hash": hashes, "position": np.arange(at, at + rows.num_rows)})

    found = map_numbers(session, len(parts), read, _HASHED, tasks).toArrow().sort_by("position")
    hashes, positions = (found.column(name).to_numpy() for name in ("hash", "position"))
    return hashes, positions


def _first_keys(positions: Positions, bounds: list[int]) -> Places:
    """Indexes into ``positions`` of _SAMPLED_KEYS keys of each place; repeated if it has fewer."""
    if not len(positions):
        return np.zeros(0, np.intp)
    begins = np.searchsorted(positions, bounds).tolist()
    return np.concatenate([np.resize(np.arange(begin, end), _SAMPLED_KEYS) for begin, end in pairwise(begins)])


def _found(session: SparkSession, old: RowGroups, hashes: Positions, tasks: int) -> Positions:
    """The position of each hashed key in the old snapshot; -1 if it is not there."""
    wanted = np.unique(hashes)

    def search(number: int) -> Batches:
        for position, rows in old.positioned(number):
            own = key_hashes(rows.columns).view(np.int64)
            matched = np.flatnonzero(pc.is_in(pa.array(own), value_set=pa.array(wanted)))
            # If many rows have a key, such as null, one position is enough.
            matched = matched[np.unique(own[matched], return_index=True)[1]]
            yield pa.RecordBatch.from_pydict({"hash": own[matched], "position": position + matched})

    found = map_numbers(session, len(old.groups), search, _HASHED, tasks).toArrow()
    positions = dict(zip(found.column("hash").to_pylist(), found.column("position").to_pylist(), strict=True))
    return np.array([positions.get(each, -1) for each in hashes.tolist()], dtype=np.int64)


def _snapped(cuts: Positions, groups: RowGroups, reach: int) -> Positions:
    """The cuts, moved to nearby bounds of row groups: otherwise two tasks would decode the row group."""
    if not groups.rows:
        return cuts
    bounds = groups.begins
    after = np.searchsorted(bounds, cuts).clip(1, len(bounds) - 1)
    nearest = np.where(cuts - bounds[after - 1] <= bounds[after] - cuts, bounds[after - 1], bounds[after])
    return np.where(np.abs(nearest - cuts) <= reach, nearest, cuts)
