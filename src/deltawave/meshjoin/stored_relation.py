"""A relation stored for mesh joins: files of pages that tasks read one after the other (R of MJ08 2).

For equal keys it is split by a hash of the key, so that each task joins its share; otherwise by rows.
"""

import errno
import fcntl
import json
import logging
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import md5
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from uuid import uuid4

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from deltawave.comparable import comparable
from deltawave.meshjoin.batches import by_part, map_in_arrow
from deltawave.meshjoin.relation import VERSION, PageFile, write_pages
from deltawave.rows.batches import Batches
from deltawave.rows.hashing import row_hashes
from deltawave.rows.in_place import computed, nullable_schema, parallelism
from deltawave.rows.parquet_files import state_of as file_state
from deltawave.rows.plain_scans import is_plain_scan
from deltawave.source_state import plan_state, refresh
from deltawave.spark_versions import ClassicFrame, repartition_by_id
from deltawave.sql_text import quoted, unused_prefix


def alongside_tables(session: SparkSession, kind: str, name: str) -> str:
    """A folder for something of this kind and name, next to the session's warehouse: a path or a URI.

    Its name contains the warehouse's name, as there may be other warehouses next to it.
    """
    warehouse = (session.conf.get("spark.sql.warehouse.dir") or "").rstrip("/")
    # There is no folder next to the root of a file system or a bucket.
    alongside = f"{warehouse}_{kind}" if urlsplit(warehouse).path.strip("/") else f"{warehouse}/_{kind}"
    return f"{alongside}/{name.replace('`', '')}"


def pages_alongside_tables(session: SparkSession, name: str) -> Path | None:
    """The folder of a stored relation of this name next to the session's tables; none if tasks can't open it."""
    place = urlsplit(alongside_tables(session, "mesh_join", name))
    return Path(unquote(place.path)) if place.scheme in ("", "file") else None


_LOG = logging.getLogger(__name__)

_MANIFEST = "relation.json"
_LOCK = "relation.lock"
# What a file system without locks answers.
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
# The folder of a state's files: entries with other names in the relation's folder are not deltawave's.
_STATE = "pages-{}"
_STATES = re.compile(r"pages-[0-9a-f]{32}")
# The seed of row hashes in ``_hashed``; deltawave.differencing.signatures and relation.py have others.
_SEED = 5
# A relation that changes while it is stored is stored again, up to this many times in all; then it is refused.
_ATTEMPTS = 3
# The scheme and the path of a URI; for a path, the path alone.
_PLACE = re.compile(r"(?:([A-Za-z][A-Za-z0-9+.-]+):(?://[^/]*)?(?=/))?(.*)", re.DOTALL)


