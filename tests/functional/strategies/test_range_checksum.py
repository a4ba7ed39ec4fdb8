"""Strategy range_checksum: of the ranges, those whose checksum moved are fetched."""

from __future__ import annotations

from numbered import table
from workbench import Workbench


class TestRangeChecksums:
    def test_only_moved_ranges_are_fetched(self, bench: Workbench) -> None:
        bench.configure(strategy="range_checksum", range_rows=10)
        bench.build(table(-1, rows=1000))
        bench.build(table(501, rows=1000))
        assert bench.batches("batch_id, updates")[-1] == (2, 1)
        assert bench.batches("rows_dump")[-1][0] <= 20
        bench.build(table(502, rows=1001))
        assert bench.batches()[-1] == (3, 1, 0, 2)
        assert bench.batches("rows_dump")[-1][0] <= 60

    def test_duplicate_keys_are_set_aside(self, bench: Workbench) -> None:
        bench.configure(strategy="range_checksum", range_rows=10, duplicate_keys="quarantine")
        bench.build(f"{table(-1)} union all select 7, 'old'")
        assert bench.batches("rows_new, quarantined, inserts") == [(99, 2, 99)]
        # With a column that the log leaves out, as a whole dump may have one.
        bench.build(f"select *, 1 as points from ({table(4)}) union all select 5, 'twin', 2")
        assert bench.log()[99:] == [(4, "new", "update", 2), (7, "old", "insert", 2)]
        bench.build(table(5))
        assert bench.log()[101:] == [(4, "old", "update", 3), (5, "new", "update", 3)]
