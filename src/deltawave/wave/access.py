"""Probes and scans of a wave index (WI 2.2): they read only constituents that have days in the range."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime
from functools import partial
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from deltawave.sql_text import quoted
from deltawave.wave.day_values import in_order
from deltawave.wave.statements import entries
from deltawave.wave.tables import IS_FIRST, WaveRecord, WaveSpec
from deltawave.wave.wave_table import marked

Condition = Callable[[WaveSpec], Column]
# What an end of a range can be, by the type of the day column; all others are whole numbers.
_ENDS = {
    "date": (r"[0-9]{4}-[0-9]{2}-[0-9]{2}", "a date like 2026-01-31"),
    "string": (r"(?s).*", "a text"),
}
_NUMBER = (r"-?[0-9]+", "a whole number")


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
    return _read(session, relation, from_day, to_day, partial(_found, value))


def timed_segment_scan(session: SparkSession, relation: str, from_day: Any, to_day: Any) -> DataFrame:
    """The rows of the days from ``from_day`` to ``to_day``, both included (TimedSegmentScan).

    The frame is valid as long as that of :func:`timed_index_probe`.
    """
    return _read(session, relation, from_day, to_day, _each_row)


def _read(session: SparkSession, relation: str, from_day: Any, to_day: Any, condition: Condition) -> DataFrame:
    record = WaveRecord.from_json(marked(session, relation)["wave"])
    days = days_between(record, from_day, to_day)
    columns = [F.col(quoted(name)) for name, _ in record.spec.columns]
    selects = entries(record, days, checks_parts=True)
    if not selects:
        return session.table(relation).where(F.lit(False)).select(*columns)
    return session.sql("\nunion all\n".join(selects)).where(condition(record.spec)).select(*columns)


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
    pattern, kind = _ENDS.get(spec.day_type, _NUMBER)
    is_another = spec.day_type == "string" and not isinstance(value, str)
    if is_another or not re.fullmatch(pattern, str(value)) or (spec.day_type == "date" and not _is_date(str(value))):
        raise ValueError(f"{option} {value!r}: take {kind}, as in day_column {spec.day_column!r}.")
    return in_order(spec, str(value))


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _each_row(spec: WaveSpec) -> Column:
    return F.col(IS_FIRST) if spec.is_multiple else F.lit(True)


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
