"""Days that are not loaded unless a user accepts them: ahead of the clock, far after the others, or parts of days."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from deltawave.wave.tables import Day, DayValues, WaveRecord, WaveSpec, in_order

# Where only days with a batch count: all days before a wrong date far ahead would come too late, until it is reached.
MOST_WINDOWS = 10
# Where nothing shows the usual distance, it may be a month.
_MONTH = 31
# The next day of a window of one day may follow a weekend or holidays.
_WEEK = 7
_SKIP = "If only days that have a batch should count, set gaps: skip."
_MOST_NAMED = 5


@dataclass(frozen=True)
class Clock:
    """The date of a run, in the session's time zone, and how many days later the newest day may be."""

    today: date
    lead_days: int = 1

    @property
    def last(self) -> date:
        return self.today + timedelta(days=min(self.lead_days, (date.max - self.today).days))

    def is_ahead(self, values: DayValues, value: str) -> bool:
        day = values.as_date(value)
        return day is not None and day > self.last


def checked(
    record: WaveRecord | None,
    spec: WaveSpec,
    values: DayValues,
    delivered: Sequence[Day],
    gaps: str,
    clock: Clock | None = None,
    accept: bool = False,
) -> tuple[list[Day], list[str]]:
    """The days that may be loaded, in order, and sentences about the others, which look wrong.

    If the first days of a new index lie far apart, none is loaded: nothing shows which of them is wrong.

    - ``record``: without the days that the run drops; none for a new wave index
    - ``accept``: refuse only what is no date
    """
    known = {day.value: day for day in record.days.values()} if record else {}
    refused: list[str] = []

    def without(days: list[Day], wrong: Callable[[Day], str | None], sentence: str) -> list[Day]:
        if names := [name for day in days if (name := wrong(day))]:
            refused.append(sentence.format(days=named(names)))
        return [day for day in days if not wrong(day)]

    days = sorted(delivered, key=lambda day: in_order(spec, day.value))
    form = "a date like 20260131, as the others are" if values.kind == "yyyymmdd" else "a date of the years 1 to 9999"
    days = without(
        days,
        lambda day: day.value if values.are_dates and values.as_date(day.value) is None else None,
        f"day_column {spec.day_column!r}: {{days}} can't be read as {form}, and can't be accepted.",
    )
    if accept:
        return days, refused
    if clock:
        days = without(
            days,
            lambda day: day.value if day.value not in known and clock.is_ahead(values, day.value) else None,
            f"{{days}}: later than {clock.last}, the last date that a run on {clock.today} takes (lead_days: "
            f"{clock.lead_days}); a wrong date?",
        )
    days = without(
        days,
        lambda day: _shrunken(day, known.get(day.value)),
        "day(s) that would lose more than half their rows: {days}: parts of days?",
    )
    newest = in_order(spec, record.days[record.state_day].value) if record else None
    new = [day.value for day in days if newest is None or in_order(spec, day.value) > newest]
    far, sentences = _far(record, spec, values, new, gaps)
    if gaps == "fail":
        missing, more = _after_missing(record, spec, values, [value for value in new if value not in far])
        far, sentences = far | missing, [*sentences, *more]
    refused += sentences
    if record is None and sentences:
        return [], refused
    return [day for day in days if day.value not in far], refused


def _shrunken(day: Day, known: Day | None) -> str | None:
    """A part of a day looks like a day that changed. A day that is dropped in this run has no previous rows."""
    if known is None or day.rows >= known.rows / 2:
        return None
    return f"{day.value} ({known.rows} rows, now {day.rows})"


def _far(
    record: WaveRecord | None, spec: WaveSpec, values: DayValues, new: list[str], gaps: str
) -> tuple[set[str], list[str]]:
    """New days that come far after the one before."""
    # Whole numbers may be years and months: their distance means something only if none may be missing.
    if not new or values.kind == "text" or (gaps == "skip" and not values.are_dates):
        return set(), []
    window = spec.index.window
    days = record.ordered if record else []
    # A place without rows, as that of a dropped day, shows no usual distance, and no day that could be pushed out.
    shown = [day.value for day in days if day.rows] or [day.value for day in days]
    # Days before the window are not loaded at the start.
    new = new if shown else new[-max(window, 2) :]
    last, new = (shown[-1], new) if shown else (new[0], new[1:])
    # The days of an index of months are 31 dates apart.
    usual = max((values.distance(*pair) for pair in pairwise(shown)), default=0)
    far: list[str] = []
    sentences: list[str] = []
    for value in new:
        days_after = values.distance(last, value)
        if gaps == "skip":
            most, limit = window * (MOST_WINDOWS * usual or _MONTH), f"more than {MOST_WINDOWS} windows: a wrong date?"
        elif window > 1:
            # After more, the days without rows between push out all that the index has.
            most, limit = (
                window - 1,
                f"and no other of the window's {window} days would have rows: a wrong date? {_SKIP}",
            )
        else:
            most, limit = (
                (_WEEK, "more than a week: a wrong date?")
                if values.are_dates
                else (1, "more than a window: a wrong date?")
            )
        if days_after > most:
            far.append(value)
            if not sentences:
                sentences.append(f"{value} comes {days_after:,} days after {last}, {limit}")
            continue
        last, usual = value, max(usual, days_after)
    if far[1:]:
        sentences.append(f"{named(far[1:])}: after it.")
    return set(far), sentences


def _after_missing(
    record: WaveRecord | None, spec: WaveSpec, values: DayValues, new: list[str]
) -> tuple[set[str], list[str]]:
    """New days from the first one on whose predecessor is missing."""
    known = [record.days[record.state_day].value] if record else []
    for place, (last, value) in enumerate(pairwise([*known, *new]), 1 - len(known)):
        # Days before the window are not loaded at the start.
        is_in_window = record is not None or values.distance(value, new[-1]) < spec.index.window - 1
        if values.distance(last, value) > 1 and is_in_window:
            later = f" (and {named(new[place + 1 :])})" if new[place + 1 :] else ""
            missing = values.after(last)
            return set(new[place:]), [
                f"there is no batch of {missing}, which comes before {value}{later}; gaps: fail asks for all."
            ]
    return set(), []


def named(names: Sequence[str]) -> str:
    """The first names of a list, and how many others it has."""
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