@dataclass(frozen=True)
class StoredRelation:
    """The files of a relation.

    - ``files``: the file of each part that has rows
    - ``key``: the columns by whose hash it is split; none if it is split by rows
    - ``state``: identifies the relation's content and how it was stored; it changes when the relation does
    """

    folder: Path
    files: Mapping[int, str]
    parts: int
    key: tuple[str, ...]
    schema: StructType
    state: str

    @classmethod
    def of(
        cls,
        relation: DataFrame,
        folder: str | Path,
        *,
        key: str | Sequence[str] = (),
        parts: int | None = None,
        page_bytes: int = 1 << 18,
    ) -> "StoredRelation":
        """Store a relation in ``folder``, which all machines reach, unless its current state is stored there already.

        - ``key``: columns that a join compares for equality; without them the relation is split by rows
        - ``parts``: how many tasks join; by default as many as Spark runs at a time when the relation is stored
        - ``page_bytes``: size of a page (v_P)

        A state stays until two newer ones are stored, so that joins can finish with it. If several calls
        run at a time, one stores the relation, and the others wait for it. Other files in the folder stay. Raises
        ``ValueError`` for a key that is no column, and a folder that is not opened by its path, such as one of HDFS;
        ``RuntimeError`` if the relation changes each time it is stored.
        """
        names = (key,) if isinstance(key, str) else tuple(key)
        if missing := [name for name in names if name not in relation.columns]:
            raise ValueError(f"The relation has no column {missing[0]}; it has {', '.join(relation.columns)}.")
        folder = local_folder(folder)
        refresh(relation)
        state = state_of(relation)

        def wanted(count: int) -> str:
            return json.dumps([state, relation.schema.json(), names, count, page_bytes, VERSION])

        def current() -> "StoredRelation | None":
            found = cls.opened(folder)
            return found if found is not None and found._is(wanted(parts or found.parts)) else None

        # A process that only reads needs neither a lock nor permission to write.
        if (found := current()) is not None:
            return found
        folder.mkdir(parents=True, exist_ok=True)
        with _locked(folder):
            if (found := current()) is not None:
                return found
            previous = cls.opened(folder)
            count = parts or parallelism(relation.sparkSession)
            version = folder / _STATE.format(uuid4().hex)
            try:
                files, state = _written_at_rest(relation, version, names, count, page_bytes, state)
                stored = cls(folder, files, count, names, relation.schema, wanted(count))
                stored._publish()
            except BaseException:
                shutil.rmtree(version, ignore_errors=True)
                raise
            # A join that has begun with the previous files continues with them.
            used = {version, *(Path(path).parent for path in (previous.files.values() if previous else ()))}
            for other in folder.iterdir():
                if _STATES.fullmatch(other.name) and other not in used:
                    shutil.rmtree(other, ignore_errors=True)
                elif other.name.startswith(f"{_MANIFEST}."):
                    other.unlink()
            return stored

    @classmethod
    def alongside_tables(
        cls,
        relation: DataFrame,
        name: str,
        *,
        key: str | Sequence[str] = (),
        parts: int | None = None,
        page_bytes: int = 1 << 18,
    ) -> "StoredRelation":
        """Store a relation as ``of`` does, in a folder of this name next to the session's tables.

        Raises ``ValueError`` if the tables are on a file system that this machine reads only through Hadoop.
        """
        if (folder := pages_alongside_tables(relation.sparkSession, name)) is None:
            place = alongside_tables(relation.sparkSession, "mesh_join", name)
            raise ValueError(f"Tasks can't open pages in {place}: call `of` with a folder that they open by its path.")
        return cls.of(relation, folder, key=key, parts=parts, page_bytes=page_bytes)

    @classmethod
    def opened(cls, folder: str | Path) -> "StoredRelation | None":
        """The relation that is stored in a folder; none if there is none."""
        folder = local_folder(folder)
        try:
            manifest = json.loads((folder / _MANIFEST).read_text())
        except FileNotFoundError:
            return None
        files = {int(part): str(folder / path) for part, path in manifest["files"].items()}
        schema = StructType.fromJson(manifest["schema"])
        return cls(folder, files, manifest["parts"], tuple(manifest["key"]), schema, manifest["state"])

    def _is(self, state: str) -> bool:
        """Whether this state is stored, and its files are complete."""
        if self.state != state:
            return False
        try:
            for path in self.files.values():
                PageFile(path).close()
        except (FileNotFoundError, ValueError):
            return False
        return True

    def _publish(self) -> None:
        manifest = {
            "files": {part: str(Path(path).relative_to(self.folder)) for part, path in self.files.items()},
            "parts": self.parts,
            "key": self.key,
            "schema": json.loads(self.schema.json()),
            "state": self.state,
        }
        partial = self.folder / f"{_MANIFEST}.{uuid4().hex}"
        partial.write_text(json.dumps(manifest))
        partial.replace(self.folder / _MANIFEST)


def local_folder(folder: str | Path) -> Path:
    """The path of a folder that may be named as ``file:/path``. Raises ``ValueError`` for other file systems."""
    if (path := local_path(folder)) is None:
        raise ValueError(
            f"Pages of a relation lie in a folder that all machines open by its path, not in {folder}: "
            "name another one, such as a mounted folder."
        )
    return path


def local_path(folder: str | Path) -> Path | None:
    """The path of a folder that is named by it or as ``file:/path``; none on other file systems."""
    scheme, path = _PLACE.fullmatch(str(folder)).groups()  # type: ignore[union-attr]
    return Path(path) if scheme in (None, "file") else None


