"""Probing a hash table of compressed rows: the matching of PHC2 (LG96 3.3), a segment at a time."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deltawave.differencing.hashing import Hashes, places_of
from deltawave.differencing.merging import Differences
from deltawave.differencing.signatures import Signatures


def probed(old: Signatures, new: Signatures) -> Differences | None:
    """The differences of two segments in any order; ``None`` if a key's hash does not identify the key.

    This happens with duplicate keys and with different keys of the same hash, which only
    :func:`deltawave.differencing.merging.differences` tells apart.
    """
    former = places_of(new.key_hash, old.key_hash)
    met = former[former >= 0]
    if len(met) and int(np.bincount(met).max()) > 1:
        return None
    if not (_is_distinct(old.key_hash) and _is_distinct(new.key_hash)):
        return None
    is_met = former >= 0
    if bool(np.any(old.key_check[met] != new.key_check[is_met])):
        return None
    differs = ~is_met
    differs[is_met] = old.row_hash[met] != new.row_hash[is_met]
    is_gone = np.ones(len(old), dtype=bool)
    is_gone[met] = False
    arrived = np.flatnonzero(differs)
    return Differences(np.flatnonzero(is_gone), arrived, former[arrived], np.zeros(len(arrived), dtype=bool))


def _is_distinct(hashes: Hashes) -> bool:
    return int(pc.count_distinct(pa.array(hashes)).as_py()) == len(hashes)
