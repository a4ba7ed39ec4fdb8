"""The files behind what a user names: a file, a folder, a pattern or standard input, each file ready to be read."""

import bz2
import codecs
import glob
import gzip
import lzma
import re
import shutil
import sys
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

KINDS = ("csv", "json", "parquet", "delta")
STDIN = STDOUT = "-"

_KIND = re.compile(r"\.(csv|tsv|tab|txt|psv|jsonl?|ndjson|geojson|parquet|pq|parq)$")
_PACKED = re.compile(r"\.(gz|gzip|bz2|xz|zst|zip)$")
_OF_NAMES = {"tsv": "csv", "tab": "csv", "txt": "csv", "psv": "csv", "pq": "parquet", "parq": "parquet"}
# How packed files begin.
_BEGINNINGS = {
    "gz": b"\x1f\x8b",
    "gzip": b"\x1f\x8b",
    "bz2": b"BZh",
    "xz": b"\xfd7zXZ",
    "zst": b"\x28\xb5\x2f\xfd",
    "zip": b"PK",
}


def _opened_zstd(path: Path) -> Any:
    try:
        import pyarrow as pa
    except ImportError as error:
        raise ValueError(f"{path} is unpacked by pyarrow: install it, or unpack the file first.") from error
    return pa.CompressedInputStream(pa.OSFile(str(path)), "zstd")


# Not by DuckDB: it takes what is left of a cut or damaged file for the whole.
_OPENERS: dict[str, Callable[[Path], Any]] = {
    "gz": gzip.GzipFile,
    "gzip": gzip.GzipFile,
    "bz2": bz2.open,
    "xz": lzma.open,
    "zst": _opened_zstd,
}
_SPREADSHEET = re.compile(r"\.(xls[xmb]?|ods)$")
_HIDDEN = re.compile(r"\.|_[^=]*$")
_PARTITION = re.compile(r"([^=]+)=(.*)")
_URL = re.compile(r"(?i)[a-z][a-z0-9+.-]+://")
_HEAD = 1 << 18
_BOMS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}


@dataclass(frozen=True)
class File:
    """A file: what it is called in messages, where it can be read, its extension.

    ``partition``: columns that the names of its folders give
    """

    name: str
    path: Path
    extension: str
    partition: tuple[tuple[str, str], ...] = ()

    def head(self, size: int = _HEAD) -> bytes:
        """How it begins."""
        with self.path.open("rb") as opened:
            return opened.read(size)


@dataclass(frozen=True)
class Table:
    """The files of a table, and their kind, one of ``KINDS``; ``path`` of a Delta table."""

    name: str
    kind: str
    files: list[File] = field(default_factory=list)
    path: Path = Path()


def located(name: str, given: str | None, temporary: Path) -> Table:
    """Find the files of a table.

    - ``given``: their kind; by default it is that of their names, or of what they begin with
    - ``temporary``: a folder for unpacked files

    Raises ``ValueError`` where there are none, or of several kinds.
    """
    if _URL.match(name):
        # Users, passwords and queries may be secret.
        scheme, rest = name.split("://", 1)
        host = re.split(r"[/?#]", rest)[0].rpartition("@")[2]
        raise ValueError(f"{scheme}://{host} is a URL. Only files of this machine are compared: download it first.")
    place = Path(name)
    if name == STDIN:
        places = [_copied(sys.stdin.buffer, temporary / "stdin")]
        names = {places[0]: "standard input"}
    elif place.exists():
        if given == "delta" or (given is None and (place / "_delta_log").is_dir()):
            return Table(name, "delta", path=place)
        places, names = (_in_folder(place) if place.is_dir() else [place]), {}
    else:
        # A pattern of any folder, which pathlib does not take.
        matched = glob.glob(name, recursive=True)  # noqa: PTH207
        places = sorted(path for each in matched for path in _below(Path(each)))
        names = {}
        # The names of folders that the pattern chooses are values.
        while glob.has_magic(str(place)):
            place = place.parent
        if not places:
            is_pattern = any(each in name for each in "*?[")
            raise ValueError(f"There is no file or folder {'that matches ' if is_pattern else ''}{name}.")
    files = [
        _ready(each, names.get(each, str(each)), place, temporary / str(number)) for number, each in enumerate(places)
    ]
    if given is not None:
        return Table(name, given, files)
    kinds = {_kind(file) for file in files}
    if len(kinds) > 1:
        raise ValueError(
            f"{name} has files of several kinds: {', '.join(sorted(kinds))}. Name those of one, as in '{name}/*.csv'."
        )
    return Table(name, kinds.pop(), files)


def _below(place: Path) -> list[Path]:
    return _in_folder(place) if place.is_dir() else [place]


def _in_folder(folder: Path) -> list[Path]:
    """The files of a folder, without those whose names, or folders' names, begin with _ or a dot."""
    found = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    shown = [file for file in found if not any(map(_HIDDEN.match, file.relative_to(folder).parts))]
    if found and not shown:
        what = (
            f"All files in {folder}, or their folders, have names that begin with _ or a dot, and these are passed over"
        )
        raise ValueError(f"{what}: rename them, or name one file.")
    if not shown:
        raise ValueError(f"The folder {folder} has no files.")
    return shown


