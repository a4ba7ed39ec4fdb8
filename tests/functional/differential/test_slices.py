"""Strategies that read a part of the table a run: what is read and kept, and how they go on from run to run."""

from __future__ import annotations

from typing import Any

import pytest
from numbered import kept, table
from workbench import MODEL, STOPPING, Run, Workbench


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
    @pytest.mark.parametrize("strategy", ["range_checksum", "row_checksum"])
    def test_is_patched_until_a_fifth_has_changed(self, bench: Workbench, strategy: str) -> None:
        bench.configure(strategy=strategy)
        bench.build(table(-1, rows=40_000))
        kind = "checksums" if strategy == "row_checksum" else "base"
        first = kept(bench, kind)
        bench.build(table(1, rows=40_000))
        assert kept(bench, kind) == first
        bench.build(f"{table(2, rows=40_000)} where id > 12000")
        bench.build(f"{table(30_000, rows=40_000)} where id > 12000")
        assert kept(bench, kind).isdisjoint(first)
        assert len(kept(bench, kind)) == 1
        assert bench.batches() == [(1, 40_000, 0, 0), (2, 0, 0, 1), (3, 0, 12_001, 0), (4, 0, 0, 1)]

    def test_of_a_small_table_is_patched_eight_times(self, bench: Workbench) -> None:
        bench.configure(strategy="ranges", range_rows=10)
        bench.build(table(-1, rows=4))
        first = kept(bench, "base")
        for batch in range(8):
            bench.build(table(batch % 4, rows=4))
            assert kept(bench, "base") == first
        bench.build(table(-1, rows=4))
        assert kept(bench, "base").isdisjoint(first)
        assert bench.batches()[-1] == (10, 0, 0, 1)

    def test_goes_on_after_rewind_and_expire(self, bench: Workbench) -> None:
        bench.configure(strategy="range_checksum", range_rows=10)
        for changed in (1, 2, 3):
            bench.build(table(changed))
        assert bench.operate("rewind", model=MODEL, to_batch=1).text
        bench.build(table(2, rows=99))
        assert bench.batches("inserts, deletes, updates")[-1] == (0, 1, 2)
        last = bench.batches("batch_id")[-1][0]
        bench.build(table(3, rows=99))
        bench.operate("expire", model=MODEL, to_batch=last)
        bench.build(table(3, rows=100))
        assert bench.batches("inserts, deletes, updates")[-1] == (1, 0, 0)
        state = bench.spark.sql(
            f"select count(*), count_if(_change_type = 'delete') from {bench.schema}.{MODEL}"
        ).collect()
        assert tuple(state[0]) == (102, 0)


class TestStopped:
    @pytest.fixture(scope="class")
    def macros(self) -> dict[str, str]:
        return STOPPING

    @pytest.mark.parametrize(
        ("strategy", "steps", "options"),
        [
            ("ranges", ["check", "record"], {}),
            ("range_checksum", ["decide", "publish"], {}),
            ("row_checksum", ["stage", "clean"], {}),
            ("timestamp", ["decide", "clean"], {"updated_at": "version"}),
            ("timestamp_delete_flag", ["stage", "record"], {"updated_at": "version", "delete_flag": "is_gone"}),
        ],
    )
    def test_a_run_that_stops_is_done_again_or_completed(
        self, bench: Workbench, strategy: str, steps: list[str], options: dict[str, str]
    ) -> None:
        bench.configure(strategy=strategy, **options)

        def dump(changed: int) -> str:
            stamps = f", {changed} as version, false as is_gone" if options else ""
            return f"select *{stamps} from ({table(changed)})"

        bench.build(dump(-1))
        for number, step in enumerate(steps):
            bench.dump(dump(number))
            assert_stopped(bench.run("--vars", f"stop_at: {step}"), step)
            bench.build(dump(number))
            assert bench.batches("updates")[-1] == (1 if number == 0 else 2,)
        sides = {"checksums"} if strategy == "row_checksum" else {"base", "ranges"}
        found = [name.removeprefix(f"{MODEL}__").split("_")[0] for name in bench.names() - {MODEL}]
        assert sorted(found) == sorted({"batches", "commit", "log"} | sides)


def assert_stopped(run: Run, step: str) -> None:
    assert f"stopped at {step}" in run.text
