"""The files that ``deltawave compare`` reads, and their columns in types that can be compared."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from deltawave.comparable import fields_of
from deltawave.differencing.contract import SIDES, Side
from deltawave.sql_text import quoted

_NAME = re.compile(r"\.(csv|jsonl?|ndjson|parquet)(\.(gz|bz2|zst|lz4|snappy|deflate))?$")
_PATTERN = re.compile(r"[{}\[\]*?\\]")
# What Spark passes over, unless it is a partition's folder, such as _day=1.
_HIDDEN = re.compile(r"\.|_[^=]*$")
# What Spark reads instead of bytes that are no text.
_REPLACEMENT = "\ufffd"
# By default Spark turns malformed rows into nulls, and takes columns of a header by their place.
_STRICT = {"mode": "FAILFAST", "enforceSchema": "false"}
_OPTIONS: dict[str, dict[str, str]] = {
    # Quotes are doubled in a quoted value, which may span lines.
    "csv": {**_STRICT, "header": "true", "escape": '"', "multiLine": "true"},
    "json": _STRICT,
    "parquet": {"mergeSchema": "true"},
    "delta": {},
}
# Numbers in text are exact, with as few decimals as they need, unless they have exponents or more digits. With 37 of
# the 38 digits that Spark has, a difference is exact, too.
_NUMBERS = (T.LongType(), T.DecimalType(37, 2), T.DecimalType(37, 6), T.DecimalType(37, 12), T.DoubleType())
# The other types that text is read as.
_READABLE = (T.NumericType, T.BooleanType, T.DateType, T.TimestampType, T.TimestampNTZType)


def kind_of(path: str, given: str | None = None) -> str:
    """The kind of a file or a folder: the ``given`` one, or else by its name or those of the folder's files.

    Raises ``ValueError`` where there is none, and for a path that Spark can't read.
    """
    place = Path(path)
    if not place.exists():
        raise ValueError(f"There is no file or folder {path}.")
    if _PATTERN.search(str(place.absolute())):
        raise ValueError(f"Spark takes the characters {{}}[]*?\\ in a path for a pattern: rename {path}.")
    if given == "delta" or (given is None and (place / "_delta_log").is_dir()):
        return "delta"
    parts = [file.relative_to(place).parts for file in place.rglob("*") if file.is_file()] or [(place.name,)]
    names = [names[-1] for names in parts if not any(map(_HIDDEN.match, names))]
    if parts and not names:
        what = f"what is in {path}" if place.is_dir() else path
        raise ValueError(f"Spark passes over files and folders whose names begin with _ or a dot: rename {what}.")
    if given is not None:
        return given
    kinds = {_kind_of_name(place.name)}
    if kinds == {None}:
        kinds = {_kind_of_name(name) for name in names}
    kind = kinds.pop() if len(kinds) == 1 else None
    if kind is None:
        known = ", ".join(_OPTIONS)
        raise ValueError(f"The name of {path} does not show one of {known}: give --old-format or --new-format.")
    return kind


def _kind_of_name(name: str) -> str | None:
    found = _NAME.search(name.lower())
    if found is None:
        return None
    return "json" if "json" in found[1] else found[1]


def read(session: SparkSession, path: str, kind: str, separator: str, encoding: str | None = None) -> DataFrame:
    """The rows of a file or a folder. Values of CSV are texts, empty ones are null.

    Raises ``ValueError`` for malformed JSON, and without an ``encoding`` for names of columns that are not UTF-8.
    Values of CSV that are not fail when they are read, with an error of Spark.
    """
    options = dict(_OPTIONS[kind])
    if kind == "csv":
        options["sep"] = separator
    if encoding and kind in ("csv", "json"):
        options["encoding"] = encoding
        if kind == "json":
            # Spark finds the ends of lines by itself in UTF-8 only.
            options["lineSep"] = "\n"
    try:
        rows = session.read.format(kind).options(**options).load(str(Path(path).absolute()))
    except (PySparkException, Py4JError) as error:
        # Of JSON Spark reads all lines to find the columns.
        if "MALFORMED_RECORD" not in str(error):
            raise
        expected = encoding or "UTF-8; another encoding has to be given as --encoding"
        raise ValueError(f"{path} is not lines of JSON in {expected}.") from error
    return rows if encoding or kind != "csv" else _decoded(rows, path)


def _decoded(rows: DataFrame, path: str) -> DataFrame:
    """The rows of a file. Reading one with a replacement character fails, as different texts would look equal."""

    def problem(name: str) -> str:
        where = f"{path} is not in UTF-8, or has U+FFFD, which replaces unknown characters, in the column {name}"
        return f"{where}: give its --encoding, for instance windows-1252, or utf-8 to compare it as it is."

    def checked(name: str) -> Column:
        text = F.col(quoted(name))
        return F.when(text.contains(_REPLACEMENT), F.raise_error(F.lit(problem(name)))).otherwise(text).alias(name)

    for name in rows.columns:
        if _REPLACEMENT in name:
            raise ValueError(problem(name))
    return rows.select(*map(checked, rows.columns))


def aligned(
    frames: Mapping[Side, DataFrame], names: Mapping[Side, str], is_measured: Callable[[str], bool]
) -> tuple[dict[Side, DataFrame], list[str]]:
    """Read columns of text as the other table's type where every value fits it; return notes about that.

    - ``names``: of the tables, in notes
    - ``is_measured``: whether a column, by its name in lower case, has a tolerance: text may then be numbers
    """
    fields = {side: fields_of(f"{side} table", frame) for side, frame in frames.items()}
    # For each column the sides that are text, with the types to try, in this order.
    wanted: list[tuple[str, list[Side], T.DataType]] = []
    for name in sorted(fields["old"].keys() & fields["new"].keys()):
        kinds = {side: fields[side][name].dataType for side in SIDES}
        texts = [side for side in SIDES if isinstance(kinds[side], T.StringType)]
        tried: list[T.DataType] = [kind for kind in kinds.values() if isinstance(kind, _READABLE)]
        if is_measured(name) and all(isinstance(kind, (T.StringType, T.NumericType)) for kind in kinds.values()):
            tried.extend(_NUMBERS)
        wanted.extend((name, texts, kind) for kind in tried if texts)
    fitting = {
        side: _fitting(frames[side], [(name, kind) for name, texts, kind in wanted if side in texts]) for side in SIDES
    }
    chosen: dict[str, tuple[list[Side], T.DataType]] = {}
    for name, texts, kind in wanted:
        if name not in chosen and all((name, kind) in fitting[side] for side in texts):
            chosen[name] = texts, kind
    found: dict[Side, DataFrame] = {}
    for side in SIDES:
        casts = {name: _filled(name).try_cast(kind) for name, (texts, kind) in chosen.items() if side in texts}
        columns = [casts.get(name.lower(), F.col(quoted(name))).alias(name) for name in frames[side].columns]
        found[side] = frames[side].select(*columns)
    return found, [
        f"{name}: text in {' and '.join(names[side] for side in texts)}, read as {kind.simpleString()}"
        for name, (texts, kind) in chosen.items()
    ]


def _filled(name: str) -> Column:
    """A column of text without blanks at its ends; null where nothing is left."""
    text = F.trim(F.col(quoted(name)))
    return F.when(text != "", text)


def _fitting(frame: DataFrame, wanted: Sequence[tuple[str, T.DataType]]) -> set[tuple[str, T.DataType]]:
    """The pairs of a column of text and a type that all its values fit."""
    if not wanted:
        return set()
    unreadable = (F.count_if(_filled(name).isNotNull() & ~_fits(_filled(name), kind)) for name, kind in wanted)
    (counts,) = frame.agg(*(count.alias(f"unreadable_{place}") for place, count in enumerate(unreadable))).collect()
    return {each for each, count in zip(wanted, counts, strict=True) if not count}


def _fits(text: Column, kind: T.DataType) -> Column:
    """Whether a text can be read as that type without being rounded or cut."""
    fits = text.try_cast(kind).isNotNull()
    if isinstance(kind, T.DecimalType):
        return fits & text.rlike(rf"^[+-]?\d*(\.\d{{0,{kind.scale}}}0*)?$")
    if isinstance(kind, T.DateType):
        return fits & text.rlike(r"^[\d+-]*$")
    if isinstance(kind, T.TimestampNTZType):
        # Spark ignores a time zone.
        return fits & text.rlike(r"^[\d+-]*([ T][\d:.]*)?$")
    return fits
