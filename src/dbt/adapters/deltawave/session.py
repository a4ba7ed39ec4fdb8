"""The one Spark session of a dbt process."""

import atexit
import threading
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyspark
from dbt.adapters.events.logging import AdapterLogger
from dbt_common.exceptions import DbtRuntimeError
from packaging.version import Version
from pyspark.sql import SparkSession

from dbt.adapters.deltawave.credentials import DeltawaveCredentials
from dbt.adapters.deltawave.errors import readable
from dbt.adapters.deltawave.gateways import Link, join
from dbt.adapters.deltawave.launch import prepare_python, start_session
from dbt.adapters.deltawave.server import Server, running
from dbt.adapters.deltawave.settings import METASTORE_URL, REMOTE, is_remote, session_settings
from deltawave.redaction import redact, secret_values
from deltawave.spark_errors import silence_query_errors
from deltawave.spark_versions import Py4JError, SparkContext

logger = AdapterLogger("Spark")


class _Current(NamedTuple):
    """A session, the settings that it was given, the server that it belongs to, and how it is linked to it."""

    session: SparkSession
    settings: dict[str, str]
    server: Server | None = None
    link: Link | None = None


_lock = threading.Lock()
_current: _Current | None = None


def open_session(credentials: DeltawaveCredentials) -> SparkSession:
    """Return the session of this process, started or adjusted to ``credentials`` where needed.

    A session that something else started in this process (a notebook, say) is used as it is. Raises ``DbtRuntimeError``
    when Spark does not start, or runs on another metastore already, and where ``dbt clean`` would delete its tables.
    """
    global _current
    credentials.refuse_cleaned()
    settings = session_settings(credentials.server_side_parameters, Path(credentials.data_dir))
    with _lock:
        known = _current
        if known and known.link and not (_is_alive(known.session) and known.server == running(credentials.data_dir)):
            known.link.leave()
            _current = None
        if _current and _is_alive(_current.session):
            _adjust(_current.session, _current.settings, settings)
            _current = _current._replace(settings=settings)
        elif SparkContext._active_spark_context is not None and (foreign := SparkSession.getActiveSession()):
            _current = _Current(foreign, settings)
        else:
            _current = _start(settings, credentials)
        if _current.link:
            _current.link.claim_thread()
        return _current.session


def clone(session: Any, settings: Mapping[str, str]) -> SparkSession:
    """Return a session with the state of ``session`` and ``settings``, independent of it from now on."""
    copy: Any
    if is_connect(session):
        copy = session.cloneSession()
    else:
        copy = SparkSession(session._sc, session._jsparkSession.cloneSession())
    for key, value in settings.items():
        copy.conf.set(key, value)
    return copy  # type: ignore[no-any-return]


def discard(copy: Any, session: SparkSession) -> None:
    """End ``copy``, which ``clone`` made of ``session``."""
    if copy is not session and is_connect(copy):
        # Not stop(): in PySpark 4.1 a copy does not have what that needs.
        copy.client.release_session()
        copy.client.close()


def is_connect(session: SparkSession) -> bool:
    return ".connect." in type(session).__module__


def _is_alive(session: Any) -> bool:
    if is_connect(session):
        return not session.is_stopped
    return SparkContext._active_spark_context is not None and session._sc._jsc is not None


def _start(settings: dict[str, str], credentials: DeltawaveCredentials) -> _Current:
    silence_query_errors()
    if is_remote(settings):
        return _Current(_connect(settings[REMOTE], settings), settings)
    server = running(credentials.data_dir)
    if server is None:
        return _Current(start_session(settings, credentials), settings)
    link = _join(server, settings)
    return _Current(link.session, settings, server, link)


def _join(server: Server, settings: dict[str, str]) -> Link:
    """Return a link to ``server``; raise ``DbtRuntimeError`` if it has other settings that no session can change."""
    if programs := server.other_programs():
        raise _other_settings(server, programs)
    prepare_python(settings)
    try:
        link = join(server.port, server.token)
    except (OSError, ValueError, Py4JError) as error:
        raise DbtRuntimeError(
            f"The server that runs (process {server.process}) does not answer: {error}. "
            "`deltawave server stop` ends it."
        ) from error
    others = server.others(settings)
    try:
        if fixed := [key for key in others if not link.session.conf.isModifiable(key)]:
            raise _other_settings(server, fixed)
        _change(link.session, others, settings)
    except Exception:
        link.leave()
        raise
    logger.info(f"Spark runs in a server, process {server.process}.")
    return link


def _other_settings(server: Server, names: list[str]) -> DbtRuntimeError:
    return DbtRuntimeError(
        f"The server that runs (process {server.process}) was started with other settings: {', '.join(names)}. "
        "`deltawave server stop` ends it: the next run is without a server, or `deltawave server start` starts one "
        "with these settings."
    )


def _connect(url: str, settings: Mapping[str, str]) -> SparkSession:
    from pyspark.sql.connect.client.retries import DefaultPolicy

    session: Any = SparkSession.builder.config(REMOTE, url).getOrCreate()
    # PySpark itself waits ten minutes, too long for a typing error.
    patience = session.client.get_retry_policies()
    session.client.set_retry_policies([DefaultPolicy(max_retries=4)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            _refuse_older(session.version)
            _change(session, settings, settings)
        except Exception as error:
            session.client.set_retry_policies([DefaultPolicy(max_retries=0)])
            session.stop()
            message = readable(error, secret_values(settings))
            raise DbtRuntimeError(f"No Spark Connect session at {redact(url)}: {message}") from error
    session.client.set_retry_policies(patience)
    # At the interpreter's exit, closing can wait forever for a thread that has ended.
    atexit.register(session.stop)
    return session  # type: ignore[no-any-return]


def _refuse_older(server: str) -> None:
    """Raise ``ValueError`` if a server's Spark is older than pyspark, by whose version is decided what Spark offers."""
    # Vendors' Sparks have versions such as 3.5.2-amzn-1.
    major, minor = server.split(".")[:2]
    if (int(major), int(minor)) < Version(pyspark.__version__).release[:2]:
        wanted = f"{major}.{minor}.*"
        raise ValueError(
            f"it runs Spark {server}, and pyspark here is {pyspark.__version__}. Install the client of the server's "
            f'version: "pyspark-client=={wanted}", or "pyspark[connect]=={wanted}" before 4.0.'
        )


def _adjust(session: SparkSession, given: Mapping[str, str], settings: Mapping[str, str]) -> None:
    """Give a running session, which was ``given`` other settings, the changeable part of ``settings``."""
    if settings == given:
        return
    theirs, ours = given.get(METASTORE_URL), settings.get(METASTORE_URL)
    if theirs != ours:
        raise DbtRuntimeError(
            f"This process runs Spark on the metastore {theirs}, and a process has one Spark only. "
            f"Take the same data_dir, or another process for {ours}."
        )
    _change(session, given.keys() | settings.keys(), settings)


def _change(session: SparkSession, keys: Iterable[str], settings: Mapping[str, str]) -> None:
    """Give a session the settings of these keys, as far as it can change them; those without a value are unset."""
    for key in filter(session.conf.isModifiable, keys):
        if key in settings:
            session.conf.set(key, settings[key])
        else:
            session.conf.unset(key)
