"""A wave index as it is after a whole window of transitions, but without making them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pyspark.sql import SparkSession

from deltawave.wave import statements as sql
from deltawave.wave.operations import Days
from deltawave.wave.run_plan import Work
from deltawave.wave.steps import Naming, Step, step
from deltawave.wave.tables import Day, Part, Table, WaveRecord, WaveSpec, as_ranges
from deltawave.wave.wave_table import WaveTable

ATTEMPT = "0" * 12


def steps_of(record: WaveRecord, days: Sequence[int], table: WaveTable) -> list[Step]:
    """The steps, one after the other, that take days; nothing is written."""
    made = []
    for number in days:
        works = (Work("load", (Day(str(number)),)), Work("prepare"))
        for batch, work in enumerate(works, 2 * number):
            if work.kind == "load" or record.pending:
                naming = Naming(table.schema, table.name, batch, f"{number:012x}")
                made.append(step(record, record.spec, work, "source", naming))
                record = made[-1].record
    return made


def settled(spec: WaveSpec, day: int, table: WaveTable) -> WaveRecord:
    """The record on a day, after each constituent has been replaced."""
    window = spec.index.window
    if day < 2 * window:
        raise ValueError(f"day {day}: take {2 * window} or more, when the window has gone by.")
    days = tuple(Day(str(number)) for number in range(1, window + 1))
    begun = step(None, spec, Work("start", days), "source", Naming(table.schema, table.name, 0, ATTEMPT)).record
    begun = step(begun, spec, Work("prepare"), "source", Naming(table.schema, table.name, 1, ATTEMPT)).record
    return replace(steps_of(begun, range(window + 1, day + 1), table)[-1].record, replaced=(), run="")


@dataclass
class PartStore:
    """Parts by their days, each written once; the parts of wave indexes are links to their files.

    - ``source``: the relation that has the rows of ``days``
    - ``folder``: the folder of the tables of ``schema``
    """

    session: SparkSession
    spec: WaveSpec
    source: str
    days: Mapping[int, Day]
    schema: str
    folder: Path
    written: set[Days] = field(default_factory=set)

    @property
    def table(self) -> str:
        """The table of the store."""
        return f"`{self.schema}`.`part_store`"

    def place(self, table: str, part: str) -> Path:
        """The folder of a part."""
        return self.folder / table.split("`")[3] / part

    def size(self, tables: Sequence[Table]) -> int:
        """Bytes of the files of parts, each counted once."""
        places = {self.place(table.name, part.name) for table in tables for part in table.parts}
        return sum(file.stat().st_size for place in places for file in place.glob("*.parquet"))

    def write(self, days: Days) -> Path:
        """The folder of a part with these days."""
        if not self.written:
            self.session.sql(sql.create_table(self.spec, self.table))
        name = as_ranges(days)
        if days not in self.written:
            self.session.sql(sql.reserve_part(self.table, name))
            rows = sql.source_rows(WaveRecord(self.spec, days=self.days), self.source, days)
            self.session.sql(sql.insert_part(self.spec, self.table, name, rows))
            self.written.add(days)
        return self.place(self.table, name)

    def lay_out(self, record: WaveRecord, table: WaveTable) -> WaveRecord:
        """Write the tables and the view of a record; it gets the checksums of its days."""
        record = replace(record, days={number: self.days[number] for number in record.days})
        parts: dict[str, set[Part]] = {}
        for each in record.tables.values():
            if each.name:
                parts.setdefault(each.name, set()).update(each.parts)
        for name, its_parts in parts.items():
            self.session.sql(sql.create_table(record.spec, name))
            for part in its_parts:
                found = self.write(part.days)
                self.session.sql(sql.reserve_part(name, part.name))
                place = self.place(name, part.name)
                place.mkdir(parents=True, exist_ok=True)
                for file in found.glob("*.parquet"):
                    os.link(file, place / file.name)
        mark = {"batch_id": 2 * record.state_day + 1, "attempt": ATTEMPT}
        self.session.sql(f"create view {table.view} as {sql.view_select(record, mark)}")
        return record
