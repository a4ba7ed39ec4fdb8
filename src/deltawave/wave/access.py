"""Probes and scans of a wave index (WI 2.2): they read only constituents that have days in the range."""

import re
from datetime import datetime
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from deltawave.sql_text import quoted
from deltawave.wave.statements import entries
from deltawave.wave.tables import IS_FIRST, DayValues, WaveRecord, WaveSpec, in_order
from deltawave.wave.wave_table import marked


def index_probe(session: SparkSession, relation: str, value: Any) -> DataFrame:
    """The rows with a search value (IndexProbe), read as the search field's type; none for ``None``."""
    return timed_index_probe(session, relation, value, None, None)


def segment_scan(session: SparkSession, relation: str) -> DataFrame:
    """All rows (SegmentScan)."""
    return timed_segment_scan(session, relation, None, None)


def timed_index_probe(session: SparkSession, relation: str, value: Any, from_day: Any, to_day: Any) -> DataFrame:
    """The rows with a search value, of the days from ``from_day`` to ``to_day``, both included (TimedIndexProbe).

    ``None`` leaves a side open. One bucket of each constituent is read, where the files' statistics let it be. The
    frame names tables and parts, some of which are dropped after two more transitions of the wave index: then it fails.
    Raises ``ValueError`` if an end is no value of the day column.
    """
    rows, spec = _entries(session, relation, from_day, to_day)
    return rows.where(_found(value, spec)).select(*_columns(spec))


def timed_segment_scan(session: SparkSession, relation: str, from_day: Any, to_day: Any) -> DataFrame:
    """The rows of the days from ``from_day`` to ``to_day``, both included (TimedSegmentScan).

    The frame is valid as long as that of :func:`timed_index_probe`.
    """
    rows, spec = _entries(session, relation, from_day, to_day)
    return (rows.where(F.col(IS_FIRST)) if spec.is_multiple else rows).select(*_columns(spec))


def _entries(session: SparkSession, relation: str, from_day: Any, to_day: Any) -> tuple[DataFrame, WaveSpec]:
    record = WaveRecord.from_json(marked(session, relation)["wave"])
    selects = entries(record, days_between(record, from_day, to_day), checks_parts=True)
    # Without a constituent, the first one has the columns of an entry.
    empty = f"select * from {record.constituents[0].name} limit 0"
    return session.sql("\nunion all\n".join(selects or [empty])), record.spec


def _columns(spec: WaveSpec) -> list[Column]:
    return [F.col(quoted(name)) for name, _ in spec.columns]


def days_between(record: WaveRecord, from_day: Any, to_day: Any) -> frozenset[int]:
    """The numbers of the days in a range, as far as readers see them."""
    spec = record.spec
    low = _end(spec, "from_day", from_day)
    high = _end(spec, "to_day", to_day)
    return frozenset(
        number
        for number, day in record.days.items()
        if number >= record.first_shown
        and (low is None or in_order(spec, day.value) >= low)
        and (high is None or in_order(spec, day.value) <= high)
    )


def _end(spec: WaveSpec, option: str, value: Any) -> Any:
    """An end of a range, as a value in the order of days."""
    if value is None:
        return None
    if spec.day_type == "string":
        kind, is_one = "a text", isinstance(value, str)
    elif spec.day_type == "date":
        kind, is_one = "a date like 2026-01-31", DayValues("date").as_date(str(value)) is not None
    else:
        kind, is_one = "a whole number", re.fullmatch("-?[0-9]+", str(value)) is not None
    if not is_one:
        raise ValueError(f"{option} {value!r}: take {kind}, as in day_column {spec.day_column!r}.")
    return in_order(spec, str(value))


def _found(value: Any, spec: WaveSpec) -> Column:
    column, kind = next((name, kind) for name, kind in spec.entry_columns if name.lower() == spec.bucketed_by.lower())
    # Cast from text, as the macros do: 3.7 is no whole number. But for a time, the text would not say which of two
    # equal hours it is when the clock is set back.
    is_time = isinstance(value, datetime) and kind == "timestamp"
    wanted = F.lit(value) if is_time else F.lit(value).cast("string").cast(kind)
    is_equal = F.col(quoted(column)) == wanted
    if kind not in ("float", "double"):
        return is_equal
    # Parquet's dictionaries distinguish the two zeros, SQL does not.
    return F.when(wanted == 0, F.col(quoted(column)).between(-0.0, 0.0)).otherwise(is_equal)
