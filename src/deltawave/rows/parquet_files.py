"""Parquet files that Spark names: opened, and examined by their footers, with pyarrow."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, unquote

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq

from deltawave.rows.batches import BATCH_BYTES, decoded_bytes, step_rows

_BUFFER_BYTES = 1 << 16
# Rows that are decoded to see how wide they are.
_SAMPLED_ROWS = 100

_TEXT = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
_BINARY = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view, pa.types.is_fixed_size_binary)


class NotInPlaceError(Exception):
    """Files cannot be read in place; the text is the reason."""


class ChangedFileError(Exception):
    """A file was changed while snapshots were compared; the text names it."""


def has_rows(path: str) -> bool:
    """Whether Spark reads rows from this file: it skips summaries and hidden files."""
    name = unquote(path).rsplit("/", 1)[-1]
    return not (name.startswith(".") or (name.startswith("_") and "=" not in name))


def check_folders(paths: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse columns whose values come from folder names: files may have them, too, and Spark takes the folder's."""
    names = {name.lower() for name in columns}
    for folder in {segment for path in paths for segment in path.split("/")[:-1]}:
        name = unquote(folder.partition("=")[0]).lower()
        if "=" in folder and name in names:
            raise NotInPlaceError(f"the folders {folder.partition('=')[0]}=... are partitions")


def examined(path: str, wanted: Mapping[str, pa.DataType], ids: Mapping[str, int]) -> dict[str, Any]:
    """Facts in a file's footer. Raises ``NotInPlaceError`` if it cannot be read in place."""
    try:
        size, modified_ns = state_of(path)
        file = open_file(path)
        footer, fields = file.metadata, file.schema_arrow
        names = [name.lower() for name in fields.names]
        repeated = [name for name in wanted if names.count(name) > 1]
        # Spark refuses most other types, which pyarrow would convert.
        others = (
            each
            for name, each in zip(names, fields, strict=True)
            if name in wanted and not _is_of_type(each.type, wanted[name])
        )
        if _has_other_calendar(footer.metadata or {}):
            problem = "counts dates by an old calendar"
        elif repeated:
            problem = f"has several columns {', '.join(repeated)}"
        elif ids and not _is_numbered(fields, ids):
            problem = "has other numbers or names of columns than the table"
        elif other := next(others, None):
            problem = f"holds {other.name} as {other.type}"
        else:
            rows = [footer.row_group(number).num_rows for number in range(footer.num_row_groups)]
            row_bytes = _row_bytes(file, [name for name in fields.names if name.lower() in wanted])
            return {"size": size, "modified_ns": modified_ns, "rows": rows, "names": names, "row_bytes": row_bytes}
    except NotInPlaceError:
        raise
    except Exception as error:
        raise NotInPlaceError(f"{path}: {error}") from error
    raise NotInPlaceError(f"{path} {problem}")


def _is_numbered(fields: pa.Schema, ids: Mapping[str, int]) -> bool:
    """Whether a file's columns have these numbers, by names; of columns that it lacks, the numbers are missing, too."""
    found = {each.name.lower(): int((each.metadata or {}).get(b"PARQUET:field_id", -1)) for each in fields}
    others = set(found.values())
    return -1 not in others and all(
        found[name] == at if name in found else at not in others for name, at in ids.items()
    )


