"""A source that changes while a run reads it twice: nothing is told that it never was."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from workbench import MODEL, SEVERAL, Workbench

# What is kept of the first rows: the rows in the log, or their checksums alone.
MODELS: dict[str, dict[str, Any]] = {"logged": {}, "summed": {"initial_load": "baseline"}}
# Keys from 10 have another name, those from 20 come, those from 30 go: in one of the first two readings alone.
DUMP = """
    select id as account_id, {0} and id div 10 = 1 as name_flips, {0} and id div 10 > 1 as key_flips
    from range(40)
    where {0} or id div 10 <> 2
"""
SELECT = """
    select account_id, if(flips(concat('{0}', account_id), name_flips), 'old', 'new') as name
    from {{{{ target.schema }}}}.dump
    where flips(concat('{0}', account_id), key_flips)
"""


@pytest.fixture
def flips(spark: SparkSession, tmp_path: Path) -> Iterator[None]:
    """A function that says one thing of a key when it is first asked, then the other, unknown to Spark."""

    def say(key: str, is_flipping: bool) -> bool:
        if not is_flipping:
            return True
        is_odd = int(key[-1]) % 2 == 1
        try:
            (tmp_path / key).mkdir()
        except FileExistsError:
            return is_odd
        return not is_odd

    spark.udf.register("flips", say, "boolean")
    yield
    spark.sql("drop temporary function flips")


@pytest.mark.usefixtures("flips")
def test_row_checksums_tell_no_row_that_never_was(bench: Workbench) -> None:
    (bench.root / "models" / f"{MODEL}.sql").unlink()
    for name, config in MODELS.items():
        options = {"materialized": "differential", "unique_key": "account_id", "strategy": "row_checksum", **config}
        bench.add_model(name, f"{{{{ config(**fromjson({json.dumps(options)!r})) }}}}\n{SELECT.format(name)}")
    bench.build(DUMP.format("false"), *SEVERAL)
    # Each reading contradicts the other: a key that one of them lacks, or has as it was, has not changed.
    bench.build(DUMP.format("true"), *SEVERAL)
    for name in MODELS:
        assert bench.spark.table(f"{bench.schema}.{name}").where("_batch_id > 1").collect() == [], name
    # From now on they agree.
    bench.build(DUMP.format("true"), *SEVERAL)
    for name in MODELS:
        log = bench.spark.table(f"{bench.schema}.{name}").where("_batch_id > 1")
        found = sorted(tuple(row) for row in log.select("account_id", "_change_type", "name").collect())
        assert found == [
            *((number, "update", "new") for number in range(10, 20, 2)),
            *((number, "insert", "old") for number in range(21, 30, 2)),
            *((number, "delete", "old" if name == "logged" else None) for number in range(30, 40, 2)),
        ], name
