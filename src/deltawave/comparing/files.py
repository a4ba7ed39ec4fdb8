"""The files that ``deltawave compare`` reads, and their columns in types that can be compared."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import (
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    LongType,
    NumericType,
    StringType,
    TimestampNTZType,
    TimestampType,
)

from deltawave.differencing.contract import SIDES, Side
from deltawave.differencing.described import fields_of
from deltawave.sql_text import quoted

KINDS = ("csv", "json", "parquet", "delta")
_SUFFIXES = {".csv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json", ".parquet": "parquet"}
_COMPRESSED = (".gz", ".bz2", ".zst", ".lz4", ".snappy", ".deflate")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
# By default Spark turns malformed rows into nulls, and takes columns of a header by their place.
_STRICT = {"mode": "FAILFAST", "enforceSchema": "false"}
_OPTIONS = {
    # Quotes are doubled in a quoted value, which may span lines.
    "csv": {**_STRICT, "header": "true", "escape": '"', "multiLine": "true"},
    "json": _STRICT,
    "parquet": {"mergeSchema": "true"},
    "delta": {},
}
# Numbers in text are exact, with as few decimals as they need, unless they have exponents or more digits. With 37 of
# the 38 digits that Spark has, a difference is exact, too.
_NUMBERS = (LongType(), DecimalType(37, 2), DecimalType(37, 6), DecimalType(37, 12), DoubleType())


def kind_of(path: str) -> str:
    """The kind of a file or a folder, by its name or those of the folder's files. Raises ``ValueError`` without one."""
    place = Path(path)
    if not _URI.match(path) and not place.exists():
        raise ValueError(f"There is no file or folder {path}.")
    if (place / "_delta_log").is_dir():
        return "delta"
    kinds = {_kind_of_name(place.name)}
    if kinds == {None} and place.is_dir():
        # Spark passes over files whose names begin so.
        files = (file for file in place.rglob("*") if file.is_file() and not file.name.startswith(("_", ".")))
        kinds = {_kind_of_name(file.name) for file in files}
    kind = kinds.pop() if len(kinds) == 1 else None
    if kind is None:
        known = ", ".join(KINDS)
        raise ValueError(f"The name of {path} does not show one of {known}: give --old-format or --new-format.")
    return kind


def _kind_of_name(name: str) -> str | None:
    place = Path(name.lower())
    return _SUFFIXES.get((place.with_suffix("") if place.suffix in _COMPRESSED else place).suffix)


def read(session: SparkSession, path: str, kind: str, separator: str) -> DataFrame:
    """The rows of a file or a folder. Values of CSV are texts; an empty one is null, and ``""`` an empty text."""
    if kind == "delta" and "delta" not in (session.conf.get("spark.sql.extensions", "") or ""):
        raise ValueError(f"{path} is a Delta table, which this Spark session has no extension for.")
    options = {**_OPTIONS[kind], **({"sep": separator} if kind == "csv" else {})}
    if _URI.match(path) or kind == "delta":
        return session.read.format(kind).options(**options).load(path)
    # Spark reads some characters of a file's name as patterns.
    name = re.sub(r"([{}\[\]*?\\])", r"\\\1", str(Path(path).absolute()))
    return session.read.format(kind).options(**options).load(name)


def aligned(
    frames: Mapping[Side, DataFrame], names: Mapping[Side, str], is_number: Callable[[str], bool]
) -> tuple[dict[Side, DataFrame], list[str]]:
    """Read columns of text as the other table's type where every value has such a form; return notes about that.

    - ``names``: of the tables, in notes
    - ``is_number``: whether a column that is text in both tables is wanted as a number, by its name in lower case
    """
    fields = {side: fields_of(f"{side} table", frame) for side, frame in frames.items()}
    wanted: dict[str, tuple[list[Side], Sequence[DataType]]] = {}
    for name in fields["old"].keys() & fields["new"].keys():
        kinds = {side: fields[side][name].dataType for side in SIDES}
        texts = [side for side in SIDES if isinstance(kinds[side], StringType)]
        others: Sequence[DataType] = [kind for kind in kinds.values() if _has_text_form(kind)]
        if len(texts) == len(SIDES) and is_number(name):
            others = _NUMBERS
        if texts and others:
            wanted[name] = texts, others
    fits = {
        side: _fitting(
            frames[side], [(name, kind) for name, (texts, kinds) in wanted.items() if side in texts for kind in kinds]
        )
        for side in SIDES
    }
    chosen: dict[str, tuple[list[Side], DataType]] = {}
    for name, (texts, others) in wanted.items():
        fitting = (kind for kind in others if all((name, kind) in fits[side] for side in texts))
        if kind := next(fitting, None):
            chosen[name] = texts, kind
    found = dict(frames)
    for side in SIDES:
        casts = {fields[side][name].name: _read_as(name, kind) for name, (on, kind) in chosen.items() if side in on}
        columns = [casts.get(name, F.col(quoted(name))).alias(name) for name in frames[side].columns]
        found[side] = frames[side].select(*columns)
    return found, sorted(
        f"{name}: text in {' and '.join(names[side] for side in texts)}, read as {kind.simpleString()}"
        for name, (texts, kind) in chosen.items()
    )


def _has_text_form(kind: DataType) -> bool:
    return isinstance(kind, (NumericType, BooleanType, DateType, TimestampType, TimestampNTZType))


def _read_as(name: str, kind: DataType) -> Column:
    """The values of a column of text as that type. An empty text is null: some files have quotes around all values."""
    return _filled(name).try_cast(kind)


def _filled(name: str) -> Column:
    text = F.trim(F.col(quoted(name)))
    return F.when(text != "", text)


def _fitting(frame: DataFrame, wanted: Sequence[tuple[str, DataType]]) -> set[tuple[str, DataType]]:
    """The columns of text, with a type that all their values have the form of."""
    if not wanted:
        return set()
    unfit = (F.count_if(_filled(name).isNotNull() & ~_fits(name, kind)) for name, kind in wanted)
    (counts,) = frame.agg(*(count.alias(f"unfit_{place}") for place, count in enumerate(unfit))).collect()
    return {each for each, count in zip(wanted, counts, strict=True) if not count}


def _fits(name: str, kind: DataType) -> Column:
    fits = _read_as(name, kind).isNotNull()
    if isinstance(kind, DecimalType):
        # A cast would round.
        fits &= _filled(name).rlike(rf"^[+-]?\d*(\.\d{{0,{kind.scale}}}0*)?$")
    elif isinstance(kind, DateType):
        # A cast would leave out a time.
        fits &= F.length(_filled(name)) <= len("2026-01-31")
    return fits
