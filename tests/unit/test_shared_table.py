"""The files of patches from which tasks write the shared hash table."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from deltawave.differencing import shared_table
from deltawave.differencing.compression import REMOVED, UPSERTED
from deltawave.differencing.signatures import Signatures


def compressed(*keys: int) -> Signatures:
    return Signatures.of(pa.RecordBatch.from_pydict({"k0": list(keys)}), []).sorted()


def test_patches_of_a_task_that_failed_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_table, "_folder", lambda name: tmp_path / name)
    left = {(UPSERTED, "7_0"): compressed(1, 2), (UPSERTED, "7_1"): compressed(3), (UPSERTED, "6_0"): compressed(1)}
    for (kind, name), rows in {**left, (REMOVED, "7_0"): compressed(4), (REMOVED, "6_0"): compressed(5)}.items():
        folder = tmp_path / "table" / "patches" / "0" / f"{kind}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(rows.to_bytes())
    kept = pa.scalar(compressed(2, 4, 5).to_bytes())
    # The attempt 6 came to no end: 7 took its place.
    rows = shared_table._rows("table", 0, kept, frozenset({7}))
    assert sorted(rows.keys.column(0).to_pylist()) == [1, 2, 3, 5]
