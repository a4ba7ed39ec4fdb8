"""The files that ``deltawave compare`` reads, and their columns in types that can be compared."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import (
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    NumericType,
    StringType,
    TimestampNTZType,
    TimestampType,
)

from deltawave.differencing.contract import SIDES, Side
from deltawave.differencing.described import fields_of
from deltawave.sql_text import MAX_DECIMAL_DIGITS, quoted

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
    (kind,) = kinds if len(kinds) == 1 else {None}
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
    # Spark reads some characters of a name as patterns.
    name = path if _URI.match(path) else re.sub(r"([{}\[\]*?\\])", r"\\\1", str(Path(path).absolute()))
    return session.read.format(kind).options(**options).load(name)


def aligned(
    frames: Mapping[Side, DataFrame], names: Mapping[Side, str], is_number: Callable[[str], bool]
) -> tuple[dict[Side, DataFrame], list[str]]:
    """Read columns of text as the other table's type where every value has such a form; return notes about that.

    - ``names``: of the tables, in notes
    - ``is_number``: whether a column that is text in both tables is wanted as a number, by its name in lower case
    """
    fields = {side: fields_of(f"{side} table", frame) for side, frame in frames.items()}
    wanted: dict[Side, dict[str, DataType]] = {"old": {}, "new": {}}
    for name in fields["old"].keys() & fields["new"].keys():
        kinds = {side: fields[side][name].dataType for side in SIDES}
        texts = [side for side in SIDES if isinstance(kinds[side], StringType)]
        others = [kind for kind in kinds.values() if _has_text_form(kind)]
        if len(texts) == 2 and is_number(name):
            others = [DoubleType()]
        for side in texts if others else ():
            wanted[side][name] = others[0]
    fits = {side: _fitting(frames[side], wanted[side]) for side in SIDES}
    found, notes = dict(frames), []
    for side in SIDES:
        # A number on one side only would be compared with text.
        chosen = {
            name: kind
            for name, kind in wanted[side].items()
            if all(name in fits[each] for each in SIDES if name in wanted[each])
        }
        casts = {
            field.name: _read_as(field.name, chosen[name]) for name, field in fields[side].items() if name in chosen
        }
        columns = [casts.get(name, F.col(quoted(name))).alias(name) for name in frames[side].columns]
        found[side] = frames[side].select(*columns)
        notes += [f"{name}: text in {names[side]}, read as {kind.simpleString()}" for name, kind in chosen.items()]
    return found, sorted(notes)


def _has_text_form(kind: DataType) -> bool:
    return isinstance(kind, (NumericType, BooleanType, DateType, TimestampType, TimestampNTZType))


def _read_as(name: str, kind: DataType) -> Column:
    """The values of a column of text as that type. An empty text is null: some files have quotes around all values."""
    return _filled(name).try_cast(kind)


def _filled(name: str) -> Column:
    text = F.trim(F.col(quoted(name)))
    return F.when(text != "", text)


def _fitting(frame: DataFrame, wanted: Mapping[str, DataType]) -> set[str]:
    """The columns whose values all keep their meaning in the wanted type."""
    if not wanted:
        return set()
    unfit = [F.count_if(_filled(name).isNotNull() & ~_fits(name, kind)) for name, kind in wanted.items()]
    (counts,) = frame.agg(*unfit).collect()
    return {name for name, count in zip(wanted, counts, strict=True) if not count}


def _fits(name: str, kind: DataType) -> Column:
    value = _read_as(name, kind)
    fits = value.isNotNull()
    if isinstance(kind, DecimalType):
        # A cast rounds: no digit may be lost.
        widest = DecimalType(MAX_DECIMAL_DIGITS, MAX_DECIMAL_DIGITS - (kind.precision - kind.scale))
        fits &= value.cast(widest).eqNullSafe(_read_as(name, widest))
    elif isinstance(kind, DateType):
        # Spark would leave out a time.
        fits &= F.length(_filled(name)) <= len("2026-01-31")
    return fits
