"""The session that dbt runs on."""

import pytest
from dbt.tests.util import run_dbt

OVERFLOWS = "select cast('abc' as int) as id"


class TestAnsiAsSparkHasIt:
    @pytest.fixture(scope="class")
    def models(self):
        return {"casts.sql": "{{ config(materialized='table') }} " + OVERFLOWS}

    def test_wrong_cast_fails(self, project):
        (result,) = run_dbt(["run"], expect_pass=False)
        assert "CAST_INVALID_INPUT" in result.message


class TestAnsiOff:
    @pytest.fixture(scope="class")
    def dbt_profile_target(self, dbt_profile_target):
        parameters = dbt_profile_target["server_side_parameters"]
        return dbt_profile_target | {"server_side_parameters": parameters | {"spark.sql.ansi.enabled": False}}

    @pytest.fixture(scope="class")
    def models(self):
        return {"casts.sql": "{{ config(materialized='table') }} " + OVERFLOWS}

    def test_wrong_cast_is_null(self, project, spark):
        run_dbt(["run"])
        assert spark.table(f"{project.test_schema}.casts").first().id is None


class TestAnsiOnAgain:
    def test_the_next_profile_decides_again(self, project, spark):
        project.run_sql("select 1")
        assert spark.conf.get("spark.sql.ansi.enabled") == "true"


class TestIsolation:
    def test_settings_of_a_node_stay_with_it(self, project, spark):
        setting = "spark.sql.sources.partitionOverwriteMode"
        adapter = project.adapter
        with adapter.connection_named("one"):
            adapter.execute("create or replace temporary view shared as select 1 as id")
            adapter.isolate_session({setting: "DYNAMIC"})
            _, seen = adapter.execute(f"set {setting}", fetch=True)
            adapter.execute("select * from shared")
        assert seen.rows[0][1] == "DYNAMIC"
        with adapter.connection_named("two"):
            _, seen = adapter.execute(f"set {setting}", fetch=True)
        assert seen.rows[0][1].upper() == "STATIC"
        assert spark.conf.get(setting).upper() == "STATIC"


def test_nothing_is_left_in_the_project(own_process):
    own_process.profile(threads=2)
    own_process.write("models/sql.sql", "select 1 as id")
    own_process.write("models/py.py", 'def model(dbt, session):\n    return dbt.ref("sql")\n')
    before = {path.name for path in own_process.root.iterdir()}
    outcome = own_process.dbt("run", "docs generate")
    assert outcome.returncode == 0, outcome.stdout
    assert outcome.stderr == ""
    left = {path.name for path in own_process.root.iterdir()} - before
    assert left == {"target", "logs"}
    folders = {path.name for path in (own_process.root / "target" / "spark").iterdir()}
    assert folders == {"warehouse", "metastore_db"}


def test_second_process_on_a_metastore(own_process, spark, spark_data_dir):
    own_process.profile(data_dir=str(spark_data_dir))
    outcome = own_process.dbt("debug")
    assert outcome.returncode == 1
    assert f"The metastore in {spark_data_dir / 'metastore_db'} cannot be opened." in outcome.stdout
    assert "another data_dir" in outcome.stdout
    assert "SessionHiveMetaStoreClient" not in outcome.stdout
