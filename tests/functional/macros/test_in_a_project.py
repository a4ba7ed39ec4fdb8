"""The public macros and generic tests as a user's dbt project calls them."""

import pytest
from dbt.contracts.results import TestStatus
from dbt.tests.util import run_dbt

pytestmark = [pytest.mark.core, pytest.mark.hive]

LOG = """
    select id, name, attrs, score, _change_type, cast(null as array<string>) as _changed_columns,
        cast(null as struct<name:string>) as _before, cast(_batch_id as bigint) as _batch_id,
        timestamp'2024-01-01' as _batch_at
    from values
        (1, 'Ada', map('x', 1, 'y', 2), 10, 'insert', 1),
        (2, 'Bo', map(), 20, 'insert', 1),
        (3, 'Cy', null, 30, 'insert', 1),
        (2, 'Bob', map(), 21, 'update', 2),
        (3, 'Cy', null, 30, 'delete', 2)
        as t(id, name, attrs, score, _change_type, _batch_id)
"""
ACCOUNTS = """
    select * from values
        (1, 'Ada', map('y', 2, 'x', 1), 10), (2, 'Bob', map(), 21)
        as t(id, name, attrs, score)
"""
SPOILED = """
    select * from values
        (1, 'Ada', map('y', 2, 'x', 1), 10),
        (2, 'Bo', map(), 21), (2, 'Bo', map(), 21),
        (4, 'new', null, 40)
        as t(id, name, attrs, score)
"""
TWICE = f"{LOG} union all {LOG}"
YML = """
models:
  - name: changes
    data_tests:
      - deltawave.unique_change: {name: once, arguments: {unique_key: id}}
      - deltawave.replays_to: {name: right, arguments: {to: ref('accounts'), unique_key: [id]}}
      - deltawave.replays_to: {name: wrong, arguments: {to: ref('spoiled'), unique_key: id}}
      - deltawave.replays_to:
          name: right_in_one_column
          arguments: {to: ref('spoiled'), unique_key: id, columns: [score]}
          config: {where: "name <> 'new' and id = 1"}
      - deltawave.replays_to:
          name: right_where_asked
          arguments: {to: ref('spoiled'), unique_key: id}
          config: {where: id = 1}
      - deltawave.replays_to:
          name: wrong_where_asked
          arguments: {to: ref('spoiled'), unique_key: id}
          config: {where: name = 'Bo'}
      - deltawave.replays_to: {name: no_such_column, arguments: {to: ref('accounts'), unique_key: id, columns: [age]}}
  - name: twice
    data_tests:
      - deltawave.unique_change: {name: more_than_once, arguments: {unique_key: [id]}}
unit_tests:
  - name: latest_names
    model: latest
    given:
      - input: ref('changes')
        rows:
          - {id: 1, name: Ada, _change_type: insert, _batch_id: 1}
          - {id: 2, name: Bo, _change_type: insert, _batch_id: 1}
          - {id: 1, name: Ada, _change_type: delete, _batch_id: 2}
    expect:
      rows:
        - {id: 2, name: Bo}
"""
MODELS = {
    "changes.sql": "{{ config(materialized='view') }}" + LOG,
    "twice.sql": "{{ config(materialized='view') }}" + TWICE,
    "accounts.sql": "{{ config(materialized='table') }}" + ACCOUNTS,
    "spoiled.sql": "{{ config(materialized='table') }}" + SPOILED,
    "state.sql": "{{ deltawave.current_state(ref('changes'), 'id', to_batch=1) }}",
    "latest.sql": "{{ deltawave.current_state(ref('changes'), 'id', columns=['id', 'name']) }}",
    "rebuilt.sql": "{{ deltawave.apply_changes(ref('changes'), ref('state'), 'id', from_batch=2) }}",
    "checksums.sql": """
        {%- set columns = ['id', 'name', 'attrs', 'score'] -%}
        select id,
            {{ deltawave.row_checksum(columns, relation=ref('accounts')) }} as checksum,
            {{ deltawave.row_checksum(['id'], bits=128, relation=ref('accounts')) }} as wide
        from {{ ref('accounts') }}
    """,
    "checksums_by_column.sql": """
        select id, {{ deltawave.row_checksum(adapter.get_columns_in_relation(ref('accounts'))) }} as checksum
        from {{ ref('accounts') }}
    """,
    "models.yml": YML,
}


