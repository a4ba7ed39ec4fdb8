"""Strategies that read a part of the table a run: what is read and kept, and how they go on from run to run."""

from __future__ import annotations

from typing import Any

import pytest
from numbered import kept, table
from workbench import REWRITING, Workbench


class TestStrategies:
    def test_a_log_goes_on_under_another_strategy(self, bench: Workbench) -> None:
        bench.configure()
        bench.build(table(-1))
        changes: list[tuple[Any, ...]] = []
        for number, (strategy, options) in enumerate(
            [
                ("ranges", {"range_rows": 10}),
                ("row_checksum", {}),
                ("range_checksum", {"range_rows": 10}),
                ("union", {}),
                ("row_checksum", {}),
                ("outer_join", {}),
            ]
        ):
            bench.configure(strategy=strategy, **options)
            bench.build(table(number))
            changes = bench.log("account_id, name, _before.name, _batch_id")[-2:]
            expected = [(number - 1, "old", "new", number + 2)] if number else []
            assert changes[-len(expected) - 1 :] == [*expected, (number, "new", "old", number + 2)], strategy


class TestKeptSide:
    @pytest.fixture(scope="class")
    def macros(self) -> dict[str, str]:
        return REWRITING

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