def _copied(source: IO[bytes], target: Path) -> Path:
    with target.open("wb") as opened:
        shutil.copyfileobj(source, opened)
    return target


def _ready(path: Path, name: str, root: Path, target: Path) -> File:
    """A file that can be read: a packed one is unpacked."""
    extension = path.name.lower()
    partition = _partition(path, root)
    if not path.is_file():
        # A pipe can be read once only.
        with path.open("rb") as opened:
            path = _copied(opened, target.with_name(f"{target.name}-pipe"))
    with path.open("rb") as opened:
        beginning = opened.read(8)
    if found := _PACKED.search(extension):
        kind = found[1]
        if not beginning.startswith(_BEGINNINGS[kind]):
            raise ValueError(f"{name} is no .{kind} file, whatever its name says: rename it if it is not packed.")
        extension = extension[: found.start()]
        if kind == "zip":
            path, extension = _unzipped(path, name, target)
        else:
            try:
                with _OPENERS[kind](path) as packed:
                    path = _copied(packed, target)
            except (EOFError, OSError, lzma.LZMAError, zlib.error) as error:
                raise ValueError(f"{name} can't be unpacked: {error}. Write it again, or unpack it first.") from error
    if _SPREADSHEET.search(extension):
        raise ValueError(f"{name} is a spreadsheet, such as those of Excel, which is not read: save its sheet as CSV.")
    kind_of_name = _KIND.search(extension)
    return File(name, path, kind_of_name[1] if kind_of_name else "", partition)


def _unzipped(path: Path, name: str, target: Path) -> tuple[Path, str]:
    try:
        with zipfile.ZipFile(path) as archive:
            inner = [
                each for each in archive.infolist() if not each.is_dir() and not each.filename.startswith("__MACOSX/")
            ]
            if len(inner) != 1:
                listed = ", ".join(each.filename for each in inner[:5]) or "none"
                raise ValueError(
                    f"{name} has to have one file in it, and has {len(inner)} ({listed}): unpack it first."
                )
            with archive.open(inner[0]) as packed:
                return _copied(packed, target), inner[0].filename.lower()
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as error:
        raise ValueError(f"{name} can't be unpacked: {error}. Unpack it first.") from error


def _partition(path: Path, root: Path) -> tuple[tuple[str, str], ...]:
    """The columns in the names of folders, as in day=1/part-0.parquet."""
    if path == root or root not in path.parents:
        return ()
    found = map(_PARTITION.fullmatch, path.relative_to(root).parts[:-1])
    return tuple((each[1], each[2]) for each in found if each)


def _kind(file: File) -> str:
    """The kind of a file, by its extension, or else by what it begins with. Raises ``ValueError`` if it has none."""
    if file.head(4) == b"PAR1":
        return "parquet"
    if file.extension:
        return "json" if "json" in file.extension else _OF_NAMES.get(file.extension, file.extension)
    head = file.head()
    if is_binary(head):
        known = ", ".join(KINDS)
        raise ValueError(f"{file.name} is none of {known}, by its name and by what it begins with.")
    text = head.lstrip(b"\xef\xbb\xbf").lstrip()
    return "json" if text[:1] in (b"{", b"[") else "csv"


def encoding_of(head: bytes) -> str | None:
    """The encoding that a byte order mark says."""
    return next((name for mark, name in _BOMS.items() if head.startswith(mark)), None)


def is_binary(head: bytes) -> bool:
    """Whether it is no text."""
    return b"\0" in head and encoding_of(head) != "utf-16"


def transcoded(file: File, encoding: str | None, target: Path) -> File:
    """A text file in UTF-8, without a byte order mark. Raises ``ValueError`` for bytes that are not of its encoding."""
    mark = encoding_of(file.head(4))
    encoding = encoding or mark or "utf-8"
    if codecs.lookup(encoding).name in ("utf-8", "utf-8-sig"):
        if mark != "utf-8-sig":
            return file
        with file.path.open("rb") as opened:
            opened.seek(len(codecs.BOM_UTF8))
            return replace(file, path=_copied(opened, target))
    try:
        with file.path.open("rb") as opened, target.open("w", encoding="utf-8", newline="") as written:
            reader = codecs.getreader(encoding)(opened)
            while text := reader.read(_HEAD):
                written.write(text)
    except UnicodeError as error:
        raise ValueError(f"{file.name} is not in the encoding {encoding}: {error}.") from error
    return replace(file, path=target)


def require_encoding(name: str) -> None:
    """Raise ``ValueError`` for an encoding that Python does not know."""
    try:
        # Codecs like rot13 make no text of bytes.
        "".encode(name)
    except LookupError as error:
        raise ValueError(
            f"There is no encoding {name} of texts: take a name that Python knows, such as windows-1252."
        ) from error
