"""A wave index as one page of HTML that needs no other file: its time-sets, until now and on the days to come."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice

from deltawave.pages import charts
from deltawave.pages.html import figures, page, paragraph, section
from deltawave.pages.texts import Table, plain
from deltawave.reporting.batch_views import SECONDS, SERIES, batches_listed, changes_by_batch, seconds_by_batch
from deltawave.reporting.batches import Batch
from deltawave.wave.operations import WaveState, applied, constituent
from deltawave.wave.planner import DayPlan, start, transition
from deltawave.wave.tables import Day, WaveRecord, runs

# Days that are planned ahead, however long the window is, and days that are looked back to.
_MOST_DAYS = 14
_MOST_PAST_DAYS = 30


def as_html(name: str, record: WaveRecord, batches: Sequence[Batch], made_at: datetime) -> str:
    """A page about a wave index that has days."""
    index = record.spec.index
    shown = [day for table in record.constituents for day in table.days if day >= record.first_shown]
    about = paragraph(
        f"Scheme {index.scheme}, a window of {index.window:,} days in {index.constituents:,} constituents,",
        f"{record.spec.technique}; searched by {plain(record.spec.search_field)}.",
        f"This page was made on {made_at:%Y-%m-%d %H:%M} UTC; times of batches are in UTC.",
    )
    counts = (
        ("newest day", _named(record, [record.state_day])),
        ("days", f"{len(shown):,}"),
        ("rows", f"{record.rows:,}"),
        ("indexes", f"{len(record.tables):,}"),
    )
    body = [about, figures(counts), _time_sets(record), _last_days(record, batches), _next_days(record)]
    body += [made(batches) for made in (changes_by_batch, seconds_by_batch, batches_listed)]
    return page(f"The wave index {plain(name)}", "".join(body), style=charts.style((*SERIES, SECONDS)))


def _time_sets(record: WaveRecord) -> str:
    rows = []
    for name in sorted(record.tables, key=lambda name: (name[0] != "I", len(name), name)):
        days = record.tables[name].days
        counted = sum(record.days[day].rows for day in days if day in record.days)
        use = "constituent" if name[0] == "I" else "prepared for later"
        rows.append((name, use, _named(record, days), f"{len(days):,}", f"{counted:,}"))
    return section(Table("Time-sets", ("index", "use", "time-set", "days", "rows"), rows))


def _last_days(record: WaveRecord, batches: Sequence[Batch]) -> str:
    """The constituents' time-sets after each of the last days: a day that comes again, or is dropped, changes none."""
    index = record.spec.index
    starts = [place for place, batch in enumerate(batches) if batch.reason == "start"]
    since = batches[starts[-1] :] if starts else []
    loads = [batch for batch in since if batch.reason in ("start", "load")]
    first = record.state_day - len(loads) + 1
    if not loads or not 1 <= first <= index.window:
        return ""
    numbered = dict(enumerate(loads, first))
    # Days that have left the window are named as they were loaded.
    known = replace(record, days={day: Day(batch.dump or "") for day, batch in numbered.items()} | dict(record.days))
    names = [constituent(number) for number in range(1, index.constituents + 1)]
    state = start(index, first).state
    rows = []
    for day, batch in numbered.items():
        state = state if day == first else transition(index, state).state
        sets = (_named(known, state.indexes.get(name, ())) for name in names)
        rows.append((_named(known, [day]), f"{batch.rows_new or 0:,}", f"{state.length:,}", *sets))
    if state.constituents != record.state.constituents:
        # The table of batches is not that of this index.
        return ""
    return section(Table("The last days", ("day", "rows", "days", *names), rows[-_MOST_PAST_DAYS:])) + paragraph(
        "The time-sets after each day, as its transition made them; rows are those that readers saw then.",
        "-1 is the day before the newest one: days that were loaded at once have no names any more."
        if first > 1
        else "",
        f"Not shown: {len(rows) - _MOST_PAST_DAYS:,} older days." if len(rows) > _MOST_PAST_DAYS else "",
    )


def _next_days(record: WaveRecord) -> str:
    """The plans of the next days, if one comes after the other."""
    plans = list(islice(_plans(record), min(_MOST_DAYS, record.spec.index.window)))
    names = [constituent(number) for number in range(1, record.spec.index.constituents + 1)]
    rows = [
        (
            _named(record, [plan.day]),
            ", ".join(type(operation).__name__ for operation in plan.operations),
            *(_named(record, plan.state.indexes.get(name, ())) for name in names),
        )
        for plan in plans
    ]
    return section(Table("The next days", ("day", "operations", *names), rows)) + paragraph(
        "As the planner has them, if no day is left out: +1 is the day after the newest one."
    )


def _plans(record: WaveRecord) -> Iterator[DayPlan]:
    state = WaveState(record.state_day, applied(record.pending, record.state.indexes))
    while True:
        plan = transition(record.spec.index, state)
        yield plan
        state = plan.state


def _named(record: WaveRecord, days: Iterable[int]) -> str:
    """Days by their values, those that follow each other as a range; unknown ones by their distance: +1."""
    listed = list(days)
    known, ahead = ([day for day in listed if (day > record.state_day) == is_ahead] for is_ahead in (False, True))

    def name(day: int) -> str:
        return plain(record.days[day].value) if day in record.days else f"{day - record.state_day:+}"

    return ", ".join(" to ".join(map(name, dict.fromkeys(run))) for run in (*runs(known), *runs(ahead)))
