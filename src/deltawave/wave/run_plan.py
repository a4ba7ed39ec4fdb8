"""What a run of a wave index has to do: which days it loads, which it refuses, and which come too late."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from deltawave.wave.day_values import DayValues, day_values, in_order, values_of
from deltawave.wave.guards import Clock, checked
from deltawave.wave.pending import Work, check_dropped, check_same, day_in_the_way, emptied, pending, unknown_days
from deltawave.wave.tables import Day, WaveRecord, WaveSpec

# Days that are so far apart may be weeks or months, of which each follows the one before.
_WEEK, _MONTH = 7, 31


@dataclass(frozen=True)
class RunPlan:
    """The plan of a run.

    - ``works``: its transitions, in order
    - ``late``: days that come too late for any, and ``late_because``, why: ``skip`` (days without a batch have no place
      in the index), ``text`` (nor can they), ``before`` (the index begins later), or ``passed`` (their places had been
      passed over)
    - ``wrong``: the later day of the index that stands in their way, if the clock has not reached it
    - ``refused``: sentences about days that look wrong, and are not loaded (:func:`deltawave.wave.guards.checked`)
    - ``unknown``: days to drop that the index does not have
    """

    works: list[Work]
    late: list[Day]
    late_because: str
    wrong: str | None
    refused: list[str]
    unknown: list[str]

    @property
    def loads_days(self) -> bool:
        """Whether the run changes what readers see."""
        return any(work.kind != "prepare" for work in self.works)


def plan_run(
    record: WaveRecord | None,
    spec: WaveSpec,
    delivered: Sequence[Day],
    gaps: str | None = None,
    drop: Collection[str] = (),
    clock: Clock | None = None,
    accept: bool = False,
) -> RunPlan:
    """Plan a run; see :func:`deltawave.wave.pending.pending`.

    ``gaps``: by default ``empty`` for dates, also for whole numbers that read as dates, and ``skip`` for other values.
    ``clock``: None accepts any date. ``accept``: also load days that look wrong. Raises ``ValueError`` where
    :func:`deltawave.wave.pending.pending` does, and if ``gaps`` has to be given.
    """
    check_dropped(delivered, drop)
    unknown = unknown_days(record, drop)
    kept = record
    if record is not None:
        check_same(record.spec, spec)
        kept = emptied(record, set(drop).difference(unknown))
    values = values_of(kept) if kept else day_values(spec, (day.value for day in delivered))
    chosen = gaps or ("empty" if values.are_dates else "skip")
    if gaps is None and values.are_dates:
        _require_gaps(kept, spec, values, delivered, clock)
    found = checked(kept, spec, values, delivered, chosen, clock, accept)
    works, late = pending(record, spec, found.loaded, chosen, drop)
    if kept and clock and clock.is_ahead(values, kept.days[kept.state_day].value):
        # What has left the window can't be distinguished from what never had a place.
        late = _passed_over(kept, found.loaded)
    wrong = day_in_the_way(record, drop, late) if record and late else None
    return RunPlan(
        works,
        late,
        _because(kept, spec, chosen, late),
        wrong if wrong and clock and clock.is_ahead(values, wrong) else None,
        found.refused,
        unknown,
    )


def _require_gaps(
    record: WaveRecord | None, spec: WaveSpec, values: DayValues, delivered: Sequence[Day], clock: Clock | None
) -> None:
    """Raise ``ValueError`` for what may be weeks or months: days without rows would push out the days before."""
    known = [day for _, day in sorted(record.days.items())] if record else []
    is_filled = all(values.distance(low.value, high.value) == 1 for low, high in pairwise(known))
    if is_filled and len([day for day in known if day.rows]) > 1:
        # Days without rows have had their places since there were two with rows. Before that nobody could ask.
        return
    new = [day for day in delivered if values.as_date(day.value) and not (clock and clock.is_ahead(values, day.value))]
    found = sorted({day.value for day in (*known, *new) if day.rows}, key=lambda value: in_order(spec, value))
    nearest = min((values.distance(*pair) for pair in pairwise(found)), default=0)
    # One of only two days may be a wrong date.
    if nearest >= _WEEK and (nearest <= _MONTH or len(found) > 2):
        raise ValueError(
            f"day_column {spec.day_column!r}: all days are {nearest} or more dates apart. Set gaps: skip if each "
            "follows the one before, as weeks and months do; gaps: empty if the dates between are days of the window."
        )


def _passed_over(record: WaveRecord, delivered: Sequence[Day]) -> list[Day]:
    known = {day.value for day in record.days.values()}
    newest = in_order(record.spec, record.days[record.state_day].value)
    return [day for day in delivered if day.value not in known and in_order(record.spec, day.value) < newest]


def _because(record: WaveRecord | None, spec: WaveSpec, gaps: str, late: Sequence[Day]) -> str:
    if spec.day_type == "string":
        return "text"
    if record and all(in_order(spec, day.value) < in_order(spec, record.days[min(record.days)].value) for day in late):
        return "before"
    return "skip" if gaps == "skip" else "passed"
