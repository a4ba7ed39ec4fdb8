"""Starts Spark in this process, the JVM quietly, with its embedded metastore; explains why a start failed."""

import atexit
import gc
import os
import re
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from subprocess import Popen
from typing import Any

import pyspark
from dbt.adapters.events.logging import AdapterLogger
from dbt_common.exceptions import DbtRuntimeError
from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession

from dbt.adapters.deltawave.credentials import DeltawaveCredentials
from dbt.adapters.deltawave.errors import first_hint, readable
from dbt.adapters.deltawave.locks import is_locked
from dbt.adapters.deltawave.settings import PYTHON, is_embedded, prepare
from deltawave import class_archive, jars
from deltawave.class_archive import JAVA_OPTIONS
from deltawave.environment import java_command
from deltawave.redaction import redact, secret_values
from deltawave.spark_errors import without_stack
from deltawave.spark_versions import SparkConf, SparkContext, java_gateway

logger = AdapterLogger("Spark")

_INSTALL = "Install Java 17 or 21 and let JAVA_HOME point at it."
_OLD_JAVA = re.compile(r"UnsupportedClassVersionError|Unrecognized option: --add-")
_NO_JAVA = re.compile(r"JAVA_HOME is not set|java: (?:No such file|(?:command )?not found)")
_TWO_COLLECTORS = re.compile(r"Multiple garbage collectors selected")
_NO_PACKAGE = re.compile(r"unresolved dependency|Failed to collect dependencies|download failed")
_HINTS = (
    (_OLD_JAVA, f"This Java is too old for Spark. {_INSTALL}"),
    (_NO_JAVA, f"No Java was found. {_INSTALL}"),
    (
        _TWO_COLLECTORS,
        f"Name the garbage collector in the profile's {JAVA_OPTIONS}, and not in spark-defaults.conf or elsewhere.",
    ),
    (_NO_PACKAGE, "A package of spark.jars.packages could not be fetched: check its name and the network."),
)
# The metastore opens, but not the folder of tables: it has a cause of Hadoop's, or of the library for S3.
_OF_FILES = re.compile(r"org\.apache\.hadoop\.fs\.|No FileSystem for scheme|\bs3a?://")
_NOISE = re.compile(r"^\s*$|^\s*::|^WARNING: |bad array subscript")


METASTORE = "metastore_db"
# Derby locks this file in the folder of a database that it has open.
LOCK_FILE = "dbex.lck"
# The JVM of a killed process needs a moment to notice.
PATIENCE_SECONDS = 5.0


class Transcript:
    """The JVM's output: stored while it starts, passed on to stderr afterwards.

    The JVM does not get this process's own stdout: a program that reads that would wait for the end of the JVM, too.
    """

    # ``finish`` writes this to mark the end of the output; no text contains its first character.
    _END = "\0end of output\0\n"

    def __init__(self, keep: int = 200) -> None:
        self._lines: deque[str] = deque(maxlen=keep)
        self._passing = False
        read, self._write = os.pipe()
        self._thread = threading.Thread(target=self._pump, args=(read,), daemon=True)
        self._thread.start()

    def _pump(self, read: int) -> None:
        with os.fdopen(read, encoding="utf-8", errors="replace") as stream:
            for line in stream:
                text = line.removesuffix(self._END)
                if self._passing:
                    # The reader of stderr may have ended; the JVM still has to be read, so that it never waits.
                    with suppress(OSError, ValueError):
                        print(text, end="", file=sys.stderr)
                else:
                    self._lines.append(text.rstrip())
                if text != line:
                    return

    def fileno(self) -> int:
        return self._write

    def pass_on(self) -> None:
        """From now on, write the output to stderr."""
        self._passing = True

    def finish(self) -> None:
        """Stop reading, as soon as everything that was written so far is stored or passed on."""
        os.write(self._write, self._END.encode())
        self._thread.join(timeout=2)
        os.close(self._write)

    def text(self) -> str:
        return "\n".join(self._lines)


def start_session(settings: dict[str, str], credentials: DeltawaveCredentials) -> SparkSession:
    """Start Spark in this process, with its catalog open; raises ``DbtRuntimeError``, see ``launch``."""
    if is_embedded(credentials.server_side_parameters):
        claim_metastore(credentials.data_dir)
    context = launch(settings, archives=credentials.class_archive)
    try:
        session = SparkSession.builder.config(map={**settings}).getOrCreate()
        # The metastore opens at the first use: better here than in the middle of a model.
        session.catalog.databaseExists("default")
    except Exception as error:
        context.stop()
        profile = credentials.server_side_parameters
        message = readable(error, secret_values(profile))
        if not is_embedded(profile) or "MetaStoreClient" not in message or _OF_FILES.search(message):
            raise DbtRuntimeError(f"Spark runs, but its catalog cannot be opened: {message}") from error
        raise DbtRuntimeError(f"{_metastore_in_use(credentials.data_dir)} Spark's message: {message}") from error
    return session


