"""Aligned segments: parts of two snapshots that hold about the same rows, so that tasks compare them apart.

A window (LG96 4) reads two snapshots from their beginnings. To let several tasks read, both are cut at rows that
correspond: keys of the new snapshot's row groups are looked for in the old one, for which its key columns are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import SparkSession

from deltawave.differencing.in_place import Batches, RowGroups
from deltawave.differencing.signatures import key_hashes

Positions = npt.NDArray[np.int64]

# Keys that are looked for at each place where the new snapshot may be cut.
_SAMPLED_KEYS = 256
# Row groups with fewer rows are compared together.
_SEGMENT_ROWS = 1 << 18
# So many of the sampled keys that both have must lie within the window.
_NEAR_FRACTION = 0.75


@dataclass(frozen=True)
class Segment:
    """Positions of rows, from the first until before the last, in the old and the new snapshot."""

    old: tuple[int, int]
    new: tuple[int, int]


@dataclass(frozen=True)
class Alignment:
    """The segments of two snapshots.

    ``near_fraction``: of the sampled keys that both have, those that a window finds; below 1, its rest is large.
    """

    segments: tuple[Segment, ...]
    near_fraction: float

    @property
    def is_near(self) -> bool:
        """Whether a window finds most rows."""
        return self.near_fraction >= _NEAR_FRACTION


def aligned(session: SparkSession, old: RowGroups, new: RowGroups, unique_key: Sequence[str], reach: int) -> Alignment:
    """Cut two snapshots into segments.

    ``reach``: how many rows apart a window finds equal keys.
    """
    cuts = _cuts(new)
    sampled, at_new = _sample(session, new.only(unique_key), cuts)
    at_old = _found(session, old.only(unique_key), sampled)
    is_found = at_old >= 0
    shifts = (at_old - at_new).reshape(len(cuts), -1) if len(at_new) else np.zeros((len(cuts), 0), np.int64)
    old_rows, new_rows = sum(old.rows), sum(new.rows)
    old_cuts, near, known = [], 0, 0
    for cut, own_shifts, own_found in zip(cuts, shifts, is_found.reshape(len(cuts), -1), strict=True):
        own = own_shifts[own_found]
        # Without a common key the snapshots are taken to be stretched evenly.
        shift = int(np.median(own)) if len(own) else cut * old_rows // max(1, new_rows) - cut
        near += int(np.count_nonzero(np.abs(own - shift) <= reach))
        known += len(own)
        old_cuts.append(min(max(0, cut + shift), old_rows))
    starts = _snapped(np.array(old_cuts, np.int64), old, reach // 2)
    segments = map(Segment, _parts(starts, old_rows), pairwise([*cuts, new_rows]))
    return Alignment(tuple(segments), near / known if known else 1.0)


def rows_between(groups: RowGroups, begin: int, end: int) -> Iterator[tuple[int, pa.RecordBatch]]:
    """The rows at these positions: batches, with the position of their first row."""
    position = 0
    for number, count in enumerate(groups.rows):
        if position < end and position + count > begin:
            at = position
            for batch in groups.read([number]):
                first, last = max(begin - at, 0), min(end - at, batch.num_rows)
                if first < last:
                    yield at + first, batch.slice(first, last - first)
                at += batch.num_rows
                if at >= end:
                    break
        position += count


def _cuts(new: RowGroups) -> list[int]:
    """Where the new snapshot is cut: at row groups, so that no task decodes another's rows."""
    cuts, position = [0], 0
    for count in new.rows[:-1]:
        position += count
        if position - cuts[-1] >= _SEGMENT_ROWS:
            cuts.append(position)
    return cuts


def _parts(starts: Positions, rows: int) -> list[tuple[int, int]]:
    """From each start to the next that follows: together all rows. Files may have changed their order."""
    order = np.argsort(starts, kind="stable")
    bounds = [0, *starts[order][1:].tolist(), rows]
    parts = [(0, 0)] * len(starts)
    for place, part in zip(order.tolist(), pairwise(bounds), strict=True):
        parts[place] = part
    return parts


def _sample(session: SparkSession, new: RowGroups, cuts: list[int]) -> tuple[Positions, Positions]:
    """Hashes of keys that follow the cuts, and their positions: equally many at each cut, if need be by repeating."""
    total = sum(new.rows)

    def read(batches: Batches) -> Batches:
        for cut in (cuts[number] for batch in batches for number in batch.column(0).to_pylist()):
            for at, rows in rows_between(new, cut, min(cut + _SAMPLED_KEYS, total)):
                hashes = key_hashes(rows.columns).view(np.int64)
                positions = np.arange(at, at + rows.num_rows)
                yield pa.RecordBatch.from_pydict({"hash": hashes, "position": positions, "cut": [cut] * len(hashes)})

    ids = session.range(0, len(cuts), 1, len(cuts))
    found = ids.mapInArrow(read, "hash bigint, position bigint, cut bigint").toArrow()
    table = found.sort_by([("cut", "ascending"), ("position", "ascending")])
    hashes, positions, of = (table.column(name).to_numpy() for name in ("hash", "position", "cut"))
    at = []
    for cut in cuts:
        own = np.flatnonzero(of == cut)
        if not len(own):
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        at.append(np.resize(own, _SAMPLED_KEYS))
    chosen = np.concatenate(at)
    return hashes[chosen], positions[chosen]


def _found(session: SparkSession, old: RowGroups, hashes: Positions) -> Positions:
    """The position of each hashed key in the old snapshot; -1 if it is not there."""
    at = np.full(len(hashes), -1, dtype=np.int64)
    if not len(hashes) or not old.groups:
        return at
    wanted = np.unique(hashes)
    begins = [0, *np.cumsum(old.rows).tolist()]

    def search(batches: Batches) -> Batches:
        values = pa.array(wanted)
        for number in (number for batch in batches for number in batch.column(0).to_pylist()):
            position = begins[number]
            for rows in old.read([number]):
                own = key_hashes(rows.columns).view(np.int64)
                places = pc.fill_null(pc.index_in(pa.array(own), value_set=values), -1).to_numpy()
                met = np.flatnonzero(places >= 0)
                yield pa.RecordBatch.from_pydict({"hash": own[met], "position": position + met})
                position += rows.num_rows

    ids = session.range(0, len(old.groups), 1, len(old.groups))
    found = ids.mapInArrow(search, "hash bigint, position bigint").toArrow()
    positions = dict(zip(found.column("hash").to_pylist(), found.column("position").to_pylist(), strict=True))
    return np.array([positions.get(each, -1) for each in hashes.tolist()], dtype=np.int64)


def _snapped(cuts: Positions, groups: RowGroups, reach: int) -> Positions:
    """The cuts, moved to the bounds of row groups that are near: otherwise two tasks decode the row group."""
    if not groups.rows:
        return cuts
    bounds = np.array([0, *np.cumsum(groups.rows).tolist()], dtype=np.int64)
    after = np.searchsorted(bounds, cuts).clip(1, len(bounds) - 1)
    nearest = np.where(cuts - bounds[after - 1] <= bounds[after] - cuts, bounds[after - 1], bounds[after])
    return np.where(np.abs(nearest - cuts) <= reach, nearest, cuts)
