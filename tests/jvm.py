"""Options of the JVMs that tests start."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

# One process that runs for many minutes: there the second compiler pays for itself. Most objects of a small statement
# die young. Given its size from the beginning, the heap does not grow by full collections, a tenth of the JVM's time.
LONG_JVM = "-XX:+UseSerialGC -Xms3g -Xmn1g -XX:MetaspaceSize=512m"

# Processes that are over soon. Full compilation and garbage collection on many threads would cost more than they gain.
# With one level of compilation the JVM reserves 48 MB for compiled code, which a whole dbt project fills; Spark does
# not survive that.
QUICK_JVM = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC"

# Loads the classes that the tests' processes need, by doing the same in small.
_STATEMENTS = (
    "create table old using parquet clustered by (id) into 2 buckets as select id, string(id) as name from range(9)",
    "create table log (id bigint, name string, batch int) using parquet partitioned by (batch)",
    "insert into log (id, name, batch)"
    " select id, n.name, 1 from old as o full outer join (select id, name from old where id > 2) as n using (id)"
    " where o.name is distinct from n.name",
    "create view changes as select log.* from log left semi join old using (id)",
    "alter view changes as select *, named_struct('name', name) as before from log",
    "select batch, count(*) from changes group by batch order by batch",
    "show tables like 'l*'",
    "describe extended log",
    "drop view changes",
    "drop table log",
    "drop table old",
)


def archive_classes(folder: Path) -> str:
    """Write the classes of a Spark process into an archive in ``folder``; the JVM options that start from it.

    A JVM that maps its classes spends a third of the time of one that reads and checks them.
    """
    archive = folder / "classes.jsa"
    options = f"{QUICK_JVM} -Dderby.system.home={folder} -XX:ArchiveClassesAtExit={archive} -Xlog:disable"
    code = (
        "from pyspark.sql import SparkSession\n"
        "spark = (SparkSession.builder.master('local[2]').enableHiveSupport()\n"
        "    .config('spark.ui.enabled', 'false').config('spark.sql.shuffle.partitions', '2')\n"
        f"    .config('spark.driver.extraJavaOptions', {options!r})\n"
        f"    .config('spark.sql.warehouse.dir', {str(folder / 'warehouse')!r}).getOrCreate())\n"
        "jvm = spark.sparkContext._gateway.proc\n"
        f"for statement in {_STATEMENTS!r}:\n"
        "    spark.sql(statement).collect()\n"
        "spark.stop()\n"
        "jvm.stdin.close()\n"
        "jvm.wait()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False, timeout=600
    )
    if not archive.exists():
        raise RuntimeError(f"no archive of classes was written:\n{done.stderr[-4000:]}")
    return f"{QUICK_JVM} -XX:SharedArchiveFile={archive} -Xlog:disable -Xlog:all=error:stderr"
