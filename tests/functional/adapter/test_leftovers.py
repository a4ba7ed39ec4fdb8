"""Folders that a killed statement left."""

from pathlib import Path

import pytest
from dbt.tests.util import run_dbt
from dbt_common.exceptions import DbtRuntimeError

REMOVES = """
{% macro remove(identifier) %}
  {{ log('removed: ' ~ adapter.remove_leftover_folder(target.schema, identifier), info=true) }}
{% endmacro %}
"""


class TestLeftovers:
    macros = {"remove.sql": REMOVES}

    models = {"numbers.sql": "{{ config(materialized='table') }} select 1 as id"}

    @pytest.fixture
    def folder(self, project, spark):
        location = spark.catalog.getDatabase(project.test_schema).locationUri
        return Path(location.removeprefix("file:"), "numbers")

    def test_removal_lets_the_model_run_again(self, project, folder, spark):
        folder.mkdir(parents=True)
        (folder / "part-0.parquet").write_text("half a file")
        (result,) = run_dbt(["run"], expect_pass=False)
        assert "LOCATION_ALREADY_EXISTS" in result.message

        run_dbt(["run-operation", "remove", "--args", "{identifier: numbers}"])
        assert not folder.exists()
        run_dbt(["run"])
        assert spark.table(f"{project.test_schema}.numbers").count() == 1

    def test_table_is_not_touched(self, project, folder):
        run_dbt(["run"])
        with (
            project.adapter.connection_named("test"),
            pytest.raises(DbtRuntimeError, match=f"{project.test_schema}.numbers exists in the catalog"),
        ):
            project.adapter.remove_leftover_folder(project.test_schema, "numbers")
        assert any(folder.glob("*.parquet"))

    def test_folder_of_another_table_is_not_touched(self, project, folder, spark):
        schema = project.test_schema
        borrowed = folder.with_name("borrowed")
        borrowed.mkdir(parents=True)
        spark.sql(f"create table {schema}.lodger (id int) using parquet location '{borrowed}'")
        with (
            project.adapter.connection_named("test"),
            pytest.raises(DbtRuntimeError, match=f"belongs to the table {schema}.lodger"),
        ):
            project.adapter.remove_leftover_folder(schema, "borrowed")
        assert borrowed.exists()

    def test_nothing_to_remove(self, project):
        with project.adapter.connection_named("test"):
            assert project.adapter.remove_leftover_folder(project.test_schema, "nothing") is False

    @pytest.mark.parametrize("identifier", ["", "..", "a/../../b"])
    def test_only_names_of_tables(self, project, identifier):
        with project.adapter.connection_named("test"), pytest.raises(DbtRuntimeError, match="name"):
            project.adapter.remove_leftover_folder(project.test_schema, identifier)
