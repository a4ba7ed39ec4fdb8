"""Generated histories: what a strategy finds in slices is what comparing whole dumps finds, batch by batch."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from dbt.tests.util import run_dbt
from functional.macros.generated import DATA, TYPES, Row, State, collect, content, histories
from pyspark.sql import SparkSession
from workbench import SEVERAL, SPARING

HISTORIES = 25
DUMPS = 3
KEYS = ["case_id", "k1", "k2"]
CONFIG = "materialized='differential', unique_key=['case_id', 'k1', 'k2'], max_delete_fraction=1, allow_empty=true"
ROWS = "select * except (changed_at, is_gone) from global_temp.source where not is_gone"
ALL_ROWS = "select * except (changed_at, is_gone) from global_temp.source"
TIMED = "select * except (is_gone) from global_temp.source"
FLAGGED = "select * from global_temp.source"
BY_TIME = "updated_at='changed_at', range_rows=5"
# Name: the configuration and the select; and which whole comparison it has to agree with.
MODELS = {
    "whole": ("strategy='outer_join'", ROWS),
    "whole_some": ("strategy='outer_join'", f"{ROWS} and num > 0"),
    "whole_all": ("strategy='outer_join'", ALL_ROWS),
    "by_ranges": ("strategy='ranges', range_rows=7", ROWS),
    "by_range_checksum": ("strategy='range_checksum', checksum_bits=128, range_rows=5", ROWS),
    "by_row_checksum": ("strategy='row_checksum', checksum_bits=128", ROWS),
    "by_time": (f"strategy='timestamp', {BY_TIME}", TIMED),
    "by_flag": (f"strategy='timestamp_delete_flag', delete_flag='is_gone', {BY_TIME}", FLAGGED),
    "by_condition": (
        f"strategy='timestamp_delete_flag', delete_flag='is_gone or not coalesce(num > 0, false)', {BY_TIME}",
        FLAGGED,
    ),
}
AGREES_WITH = {
    "by_ranges": "whole",
    "by_range_checksum": "whole",
    "by_row_checksum": "whole",
    "by_time": "whole_all",
    "by_flag": "whole",
    "by_condition": "whole_some",
}


class Source:
    """Tables with a timestamp and a delete flag, as applications keep them that never delete a row."""

    def __init__(self) -> None:
        self.rows: dict[Row, tuple[Row, int, bool]] = {}

    def become(self, step: int, states: list[State]) -> None:
        """Take in the states of all cases at a step."""
        now = {(case, *row[:2]): row[2:] for case, state in enumerate(states) for row in state}
        for key, values in now.items():
            former = self.rows.get(key)
            if former is None or former[2] or content(former[0]) != content(values):
                self.rows[key] = (values, step, False)
        for key, (values, _, is_gone) in self.rows.items():
            if key not in now and not is_gone:
                self.rows[key] = (values, step, True)

    def publish(self, spark: SparkSession) -> None:
        """Write it where the models read it."""
        columns = [f"{name} {data_type}" for name, data_type in TYPES.items()]
        schema = ", ".join(["case_id int", *columns, "changed_at int", "is_gone boolean"])
        flat = [(*key, *values, step, is_gone) for key, (values, step, is_gone) in self.rows.items()]
        spark.createDataFrame(flat, schema).repartition(3).createOrReplaceGlobalTempView("source")


@pytest.mark.usefixtures("deltawave_package")
class TestSliceHistories:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            f"{name}.sql": f"{{{{ config({CONFIG}, {config}) }}}} {select}" for name, (config, select) in MODELS.items()
        }

    def test_slices_give_the_changes_of_whole_dumps(self, project: Any, spark: SparkSession) -> None:
        cases = collect(histories(DUMPS), HISTORIES, derandomize=True)
        source = Source()
        seen = dict.fromkeys(MODELS, 0)
        kinds: Counter[str] = Counter()
        for step in range(DUMPS):
            source.become(step + 1, [case[step] for case in cases])
            source.publish(spark)
            run_dbt(["run", *SPARING, *SEVERAL])
            found = {}
            for name in MODELS:
                log = spark.table(f"{project.test_schema}.{name}").where(f"_batch_id > {seen[name]}")
                control = ["_change_type", "_changed_columns"]
                before = [f"_before.{column} as before__{column}" for column in DATA]
                rows = log.selectExpr(*KEYS, *DATA, *control, *before).collect()
                found[name] = Counter(content(tuple(row)) for row in rows)
                batches = spark.table(f"{project.test_schema}.{name}__batches")
                seen[name] = batches.selectExpr("max(batch_id)").collect()[0][0]
                if step:
                    kinds.update(row._change_type for row in rows)
            for name, whole in AGREES_WITH.items():
                assert found[name] == found[whole], (name, step)
        assert set(kinds) == {"insert", "update", "delete"}
