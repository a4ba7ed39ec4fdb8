"""Delta and Iceberg, through the profiles that the project ships."""

import json
from pathlib import Path

import pytest
import yaml

PROFILES = Path(__file__).parents[3] / "profiles" / "profiles.yml"

NUMBERS = "select 1 as id, '{{ var(\"name\") }}' as name"

MERGED = """
def model(dbt, session):
    dbt.config(materialized="incremental", incremental_strategy="merge", unique_key="id")
    return dbt.ref("numbers")
"""

SNAPSHOT = """
snapshots:
  - name: history
    relation: ref('numbers')
    config: {unique_key: id, strategy: check, check_cols: all, dbt_valid_to_current: "null"}
"""

PRINT_TABLES = """
import json
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
names = {
    "numbers": "name", "merged": "name", "parquet_table": "name", "seeded": "name",
    "history": "name", "summary": "maxNames",
}
print("tables", json.dumps({
    table: sorted(row[column] for row in spark.table(f"own.{table}").collect())
    for table, column in names.items()
}))
print("left", [table.name for table in spark.catalog.listTables("own") if "tmp" in table.name])
"""


@pytest.mark.parametrize("file_format", ["delta", "iceberg"])
def test_two_builds(own_process, file_format):
    """The second build replaces, merges into and snapshots what the first one left."""
    output = yaml.safe_load(PROFILES.read_text())["deltawave_demo"]["outputs"][file_format]
    output["server_side_parameters"] |= {"spark.master": "local[2]"}
    own_process.profile(**output | {"schema": "own"})
    own_process.write(
        "dbt_project.yml",
        yaml.safe_dump(
            {
                "name": "own",
                "profile": "own",
                "models": {"+file_format": file_format, "+materialized": "table"},
                "snapshots": {"+file_format": file_format},
            }
        ),
    )
    own_process.write("seeds/seeded.csv", "id,name\n1,s\n")
    own_process.write("models/numbers.sql", NUMBERS)
    own_process.write("models/merged.py", MERGED)
    own_process.write("models/parquet_table.sql", "{{ config(file_format='parquet') }}" + NUMBERS)
    own_process.write(
        "models/summary.sql", "{{ config(materialized='view') }} select max(name) as maxNames from {{ ref('merged') }}"
    )
    own_process.write("snapshots/history.yml", SNAPSHOT)

    outcome = own_process.dbt(
        "build --vars 'name: a'", "build --vars 'name: b'", "docs generate --vars 'name: b'", then=PRINT_TABLES
    )

    assert outcome.returncode == 0, outcome.stdout
    line = next(line for line in outcome.stdout.splitlines() if line.startswith("tables "))
    assert json.loads(line.removeprefix("tables ")) == {
        "numbers": ["b"],
        "merged": ["b"],
        "parquet_table": ["b"],
        "seeded": ["s"],
        "history": ["a", "b"],
        "summary": ["b"],
    }
    assert "left []" in outcome.stdout.splitlines()
    catalog = json.loads((own_process.root / "target" / "catalog.json").read_text())["nodes"]
    assert set(catalog["model.own.merged"]["columns"]) == {"id", "name"}
    assert set(catalog["model.own.summary"]["columns"]) == {"maxNames"}
