"""What a user reads when Spark refuses a statement."""

import pytest
from dbt.tests.util import run_dbt

# As a driver would tell that it cannot connect.
SECRETIVE = """
{{ config(materialized='table') }}
select raise_error('no route to jdbc:postgresql://clerk:hunter2@db.example/shop?password=hunter3')
"""


class TestMessages:
    @pytest.fixture(scope="class")
    def models(self):
        return {
            "missing.sql": "select * from no_such_table",
            "mistyped.sql": "selec 1",
            "divides.sql": "{{ config(materialized='table') }} select 1 / id as x from range(3)",
            "secretive.sql": SECRETIVE,
        }

    @pytest.fixture(scope="class")
    def messages(self, project):
        results = run_dbt(["run"], expect_pass=False)
        return {result.node.name: result.message for result in results}

    @pytest.mark.parametrize(
        ("model", "error_class"),
        [
            ("missing", "[TABLE_OR_VIEW_NOT_FOUND] The table or view `no_such_table`"),
            ("mistyped", "[PARSE_SYNTAX_ERROR] Syntax error at or near 'selec'"),
            ("divides", "[DIVIDE_BY_ZERO] Division by zero."),
        ],
    )
    def test_error_class_without_stack_and_plan(self, messages, model, error_class):
        message = messages[model]
        assert message.startswith("Database Error in model")
        assert error_class in message
        assert "\tat " not in message
        assert "UnresolvedRelation" not in message
        assert "org.apache.spark" not in message

    def test_secrets_are_hidden(self, messages):
        message = messages["secretive"]
        assert "db.example/shop" in message
        assert "hunter" not in message
