"""dbt's connections on a Spark session of this process."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession

from dbt.adapters.contracts.connection import Connection, ConnectionState
from dbt.adapters.deltawave.errors import readable, secret_values
from dbt.adapters.deltawave.literals import literal
from dbt.adapters.deltawave.session import clone, open_session
from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.spark.connections import SparkConnectionManager, SparkConnectionWrapper
from dbt_common.exceptions import DbtDatabaseError, DbtRuntimeError

logger = AdapterLogger("Spark")


class SessionHandle(SparkConnectionWrapper):
    """A connection that is a Spark session, and its own cursor."""

    def __init__(self, session: SparkSession) -> None:
        self.session = session
        self._frame: DataFrame | None = None

    def cursor(self) -> SessionHandle:
        self._frame = None
        return self

    def cancel(self) -> None:
        self.session.interruptAll()

    def close(self) -> None:
        self._frame = None

    def rollback(self, *args: Any, **kwargs: Any) -> None:
        """Spark has no transactions."""

    def execute(self, sql: str, bindings: Sequence[Any] | None = None) -> None:
        statement = sql.strip().removesuffix(";")
        if bindings is not None:
            statement = statement % tuple(literal(value) for value in bindings)
        self._frame = self.session.sql(statement)

    def fetchall(self) -> list[Row]:
        return [] if self._frame is None else self._frame.collect()

    def fetchone(self) -> Row | None:
        rows = [] if self._frame is None else self._frame.take(1)
        return rows[0] if rows else None

    @property
    def description(self) -> list[tuple[str, Any, None, None, None, None, bool]]:
        fields = [] if self._frame is None else self._frame.schema.fields
        return [(f.name, f.dataType.simpleString(), None, None, None, None, f.nullable) for f in fields]

    def isolate(self, settings: dict[str, str]) -> None:
        """Go on in a copy of the session that has ``settings``, unseen by other connections."""
        self.session = clone(self.session, settings)


class DeltawaveConnectionManager(SparkConnectionManager):
    """Connection manager that opens sessions itself and leaves the rest to dbt-spark."""

    TYPE = "deltawave"

    def __init__(self, profile: Any, mp_context: Any) -> None:
        super().__init__(profile, mp_context)
        profile.credentials.anchor(getattr(profile, "project_root", None) or str(Path.cwd()))

    @classmethod
    def open(cls, connection: Connection) -> Connection:
        if connection.state == ConnectionState.OPEN or not connection.credentials.in_session:
            return super().open(connection)
        connection.handle = SessionHandle(open_session(connection.credentials))
        connection.state = ConnectionState.OPEN
        return connection

    @contextmanager
    def exception_handler(self, sql: str) -> Generator[None, None, None]:
        secrets = secret_values(self.profile.credentials.server_side_parameters)
        with super().exception_handler(sql):
            try:
                yield
            except DbtRuntimeError:
                raise
            except (PySparkException, Py4JError) as error:
                logger.debug(f"Error while running:\n{sql}\n{error}")
                raise DbtDatabaseError(readable(error, secrets)) from error
