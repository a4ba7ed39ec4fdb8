"""The session that dbt runs on."""

import fcntl
import re
import shutil

import pytest
from dbt.tests.util import run_dbt
from jvm import QUICK_JVM

RUN_WITHOUT_SPARK = """
from dbt.cli.main import dbtRunner
from pyspark import SparkContext

print("outcome", dbtRunner().invoke(["run"]).success)
print("spark", SparkContext._gateway)
"""

# What is registered first runs last.
RUN_AND_END = """
import atexit
from dbt.cli.main import dbtRunner
from pyspark import SparkContext

atexit.register(lambda: print("jvm ends", SparkContext._gateway.proc.stdin.closed))
for command in (["run"], ["docs", "generate"]):
    print("outcome", dbtRunner().invoke(command).success)
"""


class TestAnsiOff:
    @pytest.fixture(scope="class")
    def dbt_profile_target(self, dbt_profile_target):
        parameters = dbt_profile_target["server_side_parameters"]
        return dbt_profile_target | {"server_side_parameters": parameters | {"spark.sql.ansi.enabled": False}}

    models = {"casts.sql": "{{ config(materialized='table') }} select cast('abc' as int) as id"}

    def test_wrong_cast_is_null(self, project, spark):
        run_dbt(["run"])
        assert spark.table(f"{project.test_schema}.casts").first().id is None


class TestAnsiOnAgain:
    def test_the_next_profile_decides_again(self, project, spark):
        project.run_sql("select 1")
        assert spark.conf.get("spark.sql.ansi.enabled") == "true"


class TestIsolation:
    """What isolate_session promises to the macros that write a table."""

    SETTING = "spark.sql.sources.partitionOverwriteMode"

    @pytest.fixture
    def table(self, project):
        relation = project.adapter.Relation.create(schema=project.test_schema, identifier="kept")
        project.run_sql("create or replace temporary view shared as select 1 as id")
        project.run_sql(f"drop table if exists {relation}")
        project.run_sql(f"create table {relation} using parquet as select 1 as id")
        yield relation
        project.run_sql("drop view shared")

    def test_settings_and_views_stay_with_the_node(self, project, spark, table):
        adapter = project.adapter
        with adapter.connection_named("one"):
            adapter.isolate_session(table, {self.SETTING: "DYNAMIC"})
            _, seen = adapter.execute(f"set {self.SETTING}", fetch=True)
            adapter.execute("create temporary view own as select * from shared")
        assert seen.rows[0][1] == "DYNAMIC"
        with adapter.connection_named("two"):
            _, seen = adapter.execute(f"set {self.SETTING}", fetch=True)
        assert seen.rows[0][1].upper() == "STATIC"
        assert spark.conf.get(self.SETTING).upper() == "STATIC"
        assert not spark.catalog.tableExists("own")

    @pytest.mark.parametrize("rejoins", [True, False])
    def test_everybody_sees_what_was_written(self, project, spark, table, rejoins):
        assert spark.table(str(table)).count() == 1
        adapter = project.adapter
        with adapter.connection_named("one"):
            adapter.isolate_session(table, {})
            adapter.execute(f"insert into {table} values (2)")
            if rejoins:
                adapter.rejoin_session()
                _, seen = adapter.execute(f"select count(*) from {table}", fetch=True)
                assert seen.rows[0][0] == 2
        assert spark.table(str(table)).count() == 2


def test_nothing_is_left_in_the_project_and_the_jvm_ends_with_dbt(own_process, tmp_path, monkeypatch):
    """Nor is anything said of a cache that cannot be written."""
    own_process.jvm_options = QUICK_JVM
    monkeypatch.setenv("DELTAWAVE_CLASS_ARCHIVE", "true")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "cache").write_text("a file where the folder should be")
    own_process.profile(threads=2)
    own_process.write("models/sql.sql", "select 1 as id")
    own_process.write("models/py.py", 'def model(dbt, session):\n    return dbt.ref("sql")\n')
    before = {path.name for path in own_process.root.iterdir()}
    outcome = own_process.python(RUN_AND_END)
    assert outcome.stdout.count("outcome True") == 2, outcome.stdout
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert "jvm ends True" in outcome.stdout
    left = {path.name for path in own_process.root.iterdir()} - before
    assert left == {"target", "logs", "spark_data"}
    folders = {path.name for path in (own_process.root / "spark_data").iterdir()}
    assert folders == {"warehouse", "metastore_db", "resources", ".gitignore"}


def test_tables_outlive_dbt_clean_and_a_backup(own_process):
    """With partitions by date. Derby at times fails at Hive's own SQL; what Hive then tries takes them by text only."""
    own_process.profile(server_side_parameters={"spark.hadoop.hive.metastore.try.direct.sql": "false"})
    days = "select id, date_add(date'2026-01-01', cast(id as int)) as day from range(3)"
    config = "{{ config(materialized='table', file_format='parquet', partition_by='day') }}"
    own_process.write("models/days.sql", f"{config} {days}")
    own_process.write("models/kept.sql", "{{ config(materialized='table') }} select 42 as answer")
    own_process.write("models/reads.sql", "{{ config(materialized='table') }} select answer + 1 as more from own.kept")
    made = own_process.dbt("run --select kept days", "clean")
    assert made.returncode == 0, made.stdout
    assert not (own_process.root / "target").exists()
    data, backup = own_process.root / "spark_data", own_process.root / "backup"
    data.rename(backup)
    shutil.copytree(backup, data)

    shown = own_process.dbt(
        "run --select reads",
        "show --inline 'select more from own.reads'",
        "show --inline \"select 'found', id + 50 from own.days where day = cast('2026-01-03' as date)\"",
    )
    assert shown.returncode == 0, shown.stdout
    assert "43" in shown.stdout
    assert re.search(r"found\W+52\b", shown.stdout)


def test_a_folder_that_dbt_cleans_is_refused(own_process):
    own_process.profile(data_dir="target/spark")
    own_process.write("models/kept.sql", "select 42 as answer")
    outcome = own_process.python(RUN_WITHOUT_SPARK)
    assert "outcome False" in outcome.stdout
    assert "`dbt clean` would delete" in outcome.stdout
    assert "spark None" in outcome.stdout
    assert not (own_process.root / "target" / "spark").exists()


def test_a_project_that_cannot_be_parsed_ends_without_a_word_of_spark(own_process):
    """Spark starts while dbt parses."""
    own_process.profile()
    own_process.write("models/broken.sql", "select {{ 1 as id")
    outcome = own_process.dbt("run")
    assert outcome.returncode != 0
    assert outcome.stderr == ""
    assert "Compilation Error" in outcome.stdout
    assert "py4j" not in outcome.stdout.lower()


def test_second_process_on_a_metastore(own_process, tmp_path):
    data_dir = tmp_path / "kept"
    lock = data_dir / "metastore_db" / "dbex.lck"
    lock.parent.mkdir(parents=True)
    with lock.open("w+b") as file:
        # Like Derby in a process that has the database open.
        fcntl.lockf(file, fcntl.LOCK_EX)
        own_process.profile(data_dir=str(data_dir))
        outcome = own_process.dbt("debug")
    assert outcome.returncode == 1
    assert f"The metastore in {data_dir / 'metastore_db'} cannot be opened." in outcome.stdout
    assert "another data_dir" in outcome.stdout
    assert "SessionHiveMetaStoreClient" not in outcome.stdout
