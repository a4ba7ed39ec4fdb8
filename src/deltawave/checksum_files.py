"""Files of checksums that come with the files of a dump: ``SHA256SUMS``, ``accounts.csv.sha256`` and the like."""

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from itertools import islice
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from deltawave.source_state import file_index, items, java_class, leaves_of
from deltawave.spark_versions import ClassicFrame

# How many hexadecimal digits a checksum has.
_DIGITS = {"MD5": 32, "SHA1": 40, "SHA256": 64, "SHA384": 96, "SHA512": 128}
_ALGORITHMS = {digits: algorithm for algorithm, digits in _DIGITS.items()}
# As sha256sum writes it, also with one blank or a tab; as BSD's tools and OpenSSL do; and a checksum alone.
_LINES = (
    re.compile(r"(?P<checksum>[0-9A-Fa-f]+)(?: [ *]|[ \t])(?P<name>.+)"),
    re.compile(r"(?P<algorithm>[\w-]+) ?\((?P<name>.+)\) ?= ?(?P<checksum>[0-9A-Fa-f]+)"),
    re.compile(r"(?P<checksum>[0-9A-Fa-f]+)"),
)
# A pattern may match a file of data, which is not read as a whole to find that out.
_MOST_BYTES = 16 * 2**20
_MOST_PROBLEMS = 3

# Length and time of modification: a file is taken as unchanged if these are.
State = tuple[int, int]


def problems(dump: DataFrame, tables: list[str], checksums: str, are_left_out: bool) -> list[str] | None:
    """Return how the files that ``dump`` reads differ from their checksums: the first problems, in words.

    It is none through Spark Connect, which shows neither plans nor files. The checksum files are in the folders of the
    data files. Spark's Java process reads each file once, with little memory, on any of Hadoop's file systems.

    ``tables``: those whose files have checksums, as ``schema.table`` in lower case. ``checksums``: the name of checksum
    files, in which ``*`` stands for any text. ``are_left_out``: whether the dump leaves such files out by itself.
    """
    if not isinstance(dump, ClassicFrame):
        return None
    found = (
        f"{place}{problem}"
        for place, folder, listed in _folders(dump, tables)
        for problem in folder_problems(folder, listed, checksums, are_left_out)
    )
    return list(islice(found, _MOST_PROBLEMS))


def folder_problems(folder: "Folder", listed: Mapping[str, State], checksums: str, are_left_out: bool) -> Iterator[str]:
    """Yield how a folder's files differ from their checksums, as texts that begin with a file's name.

    ``listed``: the files as Spark has listed them, and reads them: a file that has grown since, up to its length then.
    Each needs a checksum, and every file that has one must be there. As many files are read at a time as there are
    cores.
    """
    pattern = re.compile(".*".join(map(re.escape, checksums.split("*"))), re.DOTALL)
    sidecars = set(filter(pattern.fullmatch, folder.files))
    named: set[str] = set()
    found: list[str | Future[str | None]] = []
    for name in () if are_left_out else sorted(sidecars.intersection(listed)):
        found.append(f"{name} is a checksum file, and would be read as rows")
    readers = ThreadPoolExecutor(os.cpu_count())
    try:
        for sidecar in sorted(sidecars):
            try:
                expected = parsed(sidecar, folder.text(sidecar))
            except ValueError as error:
                found.append(f"{sidecar} can't be read as a checksum file: {error}")
                continue
            named.update(expected)
            for name, checksum in expected.items():
                if name not in folder.files:
                    found.append(f"{name}, which {sidecar} names, is missing")
                elif name not in sidecars and not _is_hidden(name) and listed.get(name) != folder.files[name]:
                    problem = "came or changed after the run had listed it, or the source does not read it"
                    found.append(f"{name} {problem}")
                # sha256sum * > SHA256SUMS also lists SHA256SUMS itself, with the checksum of an empty file.
                elif name != sidecar:
                    found.append(readers.submit(_mismatch, folder, name, sidecar, checksum))
        found += [f"{name} has no checksum in a file {checksums}" for name in sorted(set(listed) - named - sidecars)]
        yield from filter(None, (each.result() if isinstance(each, Future) else each for each in found))
    finally:
        readers.shutdown(cancel_futures=True)


def _mismatch(folder: "Folder", name: str, sidecar: str, checksum: str) -> str | None:
    algorithm = _ALGORITHMS[len(checksum)]
    found = folder.checksum(name, algorithm)
    return None if found == checksum else f"{name} has the {algorithm} {found}, and {sidecar} says {checksum}"


