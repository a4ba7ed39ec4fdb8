"""Functions that the macros of the materialization ``wave_index`` call. They return plain values and statements.

Records are those in the texts of views, as JSON values (:meth:`deltawave.wave.tables.WaveRecord.to_json`).
"""

import json
from collections.abc import Collection, Mapping
from typing import Any

from pyspark.sql import DataFrame

from deltawave.partition_states import partition_states, table_version
from deltawave.wave.advice import WaveNeeds, advice_lines, advise
from deltawave.wave.costs import TableParameters, on_spark
from deltawave.wave.guards import Clock, named
from deltawave.wave.measuring import measure_days
from deltawave.wave.run_plan import RunPlan, Work, plan_run
from deltawave.wave.schemes import WaveIndex
from deltawave.wave.statements import day_checksum
from deltawave.wave.steps import MOST_TEXT, Naming, full_length, leftover_parts, step, written_days
from deltawave.wave.tables import Day, WaveRecord, WaveSpec, in_order
from deltawave.wave.wave_table import check_catalog, columns_of, date_at, delivered, partitions, spelt

Json = Mapping[str, Any]
# A metastore on Derby keeps 32,700 characters of a view's text.
_MOST_REMEMBERED = 20_000


def plan(
    dump: DataFrame,
    *,
    settings: Json,
    record: Json | None,
    drop: Collection[str],
    started_at: str,
    accept: bool,
    schema: str,
    model: str,
    remembered: str | None = None,
    text: str = "",
) -> dict[str, Any]:
    """What a run has to do (:func:`as_outcome`), and ``days``, those of the source.

    - ``record``: none for a new wave index
    - ``drop``: days of the index that are wrong
    - ``started_at``: when the run began, in UTC, as ISO 8601
    - ``accept``: whether days that look wrong are loaded
    - ``schema``, ``model``: name the tables
    - ``remembered``: what :func:`days_to_remember` returned to an earlier run; of these days only those are read again
      whose files have changed
    - ``text``: the select; a day's state depends on it, as a plan does not show all that it does

    It also returns ``states`` and ``version``, for :func:`days_to_remember`.
    """
    check_catalog(dump.sparkSession)
    spec = specification(dump, settings)
    version = table_version(dump)
    states = _states(dump, spec, text)
    unchanged = [
        Day(value, rows, checksum)
        for value, (state, rows, checksum) in json.loads(remembered or "{}").items()
        if states.get(value) == state
    ]
    known = _record(record)
    clock = Clock(date_at(dump.sparkSession, started_at), settings["lead_days"])
    days = delivered(dump, spec, unchanged)
    planned = plan_run(known, spec, days, settings["gaps"], drop, clock, accept)
    length = 0 if known else full_length(spec, schema, model)
    return {
        **as_outcome(planned, spec, length),
        "days": [vars(day) for day in days],
        "states": states,
        "version": version,
    }


def days_to_remember(
    dump: DataFrame,
    *,
    settings: Json,
    days: Collection[Json],
    states: Mapping[str, str],
    version: str | None = None,
    text: str,
) -> str:
    """Return the text to pass as ``remembered`` to a later :func:`plan`; empty if there is nothing to remember.

    It has the newest of ``days`` whose files still are those of ``states``; none if the table has another ``version``,
    whose rows the sums may be of. All were returned by :func:`plan`.
    """
    spec = specification(dump, settings)
    unchanged, found, length = dict(states.items() & _states(dump, spec, text).items()), [], 0
    if table_version(dump) != version:
        return ""
    for day in sorted(days, key=lambda day: in_order(spec, day["value"]), reverse=True):
        if state := unchanged.get(day["value"]):
            found.append(f"{json.dumps(day['value'])}:{json.dumps([state, day['rows'], day['checksum']])}")
            # A literal in SQL doubles these.
            length += len(found[-1]) + sum(map(found[-1].count, "\\'"))
            if length > _MOST_REMEMBERED:
                found.pop()
                break
    return f"{{{','.join(found)}}}" if found else ""


def is_up_to_date(dump: DataFrame, *, settings: Json, record: Json, days: Collection[Json], started_at: str) -> bool:
    """Whether a later run that finds these days, those of :func:`plan`, has nothing to do, to refuse or to warn of.

    ``record``: the wave index after the run that began at ``started_at``. No row of ``dump`` is read. Time alone
    changes nothing: a later clock refuses fewer days, and fewer come too late.
    """
    clock = Clock(date_at(dump.sparkSession, started_at), settings["lead_days"])
    found = [Day(**day) for day in days]
    try:
        planned = plan_run(_record(record), specification(dump, settings), found, settings["gaps"], clock=clock)
    except ValueError:
        # The next run raises it.
        return False
    return not (planned.works or planned.late or planned.refused)


def as_outcome(planned: RunPlan, spec: WaveSpec, length: int = 0) -> dict[str, Any]:
    """The plan of a run as plain values. ``length``: how long a decision's text is when the window is full.

    - ``works``: the transitions; ``loads_days``: whether any of them changes what readers see
    - ``refused``: sentences about days that look wrong and are not loaded
    - ``warnings``: each has the ``code`` of a message, its values and, as ``advice``, the messages that end it
    """
    warnings: list[dict[str, Any]] = [{"code": "unknown_day", "day": day} for day in planned.unknown]
    if length > MOST_TEXT:
        warnings.append({"code": "long_text", "window": spec.index.window, "length": f"{length:,}"})
    if planned.late:
        advice = [{"code": f"late_{planned.late_because}"}]
        if planned.wrong:
            advice.append({"code": "late_wrong", "wrong": planned.wrong, "dropped": for_vars(planned.wrong)})
        warnings.append({"code": "late_days", "days": named([day.value for day in planned.late]), "advice": advice})
    return {
        "works": [work.to_json() for work in planned.works],
        "loads_days": planned.loads_days,
        "refused": planned.refused,
        "warnings": warnings,
    }


