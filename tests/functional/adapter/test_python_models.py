"""Python models, run in the process of dbt."""

import os
import sys
from pathlib import Path

import pytest
from dbt.tests.util import run_dbt
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.deltawave.python_models import SessionPythonJob

SPARK_FRAME = """
def model(dbt, session):
    return session.range(3)
"""

PANDAS_FRAME = """
import pandas as pd


def model(dbt, session):
    dates = pd.to_datetime(["2020-01-01", "2020-01-02"])
    return pd.DataFrame({"name": ["a", None], "at": dates, "nothing": [None, None]})
"""

PANDAS_ON_SPARK_FRAME = """
def model(dbt, session):
    return dbt.ref("spark_frame").pandas_api()
"""

# What a frame needs until it is stored goes afterwards. dbt refuses a return with a comma.
HOLDING_FRAME = """
import os

import deltawave


def model(dbt, session):
    held = deltawave.attach(session.range(3), lambda: os.environ.pop("NOT_RELEASED"))
    return session.range(9).join(held, "id")
"""

NO_FRAME = """
def model(dbt, session):
    return [1, 2, 3]
"""

# The comment is on line 3 of the file, the two failing lines are 5 and 9.
FAILS = """

# helper
def pick(frame):
    return frame.select("no_such_column")


def model(dbt, session):
    return pick(dbt.ref("spark_frame"))
"""

FAILS_IN_SYNTAX = """

def model(dbt, session):
    return session.range(
"""

ON_EXECUTORS = """
import sys

import pandas as pd

FACTOR = 10


def model(dbt, session):
    def scale(batches):
        for batch in batches:
            yield pd.DataFrame({"id": batch["id"] * FACTOR, "python": sys.executable})

    return dbt.ref("spark_frame").mapInPandas(scale, "id long, python string")
"""

FAILS_ON_EXECUTORS = """
def model(dbt, session):
    def fail(batches):
        for batch in batches:
            raise KeyError("spoilt row")  # line 5 of the file

    return dbt.ref("spark_frame").mapInPandas(fail, "id long")
"""


class TestFrames:
    models = {
        "spark_frame.py": SPARK_FRAME,
        "pandas_frame.py": PANDAS_FRAME,
        "pandas_on_spark_frame.py": PANDAS_ON_SPARK_FRAME,
        "no_frame.py": NO_FRAME,
        "fails.py": FAILS,
        "on_executors.py": ON_EXECUTORS,
        "fails_on_executors.py": FAILS_ON_EXECUTORS,
        "holding_frame.py": HOLDING_FRAME,
        "reads_python.sql": "select id * 2 as id from {{ ref('spark_frame') }}",
    }

    @pytest.fixture(scope="class")
    def messages(self, project):
        os.environ["NOT_RELEASED"] = "yes"
        results = run_dbt(["run"], expect_pass=False)
        return {result.node.name: result.message for result in results}

    @pytest.fixture
    def rows(self, messages, project, spark):
        def read(name):
            return [tuple(row) for row in spark.table(f"{project.test_schema}.{name}").collect()]

        return read

    def test_spark_frame_feeds_sql(self, rows):
        assert sorted(rows("reads_python")) == [(0,), (2,), (4,)]

    def test_pandas_frame_keeps_nulls_and_types(self, rows, project, spark):
        frame = spark.table(f"{project.test_schema}.pandas_frame")
        assert dict(frame.dtypes) == {"name": "string", "at": "timestamp", "nothing": "string"}
        assert sorted((row[1].day, row[0], row[2]) for row in rows("pandas_frame")) == [(1, "a", None), (2, None, None)]

    def test_pandas_on_spark_frame(self, rows):
        assert sorted(rows("pandas_on_spark_frame")) == [(0,), (1,), (2,)]

    def test_executors_run_this_python_and_need_no_module(self, rows):
        assert sorted(rows("on_executors")) == [(id_, sys.executable) for id_ in (0, 10, 20)]

    def test_what_a_frame_needs_is_released_once_the_result_is_stored(self, rows):
        assert len(rows("holding_frame")) == 3
        assert "NOT_RELEASED" not in os.environ

    def test_anything_else_is_refused(self, messages):
        assert "model() returned list; it must return a Spark DataFrame" in messages["no_frame"]

    def test_error_names_the_lines_of_the_users_file(self, messages, project):
        message = messages["fails"]
        file = Path(project.project_root, "models", "fails.py")
        assert "AnalysisException: [UNRESOLVED_COLUMN" in message
        assert f'File "{file}", line 5, in pick' in message
        assert f'File "{file}", line 9, in model' in message
        assert 'return frame.select("no_such_column")' in message
        assert "site-packages" not in message
        assert message.count("File ") == 2

    def test_error_on_executors_names_the_users_line_once(self, messages, project):
        message = messages["fails_on_executors"]
        file = Path(project.project_root, "models", "fails_on_executors.py")
        assert "KeyError: 'spoilt row'" in message
        assert message.count(f'File "{file}", line 5, in fail') == 1
        assert "worker.py" not in message


OVERWRITES = """
def model(dbt, session):
    dbt.config(
        materialized="incremental",
        incremental_strategy="insert_overwrite",
        partition_by=["day"],
    )
    rows = dbt.ref("input")
    return rows.where("day = 2") if dbt.is_incremental else rows
"""