def parsed(name: str, text: str) -> dict[str, str]:
    """Return the checksum, in lower case, of each file that the checksum file ``name`` lists, without its folder.

    A line with a checksum alone is that of the file whose name, with a suffix, is ``name``. Raises ``ValueError`` for
    anything else than checksums, empty lines and comments.
    """
    found: dict[str, str] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        line = line.strip()
        if not line or line.startswith(("#", ";")):
            continue
        match = next(filter(None, (pattern.fullmatch(line) for pattern in _LINES)), None)
        fields: dict[str, str] = match.groupdict() if match else {}
        checksum = fields.get("checksum", "").lower()
        algorithm = _ALGORITHMS.get(len(checksum))
        listed = re.split(r"[/\\]", fields.get("name") or name.rpartition(".")[0])[-1]
        # Others write SHA-256 or SHA2-256.
        declared = fields.get("algorithm", algorithm or "").upper().replace("SHA2-", "SHA").replace("-", "")
        if not algorithm or not listed or declared != algorithm:
            raise ValueError(f"line {number} is no checksum of a file")
        if found.setdefault(listed, checksum) != checksum:
            raise ValueError(f"it has two checksums of {listed}")
    if not found:
        raise ValueError("it has no checksum")
    return found


class Folder:
    """A folder on any of Hadoop's file systems, with its ``files``; for a table over one file, the folder of that."""

    def __init__(self, session: SparkSession, path: Any) -> None:
        state: Any = session._jsparkSession.sessionState()
        self._session = session
        self._system = path.getFileSystem(state.newHadoopConf())
        folder = path if self._system.getFileStatus(path).isDirectory() else path.getParent()
        self._paths: dict[str, Any] = {}
        self.files: dict[str, State] = {}
        for status in self._system.listStatus(folder):
            if status.isFile():
                name = str(status.getPath().getName())
                self._paths[name], self.files[name] = status.getPath(), _state(status)

    def text(self, name: str) -> str:
        """The text of a checksum file. Raises ``ValueError`` if it is too long for one."""
        if self.files[name][0] > _MOST_BYTES:
            raise ValueError(f"it has {self.files[name][0]:,} bytes")
        with closing(self._system.open(self._paths[name])) as stream:
            return str(java_class(self._session, "org.apache.commons.io.IOUtils").toString(stream, "UTF-8"))

    def checksum(self, name: str, algorithm: str) -> str:
        """The checksum of a file, in lower case. ``algorithm``: one of MD5, SHA1, SHA256, SHA384 and SHA512."""
        digests = java_class(self._session, "org.apache.commons.codec.digest.DigestUtils")
        with closing(self._system.open(self._paths[name])) as stream:
            return str(getattr(digests, f"{algorithm.lower()}Hex")(stream))


def _folders(dump: ClassicFrame, tables: list[str]) -> Iterator[tuple[str, Folder, dict[str, State]]]:
    """Yield the folders that a dump reads of these tables: partition or place, folder, files in Spark's list."""
    roots: dict[str, Any] = {}
    listed: dict[str, dict[str, State]] = defaultdict(dict)
    for leaf in leaves_of(dump):
        index = file_index(leaf)
        if index is None or _table_of(leaf) not in tables:
            continue
        partitions = [each.path() for each in items(index.partitionSpec().partitions())]
        read = {_key(path): path for path in partitions or items(index.rootPaths())}
        for status in items(index.allFiles()):
            file = status.getPath()
            if not _is_hidden(name := str(file.getName())):
                # A table over a single file has that as its root.
                folder = file if _key(file) in read else file.getParent()
                if not partitions:
                    # With recursiveFileLookup deeper folders are read. Those of partitions are only listed.
                    read.setdefault(_key(folder), folder)
                listed[_key(folder)][name] = _state(status)
        roots |= read
    for key, path in sorted(roots.items()):
        above = next((f"{root}/" for root in roots if key.startswith(f"{root}/")), None)
        parts = [key.removeprefix(above)] if above else [part for part in key.split("/") if "=" in part]
        yield "".join(f"{part}/" for part in parts), Folder(dump.sparkSession, path), listed[key]


def _state(status: Any) -> State:
    return int(status.getLen()), int(status.getModificationTime())


def _key(path: Any) -> str:
    """A path without its file system, which a table's path may lack, but not those of its files."""
    return str(path.toUri().getPath()).rstrip("/")


def _table_of(leaf: Any) -> str | None:
    table = leaf.catalogTable()
    if not table.isDefined():
        return None
    identifier = table.get().identifier()
    return f"{identifier.database().get()}.{identifier.table()}".lower()


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or (name.startswith("_") and "=" not in name)
