"""dbt's connections: sessions of this process; the other methods are dbt-spark's."""

import sys
import threading
from collections.abc import Generator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dbt.adapters.contracts.connection import AdapterResponse, Connection, ConnectionState
from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.spark.connections import SparkConnectionManager
from dbt_common.exceptions import DbtDatabaseError, DbtRuntimeError

from dbt.adapters.deltawave.errors import readable
from dbt.adapters.deltawave.progress import STEPS, name_of, progress
from dbt.adapters.deltawave.remotes import explained

logger = AdapterLogger("Spark")

# The commands that always run statements.
COMMANDS = frozenset(
    ["build", "clone", "freshness", "generate", "retry", "run", "run-operation", "seed", "show", "snapshot", "test"]
)
# The credentials whose session is being opened while dbt parses.
_opening: tuple[Any, Future[None]] | None = None


class DeltawaveConnectionManager(SparkConnectionManager):
    """Connection manager of ``type: deltawave``."""

    TYPE = "deltawave"

    def __init__(self, profile: Any, mp_context: Any) -> None:
        super().__init__(profile, mp_context)
        self._cancelled_by: int | None = None
        self._credentials = profile.credentials
        root = getattr(profile, "project_root", None) or str(Path.cwd())
        self._credentials.anchor(root, getattr(profile, "clean_targets", ()))
        arguments = getattr(profile, "args", None)
        self._progress = progress(arguments)
        # The step of a model, by the name of its connection.
        self._steps: dict[str, str] = {}
        open_ahead(self._credentials, arguments)

    @classmethod
    def open(cls, connection: Connection) -> Connection:
        credentials: Any = connection.credentials
        if connection.state == ConnectionState.OPEN or not credentials.in_session:
            return super().open(connection)
        wait_until_open(credentials)
        # Importing PySpark takes a second, which commands that only parse should not spend.
        from dbt.adapters.deltawave.handle import SessionHandle
        from dbt.adapters.deltawave.launch import leave_out_of_last_search
        from dbt.adapters.deltawave.session import open_session

        connection.handle = SessionHandle(open_session(credentials))
        leave_out_of_last_search()
        connection.state = ConnectionState.OPEN
        return connection

    def cancel_open(self) -> list[str]:
        """End what other threads are running, and let them run nothing more: dbt was interrupted, or fails fast."""
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

    def begin_step(self, step: str) -> None:
        """Let the line about what takes long name this step of the model, from now on."""
        self._steps[self._node] = STEPS.get(step, step)

    @property
    def _node(self) -> str:
        connection = self.get_if_exists()
        return (connection.name if connection else None) or "dbt"

    @contextmanager
    def exception_handler(self, sql: str) -> Generator[None, None, None]:
        if not self._credentials.in_session:
            with super().exception_handler(sql):
                yield
            return
        step = self._steps.get(self._node)
        try:
            with self._progress.of(name_of(self._node) + (f": {step}" if step else "")):
                yield
        except DbtRuntimeError:
            raise
        except Exception as error:
            message = explained(readable(error, self._credentials.secrets), self._credentials.remotes)
            logger.debug(f"Error while running:\n{sql}\n{message}")
            is_from_spark = type(error).__module__.startswith(("pyspark.", "py4j."))
            raise (DbtDatabaseError if is_from_spark else DbtRuntimeError)(message) from error


def open_ahead(credentials: Any, arguments: Any) -> None:
    """Begin to open the session of ``credentials``, if the command with dbt's ``arguments`` will need it.

    Java starts on another core while dbt parses, and only statements wait for it. The thread is a daemon, so that a
    command that fails before its first statement ends at once: the JVM ends when nothing holds its standard input.
    """
    global _opening
    # Importing PySpark to ask whether this process has a Spark takes a second.
    context = sys.modules.get("pyspark.core.context")
    has_spark = context is not None and context.SparkContext._active_spark_context is not None
    if credentials.in_session and getattr(arguments, "which", None) in COMMANDS and not has_spark:
        opened: Future[None] = Future()

        def open_it() -> None:
            try:
                from dbt.adapters.deltawave.session import open_session

                open_session(credentials)
                opened.set_result(None)
            except BaseException as error:
                opened.set_exception(error)

        threading.Thread(target=open_it, name="opens Spark", daemon=True).start()
        _opening = credentials, opened


def wait_until_open(credentials: Any) -> None:
    """Wait until the session of ``credentials`` is open, if that has begun; raise the error if it failed."""
    global _opening
    if (opening := _opening) and opening[0] is credentials:
        try:
            opening[1].result()
        finally:
            _opening = None
