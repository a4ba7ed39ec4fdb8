"""An archive of the classes that Spark's driver loads (Java's Application Class-Data Sharing), kept between runs.

A JVM that maps its classes from an archive starts in half the time of one that reads and verifies them. The archive is
made once per Java, jars and JVM options, by a process in the background after a run. Java itself checks whether an
archive fits, and starts without it otherwise.
"""

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from deltawave.redaction import redact, secret_values

try:
    import fcntl
except ImportError:  # Windows, where no archive is made
    fcntl = None  # type: ignore[assignment]

SWITCH = "DELTAWAVE_CLASS_ARCHIVE"
JAVA_OPTIONS = "spark.driver.extraJavaOptions"
DEFAULT_JAVA_OPTIONS = "spark.driver.defaultJavaOptions"

# An archive takes 160 MB, and other jars or options need another one.
KEPT = 4
# An archive that does not fit is not worth a message.
_QUIET = "-Xlog:cds*=off -Xlog:class+path*=off"
_TRAINING_SECONDS = 900

# Settings and variables that decide which classes a driver loads, or how its heap is laid out.
_SETTINGS = re.compile(
    r"spark\.(?:jars|driver\.(?:memory|defaultJavaOptions|extraClassPath)|sql\.(?:extensions|catalog\.spark_catalog))"
    r"(?:\.|$)"
)
# Variables with options of Java.
OPTIONS_FROM_OUTSIDE = ("SPARK_SUBMIT_OPTS", "JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS")
_VARIABLES = (*OPTIONS_FROM_OUTSIDE, "SPARK_CONF_DIR", "SPARK_DRIVER_MEMORY", "SPARK_DIST_CLASSPATH")
_USERS_OWN = re.compile(r"-Xshare|-XX:\S*(?:Share|Archive|DumpLoadedClassList)")


@dataclass(frozen=True)
class ClassArchive:
    """The archive that a driver with ``settings`` starts from; ``file`` may not exist yet."""

    file: Path
    settings: dict[str, str]

    @property
    def failure(self) -> Path:
        """The file with the error of a failed attempt: no other attempt is made while it exists."""
        return self.file.with_suffix(".failed")

    @property
    def size(self) -> Path:
        """The file with the archive's size in bytes."""
        return self.file.with_suffix(".size")

    @property
    def exists(self) -> bool:
        """Whether the archive exists with the size that it was made with: a JVM that maps a truncated one crashes."""
        try:
            return self.file.stat().st_size == int(self.size.read_text())
        except (OSError, ValueError):
            return False

    def options(self) -> str:
        """JVM options that start from the archive, empty while it does not exist."""
        if not self.exists:
            return ""
        # The oldest are deleted when another one is made. A folder that cannot be written does not matter here.
        with suppress(OSError):
            os.utime(self.file)
        return f'"-XX:SharedArchiveFile={self.file}" -Xshare:auto {_QUIET}'

    def make_later(self) -> None:
        """Make the archive in a process of its own, unless it exists; returns at once."""
        if fcntl is None or self.exists or self.failure.exists() or not sys.executable:
            return
        quiet, command = subprocess.DEVNULL, [sys.executable, "-m", __spec__.name]
        with suppress(OSError):
            maker = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, cwd=self.file.anchor, start_new_session=True
            )
            # Python warns of a process that still runs.
            maker.returncode = 0
            assert maker.stdin
            with maker.stdin as stdin:
                # Not as an argument, which everybody can read.
                stdin.write(json.dumps([str(self.file), self.settings]).encode())


def cache_folder(environ: Mapping[str, str]) -> Path:
    """The folder of the user's cache."""
    named = Path(environ.get("XDG_CACHE_HOME", ""))
    return (named if named.is_absolute() else Path("~/.cache").expanduser()) / "deltawave"


def is_wanted(environ: Mapping[str, str]) -> bool:
    return environ.get(SWITCH, "true").lower() not in ("false", "0", "no", "off")


