"""The fixtures that other tests rely on."""

import pytest
from dbt.tests.util import run_dbt


@pytest.mark.usefixtures("deltawave_package")
class TestPackage:
    @pytest.fixture(scope="class")
    def models(self):
        return {"numbers.sql": "select 1 as id"}

    def test_package_is_installed(self, project, spark):
        macros = run_dbt(["parse"]).macros
        assert any(name.startswith("macro.deltawave.") for name in macros)
        run_dbt(["run"])
        assert spark.table(f"{project.test_schema}.numbers").count() == 1
