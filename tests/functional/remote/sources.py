"""Remote databases that the macros read, without a dbt project around them."""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from mariadb import MariaDBServer
from postgres import PostgresServer
from pyspark.sql import SparkSession
from unit.macro_harness import Macros

from dbt.adapters.deltawave import remotes

Bound = Sequence[str | None] | None


class Server:
    """A server's databases; MariaDB reads a backslash as itself."""

    def __init__(self, server: PostgresServer | MariaDBServer) -> None:
        self._server = server
        self.remote: dict[str, str] = server.remote
        self.dialect = "postgresql" if isinstance(server, PostgresServer) else "mysql"

    def run(self, *statements: str) -> None:
        first = ["set sql_mode = concat(@@sql_mode, ',no_backslash_escapes')"] if self.dialect == "mysql" else []
        self._server.sql(";\n".join([*first, *statements]))


class Derby:
    """A database in Spark's own JVM."""

    dialect = "derby"

    def __init__(self, spark: SparkSession, url: str) -> None:
        self._spark: Any = spark
        self.remote = {"url": url}

    def run(self, *statements: str) -> None:
        jvm = self._spark._jvm
        connection = jvm.java.sql.DriverManager.getConnection(self.remote["url"])
        try:
            statement = connection.createStatement()
            for text in statements:
                statement.execute(text)
        finally:
            connection.close()


class Job:
    """A differential model's job over a select that runs at a remote, and its macros."""

    def __init__(self, spark: SparkSession, source: Server | Derby, select: str, **options: str) -> None:
        known = remotes.checked({"legacy": source.remote | options})

        def remote_view(remote: str, query: str, view: str) -> dict[str, int]:
            return remotes.create_view(spark, remote, known[remote], query, view)

        adapter = SimpleNamespace(
            remote_view=remote_view, remote_dialect=lambda name: remotes.dialect(name, known[name])
        )
        self._spark = spark
        self.macros = Macros(run_query=lambda sql: [tuple(row) for row in spark.sql(sql).collect()], adapter=adapter)
        self.job: dict[str, Any] = {"name": "ac-counts", "attempt": "0123456789ab", "settings": {"remote": "legacy"}}
        self.job |= {"sql": select, "remote": None, "target": SimpleNamespace(schema="shop", identifier="ac-counts")}
        self.macros._open_remote(self.job)

    def columns(self, *keys: str, ignored: Sequence[str] = ()) -> list[dict[str, Any]]:
        """The select's columns, as the materialization would describe them; all that is no key is compared."""
        found = self._spark.sql(self.job["sql"]).schema.fields
        return [
            {
                "name": field.name,
                "data_type": field.dataType.simpleString(),
                "is_key": field.name in keys,
                "is_chosen": field.name not in [*keys, *ignored],
            }
            for field in found
        ]

    def checksums(
        self, columns: list[dict[str, Any]], lows: Sequence[Bound] = (None,)
    ) -> Mapping[int, tuple[int, str]]:
        """{range_id: (row_count, checksum)} of the ranges that begin at ``lows``, which are numbered from 1."""
        ranges = [{"range_id": number, "low": low} for number, low in enumerate(lows, 1)]
        select = self.macros._remote_checksums(self.job, columns, ranges)
        frame = self._spark.sql(select)
        assert frame.dtypes == [("range_id", "int"), ("row_count", "bigint"), ("checksum", "string")]
        return {row.range_id: (row.row_count, row.checksum) for row in frame.collect()}

    def rows(self, columns: list[dict[str, Any]], *intervals: tuple[Bound, Bound]) -> list[dict[str, Any]]:
        """The rows in the intervals."""
        bounds = [{"low": low, "high": high} for low, high in intervals]
        select = self.macros._remote_rows(self.job, columns, bounds)
        return [row.asDict() for row in self._spark.sql(select).collect()]
