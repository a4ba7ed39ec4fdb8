"""Strategies that read a part of the table a run: what is read and kept, and how they go on from run to run."""

from __future__ import annotations

from typing import Any

import pytest
from workbench import MODEL, STOPPING, Run, Workbench

NUMBERED = "select id as account_id, if(id = {changed}, 'new', 'old') as name from range({rows})"


def table(changed: int, rows: int = 100) -> str:
    """Numbered accounts of which one is changed."""
    return NUMBERED.format(changed=changed, rows=rows)


def kept(bench: Workbench, kind: str) -> set[str]:
    """The tables of that kind that the model keeps."""
    return {name for name in bench.names() if name.startswith(f"{MODEL}__{kind}_")}


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

    def test_a_row_checksum_is_kept_and_nothing_else(self, bench: Workbench) -> None:
        select = "select * from {{ target.schema }}.dump -- of every department"
        bench.configure(select, strategy="row_checksum", checksum_bits=128)
        bench.build(table(3))
        (checksums,) = kept(bench, "checksums")
        assert set(bench.spark.table(f"{bench.schema}.{checksums}").columns) == {
            "account_id",
            "row_checksum",
            "key_hash",
        }
        bench.build(table(4))
        assert kept(bench, "checksums") == {checksums}
        assert not kept(bench, "slice")
        assert bench.batches("batch_id, rows_dump, updates") == [(1, 100, 0), (2, 2, 2)]
        (first,), (second,) = bench.batches("comparisons_before_error")
        assert first is None
        assert second == pytest.approx(2.0**128 / 100)

    def test_without_the_first_rows_a_row_checksum_tells_keys_alone(self, bench: Workbench) -> None:
        bench.configure(strategy="row_checksum", initial_load="baseline")
        bench.build(table(3))
        bench.build(table(4, rows=99))
        columns = "account_id, name, _change_type, _changed_columns, _before.name"
        assert bench.log(columns) == [
            (3, "old", "update", None, None),
            (4, "new", "update", None, None),
            (99, None, "delete", None, None),
        ]


class TestWeakChecksums:
    @pytest.fixture(scope="class")
    def macros(self) -> dict[str, str]:
        weak = "{% macro default__row_checksum(columns, bits, relation) %}{{ return('length(name)') }}{% endmacro %}"
        return {"weak.sql": weak}

    def test_a_collision_hides_a_change(self, bench: Workbench) -> None:
        """'old' and 'new' are as long as each other."""
        bench.configure(strategy="row_checksum")
        bench.build(table(3))
        assert "no changes" in bench.build(table(4)).text
        bench.build(table(4).replace("'new'", "'newer'"))
        assert bench.log("account_id, name, _before.name, _batch_id")[-1] == (4, "newer", "old", 2)


class TestRanges:
    def test_a_run_reads_its_share_and_the_next_goes_on(self, bench: Workbench) -> None:
        bench.configure(strategy="ranges", range_rows=10, ranges_per_run=3)
        bench.build(table(-1))
        bench.dump(table(95))
        found = []
        for _ in range(4):
            assert bench.run().ok
            batch = bench.batches("batch_id, rows_dump, updates")[-1]
            assert batch[1] <= 60
            found.append(batch[2])
        assert found == [0, 0, 0, 1]
        # The rotation begins again.
        bench.build(table(0))
        assert bench.log()[-1][0] == 0

    def test_ranges_follow_the_keys(self, bench: Workbench) -> None:
        bench.configure(strategy="ranges", range_rows=10)
        bench.build(table(-1))
        low, high = (f"select id {shift}, 'more' from range(50)" for shift in ("- 1000", "+ 1000"))
        bench.build(f"{table(-1)} union all {low} union all {high}")
        assert bench.batches()[-1] == (2, 100, 0, 0)
        (name,) = kept(bench, "ranges")
        ranges = bench.spark.table(f"{bench.schema}.{name}").orderBy("range_id").collect()
        assert sum(row.row_count for row in ranges) == 200
        assert max(row.row_count for row in ranges) <= 20
        assert [row.range_id for row in ranges] == list(range(len(ranges)))
        lows = [row.low.key_1 for row in ranges]
        assert lows[1:] == sorted(lows[1:])
        assert lows[0] is None

    def test_text_and_composite_keys(self, bench: Workbench) -> None:
        select = """
            select
                if(id % 5 = 0, null, concat(char(60 + id % 40), 'É')) as region,
                id div 10 as account_id,
                timestamp '2026-03-29 00:30:00 UTC' + make_interval(0, 0, 0, 0, id) as opened_at,
                {} as name
            from range(200)
        """
        bench.configure(strategy="range_checksum", unique_key=["region", "account_id", "opened_at"], range_rows=9)
        bench.build(select.format("id % 50"))
        changed = f"{select.format('id % 51')} where id <> 17"
        bench.build(changed)
        assert bench.batches("inserts, deletes, updates")[-1] == (0, 1, 150)
        assert "no changes" in bench.build(changed).text

    def test_a_table_of_ranges_that_was_edited_is_refused(self, bench: Workbench) -> None:
        bench.configure(strategy="range_checksum", range_rows=10)
        bench.build(table(-1))
        (name,) = kept(bench, "ranges")
        bench.spark.sql(f"insert into {bench.schema}.{name} (range_id) values (99)")
        said = bench.refused(table(3))
        assert "the table of key ranges, differs from what the last batch wrote" in said
        bench.configure()
        bench.build(table(3))
        assert bench.batches()[-1] == (2, 0, 0, 1)

    def test_a_pause_between_reads(self, bench: Workbench) -> None:
        bench.configure(strategy="ranges", range_rows=30, range_pause=0.01)
        bench.build(table(-1))
        bench.build(table(1))
        text = (bench.root / "target" / "run" / "test" / "models" / f"{MODEL}.sql").read_text()
        reads = text.count(f"insert into `{bench.schema}`.`{MODEL}__slice_")
        assert reads == text.count("'sleep', bigint(10)") > 0


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


class TestKeptSide:
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
