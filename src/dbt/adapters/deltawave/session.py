"""The one Spark session of a dbt process."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from dbt.adapters.deltawave.credentials import DeltawaveCredentials
from dbt.adapters.deltawave.errors import readable, secret_values
from dbt.adapters.deltawave.launch import launch
from dbt.adapters.deltawave.settings import METASTORE_URL, is_embedded, is_remote, session_settings
from dbt_common.exceptions import DbtRuntimeError


@dataclass(frozen=True)
class _Current:
    """A session and the settings that it was given."""

    session: SparkSession
    settings: dict[str, str]


_lock = threading.Lock()
_current: _Current | None = None


def open_session(credentials: DeltawaveCredentials) -> SparkSession:
    """Return the session of this process, started or adjusted to ``credentials`` where needed.

    A session that something else started in this process (a notebook, say) is taken as it is.
    Raises ``DbtRuntimeError`` when Spark does not start, or runs on another metastore already.
    """
    global _current
    settings = session_settings(credentials.server_side_parameters, Path(credentials.data_dir))
    with _lock:
        if _current is not None and not _is_alive(_current.session):
            _current = None
        if _current is not None:
            _adjust(_current, settings)
            session = _current.session
        else:
            session = _foreign() or _start(settings, credentials)
        _current = _Current(session, settings)
        return session


def clone(session: SparkSession, settings: dict[str, str]) -> SparkSession:
    """Return a session with the state of ``session`` and ``settings`` on top, apart from it from now on."""
    copy: Any = session
    if hasattr(session, "cloneSession"):
        copy = session.cloneSession()
    elif not _is_connect(session):
        copy = SparkSession(session._sc, session._jsparkSession.cloneSession())
    for key, value in settings.items():
        copy.conf.set(key, value)
    return copy  # type: ignore[no-any-return]


def _is_connect(session: SparkSession) -> bool:
    return ".connect." in type(session).__module__


def _is_alive(session: Any) -> bool:
    if _is_connect(session):
        return not session.is_stopped
    return SparkContext._active_spark_context is not None and session._sc._jsc is not None


def _foreign() -> SparkSession | None:
    return SparkSession.getActiveSession() if SparkContext._active_spark_context is not None else None


def _start(settings: dict[str, str], credentials: DeltawaveCredentials) -> SparkSession:
    _hush_python_loggers()
    if is_remote(settings):
        return _connect(settings)
    if is_embedded(credentials.server_side_parameters):
        Path(credentials.data_dir).mkdir(parents=True, exist_ok=True)
    context = launch(settings)
    try:
        session = SparkSession.builder.config(map=settings).getOrCreate()
        # The metastore opens at the first use: better here than in the middle of a model.
        session.catalog.databaseExists("default")
    except Exception as error:
        context.stop()
        raise DbtRuntimeError(_catalog_failure(error, credentials)) from error
    return session


def _connect(settings: dict[str, str]) -> SparkSession:
    try:
        return SparkSession.builder.config(map=settings).getOrCreate()
    except PySparkException as error:
        message = readable(error, secret_values(settings))
        raise DbtRuntimeError(f"No Spark Connect session: {message}") from error


def _adjust(current: _Current, settings: dict[str, str]) -> None:
    """Give a running session the changeable part of ``settings``."""
    if settings == current.settings:
        return
    theirs, ours = current.settings.get(METASTORE_URL), settings.get(METASTORE_URL)
    if theirs != ours:
        raise DbtRuntimeError(
            f"This process already runs Spark on the metastore {theirs}, and a process has one Spark only. "
            f"Take the same data_dir, or another process for {ours}."
        )
    conf = current.session.conf
    for key in current.settings.keys() - settings.keys():
        if conf.isModifiable(key):
            conf.unset(key)
    for key, value in settings.items():
        if conf.isModifiable(key):
            conf.set(key, value)


def _catalog_failure(error: Exception, credentials: DeltawaveCredentials) -> str:
    message = readable(error, secret_values(credentials.server_side_parameters))
    if not is_embedded(credentials.server_side_parameters) or "MetaStoreClient" not in message:
        return f"Spark runs, but its catalog cannot be opened: {message}"
    return (
        f"The metastore in {Path(credentials.data_dir, 'metastore_db')} cannot be opened. Most likely another process "
        "(dbt, a notebook, spark-sql) has it open: an embedded metastore serves one process at a time. "
        "End that process, or give this one another data_dir in the profile, or run a metastore server and name it "
        f"as spark.hadoop.hive.metastore.uris in server_side_parameters. Spark said: {message}"
    )


def _hush_python_loggers() -> None:
    # They repeat every query error, stack and all, on stderr before it is raised.
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).setLevel(logging.CRITICAL)
