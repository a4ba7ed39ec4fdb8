"""The library's entry points for the materialization ``wave_index``: frames of statements, which its macros run.

Records, specifications and works are passed as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from pyspark.sql import DataFrame

from deltawave.wave.advice import WaveNeeds, advise
from deltawave.wave.advice_text import advice_lines
from deltawave.wave.cost_parameters import on_spark
from deltawave.wave.execution import Naming
from deltawave.wave.guards import Clock
from deltawave.wave.leftovers import leftover_parts
from deltawave.wave.own_days import measure_days
from deltawave.wave.pending import Work
from deltawave.wave.planner import WaveIndex
from deltawave.wave.run_plan import plan_run
from deltawave.wave.steps import step
from deltawave.wave.tables import WaveRecord, WaveSpec
from deltawave.wave.text_length import MOST_TEXT, full_length
from deltawave.wave.wave_table import check_catalog, columns_of, date_at, delivered, partitions

SCHEMA = "place int, kind string, text string"


def pending_work(
    dump: DataFrame,
    *,
    settings: Mapping[str, Any],
    record: str | None,
    drop: Collection[str],
    started_at: str,
    accept: bool,
    schema: str,
    model: str,
) -> DataFrame:
    """The transitions that a run has to make: rows of kind ``work``, as JSON; ``late``, days that come too late,
    ``late_because``, why, and ``wrong``, the day of the index that stands in their way, if the clock has not reached
    it; ``unknown``, days to drop that the index does not have; ``refused``, sentences about days that look wrong; and,
    for a new wave index, ``length``, the characters of its decisions when the window is full, if some metastore could
    not keep them.

    - ``drop``: days of the index that are wrong
    - ``started_at``: when the run began, in UTC, as ISO 8601
    - ``accept``: whether days that look wrong are loaded
    - ``schema``, ``model``: name the tables
    """
    check_catalog(dump.sparkSession)
    spec = specification(dump, settings)
    known = _record(record)
    clock = Clock(date_at(dump.sparkSession, started_at), settings["lead_days"])
    plan = plan_run(known, spec, delivered(dump, spec), settings["gaps"], drop, clock, accept)
    rows = [("work", json.dumps(work.to_json())) for work in plan.works]
    rows += [("late", day.value) for day in plan.late]
    rows += [("late_because", plan.late_because)] if plan.late else []
    rows += [("wrong", plan.wrong)] if plan.wrong else []
    rows += [("unknown", value) for value in plan.unknown]
    rows += [("refused", text) for text in plan.refused]
    if known is None and (length := full_length(spec, schema, model)) > MOST_TEXT:
        rows.append(("length", f"{length:,}"))
    return _frame(dump, rows)


def next_step(
    dump: DataFrame,
    *,
    settings: Mapping[str, Any],
    record: str | None,
    former: str | None,
    work: str,
    source: str,
    schema: str,
    model: str,
    batch: int,
    attempt: str,
    checksums: Mapping[str, str] | None = None,
) -> DataFrame:
    """A transition: rows of kind ``statement``, ``changed_days`` and ``drop``, in order, and one ``outcome``, as JSON.

    - ``record``: the wave index to continue from; none for a new one
    - ``former``: the wave index that readers see, if ``record`` is none because it is built anew
    - ``source``: a relation in SQL that has the rows of the work's days
    - ``schema``, ``model``, ``batch``, ``attempt``: name the tables
    - ``checksums``: those of written days, where they differ from the work's; the statements are the same

    The outcome has the text of the view, which contains the new record, names of all tables needed, and counts of rows.
    """
    spec = specification(dump, settings)
    before, seen, asked = _record(record), _record(former), Work.from_json(json.loads(work)).as_written(checksums or {})
    made = step(before, spec, asked, source, Naming(schema, model, batch, attempt), seen)
    rows_old = (before or seen or WaveRecord(spec)).rows
    delivered_rows = sum(day.rows for day in asked.days)
    # A window that is no longer clipped shows rows that were not delivered in this run.
    deleted = max(rows_old + delivered_rows - made.record.rows, 0)
    outcome = {
        "select": made.view({"batch_id": batch, "attempt": attempt}),
        "tables": [name.split("`")[3] for name in made.record.table_names],
        "day": asked.days[-1].value if asked.days else None,
        "kind": asked.kind,
        "rows_old": rows_old,
        "rows_delivered": delivered_rows,
        "rows_new": made.record.rows,
        "inserted": made.record.rows - rows_old + deleted,
        "deleted": deleted,
    }
    rows = [("statement", text) for text in made.statements] + [("drop", text) for text in made.drops]
    rows += [("changed_days", made.changed_days)] if made.changed_days else []
    return _frame(dump, [*rows, ("outcome", json.dumps(outcome))])


def leftovers(dump: DataFrame, *, settings: Mapping[str, Any], record: str, batch: int) -> DataFrame:
    """Statements of kind ``drop`` for leftover parts of killed or lost attempts, up to that batch.

    ``dump`` is only used for its session.
    """
    known = WaveRecord.from_json(json.loads(record))
    drops = leftover_parts(known, partitions(dump.sparkSession, known), batch)
    return _frame(dump, [("drop", text) for text in drops])


def advised(
    dump: DataFrame,
    *,
    parameters: Mapping[str, Any],
    needs: Mapping[str, Any],
    tolerance: float,
    measure: Mapping[str, str] | None = None,
) -> DataFrame:
    """The lines of an advice, of kind ``line``.

    - ``parameters``: those given of :func:`deltawave.wave.cost_parameters.on_spark`
    - ``needs``: of :class:`deltawave.wave.advice.WaveNeeds`
    - ``measure``: ``day_column``, ``search_field`` and ``schema`` to measure the days of ``dump`` where parameters are
      not given; otherwise ``dump`` is only used for its session
    """
    given = {name: value for name, value in parameters.items() if value is not None}
    table = None
    if measure:
        if "window" not in given:
            raise ValueError("window not given: how many days the index should have.")
        found, table = measure_days(dump, window=given["window"], **measure)
        given = {**vars(found), "fixed": vars(found.fixed), **given}
    advice = advise(on_spark(given), WaveNeeds(**needs), tolerance, table)
    return _frame(dump, [("line", line) for line in advice_lines(advice)])


def specification(dump: DataFrame, settings: Mapping[str, Any]) -> WaveSpec:
    """The specification from a model's settings, with columns as the dump spells them. Raises ``ValueError``."""
    index = WaveIndex(settings["scheme"], settings["window"], settings["constituents"], settings["spread"])
    columns = columns_of(dump)
    spelt = {name.lower(): name for name, _ in columns}
    day, field = (spelt.get(settings[each].lower(), settings[each]) for each in ("day_column", "search_field"))
    spec = WaveSpec(index, settings["update_technique"], day, field, columns)
    return replace(spec, buckets=settings["buckets"], clip=settings["clip"])


def _record(told: str | None) -> WaveRecord | None:
    return None if told is None else WaveRecord.from_json(json.loads(told))


def _frame(dump: DataFrame, rows: list[tuple[str, str]]) -> DataFrame:
    numbered = [(place, *row) for place, row in enumerate(rows)]
    return dump.sparkSession.createDataFrame(numbered, SCHEMA)