def claim_metastore(data_dir: str) -> None:
    """Prepare ``data_dir``; raise ``DbtRuntimeError`` when another process has its metastore open.

    Derby would report the same, but only after Spark has started and tried for half a minute.
    """
    prepare(Path(data_dir))
    deadline = time.monotonic() + PATIENCE_SECONDS
    while is_locked(Path(data_dir, METASTORE, LOCK_FILE)):
        if time.monotonic() > deadline:
            raise DbtRuntimeError(_metastore_in_use(data_dir))
        time.sleep(0.1)


def _metastore_in_use(data_dir: str) -> str:
    """Return the message for a metastore that another process has open."""
    return (
        f"The metastore in {Path(data_dir, METASTORE)} cannot be opened. Most likely another process (dbt, "
        "a notebook, spark-sql) has it open: an embedded metastore serves one process at a time. "
        "End that process, or give this one another data_dir in the profile, or run a metastore "
        "server and name it as spark.hadoop.hive.metastore.uris in server_side_parameters."
    )


def launch(settings: Mapping[str, str], *, archives: bool = True) -> SparkContext:
    """Start a JVM and a Spark context with ``settings``, from an archive of classes if there is one and ``archives``.

    Raises ``DbtRuntimeError`` with a remedy if no Java or a jar fits, a jar is missing, or Spark refuses a setting.
    """
    for jar in (found := jars.jars(settings, pyspark.__version__)):
        if not jar.certain:
            logger.warning(f"{jar.wrong}\n{jars.remedy(pyspark.__version__)}")
    if refused := [jar.wrong for jar in found if jar.wrong and jar.certain]:
        raise DbtRuntimeError("\n".join((*refused, jars.remedy(pyspark.__version__))))
    prepare_python(settings)
    conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
    secrets = secret_values(settings)
    archive = class_archive.find(java_command(os.environ), settings, os.environ) if archives else None
    if archive is not None:
        # The profile's own options come last, so they win.
        conf.set(JAVA_OPTIONS, f"{archive.options()} {settings.get(JAVA_OPTIONS, '')}".strip())
    transcript = Transcript()
    try:
        start: Any = java_gateway.launch_gateway
        gateway = start(conf, popen_kwargs={"stdout": transcript, "stderr": transcript})
    except (PySparkRuntimeError, OSError) as error:
        transcript.finish()
        raise DbtRuntimeError(_failure(transcript.text(), secrets)) from error
    if archive is not None:
        # Registered first, so it runs last: when the JVM ends.
        atexit.register(archive.make_later)
    atexit.register(end, gateway.proc, transcript)
    try:
        return SparkContext(gateway=gateway, conf=conf)
    except Exception as error:
        # The next attempt would reuse the gateway, with the settings of this one.
        gateway.shutdown()
        SparkContext._gateway = SparkContext._jvm = None
        message = readable(error, secrets)
        raise DbtRuntimeError(f"Spark's JVM runs, but Spark did not start: {message}") from error
    finally:
        transcript.pass_on()


def prepare_python(settings: Mapping[str, str]) -> None:
    """Choose the Python of Spark's tasks; let dbt's own Python collect garbage less often."""
    # PySpark looks for the executors' Python here, and otherwise uses any python3 of the PATH.
    os.environ["PYSPARK_PYTHON"] = settings.get(PYTHON) or os.environ.get("PYSPARK_PYTHON", sys.executable)
    if "dbt.cli.main" in sys.modules and 0 < gc.get_threshold()[0] < 20_000:
        # Parsing makes many objects that stay; by default Python searches all of them again and again.
        gc.set_threshold(20_000, 10, 20)


def leave_out_of_last_search() -> None:
    """Let Python search none of the objects of now for garbage when ``dbt`` ends, which takes long once it has parsed.

    To be called before a model loads DuckDB, which reports each object of its own that is never released. Other
    programs may need the search for all objects, for instance to write buffered files.
    """
    is_early = "duckdb" not in sys.modules and not gc.get_freeze_count()
    if Path(sys.argv[0]).stem == "dbt" and is_early:
        gc.freeze()


def end(jvm: Popen[bytes] | None, transcript: Transcript) -> None:
    """Let the JVM end while Python does, and pass on what it has written.

    ``jvm``: none under ``spark-submit``, whose JVM started Python.
    """
    if jvm is not None and jvm.stdin is not None:
        jvm.stdin.close()
    transcript.finish()


def _failure(transcript: str, secrets: list[str]) -> str:
    lines = [line for line in without_stack(transcript).splitlines() if not _NOISE.search(line)]
    hint = first_hint(_HINTS, transcript) or "Check JAVA_HOME and the server_side_parameters of the profile."
    tail = redact("\n".join(lines[-15:]), secrets) or "(nothing)"
    return f"Spark's JVM did not start. {hint}\nIts output:\n{tail}"
