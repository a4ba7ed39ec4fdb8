"""Small partitions of a log become one, and readers never notice."""

import json
from typing import Any

import pytest
from dbt_common.exceptions import DbtDatabaseError
from test_readers import SlowReader, folders
from workbench import STOPPING, Workbench

from dbt.adapters.deltawave import DeltawaveAdapter

DUMP = "select id as account_id, concat('v', if(id = {0}, {0}, 0)) as name from range(12)"
DAYS = 8
MERGING = "{% macro default___merging() %}{{ return({'partitions': 2, 'days': var('days', 1)}) }}{% endmacro %}"


def merged(bench: Workbench) -> list[int]:
    """The numbers of the log's partitions that have the rows of several batches."""
    numbers = bench.spark.table(f"{bench.schema}.accounts__log").where("batch_id < 0").select("batch_id").distinct()
    return sorted(-row.batch_id for row in numbers.collect())


def expected(days: int) -> list[tuple[Any, ...]]:
    """The rows of the log after so many days: key, name, type, batch."""
    first = [(key, "v0", "insert", 1) for key in range(12)]
    changes = [(day, key) for day in range(2, days + 1) for key in (day - 1, day) if key > 1]
    return first + [(key, f"v{key if key == day else 0}", "update", day) for day, key in changes]


class TestMerging:
    macros = STOPPING | {"merging.sql": MERGING}

    def build(self, bench: Workbench, days: range, *more: str) -> None:
        for day in days:
            bench.build(DUMP.format(day if day > 1 else 99), *more)

    @pytest.mark.formats
    @pytest.mark.both_adapters
    def test_a_long_log_has_few_partitions_and_all_rows(self, bench: Workbench) -> None:
        self.build(bench, range(1, 4))
        assert not merged(bench)
        columns = "account_id, name, _change_type, _batch_id"
        reader = SlowReader(bench.spark, f"select {columns} from {bench.schema}.accounts")
        self.build(bench, range(4, DAYS + 1))
        assert bench.log() == expected(DAYS)
        assert reader.read() == sorted(expected(3), key=str), "what was merged stays for a day"
        assert merged(bench) == [4, 6, 8]
        text = bench.view_text()
        assert text.count("(batch_id = ") == 2, "it does not grow with batches"
        assert bench.spark.sql(f"select * from {bench.schema}.accounts where _batch_id = 5").count() == 2
        # What is merged is a day old, as this run sees it.
        self.build(bench, range(DAYS + 1, DAYS + 3), "--vars", json.dumps({"days": 0}))
        assert bench.log() == expected(DAYS + 2)
        assert merged(bench) == [4, 6, 8, 10]
        stands = bench.spark.sql(f"select min(batch_id) from {bench.schema}.accounts__log where batch_id > 0")
        assert stands.collect() == [(4,)], "what the first merge has merged is dropped"
        self.build(bench, range(DAYS + 3, DAYS + 4))
        assert bench.log() == expected(DAYS + 3)

    @pytest.mark.formats
    def test_what_cannot_be_dropped_is_dropped_by_a_later_merge(
        self, bench: Workbench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As when another writer of a Delta or Iceberg table gets in the way."""
        execute, at_once = DeltawaveAdapter.execute, ("--vars", json.dumps({"days": 0}))

        def refuse(adapter: Any, sql: str, *rest: Any, **options: Any) -> Any:
            if sql.startswith("delete from"):
                raise DbtDatabaseError("another writer was first")
            return execute(adapter, sql, *rest, **options)

        self.build(bench, range(1, 5))
        with monkeypatch.context() as patch:
            patch.setattr(DeltawaveAdapter, "execute", refuse)
            self.build(bench, range(5, 7), *at_once)
        self.build(bench, range(7, 9), *at_once)
        assert bench.log() == expected(8)
        stands = bench.spark.sql(f"select min(batch_id) from {bench.schema}.accounts__log where batch_id > 0")
        assert stands.collect() == [(6,)]

    @pytest.mark.formats
    def test_columns_that_come_later_stay_in_their_place(self, bench: Workbench) -> None:
        """In some formats they lie after the columns of the partition."""
        bench.configure(on_schema_change="append_new_columns")
        self.build(bench, range(1, 5))
        assert merged(bench) == [4]
        rows = "select id as account_id, 'v0' as name, 'here' as place from range(12)"
        bench.build(f"{rows} where id <> 4 union all select 4, 'v4', 'there'")
        last = bench.log("account_id, name, place, _before.place, _batch_id")[-12:]
        assert last == [(key, *(("v4", "there") if key == 4 else ("v0", "here")), None, 5) for key in range(12)]
        assert bench.log("account_id, name, _change_type, _batch_id")[:-12] == expected(4)
        self.build(bench, range(6, 8))
        assert {row[0] for row in bench.log("_batch_id")} == set(range(1, 8))

    def test_a_stopped_merge_leaves_nothing(self, bench: Workbench) -> None:
        self.build(bench, range(1, 4))
        for step in ("decide", "place"):
            day = 4 if step == "decide" else 6
            bench.dump(DUMP.format(day))
            assert f"stopped at {step}" in bench.run("--vars", f"stop_at: {step}").text
            self.build(bench, range(day, day + 2))
            assert bench.log() == expected(day + 1)
        assert folders(bench, "log")
