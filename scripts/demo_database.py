"""Load one of the demo's dumps into a database: a source that keeps only its current state.

The database is an embedded Derby one in Spark's own JVM, `legacy` beside the warehouse of the target
`local`: what the profile's remote `legacy` reads. `scripts/demo_database.py 2025-09-09` loads one day;
another day replaces it.
"""

import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from dbt.adapters.deltawave.credentials import DeltawaveCredentials
from dbt.adapters.deltawave.remotes import DERBY_FUNCTIONS
from dbt.adapters.deltawave.session import open_session

ROOT = Path(__file__).resolve().parents[1]
URL = "jdbc:derby:legacy"
TABLE = "legacy.airports"
TEXTS = ("iata", "name", "city", "subd", "country", "tz", "lid")
NUMBERS = ("elevation", "lat", "lon")

# The dump's columns, in its order.
COLUMNS = ("icao", "iata", "name", "city", "subd", "country", "elevation", "lat", "lon", "tz", "lid")
KINDS = dict.fromkeys(TEXTS, "varchar(200)") | dict.fromkeys(NUMBERS, "double")
CREATE_TABLE = (
    f"create table {TABLE} (icao varchar(20) not null primary key, "
    + ", ".join(f"{column} {KINDS[column]}" for column in COLUMNS if column in KINDS)
    + ")"
)
# Derby's error codes for what exists already.
EXISTS = ("X0Y68", "X0Y32")


def load(spark: SparkSession, dump: Path, url: str = URL) -> int:
    """Replace the table's rows by those of the dump; return their number.

    Creates the database, the table and the functions if they do not exist.
    """
    run(spark, f"{url};create=true", ["create schema legacy", CREATE_TABLE, *DERBY_FUNCTIONS.values()])
    text = spark.read.csv(str(dump), header=True, escape='"', nullValue=r"\N", mode="FAILFAST", inferSchema=False)
    rows = text.select(*(text[column].cast("double") if column in NUMBERS else text[column] for column in COLUMNS))
    # Emptied, not dropped, to keep key and types. One connection, since Derby serves one writer at a time.
    rows.coalesce(1).write.option("truncate", True).option("batchsize", 10_000).jdbc(url, TABLE, mode="overwrite")
    return rows.count()


def run(spark: SparkSession, url: str, statements: list[str]) -> None:
    """Run statements; what exists already stays as it is."""
    jvm: Any = spark.sparkContext._jvm
    connection = jvm.java.sql.DriverManager.getConnection(url)
    try:
        for text in statements:
            try:
                connection.createStatement().execute(text)
            except Exception as error:
                if getattr(error, "java_exception", None) is None or error.java_exception.getSQLState() not in EXISTS:
                    raise
    finally:
        connection.close()


def main(days: list[str]) -> int:
    dumps = {day: ROOT / ".data" / "airports" / f"dump_date={day}" / "airports.csv" for day in days}
    missing = [str(dump) for dump in dumps.values() if not dump.is_file()]
    if missing or not days:
        print(f"Give a day of the demo's dumps; not there: {', '.join(missing) or 'none given'}", file=sys.stderr)
        return 1
    credentials = DeltawaveCredentials(schema="dev")
    credentials.anchor(str(ROOT))
    spark = open_session(credentials)
    for day, dump in dumps.items():
        print(f"{TABLE} holds the {load(spark, dump):,} rows of {day}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
