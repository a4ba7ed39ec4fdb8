"""Options of the JVMs that tests start."""

from __future__ import annotations

from pathlib import Path

from deltawave.class_archive import JAVA_OPTIONS, ClassArchive, make

# One process that runs for many minutes: there the second compiler pays for itself. Most objects of a small statement
# die young. Given its size from the beginning, the heap does not grow by full collections, a tenth of the JVM's time.
LONG_JVM = "-XX:+UseSerialGC -Xms3g -Xmn1g -XX:MetaspaceSize=512m"

# Processes that are over soon. Full compilation and garbage collection on many threads would cost more than they gain.
# With one level of compilation the JVM reserves 48 MB for compiled code, which a whole dbt project fills; Spark does
# not survive that.
QUICK_JVM = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC"


def archive_classes(folder: Path) -> str:
    """The JVM options that start from an archive of classes in ``folder``, which is made here."""
    archive = ClassArchive(folder / "classes.jsa", {JAVA_OPTIONS: QUICK_JVM})
    make(archive)
    if not archive.exists:
        raise RuntimeError(f"no archive of classes was written:\n{archive.failure.read_text()}")
    return f"{QUICK_JVM} -XX:SharedArchiveFile={archive.file} -Xlog:disable -Xlog:all=error:stderr"
