"""Matching the compressed rows of a segment: by merging (LG96 Algorithm 3.1) or by a hash table (LG96 3.3, PHC2)."""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from deltawave.differencing.batches import Mask, Places
from deltawave.differencing.hashing import Hashes, places_of
from deltawave.differencing.signatures import Checks, Signatures


@dataclass(frozen=True, eq=False)
class Differences:
    """Keys whose rows differ between two compressed snapshots, by the places of their rows.

    - ``deleted``: places of old rows whose key the new snapshot lacks
    - ``upserted``: places of new rows; for a duplicate key, which always differs, the first
    - ``previous``: the old row of each upserted key, -1 if there is none
    - ``is_repeated``: whether the new snapshot has several rows of the key
    """

    deleted: Places
    upserted: Places
    previous: Places
    is_repeated: Mask


def differences(old: Signatures, new: Signatures, are_sorted: bool = True) -> Differences:
    """Compare two segments by merging them if they ``are_sorted``, otherwise by a hash table. Old keys are unique."""
    previous = key_places(new.key_hash, new.key_check, old.key_hash, old.key_check, are_sorted)
    is_matched = previous >= 0
    is_deleted = np.ones(len(old), dtype=bool)
    is_deleted[previous[is_matched]] = False
    differs = ~is_matched
    differs[is_matched] = ~new.is_same(np.flatnonzero(is_matched), old, previous[is_matched])
    is_repeated = np.zeros(len(new), dtype=bool)
    for first, *others in _places_of_shared_hashes(new, are_sorted):
        if others:
            differs[[first, *others]] = [True, *(False for _ in others)]
            is_repeated[first] = True
    upserted = np.flatnonzero(differs)
    return Differences(np.flatnonzero(is_deleted), upserted, previous[upserted], is_repeated[upserted])


def key_places(
    hashes: Hashes, checks: Checks, table_hashes: Hashes, table_checks: Checks, is_sorted: bool = True
) -> Places:
    """The first place of each key in a table of keys, -1 where it is not there. ``is_sorted``: the table, by hash."""
    places = sorted_places(hashes, table_hashes) if is_sorted else places_of(hashes, table_hashes)
    found = np.flatnonzero(places >= 0)
    for at in found[table_checks[places[found]] != checks[found]].tolist():
        # Another key has the same hash.
        own = np.flatnonzero((table_hashes == hashes[at]) & (table_checks == checks[at]))
        places[at] = own[0] if len(own) else -1
    return places


def patched(kept: Signatures, upserted: Signatures | None, removed: Signatures | None) -> Signatures:
    """The compressed snapshot after later changes: inserted or updated rows, and deleted keys; sorted."""
    changed = [part for part in (upserted, removed) if part is not None and len(part)]
    if changed:
        others = Signatures.concat(changed).sorted(are_runs=True)
        is_changed = key_places(kept.key_hash, kept.key_check, others.key_hash, others.key_check) >= 0
        kept = kept.take(np.flatnonzero(~is_changed))
    parts = [part for part in (kept, upserted) if part is not None and len(part)]
    return Signatures.concat(parts).sorted(are_runs=True) if parts else kept


def sorted_places(hashes: Hashes, table: Hashes) -> Places:
    """The first place of each hash in a sorted table, -1 where it is not there."""
    if not len(table):
        return np.full(len(hashes), -1, dtype=np.intp)
    places = np.minimum(np.searchsorted(table, hashes), len(table) - 1)
    return np.where(table[places] == hashes, places, -1)


def _places_of_shared_hashes(rows: Signatures, are_sorted: bool) -> list[list[int]]:
    """The places of each key, for keys whose hash several rows have."""
    hashes = rows.key_hash if are_sorted else np.sort(rows.key_hash)
    places: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for at in np.flatnonzero(np.isin(rows.key_hash, hashes[1:][hashes[1:] == hashes[:-1]])).tolist():
        places[int(rows.key_hash[at]), int(rows.key_check[at])].append(at)
    return list(places.values())
