"""Starts a Spark that writes the classes it has loaded into an archive when it ends: `class_training FOLDER ARCHIVE`.

Settings come from stdin. The statements are those of dbt and of differential models, on a few rows in FOLDER.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

STATEMENTS = (
    "create schema if not exists trained",
    "show databases",
    "create table trained.old {using} as select id, string(id) as name, id % 2 as kind from range(9)",
    "create table trained.kept using parquet clustered by (id) sorted by (id) into 2 buckets as"
    " select id, name, xxhash64(id, name) as hashed from trained.old",
    "create table trained.log (id bigint, name string, batch int) using parquet partitioned by (batch)",
    "insert into trained.log (id, name, batch)"
    " select id, n.name, 1 from trained.kept as o full outer join"
    " (select id, name from trained.old where id > 2) as n using (id) where o.name is distinct from n.name",
    "insert overwrite trained.log partition (batch = 2) values (1, 'one')",
    "alter table trained.log drop partition (batch = 2)",
    "alter table trained.log add columns (more string)",
    "create or replace temporary view changed as select *, row_number() over (partition by id order by name) as place"
    " from trained.log",
    "create or replace view trained.changes as select log.* from trained.log left semi join trained.old using (id)",
    "alter view trained.changes as select *, named_struct('name', name) as before from trained.log",
    "select batch, count(*), count(distinct id), max_by(struct(id, name), name), sha2(min(name), 256)"
    " from trained.changes group by batch order by batch",
    "select to_json(struct(*)), from_json('{{\"a\": 1}}', 'a int'), array_sort(array(1, 2)), map('a', 1) from changed",
    "select * from trained.old union all select * from trained.old where id in (select id from trained.changes)",
    "with o as (select 1 as id) select sum(id), current_timestamp() from o having sum(id) > 0",
    "show tables in trained like 'l*'",
    "show table extended in trained like '*'",
    "show views in trained",
    "show partitions trained.log",
    "show tblproperties trained.log",
    "describe extended trained.log",
    "describe table trained.changes",
    "alter table trained.log set tblproperties ('a' = 'b')",
    "set spark.sql.ansi.enabled",
    "refresh table trained.log",
    "drop view trained.changes",
    "drop table trained.log",
    "drop table trained.kept",
    "drop table if exists trained.old",
)


def main(folder: Path, archive: Path, settings: dict[str, str]) -> None:
    catalog = settings.get("spark.sql.catalog.spark_catalog", "").lower()
    kind = next((name for name in ("delta", "iceberg") if name in catalog), "parquet")
    options = settings.pop("spark.driver.extraJavaOptions", "")
    archiving = f'"-XX:ArchiveClassesAtExit={archive}" -Xlog:disable "-Dderby.system.home={folder}"'
    ours = {
        "spark.master": "local[2]",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.driver.extraJavaOptions": f"{archiving} -Dderby.stream.error.file={os.devnull} {options}",
    }
    builder = SparkSession.builder.enableHiveSupport()
    for key, value in (settings | ours).items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    gateway: Any = spark.sparkContext._gateway
    jvm = gateway.proc
    copy = SparkSession(spark._sc, spark._jsparkSession.cloneSession())
    for statement in STATEMENTS:
        copy.sql(statement.format(using=f"using {kind}")).collect()
    spark.catalog.databaseExists("default")
    spark.stop()
    jvm.stdin.close()
    jvm.wait()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), json.load(sys.stdin))
