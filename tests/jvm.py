"""Options of the JVMs that tests start."""

import time
from pathlib import Path

from deltawave.class_archive import JAVA_OPTIONS, ClassArchive, make

# A JVM that plans small statements spends half of its time on its second compiler, which pays for itself only
# after many minutes: 30 tests took 101 CPU seconds with it and 56 without. With one level of compilation the JVM
# reserves 48 MB for compiled code, which a whole dbt project fills; Spark does not survive that.
QUICK_JVM = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=512m -XX:+UseSerialGC"

# One process that runs for many minutes. Most objects of a small statement die young. Given its size from the
# beginning, the heap does not grow by full collections, a tenth of the JVM's time.
LONG_JVM = f"{QUICK_JVM} -Xms3g -Xmn1g -XX:MetaspaceSize=512m"


def archive_classes(folder: Path) -> str:
    """The JVM options that start from an archive of classes in ``folder``, made here or by another process."""
    archive = ClassArchive(folder / "classes.jsa", {JAVA_OPTIONS: QUICK_JVM})
    make(archive)
    while not archive.exists and not archive.failure.exists():
        # Another process makes it, or has been killed.
        time.sleep(0.2)
        make(archive)
    if not archive.exists:
        raise RuntimeError(f"no archive of classes was written:\n{archive.failure.read_text()}")
    return f"{QUICK_JVM} -XX:SharedArchiveFile={archive.file} -Xlog:disable -Xlog:all=error:stderr"