APPENDS = """
def model(dbt, session):
    dbt.config(materialized="incremental", incremental_strategy="append", partition_by=["day"])
    rows = dbt.ref("input")
    return rows.where("day = 2") if dbt.is_incremental else rows
"""

SQL_OVERWRITES = """
{{ config(
    materialized='incremental',
    incremental_strategy='insert_overwrite',
    partition_by='day',
) }}
select run, day from {{ ref('input') }}
{% if is_incremental() %} where day = 2 {% endif %}
"""

INPUT = """
select {{ var('run') }} as run, day from values (1), (2) as days (day)
"""

COPIES = 'def model(dbt, session):\n    return dbt.ref("input")\n'

CONFIGURED = """
def model(dbt, session):
    dbt.config(
        file_format="orc",
        partition_by=["day"],
        location_root={location_root!r},
        options={{"compression": "zlib"}},
        tblproperties={{"origin": "python"}},
    )
    return session.sql("select 1 as day, 'a' as name")
"""


class TestRuns:
    """An empty run, and three others."""

    OVERWRITE_MODE = "spark.sql.sources.partitionOverwriteMode"

    @pytest.fixture(scope="class")
    def location_root(self, tmp_path_factory):
        return str(tmp_path_factory.mktemp("elsewhere"))

    @pytest.fixture(scope="class")
    def models(self, location_root):
        return {
            "input.sql": INPUT,
            "copy.py": COPIES,
            "plain.py": SPARK_FRAME,
            "configured.py": CONFIGURED.format(location_root=location_root),
            "overwrites.py": OVERWRITES,
            "sql_overwrites.sql": SQL_OVERWRITES,
            "appends.py": APPENDS,
        }

    @pytest.fixture(scope="class")
    def table(self, project, spark):
        """What a model has left."""

        def read(name):
            return spark.table(f"{project.test_schema}.{name}")

        mode = spark.conf.get(self.OVERWRITE_MODE)
        run_dbt(["run", "--empty", "--select", "input", "copy", "--vars", "run: 0"])
        assert read("copy").count() == 0, "refs have no rows"
        for run in (1, 2, 3):
            run_dbt(["run", "--vars", f"run: {run}"])
        assert read("copy").count() == 2
        assert spark.conf.get(self.OVERWRITE_MODE) == mode
        return read

    def test_table_is_as_configured(self, table, project, spark, location_root):
        rows = spark.sql(f"describe table extended {project.test_schema}.configured").collect()
        about = {row.col_name: row.data_type for row in rows}
        assert about["Provider"] == "orc"
        assert about["Location"] == f"file:{location_root}/configured"
        assert "compression=zlib" in about["Storage Properties"]
        assert "origin=python" in about["Table Properties"]
        assert "day=1" in {path.name for path in Path(location_root, "configured").iterdir()}
        assert table("configured").count() == 1
        rows = spark.sql(f"describe table extended {project.test_schema}.plain").collect()
        assert {row.col_name: row.data_type for row in rows}["Provider"] == "parquet"

    def test_incremental(self, table, project, spark):
        def rows(name):
            return sorted((row.day, row.run) for row in table(name).collect())

        assert rows("overwrites") == [(1, 1), (2, 3)]
        assert rows("sql_overwrites") == [(1, 1), (2, 3)]
        assert rows("appends") == [(1, 1), (2, 1), (2, 2), (2, 3)]
        tables = {each.name for each in spark.catalog.listTables(project.test_schema)}
        assert tables == {"appends", "configured", "copy", "input", "overwrites", "plain", "sql_overwrites"}
        properties = spark.sql(f"show tblproperties {project.test_schema}.overwrites").collect()
        assert not [row.key for row in properties if "overwritemode" in row.key.lower()]


SECRETIVE = """
def model(dbt, session):
    raise ValueError("no access")  # with token="hunter2"
"""

COMPILED_TAIL = """

class dbtObj:
    def __init__(self, load):
        pass

from dbt.adapters.deltawave.python_models import save
save(scope=globals(), view="view", create=None, empty=False)
"""


def refuse():
    raise DbtRuntimeError("not stored")


class TestMessage:
    @pytest.fixture
    def message(self, spark, tmp_path):
        def submit(code):
            file = tmp_path / "model.py"
            file.write_text(code)
            model = {"alias": "model", "raw_code": code.strip()}
            job = SessionPythonJob(
                model, file, spark, secrets=[], before_storing=refuse, release_later=lambda release: None
            )
            with pytest.raises(DbtRuntimeError) as caught:
                job.submit(code.strip() + COMPILED_TAIL)
            return str(caught.value)

        return submit

    def test_syntax_error_names_the_line(self, message):
        assert "SyntaxError: '(' was never closed (model.py, line 4)" in message(FAILS_IN_SYNTAX)

    def test_quoted_line_shows_no_secret(self, message):
        text = message(SECRETIVE)
        assert "ValueError: no access" in text
        assert "line 3, in model" in text
        assert "token=*****" in text
        assert "hunter2" not in text

    def test_a_result_is_stored_only_where_the_adapter_lets_it(self, message, spark):
        assert "not stored" in message("def model(dbt, session):\n    return session.range(3)\n")
        assert not spark.catalog.tableExists("view")
