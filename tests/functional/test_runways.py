"""Dumps of a real table through dbt, compared with a plain comparison of their lines.

DELTAWAVE_RUNWAYS names a folder of the dumps, runways_<date>.csv.gz, as OurAirports publishes them;
without it similar dumps are generated.
"""

import csv
import gzip
import os
import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from dbt.tests.util import run_dbt

_ENDS = [
    f"{end}_{name}"
    for end in ("le", "he")
    for name in ("ident", "latitude_deg", "longitude_deg", "elevation_ft", "heading_degT", "displaced_threshold_ft")
]
_RUNWAY = ["airport_ref", "airport_ident", "length_ft", "width_ft", "surface", "lighted", "closed"]
HEADER = ["id", *_RUNWAY, *_ENDS]
TEXT = {"airport_ident", "surface", "le_ident", "he_ident"}
# Days from the first of May: with a month's end, a day without changes, and a gap.
DAYS = [30, 31, 32, 33, 37]
UNCHANGED = 33
SURFACES = ["ASPH-G", "TURF", "GRVL", "gravel, dirt", 'the "old" one', "C:\\strip", " piste en béton ", "砂利", "null"]

Row = tuple[str | None, ...]

SOURCE = {
    "name": "ourairports",
    "schema": "{{ target.schema }}",
    "tables": [
        {
            "name": "runway_dumps",
            "external": {
                "location": "dumps",
                "file_format": "csv",
                "options": {"header": True, "enforceSchema": False, "escape": '"', "nullValue": "\\N"},
                "partitions": [{"name": "dump_date", "data_type": "date"}],
            },
            "columns": [{"name": name, "data_type": "string"} for name in HEADER],
        }
    ],
}
CHANGES = """
{{ config(materialized='differential', unique_key='id', meta={'snapshot_date': 'dump_date'}) }}
select * from {{ source('ourairports', 'runway_dumps') }}
"""

Lines = dict[str, str]


def dumps() -> Iterator[tuple[str, str]]:
    """Yield (date, text of the CSV) of every dump, in order."""
    folder = os.environ.get("DELTAWAVE_RUNWAYS")
    if not folder:
        yield from made_up()
        return
    for file in sorted(Path(folder).glob("runways_*.csv.gz")):
        with gzip.open(file, "rt", encoding="utf-8", newline="") as lines:
            yield file.name.removeprefix("runways_").removesuffix(".csv.gz"), lines.read()


def line(row: Row) -> str:
    """A row as the source writes it: text in quotes, nothing for what is missing."""
    cells = zip(HEADER, row, strict=True)
    return ",".join(
        "" if cell is None else '"' + cell.replace('"', '""') + '"' if name in TEXT else cell for name, cell in cells
    )


def made_up(runways: int = 500, seed: int = 1996) -> Iterator[tuple[str, str]]:
    """Yield one dump per day: runways come, go and change, except on one day without changes."""
    chance = random.Random(seed)
    rows = {str(key): make_row(chance, str(key)) for key in range(200000, 200000 + runways)}
    for number, day in enumerate(DAYS):
        if number > 0 and day != UNCHANGED:
            for key in chance.sample(sorted(rows), chance.randrange(0, 9)):
                del rows[key]
            for key in chance.sample(sorted(rows), chance.randrange(1, 80)):
                rows[key] = change_row(chance, rows[key])
            for key in range(300000 + 100 * number, 300000 + 100 * number + chance.randrange(0, 15)):
                rows[str(key)] = make_row(chance, str(key))
        order = list(rows)
        chance.shuffle(order)
        header = ",".join(f'"{name}"' for name in HEADER)
        date = f"2026-05-{day:02}" if day <= 31 else f"2026-06-{day - 31:02}"
        yield date, "\n".join([header, *(line(rows[key]) for key in order), ""])


def make_row(chance: random.Random, key: str) -> Row:
    return (key, *(make_cell(chance, name) for name in HEADER[1:]))


