"""A Spark that stays between dbt commands: a Spark Connect server on this machine for one profile's target.

A process of its own keeps the session of the target open, with its settings, jars and metastore. It listens on
loopback, and asks for a token that only this user can read. Commands find it by a file in ``data_dir``; a lock, which
ends with the process however that ends, says whether it runs.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.deltawave.credentials import DeltawaveCredentials
from dbt.adapters.deltawave.settings import is_remote, session_settings

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

FILE, LOCK, LOG = "server.json", "server.lock", "server.log"
TOKEN_VARIABLE = "SPARK_CONNECT_AUTHENTICATE_TOKEN"
PLUGINS = "spark.plugins"
PLUGIN = "org.apache.spark.sql.connect.SparkConnectPlugin"
IDLE_MINUTES = 60
# What a server takes from a profile.
_DESCRIBED = ("server_side_parameters", "data_dir", "class_archive")


@dataclass(frozen=True)
class Server:
    """A server that runs: its process, how it is reached, and digests of the settings that it was started with."""

    process: int
    port: int
    token: str = field(repr=False)
    digests: dict[str, str] = field(repr=False)

    @property
    def url(self) -> str:
        # PySpark sends a token without TLS to no other name.
        return f"sc://localhost:{self.port}/;token={self.token}"

    def others(self, settings: Mapping[str, str]) -> list[str]:
        """The keys of ``settings`` that have another value at the server, or none."""
        digests = _digests(settings)
        return sorted(key for key in digests.keys() | self.digests.keys() if digests.get(key) != self.digests.get(key))


def running(data_dir: str | Path) -> Server | None:
    """The server whose tables are in ``data_dir``; None if none runs, or if it is just starting or ending."""
    if fcntl is None or not _is_locked(Path(data_dir, LOCK)):
        return None
    try:
        return Server(**json.loads(Path(data_dir, FILE).read_text()))
    except (OSError, ValueError, TypeError):
        return None


def start(credentials: DeltawaveCredentials, folder: Path, idle_minutes: float = IDLE_MINUTES) -> Server:
    """Start a server for ``credentials`` in ``folder``, the project's, unless one runs; it ends when it was idle.

    Raises ``DbtRuntimeError`` where Spark does not start, or where the profile names a server itself.
    """
    data_dir = Path(credentials.data_dir)
    if (server := running(data_dir)) is not None:
        return server
    if fcntl is None:
        raise DbtRuntimeError("A server needs file locks, which Windows does not have.")
    settings = session_settings(credentials.server_side_parameters, data_dir)
    if not credentials.in_session or is_remote(settings):
        raise DbtRuntimeError("The target of this profile names a server itself, so there is nothing to start.")
    credentials.refuse_cleaned()
    data_dir.mkdir(parents=True, exist_ok=True)
    log = data_dir / LOG
    with _private(log) as output:
        child = subprocess.Popen(
            [sys.executable, "-m", __spec__.name],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    assert child.stdin
    with child.stdin as stdin:
        # Not as arguments, which everybody can read.
        described = {name: getattr(credentials, name) for name in _DESCRIBED}
        stdin.write(json.dumps([described, idle_minutes]).encode())
    while (server := running(data_dir)) is None:
        if child.poll() is not None:
            raise DbtRuntimeError(f"The server did not start. {log} says:\n{log.read_text(errors='replace').strip()}")
        time.sleep(0.1)
    # Python warns of a process that still runs.
    child.returncode = 0
    return server


def stop(data_dir: str | Path) -> Server | None:
    """Stop the server of ``data_dir`` and wait until it has ended; return what has ended."""
    server = running(data_dir)
    if server is not None:
        with suppress(ProcessLookupError):
            os.kill(server.process, signal.SIGTERM)
        while _is_locked(Path(data_dir, LOCK)):
            time.sleep(0.1)
    return server


def serve(credentials: DeltawaveCredentials, idle_minutes: float) -> None:
    """Serve the session of ``credentials`` until SIGTERM, or until nothing was run for ``idle_minutes``."""
    from dbt.adapters.deltawave.session import start_session

    data_dir = Path(credentials.data_dir)
    settings = session_settings(credentials.server_side_parameters, data_dir)
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    with _locked(data_dir / LOCK):
        # Spark's JVM takes it from here; its settings would be arguments, which everybody can read.
        os.environ[TOKEN_VARIABLE] = token = secrets.token_urlsafe(32)
        port = _free_port()
        ours = {
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": str(port),
            PLUGINS: ",".join(filter(None, (settings.get(PLUGINS), PLUGIN))),
            # Each task imports the project's own modules anew: they may have been edited since the last command.
            "spark.python.worker.reuse": "false",
        }
        session = start_session(settings | ours, credentials)
        file = data_dir / FILE
        try:
            with _private(file.with_suffix(".new")) as written:
                written.write(json.dumps(asdict(Server(os.getpid(), port, token, _digests(settings)))).encode())
            file.with_suffix(".new").replace(file)
            begun = time.time()
            while not stopped.wait(1) and time.time() - max(begun, _last_execution(session)) < idle_minutes * 60:
                pass
        finally:
            file.unlink(missing_ok=True)
            session.stop()


def _last_execution(session: Any) -> float:
    """When something ran for a client, in seconds since the epoch."""
    service = session.sparkContext._jvm.org.apache.spark.sql.connect.service.SparkConnectService
    active = service.listActiveExecutions()
    return time.time() if active.isRight() else active.left().get() / 1000


def _digests(settings: Mapping[str, str]) -> dict[str, str]:
    """Digests of settings, which may hold passwords, and of the Python that runs tasks."""
    known = {**settings, "Python": sys.executable}
    return {key: hashlib.sha256(value.encode()).hexdigest() for key, value in known.items()}


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _private(file: Path) -> IO[bytes]:
    """Open a new file that only this user can read."""
    file.unlink(missing_ok=True)
    return os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _is_locked(file: Path) -> bool:
    try:
        with file.open() as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    """Hold a lock as long as this process lives; raise ``DbtRuntimeError`` where another one holds it."""
    with file.open("w") as lock:
        for _ in range(20):
            # One that only asks holds it for a moment.
            with suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            time.sleep(0.1)
        else:
            raise DbtRuntimeError(f"Another server is starting or ending: its process has locked {file}.")
        yield


def main() -> None:
    """Serve what stdin describes."""
    described, idle_minutes = json.load(sys.stdin)
    try:
        serve(DeltawaveCredentials(schema="default", **described), idle_minutes)
    except DbtRuntimeError as error:
        sys.exit(str(error.msg))


if __name__ == "__main__":
    main()