@pytest.mark.usefixtures("deltawave_package")
class TestInAProject:
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"flags": {"validate_macro_args": True}}

    models = MODELS

    @pytest.fixture(scope="class")
    def built(self, project):
        run_dbt(["run"])

    @pytest.fixture(scope="class")
    def outcomes(self, project, built):
        """The status, failures and message of each test by its name."""
        return {result.node.name: result for result in run_dbt(["test", "--store-failures"], expect_pass=False)}

    def rows(self, spark, project, name, *columns):
        return sorted(map(tuple, spark.table(f"{project.test_schema}.{name}").select(*columns or "*").collect()))

    def test_a_model_holds_the_state_of_a_batch(self, spark, project, built):
        assert self.rows(spark, project, "state", "id", "name", "score") == [
            (1, "Ada", 10),
            (2, "Bo", 20),
            (3, "Cy", 30),
        ]

    def test_a_model_is_brought_up_to_date(self, spark, project, built):
        assert self.rows(spark, project, "rebuilt", "id", "name", "score") == [(1, "Ada", 10), (2, "Bob", 21)]

    def test_a_model_has_checksums(self, spark, project, built):
        found = self.rows(spark, project, "checksums")
        assert len({row[1] for row in found}) == 2
        assert [len(row[2]) for row in found] == [32, 32]
        by_column = self.rows(spark, project, "checksums_by_column")
        assert by_column == [row[:2] for row in found]

    def test_a_model_with_named_columns_has_unit_tests(self, outcomes):
        assert outcomes["latest_names"].status == TestStatus.Pass, outcomes["latest_names"].message

    @pytest.mark.parametrize("name", ["once", "right", "right_in_one_column", "right_where_asked"])
    def test_a_right_log_passes(self, outcomes, name):
        assert outcomes[name].status == TestStatus.Pass, outcomes[name].message

    @pytest.mark.parametrize(("name", "failures"), [("wrong", 3), ("wrong_where_asked", 1), ("more_than_once", 5)])
    def test_a_wrong_log_fails(self, outcomes, name, failures):
        assert (outcomes[name].status, outcomes[name].failures) == (TestStatus.Fail, failures)

    def test_a_column_that_is_not_there_is_named(self, outcomes):
        assert "replays_to: " in outcomes["no_such_column"].message
        assert "has no column 'age'. It has: id, name, attrs, score." in outcomes["no_such_column"].message

    def test_the_failures_say_which_side_has_a_row(self, spark, project, outcomes):
        spoiled = f"only in {project.test_schema}.spoiled"
        found = spark.sql(f"select _side, _copies, id, name from {outcomes['wrong'].node.relation_name}")
        assert sorted(map(tuple, found.collect())) == sorted(
            [("only in the log", 1, 2, "Bob"), (spoiled, 2, 2, "Bo"), (spoiled, 1, 4, "new")]
        )

    def test_the_failures_say_what_a_key_went_through(self, spark, outcomes):
        found = spark.sql(
            f"select _batch_id, _change_types from {outcomes['more_than_once'].node.relation_name} where id = 2"
        )
        assert sorted(map(tuple, found.collect())) == [(1, ["insert", "insert"]), (2, ["update", "update"])]

    def test_models_run_empty(self, spark, project, built):
        # dbt-spark itself can't describe the relations of an empty run.
        run_dbt(["run", "--empty", "--exclude", "checksums_by_column"])
        assert self.rows(spark, project, "rebuilt") == []
