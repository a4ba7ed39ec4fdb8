"""What a user reads when Spark refuses a statement."""

from pathlib import Path

import pytest
from dbt.tests.util import run_dbt

# Like a driver that cannot connect.
SECRETIVE = """
{{ config(materialized='table') }}
select raise_error('no route to jdbc:postgresql://clerk:hunter2@db.example/shop?password=hunter3')
"""


class TestMessages:
    models = {
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


CSV = "csv options (header true, mode 'FAILFAST', enforceSchema false)"
WHOLE = "id,name,points\n1,ann,3\n2,bob,4\n"
AGAIN = "Have it delivered again, or correct the declaration."
FILES = {
    "cut": (
        WHOLE + "3,password=hunter2",
        ["Malformed records are detected", "Malformed CSV record: 3,password=*****", AGAIN],
    ),
    "mistyped": (WHOLE + "3,eve,many\n", ["[3,eve,null]", 'Cause: For input string: "many"', AGAIN]),
    "shifted": (
        WHOLE.replace("name,points", "points,name"),
        [
            "Cause: CSV header does not conform to the schema.",
            "Expected: name but found: points",
            "declare the columns",
        ],
    ),
}


class TestCauses:
    """A file that cannot be read: which one, what is wrong with it, and what to do."""

    @pytest.fixture(scope="class")
    def models(self):
        select = "{{{{ config(materialized='table') }}}} select * from {{{{ target.schema }}}}.{}_files"
        return {f"{name}.sql": select.format(name) for name in [*FILES, "parquet"]}

    @pytest.fixture(scope="class")
    def messages(self, project, spark, tmp_path_factory):
        folder = tmp_path_factory.mktemp("files")
        for name, (text, _) in FILES.items():
            (folder / name).mkdir()
            (folder / name / "dump.csv").write_text(text)
            self.declare(spark, project, name, f"id int, name string, points int) using {CSV}", folder)
        spark.range(1000).coalesce(1).write.parquet(str(folder / "parquet"))
        (file,) = (folder / "parquet").glob("*.parquet")
        file.write_bytes(file.read_bytes()[:1000])
        # Like a file from elsewhere: otherwise Spark's own checksum file would fail first.
        file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
        self.declare(spark, project, "parquet", "id bigint) using parquet", folder)
        results = run_dbt(["run"], expect_pass=False)
        return {result.node.name: result.message for result in results}

    def declare(self, spark, project, name, rest, folder):
        spark.sql(f"create table {project.test_schema}.{name}_files ({rest} location '{folder / name}'")

    @pytest.mark.parametrize("name", FILES)
    def test_a_text_file(self, messages, name, logs_dir):
        lines = [" ".join(line.split()) for line in messages[name].splitlines()]
        message_text = " ".join(lines)
        log = " ".join(Path(logs_dir, "dbt.log").read_text().split())
        assert f"/{name}/dump.csv" in message_text
        for part in FILES[name][1]:
            assert part in message_text
            assert part in log
        assert "PERMISSIVE" not in message_text
        assert "hunter2" not in message_text
        assert "\tat " not in messages[name]

    def test_a_parquet_file(self, messages):
        assert ".snappy.parquet" in messages["parquet"]
        assert "Cause: " in messages["parquet"]
        assert AGAIN in messages["parquet"]
