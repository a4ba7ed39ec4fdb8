"""The adapter: dbt-spark's, with Python models in process."""

from __future__ import annotations

from functools import partial
from typing import Any

from dbt.adapters.base import PythonJobHelper, available
from dbt.adapters.deltawave.connections import DeltawaveConnectionManager, SessionHandle
from dbt.adapters.deltawave.python_models import SessionPythonJob
from dbt.adapters.spark.impl import SparkAdapter


class DeltawaveAdapter(SparkAdapter):
    """dbt-spark for open-source Spark."""

    ConnectionManager = DeltawaveConnectionManager  # type: ignore[assignment]

    @property
    def default_python_submission_method(self) -> str:
        if self.config.credentials.in_session:
            return "session"
        return super().default_python_submission_method

    @property
    def python_submission_helpers(self) -> dict[str, type[PythonJobHelper]]:
        helpers: dict[str, Any] = dict(super().python_submission_helpers)
        if self.config.credentials.in_session:
            helpers["session"] = partial(SessionPythonJob, session=self._handle().session)
        return helpers

    def _handle(self) -> SessionHandle:
        handle: SessionHandle = self.connections.get_thread_connection().handle
        return handle

    @available
    def isolate_session(self, settings: dict[str, Any]) -> None:
        """Let the running node go on in a copy of the session with ``settings`` on top.

        Other threads do not see the settings, and the node's end takes them away, also after an error.
        """
        self._handle().isolate({key: str(value) for key, value in settings.items()})
