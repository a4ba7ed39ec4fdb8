"""The one Spark session of a dbt process."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from dbt.adapters.deltawave.credentials import DeltawaveCredentials
from dbt.adapters.deltawave.errors import readable, secret_values
from dbt.adapters.deltawave.launch import launch
from dbt.adapters.deltawave.settings import (
    METASTORE_URL,
    is_embedded,
    is_remote,
    session_settings,
)
from dbt_common.exceptions import DbtRuntimeError

_lock = threading.Lock()
_applied: dict[str, str] = {}


def open_session(credentials: DeltawaveCredentials) -> SparkSession:
    """Return the session of this process, started or adjusted to ``credentials`` where needed."""
    profile = credentials.server_side_parameters
    settings = session_settings(profile, Path(credentials.data_dir))
    with _lock:
        session = _running(settings) if not is_remote(profile) else None
        if session is None:
            session = _start(settings, credentials)
        elif settings != _applied:
            _adjust(session, settings)
        _remember(settings)
        return session


def _running(settings: dict[str, str]) -> SparkSession | None:
    context = SparkContext._active_spark_context
    if context is None or context._jsc.sc().isStopped():
        return None
    ours = _applied.get(METASTORE_URL)
    if ours is not None and settings.get(METASTORE_URL, ours) != ours:
        raise DbtRuntimeError(
            f"This process already runs a Spark session on {ours}, and a process has one Spark only. "
            f"Use the same data_dir, or start another process for {settings[METASTORE_URL]}."
        )
    return SparkSession.builder.getOrCreate()


def _start(settings: dict[str, str], credentials: DeltawaveCredentials) -> SparkSession:
    _applied.clear()
    if is_remote(settings):
        return _connect(settings)
    if is_embedded(credentials.server_side_parameters):
        Path(credentials.data_dir).mkdir(parents=True, exist_ok=True)
    context = launch(settings)
    session = SparkSession.builder.config(map=settings).getOrCreate()
    try:
        # The metastore opens at the first use: better here than in the middle of a model.
        session.catalog.databaseExists("default")
    except Exception as error:
        context.stop()
        raise DbtRuntimeError(_metastore_failure(error, credentials)) from error
    return session


def _connect(settings: dict[str, str]) -> SparkSession:
    try:
        return SparkSession.builder.config(map=settings).getOrCreate()
    except PySparkException as error:
        message = readable(error, secret_values(settings))
        raise DbtRuntimeError(f"No Spark Connect session: {message}") from error


def _adjust(session: SparkSession, settings: dict[str, str]) -> None:
    """Give a running session the changeable part of ``settings``."""
    for key in _applied.keys() - settings.keys():
        if session.conf.isModifiable(key):
            session.conf.unset(key)
    for key, value in settings.items():
        if session.conf.isModifiable(key):
            session.conf.set(key, value)


def _remember(settings: dict[str, str]) -> None:
    _applied.clear()
    _applied.update(settings)


def _metastore_failure(error: Exception, credentials: DeltawaveCredentials) -> str:
    message = readable(error, secret_values(credentials.server_side_parameters))
    folder = Path(credentials.data_dir, "metastore_db")
    if is_embedded(credentials.server_side_parameters) and "MetaStoreClient" in message:
        return (
            f"The metastore in {folder} cannot be opened: most likely another process (dbt, a notebook, "
            "spark-shell) has it open, and an embedded metastore serves one process at a time. "
            "End that process, or give this one another data_dir in the profile, or run a metastore server "
            "and name it as spark.hadoop.hive.metastore.uris in server_side_parameters. "
            f"Spark said: {message}"
        )
    return f"The catalog cannot be opened: {message}"


def clone(session: SparkSession, settings: dict[str, str]) -> SparkSession:
    """Return a session with the state of ``session`` and ``settings`` on top, apart from it from now on."""
    copy: Any
    if hasattr(session, "cloneSession"):
        copy = session.cloneSession()
    else:
        copy = SparkSession(session._sc, session._jsparkSession.cloneSession())  # type: ignore[attr-defined]
    for key, value in settings.items():
        copy.conf.set(key, value)
    return copy  # type: ignore[no-any-return]
