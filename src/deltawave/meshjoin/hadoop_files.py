"""The files of a folder on any file system of Hadoop that renames folders in one step."""

import re
from contextlib import closing
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from deltawave.spark_versions import Py4JJavaError

# Hadoop's names of file systems without folders: a renaming copies each file.
_OBJECT_STORES = frozenset(("s3", "s3a", "s3n", "gs", "oss", "obs", "cosn", "swift", "wasb", "wasbs"))


class HadoopFiles:
    """The file system that a folder is on. Paths are those of ``folder``, with something behind it or before its name.

    Raises ``ValueError`` for a folder whose name is a pattern to Hadoop, on an object store, and through Spark Connect.
    """

    def __init__(self, session: SparkSession, folder: str | Path) -> None:
        if not hasattr(session, "_jsparkSession"):
            raise ValueError(
                "A stream's results are not written through Spark Connect. Take a profile without spark.remote."
            )
        self._gateway: Any = session.sparkContext._gateway
        jvm: Any = session.sparkContext._jvm
        self._jvm, self._path = jvm, jvm.org.apache.hadoop.fs.Path
        self._configuration = session.sparkContext._jsc.hadoopConfiguration()
        place = self._path(str(folder).rstrip("/"))
        self._system = place.getFileSystem(self._configuration)
        if found := re.search(r"[][{}*?\\]", str(folder)):
            raise ValueError(
                f"{folder}: Hadoop takes a path with {found[0]} for a pattern of names. Choose another folder."
            )
        if self._system.getUri().getScheme() in _OBJECT_STORES:
            raise ValueError(
                f"{folder} is on an object store, which renames a folder file by file: a killed run would leave a part "
                "of a micro-batch, which would count as all of it. Choose a folder on a local disk or HDFS, or write "
                "into a Delta or Iceberg table, by foreachBatch and mesh_join."
            )
        # Python and Hadoop may resolve a relative path against different folders.
        self.folder = str(self._system.makeQualified(place).toString())

    def exists(self, path: str) -> bool:
        return bool(self._system.exists(self._path(path)))

    def found(self, pattern: str) -> list[str]:
        return [each.getPath().toString() for each in self._system.globStatus(self._path(pattern)) or ()]

    def delete(self, path: str) -> None:
        """Delete a file, or a folder with all that is in it, if it is there. Raises ``OSError``."""
        if not self._system.delete(self._path(path), True) and self.exists(path):
            raise OSError(f"{path} could not be deleted")

    def write(self, path: str, text: str) -> None:
        """Write a file, also over another one."""
        with closing(self._system.create(self._path(path), True)) as target:
            target.write(bytearray(text.encode()))

    def read(self, path: str) -> str | None:
        """The text of a file; none if there is none."""
        if not self.exists(path):
            return None
        with closing(self._system.open(self._path(path))) as source:
            return str(self._jvm.org.apache.commons.io.IOUtils.toString(source, "UTF-8"))

    def make_folder(self, path: str) -> None:
        self._system.mkdirs(self._path(path))

    def rename(self, source: str, target: str) -> None:
        """Rename in one step, not to a present name, as ``FileSystem.rename`` may. Raises ``OSError`` if that fails."""
        try:
            own, other = (Path(self._path(path).toUri().getPath()) for path in (source, target))
            if self._system.getUri().getScheme() == "file" and own.is_dir():
                # Hadoop would move it into a target that was created in between.
                own.rename(other)
                return
            hadoop = self._jvm.org.apache.hadoop.fs
            context = hadoop.FileContext.getFileContext(self._system.getUri(), self._configuration)
            no_options = self._gateway.new_array(hadoop.Options.Rename, 0)
            context.rename(self._path(source), self._path(target), no_options)
        except (OSError, Py4JJavaError) as error:
            raise OSError(f"{source} could not be renamed to {target}: {error}") from error

    def replace(self, source: str, target: str) -> None:
        """Rename a file over another one, in one step."""
        own, other = (Path(self._path(path).toUri().getPath()) for path in (source, target))
        if self._system.getUri().getScheme() == "file":
            # Without its checksum, which would be that of the other content, a file is read unchecked.
            other.with_name(f".{other.name}.crc").unlink(missing_ok=True)
            own.replace(other)
            return
        hadoop = self._jvm.org.apache.hadoop.fs
        context = hadoop.FileContext.getFileContext(self._system.getUri(), self._configuration)
        options = self._gateway.new_array(hadoop.Options.Rename, 1)
        options[0] = hadoop.Options.Rename.OVERWRITE
        context.rename(self._path(source), self._path(target), options)