def find(java: str, settings: Mapping[str, str], environ: Mapping[str, str]) -> ClassArchive | None:
    """The archive of a driver with ``settings`` on ``java``; None without Java or Spark, if it is switched off, or if
    the JVM options name an archive themselves."""
    options = _split(settings.get(DEFAULT_JAVA_OPTIONS, "")) + _split(settings.get(JAVA_OPTIONS, ""))
    outside = " ".join(environ.get(name, "") for name in OPTIONS_FROM_OUTSIDE)
    names_one = any(map(_USERS_OWN.match, options)) or _USERS_OWN.search(outside)
    program, jars = shutil.which(java), _jars(environ)
    if names_one or not is_wanted(environ) or program is None or jars is None:
        return None
    # System properties load no classes, and hold folders of the project.
    kept = {key: value for key, value in settings.items() if _SETTINGS.match(key)}
    kept[JAVA_OPTIONS] = shlex.join(option for option in options if not option.startswith("-D"))
    home = Path(program).resolve()
    try:
        spark = [(entry.name, entry.stat().st_size, entry.stat().st_mtime_ns) for entry in os.scandir(jars)]
        known = [str(home), home.stat().st_mtime_ns, str(jars), spark, kept]
    except OSError:
        return None
    variables = {name: environ[name] for name in _VARIABLES if environ.get(name)}
    key = hashlib.sha256(json.dumps([*known, variables], sort_keys=True).encode()).hexdigest()[:16]
    return ClassArchive(cache_folder(environ) / f"{key}.jsa", kept)


def make(archive: ClassArchive) -> None:
    """Make the archive, or write down why there is none, unless another process does. Raises ``OSError``."""
    archive.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with archive.file.with_suffix(".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        if archive.exists or archive.failure.exists():
            return
        with tempfile.TemporaryDirectory(prefix="making-", dir=archive.file.parent) as folder:
            _make(archive, Path(folder))
        _delete_old(archive.file.parent)


def _make(archive: ClassArchive, folder: Path) -> None:
    written = folder / "classes.jsa"
    command = [sys.executable, "-m", __spec__.name, str(folder), str(written)]
    try:
        run = subprocess.run(
            command,
            input=json.dumps(archive.settings),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=folder,
            text=True,
            errors="replace",
            timeout=_TRAINING_SECONDS,
            check=False,
        )
        wrong = "" if run.returncode == 0 and written.exists() else f"exit code {run.returncode}\n{run.stdout[-4000:]}"
    except subprocess.TimeoutExpired:
        wrong = f"not ready after {_TRAINING_SECONDS} seconds"
    if wrong:
        archive.failure.write_text(redact(wrong, secret_values(archive.settings)))
    else:
        archive.file.unlink(missing_ok=True)
        archive.size.write_text(str(written.stat().st_size))
        written.replace(archive.file)


def _delete_old(folder: Path) -> None:
    archives = sorted(folder.glob("*.jsa"), key=lambda file: file.stat().st_mtime, reverse=True)
    for file in archives[KEPT:]:
        for each in (file, file.with_suffix(".size"), file.with_suffix(".lock")):
            each.unlink(missing_ok=True)


def _split(options: str) -> list[str]:
    try:
        return shlex.split(options)
    except ValueError:
        return options.split()


def _jars(environ: Mapping[str, str]) -> Path | None:
    if home := environ.get("SPARK_HOME"):
        return Path(home, "jars")
    found = find_spec("pyspark")
    return Path(found.origin).parent / "jars" if found and found.origin else None


def train(folder: Path, archive: Path, settings: dict[str, str]) -> None:
    """Start a Spark that works in ``folder`` and writes the classes that it has loaded into an archive at its end."""
    from pyspark.sql import SparkSession

    catalog = settings.get("spark.sql.catalog.spark_catalog", "").lower()
    kind = next((name for name in ("delta", "iceberg") if name in catalog), "parquet")
    archiving = f'"-XX:ArchiveClassesAtExit={archive}" -Xlog:disable "-Dderby.system.home={folder}"'
    ours = {
        "spark.master": "local[2]",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        JAVA_OPTIONS: f"{archiving} -Dderby.stream.error.file={os.devnull} {settings.get(JAVA_OPTIONS, '')}",
    }
    spark = SparkSession.builder.enableHiveSupport().config(map={**settings, **ours}).getOrCreate()
    gateway: Any = spark.sparkContext._gateway
    copy = SparkSession(spark._sc, spark._jsparkSession.cloneSession())
    # The statements of dbt and of differential models, on a few rows.
    for statement in Path(__file__).with_suffix(".sql").read_text().rstrip(";\n").split(";\n"):
        copy.sql(statement.replace("{using}", f"using {kind}")).collect()
    spark.catalog.databaseExists("default")
    spark.stop()
    gateway.proc.stdin.close()
    gateway.proc.wait()


def main(arguments: list[str]) -> None:
    """Make the archive that stdin describes; with a folder and a file, train a Spark with the settings in stdin."""
    if arguments:
        train(Path(arguments[0]), Path(arguments[1]), json.load(sys.stdin))
        return
    os.nice(10)
    file, settings = json.load(sys.stdin)
    make(ClassArchive(Path(file), settings))


if __name__ == "__main__":
    main(sys.argv[1:])
