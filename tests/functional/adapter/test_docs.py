"""The documentation shows SQL and Python models alike."""

import json
from pathlib import Path

import pytest
from dbt.tests.util import run_dbt


class TestDocs:
    @pytest.fixture(scope="class")
    def models(self):
        return {
            "numbers.sql": "{{ config(materialized='table') }} select 1 as id, 'a' as name",
            "names.py": 'def model(dbt, session):\n    return dbt.ref("numbers").select("name")\n',
            "schema.yml": "models:\n- name: names\n  description: names alone\n",
        }

    def test_catalog_and_lineage(self, project):
        run_dbt(["run"])
        run_dbt(["docs", "generate"])
        target = Path(project.project_root, "target")
        catalog = json.loads((target / "catalog.json").read_text())["nodes"]
        columns = {name: list(node["columns"]) for name, node in catalog.items()}
        assert columns == {"model.test.numbers": ["id", "name"], "model.test.names": ["name"]}
        manifest = json.loads((target / "manifest.json").read_text())
        assert manifest["parent_map"]["model.test.names"] == ["model.test.numbers"]
        assert manifest["nodes"]["model.test.names"]["description"] == "names alone"
