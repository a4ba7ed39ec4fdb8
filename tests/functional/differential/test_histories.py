"""Generated histories through dbt: columns come and go, dumps are empty, keys come back, and the log replays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pytest
from dbt.tests.util import run_dbt
from functional.macros.generated import ENTRIES, KEYS, NUMBERS, TEXTS, collect, content
from functional.macros.generated import KEY as KEY_VALUES
from hypothesis import assume
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from unit.macro_harness import Macros, Relation

EXAMPLES = 2
DUMPS = 4
TYPES = {"k1": "int", "k2": "string", "num": "double", "txt": "string", "attrs": "map<string,double>"}
DATA = [name for name in TYPES if name not in KEYS]
VALUES = {"num": NUMBERS, "txt": TEXTS, "attrs": st.none() | ENTRIES}
NOT_ALL_NULL = KEY_VALUES.filter(lambda key: key != (None, None))

Key = tuple[Any, ...]
Rows = dict[Key, dict[str, Any]]


@dataclass(frozen=True)
class Dump:
    """Its columns, keys left out, and its rows."""

    columns: list[str]
    rows: Rows


@st.composite
def histories(draw: st.DrawFn) -> list[Dump]:
    """Each dump keeps some rows of the last, with some values changed, and may have other columns."""
    history: list[Dump] = []
    for _ in range(DUMPS):
        columns = draw(st.lists(st.sampled_from(DATA), min_size=1, unique=True).map(sorted))
        rows: Rows = {}
        if draw(st.integers(0, 4)):
            for key, former in (history[-1].rows if history else {}).items():
                if draw(st.integers(0, 3)):
                    rows[key] = former
            for key in draw(st.lists(NOT_ALL_NULL, min_size=1, max_size=4)):
                rows[key] = {}
        rows = {
            key: {name: row[name] if name in row else draw(VALUES[name]) for name in columns}
            for key, row in rows.items()
        }
        history.append(Dump(columns, rows))
    assume(sum(1 for dump in history if dump.rows) >= 3)
    return history


def counted(rows: Rows, columns: Iterable[str]) -> Counter[Any]:
    return Counter(content((*key, *(row.get(name) for name in columns))) for key, row in rows.items())


@pytest.mark.usefixtures("deltawave_package")
class TestHistories:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        config = "materialized='differential', unique_key=['k1', 'k2'], max_delete_fraction=1, allow_empty=true"
        drift = "on_schema_change='sync_all_columns'"
        return {
            f"log_{number}.sql": f"{{{{ config({config}, {drift}, strategy='{strategy}') }}}} "
            f"select * from global_temp.dump_{number}"
            for number, strategy in zip(range(EXAMPLES), ["outer_join", "union"] * EXAMPLES, strict=False)
        }

    def test_a_log_replays_to_the_last_dump(self, project: Any, spark: SparkSession) -> None:
        examples = collect(histories(), EXAMPLES, derandomize=True)
        macros = Macros(run_query=lambda sql: [tuple(row) for row in spark.sql(sql).collect()])
        kinds: Counter[str] = Counter()
        for last in range(DUMPS):
            for number, history in enumerate(examples):
                write(spark, f"dump_{number}", history[last])
            run_dbt(["run"])
            for number, history in enumerate(examples):
                dump = history[last]
                log = Relation(f"{project.test_schema}.log_{number}")
                state = spark.sql(macros.current_state(log, KEYS))
                assert set(state.columns) == {*KEYS, *dump.columns}
                found = Counter(content(tuple(row)) for row in state.select(*KEYS, *dump.columns).collect())
                assert found == counted(dump.rows, dump.columns), (number, history[: last + 1])
        for number in range(EXAMPLES):
            rows = spark.table(f"{project.test_schema}.log_{number}").where("_batch_id > 1").collect()
            kinds.update(row._change_type for row in rows)
        assert set(kinds) == {"insert", "update", "delete"}


def write(spark: SparkSession, name: str, dump: Dump) -> None:
    write_rows(spark, name, list(dump.rows.items()), dump.columns)


def write_rows(spark: SparkSession, name: str, rows: Iterable[tuple[Key, dict[str, Any]]], columns: list[str]) -> None:
    schema = ", ".join(f"{column} {TYPES[column]}" for column in [*KEYS, *columns])
    flat = [(*key, *(row[column] for column in columns)) for key, row in rows]
    spark.createDataFrame(flat, schema).createOrReplaceGlobalTempView(name)
