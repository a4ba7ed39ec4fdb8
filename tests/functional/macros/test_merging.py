"""`apply_changes` with `method='merge'`, into a Delta and an Iceberg table."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from unit.macro_harness import Macros, Relation

TABLES = {"delta": "default.accounts", "iceberg": "iceberg.shop.accounts"}
LOG = """
    create temporary view changes as select * from values
        (-0.0D, 'a', 1, map('x', 1), 'update', 1),
        (null, 'b', 2, map(), 'delete', 1),
        (null, 'b', 3, null, 'insert', 1),
        (3.0D, 'c', 3, map('y', null), 'insert', 1),
        (4.0D, 'd', 4, map(), 'insert', 1),
        (4.0D, 'd', 4, map(), 'delete', 2),
        (double('nan'), 'e', 4, map(), 'delete', 2),
        (99.0D, 'never seen', 4, map(), 'delete', 2)
        as t(k1, k2, v, m, _change_type, _batch_id)
"""
BASE = """
    insert into {table} values
        ('kept', 0.0, 'a', 0, map()), ('kept', null, 'b', 0, map()), ('gone', double('nan'), 'e', 0, map()),
        ('untouched', 5.0, 'f', 5, map())
"""
EXPECTED = [
    ["kept", 0.0, "a", 1, {"x": 1}],
    ["kept", None, "b", 3, None],
    [None, 3.0, "c", 3, {"y": None}],
    ["untouched", 5.0, "f", 5, {}],
]


@pytest.fixture(scope="module")
def merged(tmp_path_factory, quick_jvm):
    """The rows of each table after one merge, and after the same merge again."""
    columns = [("k1", "double"), ("k2", "string"), ("v", "int"), ("m", "map<string,int>")]
    deltawave = Macros(
        tables={"changes": columns} | {table: [("note", "string"), *columns] for table in TABLES.values()}
    )
    statements = [LOG, "create namespace iceberg.shop"]
    for file_format, table in TABLES.items():
        definition = "note string, k1 double, k2 string, v int, m map<string,int>"
        merge = deltawave.apply_changes(Relation("changes"), Relation(table), ["k1", "k2"], method="merge")
        look = f"select * from {table} order by k2"
        statements += [f"create table {table} ({definition}) using {file_format}"]
        statements += [BASE.format(table=table), merge, look, merge, look]
    folder = tmp_path_factory.mktemp("merging")
    (folder / "statements.json").write_text(json.dumps(statements))
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("lakehouse.py"), folder / "statements.json", quick_jvm],
        cwd=folder,
        env=os.environ | {"PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    found = json.loads((folder / "results.json").read_text())
    return {"delta": found[:2], "iceberg": found[2:]}


@pytest.mark.parametrize("file_format", TABLES)
def test_changes_merge_into_a_table(merged, file_format):
    assert merged[file_format][0] == EXPECTED


@pytest.mark.parametrize("file_format", TABLES)
def test_merging_twice_changes_nothing(merged, file_format):
    assert merged[file_format][1] == EXPECTED
