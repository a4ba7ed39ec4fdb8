"""When strategies that read a part of the table a run write their state anew."""

from __future__ import annotations

import pytest
from numbered import kept, table
from workbench import REWRITING, Workbench


class TestKeptSide:
    macros = REWRITING

    @pytest.mark.parametrize("strategy", ["range_checksum", "row_checksum"])
    def test_is_patched_until_a_fifth_has_changed(self, bench: Workbench, strategy: str) -> None:
        bench.configure(strategy=strategy)
        bench.build(table(-1))
        kind = "checksums" if strategy == "row_checksum" else "base"
        first = kept(bench, kind)
        bench.build(table(1))
        assert kept(bench, kind) == first
        bench.build(f"{table(2)} where id > 20")
        bench.build(f"{table(30)} where id > 20")
        assert kept(bench, kind).isdisjoint(first)
        assert len(kept(bench, kind)) == 1
        assert bench.batches() == [(1, 100, 0, 0), (2, 0, 0, 1), (3, 0, 21, 0), (4, 0, 0, 1)]
