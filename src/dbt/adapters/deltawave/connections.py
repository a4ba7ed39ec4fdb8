"""dbt's connections: sessions of this process; the other methods are dbt-spark's."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dbt.adapters.contracts.connection import AdapterResponse, Connection, ConnectionState
from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.spark.connections import SparkConnectionManager
from dbt_common.exceptions import DbtDatabaseError, DbtRuntimeError

from dbt.adapters.deltawave import ahead
from dbt.adapters.deltawave.errors import is_from_spark, readable
from dbt.adapters.deltawave.remotes import explained

logger = AdapterLogger("Spark")


class DeltawaveConnectionManager(SparkConnectionManager):
    """Connection manager of ``type: deltawave``."""

    TYPE = "deltawave"

    def __init__(self, profile: Any, mp_context: Any) -> None:
        super().__init__(profile, mp_context)
        self._cancelled_by: int | None = None
        self._credentials = profile.credentials
        root = getattr(profile, "project_root", None) or str(Path.cwd())
        self._credentials.anchor(root, getattr(profile, "clean_targets", ()))
        ahead.begin(self._credentials, getattr(profile, "args", None))

    @classmethod
    def open(cls, connection: Connection) -> Connection:
        credentials: Any = connection.credentials
        if connection.state == ConnectionState.OPEN or not credentials.in_session:
            return super().open(connection)
        ahead.finish(credentials)
        # Importing PySpark takes a second, which commands that only parse should not spend.
        from dbt.adapters.deltawave.handle import SessionHandle
        from dbt.adapters.deltawave.session import open_session

        connection.handle = SessionHandle(open_session(credentials))
        connection.state = ConnectionState.OPEN
        return connection

    def cancel_open(self) -> list[str]:
        """End what other threads are running, and let them run nothing more.

        dbt calls this when it is interrupted, or when a model fails with ``--fail-fast``; its next command gets a new
        manager.
        """
        # First, so that code after an interrupted statement sees it.
        self._cancelled_by = threading.get_ident()
        names: list[str] = super().cancel_open()
        return names

    def refuse_if_cancelled(self) -> None:
        """Raise ``DbtRuntimeError`` in a thread that ``cancel_open`` of another one has cancelled."""
        if self._cancelled_by not in (None, threading.get_ident()):
            raise DbtRuntimeError("The run was cancelled, so this statement was not run.")

    def get_thread_connection(self) -> Connection:
        # Every statement checks this, since cancelling a running statement has no effect between two statements.
        self.refuse_if_cancelled()
        return super().get_thread_connection()

    def execute(
        self, sql: str, auto_begin: bool = False, fetch: bool = False, limit: int | None = None
    ) -> tuple[AdapterResponse, Any]:
        # Rows are computed while they are fetched, which dbt does outside the handler.
        with self.exception_handler(sql):
            return super().execute(sql, auto_begin, fetch, limit)

    @contextmanager
    def exception_handler(self, sql: str) -> Generator[None, None, None]:
        if not self._credentials.in_session:
            with super().exception_handler(sql):
                yield
            return
        try:
            yield
        except DbtRuntimeError:
            raise
        except Exception as error:
            message = explained(readable(error, self._credentials.secrets), self._credentials.remotes)
            logger.debug(f"Error while running:\n{sql}\n{message}")
            wrapper = DbtDatabaseError if is_from_spark(error) else DbtRuntimeError
            raise wrapper(message) from error
