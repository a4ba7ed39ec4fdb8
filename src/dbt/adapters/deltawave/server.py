"""A Spark that stays between dbt commands, on this machine, for one profile's target.

A process of its own keeps the session of the target open, with its settings, jars and metastore. It listens on
loopback, and asks for a token that only this user can read (``gateways``). Commands find it by a file in ``data_dir``.
While it runs it holds a lock, which the operating system releases however the process ends.
"""

import hashlib
import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import IO, TYPE_CHECKING

from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.deltawave.credentials import DeltawaveCredentials
from dbt.adapters.deltawave.locks import HAS_LOCKS, is_locked, locked
from dbt.adapters.deltawave.settings import is_remote, prepare, session_settings

if TYPE_CHECKING:
    from dbt.adapters.deltawave.gateways import Gateways

FILE, LOCK, LOG = "server.json", "server.lock", "server.log"
IDLE_MINUTES = 60
# A server that does not end within so many seconds is killed.
_PATIENCE_SECONDS = 60
# What a server needs to know of a profile.
_DESCRIBED = ("server_side_parameters", "data_dir", "class_archive")


@dataclass(frozen=True)
class Server:
    """A server that runs: its process, how it is reached, and digests of the settings that it was started with."""

    process: int
    port: int
    token: str = field(repr=False)
    digests: dict[str, str] = field(repr=False)

    def other_programs(self) -> list[str]:
        """Which of Python, pyspark and dbt-deltawave differ between this process and the server."""
        return sorted(key for key, digest in _digests({}).items() if digest != self.digests.get(key))

    def others(self, settings: Mapping[str, str]) -> list[str]:
        """The keys of ``settings`` that have another value at the server, or none."""
        return sorted({key for key, _ in _digests(settings).items() ^ self.digests.items()})


def running(data_dir: str | Path) -> Server | None:
    """The server whose tables are in ``data_dir``, None if none runs. Waits for one that is starting or ending."""
    while is_locked(Path(data_dir, LOCK)):
        with suppress(OSError, ValueError, TypeError):
            return Server(**json.loads(Path(data_dir, FILE).read_text()))
        time.sleep(0.1)
    return None


def start(credentials: DeltawaveCredentials, idle_minutes: float = IDLE_MINUTES) -> Server:
    """Start a server for ``credentials``; it ends when it was idle.

    Raises ``DbtRuntimeError`` where Spark does not start, where one runs, or where the profile names a server itself.
    """
    data_dir = Path(credentials.data_dir)
    if not HAS_LOCKS:
        raise DbtRuntimeError("A server needs file locks, which Windows does not have.")
    if not credentials.in_session or is_remote(credentials.server_side_parameters):
        raise DbtRuntimeError("The target of this profile names a server itself, so there is nothing to start.")
    credentials.refuse_cleaned()
    prepare(data_dir)
    log = data_dir / LOG
    with _private(log) as output:
        command = [sys.executable, "-m", __spec__.name]
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output, stderr=output, start_new_session=True)
    assert child.stdin
    with suppress(BrokenPipeError), child.stdin as stdin:
        # Not as arguments, which everybody can read.
        described = {name: getattr(credentials, name) for name in _DESCRIBED}
        stdin.write(json.dumps([described, idle_minutes]).encode())
    while (server := running(data_dir)) is None or server.process != child.pid:
        if child.poll() is not None:
            raise DbtRuntimeError(f"The server did not start. {log} says:\n{log.read_text(errors='replace').strip()}")
        time.sleep(0.1)
    # Python warns of a process that still runs.
    child.returncode = 0
    return server


def stop(data_dir: str | Path) -> Server | None:
    """Stop the server of ``data_dir``, with what it runs, and wait until it has ended; return what has ended."""
    if server := running(data_dir):
        deadline = time.monotonic() + _PATIENCE_SECONDS
        os.kill(server.process, signal.SIGTERM)
        while is_locked(Path(data_dir, LOCK)):
            if time.monotonic() > deadline:
                os.kill(server.process, signal.SIGKILL)
            time.sleep(0.1)
    return server


def serve(credentials: DeltawaveCredentials, idle_minutes: float) -> None:
    """Serve the session of ``credentials`` until SIGTERM, or until there was no client for ``idle_minutes``."""
    from dbt.adapters.deltawave.gateways import Gateways
    from dbt.adapters.deltawave.launch import start_session

    data_dir = Path(credentials.data_dir)
    file = data_dir / FILE
    settings = session_settings(credentials.server_side_parameters, data_dir)
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    with locked(data_dir / LOCK), ExitStack() as ends:
        # A server that was killed may have left its file.
        file.unlink(missing_ok=True)
        # Each task imports the project's own modules again: they may have been edited since the last command.
        session = start_session(settings | {"spark.python.worker.reuse": "false"}, credentials)
        ends.callback(session.stop)
        ends.callback(file.unlink, missing_ok=True)
        gateways = Gateways(session, token := secrets.token_urlsafe(32))
        server = Server(os.getpid(), gateways.port, token, _digests(settings))
        while _serve_until_idle(gateways, server, file, idle_minutes * 60, stopped):
            pass


def _serve_until_idle(
    gateways: "Gateways", server: Server, file: Path, idle_seconds: float, stopped: threading.Event
) -> bool:
    """Publish the server until it is idle or stopped; return whether a command came at the last moment."""
    with _private(file.with_suffix(".new")) as written:
        written.write(json.dumps(asdict(server)).encode())
    file.with_suffix(".new").replace(file)
    last = time.monotonic()
    while time.monotonic() - last < idle_seconds:
        if stopped.wait(1) or gateways.have_ended:
            return False
        last = time.monotonic() if gateways.are_used else last
    # Commands that look from now on wait until it has ended; one that has just read the file connects within 2 seconds.
    file.unlink()
    return not stopped.wait(2) and gateways.are_used


def _digests(settings: Mapping[str, str]) -> dict[str, str]:
    """Digests of settings, which may hold passwords, and of the programs that run."""
    programs = {"Python": sys.executable, "pyspark": version("pyspark"), "dbt-deltawave": version("dbt-deltawave")}
    return {key: hashlib.sha256(value.encode()).hexdigest() for key, value in {**settings, **programs}.items()}


def _private(file: Path) -> IO[bytes]:
    """Open a new file that only this user can read."""
    file.unlink(missing_ok=True)
    return os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def main() -> None:
    """Serve what stdin describes."""
    described, idle_minutes = json.load(sys.stdin)
    try:
        serve(DeltawaveCredentials(schema="default", **described), idle_minutes)
    except DbtRuntimeError as error:
        sys.exit(str(error.msg))


if __name__ == "__main__":
    main()
