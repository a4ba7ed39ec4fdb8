"""A seed that is written at once is the table that dbt-spark's statements, with a cast for each cell, make of it."""

from pathlib import Path
from typing import Any

import pytest
from dbt.tests.util import run_dbt
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as drawn_from
from seed_columns import columns, csv_text

pytestmark = [pytest.mark.core, pytest.mark.hive]

# Of seeds whose names begin with by_statements, the table and its rows are dbt-spark's, from what agate has read.
BY_STATEMENTS = """
{% macro deltawave__create_csv_table(model, agate_table) %}
  {% set table = load_agate_table() if model.name.startswith('by_statements') else agate_table %}
  {{ return(dbt.spark__create_csv_table(model, table)) }}
{% endmacro %}

{% macro deltawave__load_csv_rows(model, agate_table) %}
  {% if model.name.startswith('by_statements') %}
    {{ return(dbt.spark__load_csv_rows(model, load_agate_table())) }}
  {% endif %}
  {{ return(dbt.deltawave__load_csv_rows(model, agate_table)) }}
{% endmacro %}
"""
# Without ANSI mode, casts to them give null at worst.
DECLARED = ("decimal(10,2)", "int", "string", "date", "timestamp", "timestamp_ntz", "boolean", "double", "binary")
ROWS = 8
INFERRED = 60


def drawn(seed: int, count: int, *, overflows: bool) -> list[list[str]]:
    """Any columns."""
    found: list[list[str]] = []

    @drawn_from(seed)
    @settings(
        max_examples=count, phases=[Phase.generate], deadline=None, database=None, suppress_health_check=[*HealthCheck]
    )
    @given(columns(ROWS, overflows=overflows))
    def draw(cells: list[str]) -> None:
        found.append(cells)

    draw()
    return found


def write(project: Any, kind: str, cells: list[list[str]]) -> None:
    """Write the files of two seeds; the first column numbers the rows."""
    numbers = [str(number) for number in range(ROWS)]
    text = csv_text(["row", *(f"c{number}" for number in range(len(cells)))], [numbers, *cells])
    for way in ("by_columns", "by_statements"):
        Path(project.project_root, "seeds", f"{way}_{kind}.csv").write_text(text, encoding="utf-8", newline="")


class TestStatements:
    @pytest.fixture(scope="class")
    def macros(self):
        return {"by_statements.sql": BY_STATEMENTS}

    @pytest.fixture(scope="class")
    def project_config_update(self, request):
        types = {f"c{number}": each for number, each in enumerate(DECLARED * 4)}
        declared = {f"{way}_declared": {"+column_types": types} for way in ("by_columns", "by_statements")}
        return {"seeds": {"test": {"+file_format": request.config.option.table_format, **declared}}}

    def assert_same(self, project: Any, spark: Any, kind: str, seed: int, *flags: str) -> None:
        run_dbt(["seed", *flags, "--select", f"by_columns_{kind}", f"by_statements_{kind}"])
        read = []
        for way in ("by_columns", "by_statements"):
            frame = spark.table(f"{project.test_schema}.{way}_{kind}")
            rows = frame.select([frame[name].cast("string") for name in frame.columns]).collect()
            assert len(rows) == ROWS
            cells = zip(*sorted(map(tuple, rows)), strict=True)
            read.append(list(zip(frame.dtypes, cells, strict=True)))
        for by_columns, by_statements in zip(*read, strict=True):
            assert by_columns == by_statements, f"--seed {seed}"

    @pytest.mark.formats
    def test_inferred_types(self, project, spark, setting, seed):
        cells = drawn(seed, INFERRED, overflows=False)
        write(project, "inferred", cells)
        with setting("spark.sql.ansi.enabled", "true"):
            self.assert_same(project, spark, "inferred", seed)
            # Other rows of the same types, into the table that is there and into a new one.
            write(project, "inferred", [column[::-1] for column in cells])
            self.assert_same(project, spark, "inferred", seed)
            self.assert_same(project, spark, "inferred", seed, "--full-refresh")

    @pytest.mark.parametrize("kind", ["overflowing", "declared"])
    def test_without_ansi_mode(self, project, spark, setting, seed, kind):
        write(project, kind, drawn(seed, len(DECLARED) * 4, overflows=True))
        with setting("spark.sql.ansi.enabled", "false"):
            self.assert_same(project, spark, kind, seed)


class TestBadValue:
    @pytest.fixture(scope="class")
    def seeds(self):
        return {"bad.csv": "id,number\n1,1\n2,two\n", "long.csv": "id\n1\n9223372036854775808\n"}

    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"seeds": {"test": {"+column_types": {"number": "int"}}}}

    def test_it_is_an_error_or_null_by_ansi_mode(self, project, spark, setting):
        table = f"{project.test_schema}.bad"
        with setting("spark.sql.ansi.enabled", "true"):
            results = run_dbt(["seed"], expect_pass=False).results
        assert ["CAST_INVALID_INPUT" in result.message for result in results] == [True, True]
        assert spark.table(table).count() == 0
        with setting("spark.sql.ansi.enabled", "false"):
            run_dbt(["seed"])
        assert sorted(map(tuple, spark.table(table).collect())) == [(1, 1), (2, None)]
        # dbt-spark writes another number: the last 64 bits.
        assert sorted(spark.table(f"{project.test_schema}.long").toPandas()["id"].fillna(0)) == [0, 1]


class TestFiles:
    @pytest.fixture(scope="class")
    def seeds(self):
        return {"shown.csv": "id,name\n1,Zaphod\n", "long.csv": "id,name\n1,a\n2,b,c\n"}

    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"seeds": {"test": {"shown": {"+partition_by": "id", "+persist_docs": {"relation": True}}}}}

    @pytest.fixture(scope="class")
    def models(self):
        return {"seeds.yml": "seeds: [{name: shown, description: 'Who is shown'}]"}

    def test_show_has_rows(self, project, spark):
        (result,) = run_dbt(["seed", "--select", "shown", "--show"]).results
        assert result.message == "INSERT 1"
        assert [tuple(row) for row in result.agate_table.rows] == [(1, "Zaphod")]
        assert spark.table(f"{project.test_schema}.shown").select("id", "name").collect() == [(1, "Zaphod")]
        details = spark.sql(f"describe extended {project.test_schema}.shown").collect()
        assert ("Comment", "Who is shown") in [tuple(row)[:2] for row in details]

    def test_a_row_with_too_many_cells(self, project):
        (result,) = run_dbt(["seed", "--select", "long"], expect_pass=False).results
        assert "Row 1 has 3 values, but Table only has 2 columns" in result.message