def _is_of_type(stored: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether a file has the type that Spark reads: units of timestamps, sizes of offsets and nested names aside."""
    types = pa.types
    if types.is_dictionary(stored):
        return _is_of_type(stored.value_type, wanted)
    if types.is_string(wanted):
        return any(is_kind(stored) for is_kind in _TEXT)
    if types.is_binary(wanted):
        return any(is_kind(stored) for is_kind in _BINARY)
    if types.is_timestamp(stored) and types.is_timestamp(wanted):
        return bool((stored.tz is None) == (wanted.tz is None) or (stored.unit == wanted.unit == "us"))
    if types.is_map(stored) and types.is_map(wanted):
        return _is_of_type(stored.key_type, wanted.key_type) and _is_of_type(stored.item_type, wanted.item_type)
    if types.is_list(wanted) and (types.is_list(stored) or types.is_large_list(stored)):
        return _is_of_type(stored.value_type, wanted.value_type)
    return bool(stored.equals(wanted))


def names_read(names: list[str]) -> list[str] | None:
    """The columns that pyarrow is to read; None, for all, if it would take a dot in a name for a field of a struct."""
    return None if any("." in name for name in names) else names


def _row_bytes(file: pq.ParquetFile, names: list[str]) -> int:
    """About how many bytes a row of these columns takes, by the footer, and by the first rows if their texts repeat."""
    groups = [file.metadata.row_group(number) for number in range(file.num_row_groups)]
    if not groups:
        return 1
    rows = min(_SAMPLED_ROWS, step_rows(groups[0], names, BATCH_BYTES))
    first = next(file.iter_batches(rows, row_groups=[0], columns=names_read(names)), None)
    mean = sum(decoded_bytes(group, names) for group in groups) // max(1, int(file.metadata.num_rows))
    return 1 + max(mean, int(first.nbytes) // max(1, int(first.num_rows)) if first is not None else 0)


def check_calendar(uri: str) -> None:
    """Raises ``NotInPlaceError`` if a file counts dates by an old calendar, or its footer cannot be read."""
    try:
        footer = open_file(uri).metadata
    except (pa.ArrowException, OSError) as error:
        raise NotInPlaceError(f"{uri}: {error}") from error
    if _has_other_calendar(footer.metadata or {}):
        raise NotInPlaceError(f"{uri} counts dates by an old calendar")


def _has_other_calendar(metadata: dict[bytes, bytes]) -> bool:
    """Whether dates before 1582 and timestamps before 1900 are counted by the Julian calendar, as by Spark 2."""
    version = metadata.get(b"org.apache.spark.version", b"").decode()
    is_old = bool(version) and tuple(int(part) for part in version.split(".")[:2]) < (3, 1)
    return is_old or any(b"legacy" in key for key in metadata)


def located(uri: str) -> tuple[pyarrow.fs.FileSystem, str]:
    """The file system and the path in it of a file that Spark names.

    Raises ``NotInPlaceError`` for a file system that only Hadoop knows, such as ``s3a``.
    """
    try:
        # Spark leaves letters of other alphabets as they are.
        system, path = pyarrow.fs.FileSystem.from_uri(quote(uri, safe="%/:?#[]@!$&'()*+,;=~"))
    except pa.ArrowInvalid as error:
        raise NotInPlaceError(f"Python does not reach {uri}") from error
    return system, path


def state_of(uri: str) -> tuple[int, int | None]:
    """The size and the time of modification of a file."""
    system, path = located(uri)
    info = system.get_file_info(path)
    return info.size, info.mtime_ns


def is_local(uri: str) -> bool:
    return uri.startswith("file:")


def open_file(uri: str, read_dictionary: list[str] | None = None, is_mapped: bool = False) -> pq.ParquetFile:
    """A file that Spark names. ``read_dictionary``: columns of texts that stay in dictionaries.

    ``is_mapped``: it is read faster, but if it is cut off meanwhile, the process dies: for tasks, which Spark repeats.
    """
    system, path = located(uri)
    is_local = isinstance(system, pyarrow.fs.LocalFileSystem)
    return pq.ParquetFile(
        path,
        filesystem=None if is_local else system,
        memory_map=is_local and is_mapped,
        # Otherwise a few rows cost all columns of their row group.
        pre_buffer=not is_local,
        buffer_size=_BUFFER_BYTES if is_local else 0,
        read_dictionary=read_dictionary,
        # Nanoseconds cannot hold the year 9999.
        coerce_int96_timestamp_unit="us",
    )
