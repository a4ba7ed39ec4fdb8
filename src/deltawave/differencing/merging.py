"""Matching the compressed rows of a segment: by merging (LG96 Algorithm 3.1) or by a hash table (LG96 3.3, PHC2)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from deltawave.differencing.hashing import Hashes, places_of
from deltawave.differencing.signatures import Places, Signatures

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Differences:
    """Keys whose rows differ between two sorted compressed snapshots, by the places of their rows.

    - ``deleted``: places of old rows whose key the new snapshot lacks
    - ``upserted``: places of new rows; for a duplicate key, which always differs, the first
    - ``previous``: the old row of each upserted key, -1 if there is none
    - ``is_repeated``: whether the new snapshot has several rows of the key
    """

    deleted: Places
    upserted: Places
    previous: Places
    is_repeated: Mask


def differences(old: Signatures, new: Signatures) -> Differences:
    """Compare two sorted segments. Old keys are unique.

    Rows are matched by the key's hash. Where that does not identify the key (duplicate keys, different keys with the
    same hash), they are matched one by one.
    """
    previous = _first_match(old, new)
    is_matched = previous >= 0
    differs = ~is_matched
    differs[is_matched] = old.row_hash[previous[is_matched]] != new.row_hash[is_matched]
    unsure = _unsure(old, new, previous, differs)
    is_deleted = np.ones(len(old), dtype=bool)
    is_deleted[previous[is_matched]] = False
    is_repeated = np.zeros(len(new), dtype=bool)
    if len(unsure):
        old_unsure, new_unsure = np.isin(old.key_hash, unsure), np.isin(new.key_hash, unsure)
        is_deleted &= ~old_unsure
        differs &= ~new_unsure
        _match_one_by_one(old, new, old_unsure, new_unsure, is_deleted, differs, previous, is_repeated)
    upserted = np.flatnonzero(differs)
    return Differences(np.flatnonzero(is_deleted), upserted, previous[upserted], is_repeated[upserted])


def patched(kept: Signatures, upserted: Signatures | None, removed: Signatures | None) -> Signatures:
    """The compressed snapshot after later changes: inserted or updated rows, and deleted keys; sorted."""
    changed = [part for part in (upserted, removed) if part is not None and len(part)]
    if changed:
        stays = ~_has_keys_of(kept, Signatures.concat(changed).sorted(are_runs=True))
        kept = kept.take(np.flatnonzero(stays))
    parts = [part for part in (kept, upserted) if part is not None and len(part)]
    return Signatures.concat(parts).sorted(are_runs=True) if parts else kept


def _first_match(old: Signatures, new: Signatures) -> Places:
    """For each new row the first old row with the same key hash, -1 if there is none."""
    if not len(old):
        return np.full(len(new), -1, dtype=np.intp)
    place = np.minimum(np.searchsorted(old.key_hash, new.key_hash), len(old) - 1)
    return np.where(old.key_hash[place] == new.key_hash, place, -1)


def _unsure(old: Signatures, new: Signatures, previous: Places, differs: Mask) -> Hashes:
    """Key hashes that several rows of one side have, or rows with different keys."""
    pairs = np.flatnonzero(differs & (previous >= 0))
    is_other_key = old.key_check[previous[pairs]] != new.key_check[pairs]
    return np.concatenate([_repeated(old.key_hash), _repeated(new.key_hash), new.key_hash[pairs[is_other_key]]])


def _repeated(hashes: Hashes) -> Hashes:
    repeated: Hashes = hashes[1:][hashes[1:] == hashes[:-1]]
    return repeated


def _match_one_by_one(
    old: Signatures,
    new: Signatures,
    old_unsure: Mask,
    new_unsure: Mask,
    is_deleted: Mask,
    differs: Mask,
    previous: Places,
    is_repeated: Mask,
) -> None:
    """Set which of the unsure rows are deleted or differ, and their previous rows and repeated keys."""
    known = {_identity(old, at): at for at in np.flatnonzero(old_unsure).tolist()}
    new_places: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for at in np.flatnonzero(new_unsure).tolist():
        new_places[_identity(new, at)].append(at)
    for key, at in known.items():
        is_deleted[at] = key not in new_places
    for key, (first, *others) in new_places.items():
        previous[first] = known.get(key, -1)
        is_repeated[first] = bool(others)
        is_same = previous[first] >= 0 and old.row_hash[previous[first]] == new.row_hash[first]
        differs[first] = bool(others) or not is_same


def _identity(rows: Signatures, at: int) -> tuple[int, int]:
    return int(rows.key_hash[at]), int(rows.key_check[at])


def _has_keys_of(kept: Signatures, others: Signatures) -> Mask:
    """Which kept rows have a key of ``others``, which are sorted."""
    first = np.searchsorted(others.key_hash, kept.key_hash, side="left")
    count = np.searchsorted(others.key_hash, kept.key_hash, side="right") - first
    has_key: Mask = np.zeros(len(kept), dtype=bool)
    once = count == 1
    has_key[once] = others.key_check[first[once]] == kept.key_check[once]
    for at in np.flatnonzero(count > 1).tolist():
        checks = others.key_check[first[at] : first[at] + count[at]]
        has_key[at] = bool((checks == kept.key_check[at]).any())
    return has_key


def probed(old: Signatures, new: Signatures) -> Differences | None:
    """The differences of two segments in any order; ``None`` if a key's hash does not identify the key.

    This happens with duplicate keys and with different keys of the same hash, which only
    :func:`deltawave.differencing.merging.differences` tells apart.
    """
    previous = places_of(new.key_hash, old.key_hash)
    matched = previous[previous >= 0]
    if len(matched) and int(np.bincount(matched).max()) > 1:
        return None
    if not (_is_distinct(old.key_hash) and _is_distinct(new.key_hash)):
        return None
    is_matched = previous >= 0
    if bool(np.any(old.key_check[matched] != new.key_check[is_matched])):
        return None
    differs = ~is_matched
    differs[is_matched] = old.row_hash[matched] != new.row_hash[is_matched]
    is_deleted = np.ones(len(old), dtype=bool)
    is_deleted[matched] = False
    upserted = np.flatnonzero(differs)
    return Differences(np.flatnonzero(is_deleted), upserted, previous[upserted], np.zeros(len(upserted), dtype=bool))


def _is_distinct(hashes: Hashes) -> bool:
    return int(pc.count_distinct(pa.array(hashes)).as_py()) == len(hashes)
