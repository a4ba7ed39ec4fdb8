"""The embedded metastore's folder: whether another process has it open, and the message for that."""

from __future__ import annotations

import time
from pathlib import Path

from dbt_common.exceptions import DbtRuntimeError

try:
    import fcntl
except ImportError:  # Windows: Derby itself has to refuse there
    fcntl = None  # type: ignore[assignment]

FOLDER = "metastore_db"
# Derby locks this file in the folder of a database that it has open.
LOCK_FILE = "dbex.lck"
# The JVM of a killed process needs a moment to notice.
PATIENCE_SECONDS = 5.0


def claim(data_dir: str) -> None:
    """Prepare ``data_dir``; raise ``DbtRuntimeError`` when another process has its metastore open.

    Derby would report the same, but only after Spark has started and tried for half a minute.
    """
    if not Path(data_dir).exists():
        Path(data_dir).mkdir(parents=True, exist_ok=True)
        # By default it lies in a project's folder, and tables should not be committed.
        Path(data_dir, ".gitignore").write_text("*\n")
    deadline = time.monotonic() + PATIENCE_SECONDS
    while _is_open(Path(data_dir, FOLDER, LOCK_FILE)):
        if time.monotonic() > deadline:
            raise DbtRuntimeError(in_use(data_dir))
        time.sleep(0.1)


def in_use(data_dir: str) -> str:
    """Return the message for a metastore that another process has open."""
    return (
        f"The metastore in {Path(data_dir, FOLDER)} cannot be opened. Most likely another process (dbt, "
        "a notebook, spark-sql) has it open: an embedded metastore serves one process at a time. "
        "End that process, or give this one another data_dir in the profile, or run a metastore "
        "server and name it as spark.hadoop.hive.metastore.uris in server_side_parameters."
    )


def _is_open(lock_file: Path) -> bool:
    if fcntl is None or not lock_file.exists():
        return False
    with lock_file.open("r+b") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
        fcntl.lockf(file, fcntl.LOCK_UN)
    return False
