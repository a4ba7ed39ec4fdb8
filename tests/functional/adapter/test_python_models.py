"""Python models in process."""

import pytest
from dbt.tests.util import run_dbt

SPARK = """
def model(dbt, session):
    return session.range(3)
"""


class TestTable:
    @pytest.fixture(scope="class")
    def models(self):
        return {"numbers.py": SPARK, "twice.sql": "select id * 2 as id from {{ ref('numbers') }}"}

    @pytest.fixture(scope="class")
    def seeds(self):
        return {"names.csv": "id,name\n1,O'Hara\n2,\n9007199254740993,a\\b\n"}

    def test_builds(self, project):
        assert len(run_dbt(["build"])) == 3
        rows = project.run_sql(f"select id from {project.test_schema}.twice order by id", fetch="all")
        assert [row[0] for row in rows] == [0, 2, 4]
        rows = project.run_sql(f"select id, name from {project.test_schema}.names order by id", fetch="all")
        assert [tuple(row) for row in rows] == [(1, "O'Hara"), (2, None), (9007199254740993, "a\\b")]