def forget(folder: Path) -> None:
    """Delete what is stored in a folder; the next call of ``StoredRelation.of`` stores its relation again."""
    if folder.is_dir():
        with _locked(folder):
            for each in folder.iterdir():
                if each.name.startswith(_MANIFEST):
                    each.unlink()
            for each in folder.iterdir():
                if _STATES.fullmatch(each.name):
                    shutil.rmtree(each)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock the folder for one process or thread at a time. A lock ends with the process that holds it."""
    with (folder / _LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _LOG.warning("Waiting for another process that stores the relation: it has locked %s.", lock.name)
            fcntl.flock(lock, fcntl.LOCK_EX)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
        yield


def part_of(key: Sequence[str], parts: int) -> Column:
    return F.pmod(F.xxhash64(*(F.col(quoted(name)) for name in key)), F.lit(parts)).cast("int")


def _written_at_rest(
    relation: DataFrame, folder: Path, key: Sequence[str], parts: int, page_bytes: int, state: str
) -> tuple[dict[int, str], str]:
    """Write the files of one state of the relation: ``state`` or, if it changes meanwhile, a later one; return both."""
    for _ in range(_ATTEMPTS):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        files = _written(relation, folder, key, parts, page_bytes)
        refresh(relation)
        before, state = state, state_of(relation)
        if state == before or not is_repeatable(relation):
            return files, before
    raise RuntimeError(
        f"The relation changed {_ATTEMPTS} times while it was stored in {folder.parent}. If nobody writes to it so "
        "often, its values differ each time they are read, as those of current_timestamp() do: leave these out."
    )


def _written(relation: DataFrame, folder: Path, key: Sequence[str], parts: int, page_bytes: int) -> dict[int, str]:
    schema = nullable_schema(relation.schema)
    part = unused_prefix("part_", relation.columns)
    placed = part_of(key, parts) if key else F.pmod(F.monotonically_increasing_id(), F.lit(parts)).cast("int")

    def write(batches: Batches) -> Batches:
        for number, rows in by_part(batches):
            path = folder / f"{number}-{uuid4().hex}.pages"
            write_pages(path, rows, schema, key=key, page_bytes=page_bytes)
            yield pa.RecordBatch.from_arrays([pa.array([number], pa.int32()), pa.array([str(path)])], ["part", "path"])

    found = repartition_by_id(relation.withColumn(part, placed), parts, part)
    return {row.part: row.path for row in map_in_arrow(found, write, "part int, path string").collect()}


def state_of(relation: DataFrame) -> str:
    """Return what changes when the relation does.

    Of a select of tables: its plan, with table versions and lists of files; else the number and hashes of its rows.
    """
    known = plan_state(relation) if isinstance(relation, ClassicFrame) else _listed_files(relation)
    return known or _hashed(relation)


def _listed_files(relation: DataFrame) -> str | None:
    """A state through Spark Connect, from the list of files; None if the relation is not just all rows of them."""
    paths = sorted(relation.inputFiles()) if is_plain_scan(relation) else []
    if not paths:
        return None

    def look(number: int) -> tuple[int, int | None] | None:
        try:
            return file_state(paths[number])
        except Exception:
            # Its file system cannot be reached.
            return None

    # A task looks at the files, since tasks reach them. A missing one has no size.
    states = computed(relation.sparkSession, len(paths), look, tasks=1)
    if any(state is None or state[0] is None for state in states):
        return None
    state = [(path, *state) for path, state in zip(paths, states, strict=True)]
    return md5(json.dumps(state).encode(), usedforsecurity=False).hexdigest()


def is_repeatable(relation: DataFrame) -> bool:
    """Whether the relation's plan gives the same rows each time, as far as Spark knows."""
    if not isinstance(relation, ClassicFrame):
        return True
    plan: Any = relation._jdf.queryExecution().optimizedPlan()
    return bool(plan.deterministic())


def _hashed(relation: DataFrame) -> str:
    # Spark's own hash is the same for [null, 1] and [1, null], and for [1] and [1, null].
    def sums(batches: Batches) -> Batches:
        for batch in batches:
            hashes = row_hashes(batch.columns, _SEED, batch.num_rows)
            sums = np.array([np.add.reduce(hashes), np.bitwise_xor.reduce(hashes)], dtype=np.uint64).view(np.int64)
            cells = [pa.array([number], pa.int64()) for number in (batch.num_rows, *sums.tolist())]
            yield pa.RecordBatch.from_arrays(cells, ["rows", "total", "parity"])

    rows = total = parity = 0
    # Maps have no hash.
    values = relation.select(*(F.expr(comparable(field.name, field.dataType)) for field in relation.schema.fields))
    for each in map_in_arrow(values, sums, "rows bigint, total bigint, parity bigint").collect():
        rows, total, parity = rows + each.rows, (total + each.total) % (1 << 64), parity ^ each.parity
    return json.dumps([rows, total, parity])
