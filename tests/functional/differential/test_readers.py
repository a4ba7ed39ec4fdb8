"""What a reader has found in the catalog stays until it is read: runs and operations take nothing away beneath it."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from numbered import ONE_ROW_DATED
from pyspark.sql import DataFrame, SparkSession
from workbench import STOPPING, Workbench

DUMP = "select id as account_id, concat('v', id % {}) as name from range(20)"


class SlowReader:
    """Has found a relation's partitions and files, and reads them when it is asked to."""

    def __init__(self, spark: SparkSession, query: str) -> None:
        self._rows: DataFrame = spark.sql(query)
        # The optimizer lists partitions and files, once for each query.
        self._rows._jdf.queryExecution().optimizedPlan()

    def read(self) -> list[tuple]:
        """The rows, in order."""
        return sorted(map(tuple, self._rows.collect()), key=str)


def partitions(bench: Workbench, table: str) -> set[str]:
    """The partitions of a table of the model, which a reader may ask for."""
    return {row.partition for row in bench.spark.sql(f"show partitions {bench.schema}.accounts__{table}").collect()}


def folders(bench: Workbench, table: str) -> set[str]:
    """The folders in which attempts have rows for that table."""
    described = bench.spark.sql(f"describe extended {bench.schema}.accounts__{table}").where("col_name = 'Location'")
    table_folder = Path(urlsplit(described.collect()[0].data_type).path)
    return {str(found.relative_to(table_folder)) for found in table_folder.glob("batch_id=*/attempt=*")}


class TestAttemptsThatAreNotDecided:
    macros = STOPPING

    @pytest.mark.both_adapters
    def test_rows_of_a_stopped_attempt_go_while_somebody_reads(self, bench: Workbench) -> None:
        bench.build(DUMP.format(5))
        bench.dump(DUMP.format(6))
        assert "stopped at decide" in bench.run("--vars", "stop_at: decide").text
        bench.build(DUMP.format(6))
        stands = bench.log("*")
        reader = SlowReader(bench.spark, f"select * from {bench.schema}.accounts")
        listed = partitions(bench, "log")
        bench.build(DUMP.format(7))
        assert reader.read() == sorted(stands, key=str)
        assert listed < partitions(bench, "log")
        assert folders(bench, "log") == partitions(bench, "log"), "what the stopped attempt staged is gone"

    def test_rows_set_aside_by_a_stopped_attempt_go_while_somebody_reads(self, bench: Workbench) -> None:
        bench.configure(duplicate_keys="quarantine")
        bench.add_model("set_aside", "{{ config(materialized='view') }}{{ deltawave.quarantine(ref('accounts')) }}")
        twice = DUMP.format(5) + " union all select 3, 'again'"
        bench.dump(twice)
        assert "stopped at decide" in bench.run("--vars", "stop_at: decide", "--select", "accounts").text
        bench.build(twice)
        reader = SlowReader(bench.spark, f"select account_id, name, _batch_id from {bench.schema}.set_aside")
        listed = partitions(bench, "quarantine")
        bench.build(DUMP.format(6) + " union all select 3, 'again'")
        assert reader.read() == [(3, "again", 1), (3, "v3", 1)]
        assert listed < partitions(bench, "quarantine")

    def test_a_log_that_the_first_batch_can_not_use_stays(self, bench: Workbench) -> None:
        """The model that --empty made has readers, too."""
        bench.dump("select 'a' as account_id, 'ann' as name")
        assert bench.run("--empty").ok
        reader = SlowReader(bench.spark, f"select * from {bench.schema}.accounts")
        bench.build("select 7L as account_id, 3.5D as name")
        assert "accounts__log" in bench.names()
        assert reader.read() == []
        assert bench.log("account_id, name, _batch_id") == [(7, 3.5, 1)]
        bench.build("select 7L as account_id, 4.5D as name")
        assert "dropped accounts__log" in bench.operate("purge", model="accounts").text
        assert bench.log("account_id, name, _batch_id") == [(7, 3.5, 1), (7, 4.5, 2)]


class TestUndoneBatches:
    def test_they_count_no_more_and_somebody_reads_them_still(self, bench: Workbench) -> None:
        """Undone twice over; their dates come again, and nothing else takes them for batches of the log."""
        bench.configure(snapshot_date="day")
        bench.add_model("counted", "{{ config(materialized='view') }}{{ deltawave.batches(ref('accounts')) }}")
        bench.build(ONE_ROW_DATED)
        stands = sorted(bench.log("*"), key=str)
        reader = SlowReader(bench.spark, f"select * from {bench.schema}.accounts")
        listed = partitions(bench, "batches")
        assert bench.operate("rewind", model="accounts", to_batch=2).ok
        assert bench.operate("rewind", model="accounts", to_batch=1).ok
        assert reader.read() == stands
        assert listed < partitions(bench, "batches")
        refused = bench.operate("rewind", model="accounts", to_batch=2)
        assert "has the batches 1, 5; take any but the last" in refused.text
        again = bench.build()
        assert "WARN" not in again.text.replace("WARN=0", "")
        assert bench.log() == [(1, "ann", "insert", 1), (1, "anna", "update", 6), (1, "anne", "update", 7)]
        counted = bench.spark.table(f"{bench.schema}.counted").orderBy("batch_id")
        assert [row.batch_id for row in counted.collect()] == [1, 5, 6, 7]
