"""Leftovers of stopped programs: tables and parts that a wave index does not list (decision 14)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from deltawave.differencing.in_place import quoted
from deltawave.wave.statements import drop_part
from deltawave.wave.tables import PART, WaveRecord, named_parts


def leftover_tables(record: WaveRecord, schema: str, model: str, names: Iterable[str], batch: int) -> Iterator[str]:
    """Statements that drop tables of batches up to ``batch``; ``names``: of the tables in the catalog."""
    known = {name.lower() for name in record.table_names}
    for name in names:
        found = re.fullmatch(rf"{re.escape(model.lower())}__index\d+_(\d+)_[0-9a-f]{{12}}", name.lower())
        table = f"{quoted(schema)}.{quoted(name)}"
        if found and int(found.group(1)) <= batch and table.lower() not in known:
            yield f"drop table if exists {table}"


def leftover_parts(record: WaveRecord, partitions: Mapping[str, Iterable[str]], batch: int) -> Iterator[str]:
    """Statements that drop parts of batches up to ``batch``; ``partitions``: of each table in the catalog.

    Parts of later batches stay, since another run may be writing them.
    """
    known = named_parts((*record.tables.values(), *record.replaced))
    for table, names in partitions.items():
        for name in names:
            part = name.removeprefix(f"{PART}=")
            if (table, part) not in known and int(part.partition("_")[0]) <= batch:
                yield drop_part(table, part)