def change_row(chance: random.Random, row: Row) -> Row:
    """Change one to three cells; some become empty, some get a value."""
    cells = list(row)
    for place in chance.sample(range(1, len(HEADER)), chance.randrange(1, 4)):
        while cells[place] == row[place]:
            cells[place] = make_cell(chance, HEADER[place])
    return tuple(cells)


def make_cell(chance: random.Random, name: str) -> str | None:
    if chance.random() < 0.3:
        return None
    if name == "surface":
        return chance.choice(SURFACES)
    if name in TEXT:
        return f"{chance.randrange(36):02}{chance.choice('LRC')}"
    return chance.choice([str(chance.randrange(15000)), f"{chance.uniform(-180, 180):.6f}"])


def by_key(text: str) -> Lines:
    """The lines of a dump by their key, the first column."""
    found = {row.partition(",")[0]: row for row in text.splitlines()[1:]}
    assert len(found) == text.count("\n") - 1
    return found


def counts(old: Lines, new: Lines) -> tuple[int, int, int]:
    """Inserts, deletes and updates between two dumps."""
    updates = sum(old[key] != new[key] for key in old.keys() & new.keys())
    return len(new.keys() - old.keys()), len(old.keys() - new.keys()), updates


def cells(row: str) -> list[str]:
    return next(csv.reader([row]))


@pytest.mark.usefixtures("deltawave_package")
class TestRunways:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            "sources.yml": yaml.safe_dump({"version": 2, "sources": [SOURCE]}),
            "runway_changes.sql": CHANGES,
            "runways.sql": "{{ deltawave.current_state(ref('runway_changes'), 'id') }}",
        }

    @pytest.fixture(scope="class")
    def dated(self) -> dict[str, Lines]:
        return {date: by_key(text) for date, text in dumps()}

    @pytest.fixture(scope="class")
    def schema(self, project) -> str:
        for date, text in dumps():
            folder = Path(project.project_root, "dumps", f"dump_date={date}")
            folder.mkdir(parents=True)
            (folder / "runways.csv").write_text(text, encoding="utf-8", newline="")
        run_dbt(["run-operation", "create_external_sources"])
        run_dbt(["run"])
        return project.test_schema

    def test_each_batch_has_the_changes_of_a_comparison_of_lines(self, schema, spark, dated):
        expected = [counts(old, new) for old, new in pairwise([{}, *dated.values()])]
        rows = spark.sql(f"""
            select
                batches.snapshot_date,
                count_if(changes._change_type = 'insert'),
                count_if(changes._change_type = 'delete'),
                count_if(changes._change_type = 'update')
            from {schema}.runway_changes__batches as batches
            left join {schema}.runway_changes as changes on batches.batch_id = changes._batch_id
            group by batches.batch_id, batches.snapshot_date
            order by batches.batch_id
        """).collect()
        assert {row[0]: tuple(row[1:]) for row in rows} == dict(zip(dated, expected, strict=True))

    def test_replayed_log_is_the_last_dump_line_by_line(self, schema, spark, dated):
        *_, last = dated.values()
        rows = spark.table(f"{schema}.runways").select(*HEADER).collect()
        assert len(rows) == len(last)
        wrong = {row.id: (line(row), last.get(row.id)) for row in rows if line(row) != last.get(row.id)}
        assert wrong == {}

    def test_updates_hold_the_row_before_and_name_what_changed(self, schema, spark, dated):
        states = list(dated.values())
        updates = spark.table(f"{schema}.runway_changes").where("_change_type = 'update'").collect()
        assert updates
        for row in updates:
            old, new = states[row._batch_id - 2][row.id], states[row._batch_id - 1][row.id]
            assert line((row.id, *row._before)) == old
            assert line(tuple(row[name] for name in HEADER)) == new
            changed = [name for name, a, b in zip(HEADER, cells(old), cells(new), strict=True) if a != b]
            assert sorted(row._changed_columns) == sorted(changed)
