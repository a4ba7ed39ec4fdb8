"""The operation `compare`, as a user runs it."""

import json
import re
from pathlib import Path

import pytest
import yaml
from dbt.tests.util import run_dbt, run_dbt_and_capture


@pytest.mark.usefixtures("deltawave_package")
class TestCompare:
    models = {
        "v1.sql": "select id, 'name ' || id as name, id * 1.5D as amount from range(4)",
        "v2.sql": "select id, 'name ' || id as name, amount + if(id = 2, 0.5D, 0D) as amount from {{ ref('v1') }}",
        "accounts_v1.sql": "select * from {{ ref('v1') }}",
        "accounts_v2.sql": "select * from {{ ref('v2') }}",
        "accounts.yml": "models: [{name: accounts, latest_version: 2, versions: [{v: 2}, {v: 1}]}]",
        "twice.sql": "select 1L as id, 'x' as name, explode(array(1D, 2D)) as amount",
    }

    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"flags": {"validate_macro_args": True}}

    def test_two_models(self, project):
        run_dbt(["run"])

        def compare(expect_pass=True, **args):
            command = ["run-operation", "deltawave.compare", "--args", yaml.safe_dump({"unique_key": "id", **args})]
            return run_dbt_and_capture(["--quiet", *command], expect_pass=expect_pass)[1]

        text = compare(a="v1", b=f"{project.test_schema}.v2")
        assert f"v1 -> {project.test_schema}.v2, by id" in text
        assert re.search(r"^  amount +1 +25\.0%$", text, re.MULTILINE)
        assert "The tables differ." in text
        assert "The tables are equal." in compare(a="v1", b="v2", tolerance={"amount": 0.5})
        file = Path(project.project_root, "found.json")
        assert "are described in" in compare(a="v1", b="v2", format="json", output=str(file))
        assert json.loads(file.read_text())["changed"] == 1
        text = compare(a="v1", b="twice", expect_pass=False)
        assert "compare: v1 and twice can't be compared. 1 key(s) (id) of the new table occur in several rows" in text
        text = compare(a="accounts.v1", b="test.accounts")
        assert "accounts.v1 -> test.accounts, by id" in text
        assert "The tables differ." in text
        assert "The tables are equal." in compare(a="v2", b="accounts", fail_on_differences=True)
        text = compare(a="accounts.v1", b="accounts.v2", fail_on_differences=True, expect_pass=False)
        assert "The tables differ." in text
        assert "compare: accounts.v1 and accounts.v2 differ, which is an error by fail_on_differences." in text
        assert "compare: v3 is not in the warehouse." in compare(a="v1", b="v3", expect_pass=False)