def for_vars(text: str) -> str:
    """A text in ``--vars '{...}'``: quoted for YAML, and for the shell, where a quote in the text would end it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("'", "'\\''")
    return f'"{escaped}"'


def next_step(
    dump: DataFrame,
    *,
    settings: Json,
    record: Json | None,
    shown: Json | None,
    work: Json,
    source: str,
    schema: str,
    model: str,
    batch: int,
    attempt: str,
    checksums: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """A transition.

    - ``record``: the wave index to continue from; none for a new one
    - ``shown``: the wave index that readers see, also if ``record`` is none because it is rebuilt
    - ``source``: a relation in SQL that has the rows of the work's days
    - ``schema``, ``model``, ``batch``, ``attempt``: name the tables
    - ``checksums``: those of written days, where they differ from the work's; the statements are the same

    Returns ``statements``, ``changed_days`` and ``select`` of :class:`deltawave.wave.steps.Step`, and its part drops as
    ``drops``; ``tables``, the names of all tables needed; the ``kind`` of the work, its last ``day``, and counts of
    rows.
    """
    spec = specification(dump, settings)
    before, seen, pending = _record(record), _record(shown), Work.from_json(work).as_written(checksums or {})
    made = step(before, spec, pending, source, Naming(schema, model, batch, attempt), seen)
    rows_old = (before or seen or WaveRecord(spec)).rows
    delivered_rows = 0 if pending.kind == "erase" else sum(day.rows for day in pending.days)
    # A window that is no longer clipped shows rows that were not delivered in this run.
    deleted = max(rows_old + delivered_rows - made.record.rows, 0)
    return {
        "statements": made.statements,
        "changed_days": made.changed_days,
        "select": made.select,
        "drops": made.part_drops,
        "tables": [name.split("`")[3] for name in made.record.table_names],
        "day": pending.days[-1].value if pending.days else None,
        "kind": pending.kind,
        "rows_old": rows_old,
        "rows_delivered": delivered_rows,
        "rows_new": made.record.rows,
        "inserted": made.record.rows - rows_old + deleted,
        "deleted": deleted,
    }


def written(changed: DataFrame) -> dict[str, Any]:
    """What :func:`deltawave.wave.steps.written_days` returns for the result of a transition's ``changed_days``."""
    return written_days(changed.collect())


def leftovers(dump: DataFrame, *, record: Json, batch: int) -> list[str]:
    """Statements that drop leftover parts of killed or lost attempts, up to that batch."""
    known = WaveRecord.from_json(record)
    return list(leftover_parts(known, partitions(dump.sparkSession, known), batch))


def advice(
    dump: DataFrame | None = None,
    *,
    parameters: Mapping[str, Any],
    needs: Mapping[str, Any],
    tolerance: float,
    table_size: float | None = None,
    measure: Mapping[str, str] | None = None,
) -> list[str]:
    """The lines of an advice.

    - ``parameters``, ``needs``: of :func:`deltawave.wave.costs.on_spark` and
      :class:`deltawave.wave.advice.WaveNeeds`
    - ``table_size``: MB of a day in a partitioned table; needed unless it is measured
    - ``measure``: ``day_column``, ``search_field`` and ``schema``, to measure the days of ``dump`` where parameters are
      not given
    """
    given = {name: value for name, value in parameters.items() if value is not None}
    table = None
    if dump is not None and measure:
        if "window" not in given:
            raise ValueError("window not given: how many days the index should have.")
        found, table = measure_days(dump, window=given["window"], **measure)
        given = {**vars(found), "fixed": vars(found.fixed), **given}
    known = on_spark(given)
    if table is None and table_size is None:
        raise ValueError(
            "table_size not given: MB of a day in a table with a partition for each day. That is the size of packed, "
            "unless the search field is an array: its index has an entry, with the whole row, for each value."
        )
    if table_size is not None:
        table = TableParameters.assumed(known, table_size)
    return list(advice_lines(advise(known, WaveNeeds(**needs), tolerance, table)))


def specification(dump: DataFrame, settings: Json) -> WaveSpec:
    """The specification from a model's settings, with columns as the dump spells them. Raises ``ValueError``."""
    index = WaveIndex(settings["scheme"], settings["window"], settings["constituents"], settings["spread"])
    columns = columns_of(dump)
    day, field = spelt(columns, settings["day_column"], settings["search_field"])
    return WaveSpec(
        index, settings["update_technique"], day, field, columns, buckets=settings["buckets"], clip=settings["clip"]
    )


def _states(dump: DataFrame, spec: WaveSpec, text: str) -> dict[str, str]:
    """The states of the days whose files are known."""
    return partition_states(dump, spec.day_column, f"{day_checksum(spec)}\n{text}") or {}


def _record(found: Json | None) -> WaveRecord | None:
    return None if found is None else WaveRecord.from_json(found)
