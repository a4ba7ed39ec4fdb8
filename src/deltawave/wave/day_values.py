"""The values of a day column: which are dates, how far apart two are, and which ones come before."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from deltawave.wave.tables import WaveRecord, WaveSpec

_FORMS = {
    "date": re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})"),
    "yyyymmdd": re.compile(r"([1-9][0-9]{3})([0-9]{2})([0-9]{2})"),
}


@dataclass(frozen=True)
class DayValues:
    """How the values of a day column are read.

    ``kind``: ``date``; ``yyyymmdd``, whole numbers that read as dates; ``number``, other whole numbers; or ``text``.
    """

    kind: str

    @property
    def are_dates(self) -> bool:
        """Whether each value stands for a date."""
        return self.kind in _FORMS

    def as_date(self, value: str) -> date | None:
        """The date that a value stands for; None if it stands for none."""
        found = _FORMS[self.kind].fullmatch(value) if self.are_dates else None
        try:
            return date(*map(int, found.groups())) if found else None
        except ValueError:
            return None

    def distance(self, low: str, high: str) -> int:
        """How many days, or whole numbers, one value comes after another."""
        return self._ordinal(high) - self._ordinal(low)

    def before(self, value: str, most: int) -> list[str]:
        """The values of the days before one, in order: ``most``, or fewer where the calendar begins."""
        last = self._ordinal(value)
        if self.are_dates:
            first = date(1000, 1, 1) if self.kind == "yyyymmdd" else date.min
            most = min(most, last - first.toordinal())
        return [self._value(last - back) for back in range(most, 0, -1)]

    def after(self, value: str) -> str:
        """The value that follows another one."""
        # For texts, no printable value lies in between.
        return f"{value} " if self.kind == "text" else self._value(self._ordinal(value) + 1)

    def _ordinal(self, value: str) -> int:
        day = self.as_date(value)
        return day.toordinal() if day else int(value)

    def _value(self, ordinal: int) -> str:
        if not self.are_dates:
            return str(ordinal)
        text = str(date.fromordinal(ordinal))
        return text if self.kind == "date" else text.replace("-", "")


def day_values(spec: WaveSpec, values: Iterable[str]) -> DayValues:
    """How the values of a day column are read. Whole numbers are dates if most of ``values`` read as dates."""
    if spec.day_type in ("date", "string"):
        return DayValues("date" if spec.day_type == "date" else "text")
    dates = DayValues("yyyymmdd")
    found = [dates.as_date(value) is not None for value in values]
    return dates if sum(found) > len(found) / 2 else DayValues("number")


def values_of(record: WaveRecord) -> DayValues:
    return day_values(record.spec, (day.value for day in record.days.values()))


def in_order(spec: WaveSpec, value: str) -> Any:
    return int(value) if spec.day_type not in ("date", "string") else value
