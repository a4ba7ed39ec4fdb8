"""Rows that leave a wave index for good, whatever the source still has."""

from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame

from deltawave.sql_text import quoted
from deltawave.wave.run_plan import Work
from deltawave.wave.statements import part_rows
from deltawave.wave.tables import IS_FIRST, Day, Part, WaveRecord
from deltawave.wave.wave_table import delivered


def erasure(dump: DataFrame, *, record: Mapping[str, Any], condition: str) -> dict[str, Any]:
    """The transition after which no index, temporary ones included, has a row for which ``condition`` is true.

    Only days that have such rows are written again. Returns ``work``, the transition, and ``source``, the relation that
    has the rows of its days; of ``dump`` only the session is taken.
    """
    session, known = dump.sparkSession, WaveRecord.from_json(record)
    rows, day = _rows(known), f"cast({quoted(known.spec.day_column)} as string)"
    held = {row[0] for row in session.sql(f"select distinct {day} from {rows} where {condition}").collect()}
    days = {each.value: each for each in known.ordered if each.value in held}
    source = f"(\nselect * from {rows}\nwhere not {condition}\n)"
    staying = delivered(session.sql(f"select * from {source}"), known.spec) if days else []
    days |= {value: Day(value) for value in days} | {each.value: each for each in staying if each.value in days}
    return {"work": Work("erase", tuple(days.values())).to_json(), "source": source}


def _rows(record: WaveRecord) -> str:
    """A relation that has all rows of all indexes, those of each day once."""
    parts: dict[tuple[str, Part], set[int]] = {}
    for day in sorted(frozenset().union(*(table.days for table in record.tables.values()))):
        parts.setdefault(record.holding(day), set()).add(day)
    selects = [part_rows(record, table, part, frozenset(days)) for (table, part), days in parts.items()]
    columns = ", ".join(quoted(name) for name, _ in record.spec.columns)
    first = f"\nwhere {IS_FIRST}" if record.spec.is_multiple else ""
    return f"(\nselect {columns} from (\n" + "\nunion all\n".join(selects) + f"\n){first}\n)"
