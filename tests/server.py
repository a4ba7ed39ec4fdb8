"""What the servers that tests start have in common."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from typing_extensions import Self


class Server(ABC):
    """A context manager: starts a server on a free port, and ends it by its own process id.

    Without ``folder`` it lives in a temporary one, removed at the end. Raises ``RuntimeError`` with the server's output
    when it does not answer in time.
    """

    name: ClassVar[str]
    start_seconds: ClassVar[int] = 60
    end_signal: ClassVar[signal.Signals] = signal.SIGTERM

    def __init__(self, folder: Path | None = None) -> None:
        self._is_temporary = folder is None
        self._process: subprocess.Popen[bytes] | None = None
        if folder is not None:
            self.folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])

    def __enter__(self) -> Self:
        if self._is_temporary:
            # Not in pytest's folder, which only its owner may enter: PostgreSQL runs as another user than root.
            self.folder = Path(tempfile.mkdtemp(prefix=f"deltawave_{self.name.lower()}_"))
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            self._prepare()
            self.start()
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        self._remove()

    def start(self) -> None:
        """Start the server and wait until it answers."""
        output = self.folder / "log"
        with output.open("a") as log:
            self._process = subprocess.Popen(
                self._command(), cwd=self.folder, env=self._environment(), stdout=log, stderr=log, **self._account()
            )
        deadline = time.monotonic() + self.start_seconds
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self._process.kill()
                self._process.wait()
                raise RuntimeError(f"{self.name} did not start:\n{output.read_text()[-4000:]}")
            time.sleep(0.1)

    def stop(self) -> None:
        """End the server, if it runs; its connections break."""
        if self._process is not None:
            self._process.send_signal(self.end_signal)
            self._process.wait(timeout=30)

    @abstractmethod
    def _prepare(self) -> None:
        """Put what the server needs into the folder."""

    @abstractmethod
    def _command(self) -> list[str]:
        """The command that serves until it is ended."""

    def _answers(self) -> bool:
        """Whether the server can be used."""
        with socket.socket() as probe:
            probe.settimeout(1)
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def _environment(self) -> dict[str, str]:
        return dict(os.environ)

    def _account(self) -> dict[str, Any]:
        """The account that it runs under, as arguments of ``subprocess``."""
        return {}

    def _remove(self) -> None:
        if self._is_temporary:
            shutil.rmtree(self.folder, ignore_errors=True)


class DatabaseServer(Server):
    """A server that JDBC reads. Every connection needs the password."""

    scheme: ClassVar[str]
    user: ClassVar[str] = "reader"
    database: ClassVar[str]

    def __init__(self) -> None:
        super().__init__()
        self.password = secrets.token_hex(12)

    @property
    def url(self) -> str:
        """The address for JDBC."""
        return f"jdbc:{self.scheme}://127.0.0.1:{self.port}/{self.database}"

    @property
    def remote(self) -> dict[str, str]:
        """The server as an entry of a profile's ``remotes``."""
        return {"url": self.url, "user": self.user, "password": self.password}

    @abstractmethod
    def sql(self, text: str) -> list[list[str]]:
        """Run statements; the rows that they give, as text."""

    def _answers(self) -> bool:
        try:
            return self.sql("select 1") == [["1"]]
        except RuntimeError:
            return False

    def _program(self, name: str) -> str:
        return str(self.folder / "server" / "bin" / name)

    def _run(self, command: list[str], text: str = "", **account: Any) -> str:
        done = subprocess.run(
            command,
            input=text,
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=self._environment(),
            check=False,
            **account,
        )
        if done.returncode:
            raise RuntimeError(f"{Path(command[0]).name} failed:\n{done.stderr[-4000:]}{done.stdout[-4000:]}")
        return done.stdout
