"""What dbt offers to every model: hooks, persisted descriptions, contracts."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from bad_input import messages
from dbt.tests.util import run_dbt
from workbench import MODEL, Run, Workbench

pytestmark = pytest.mark.hive

YML = """
models:
  - name: accounts
    description: Who's who
    columns:
      - name: name
        description: '{words}'
      - name: _change_type
        description: insert, update or delete
"""


class TestDbtFeatures:
    @pytest.mark.core
    def test_hooks_run_around_the_batch(self, bench: Workbench) -> None:
        bench.spark.sql(f"create table {bench.schema}.heard (at string, changes bigint)")
        bench.configure(
            pre_hook="insert into {{ this.schema }}.heard select 'before', null",
            post_hook="insert into {{ this.schema }}.heard select 'after', count(*) from {{ this }}",
        )
        bench.build("select 1 as account_id, 'ann' as name")
        heard = bench.spark.table(f"{bench.schema}.heard").collect()
        assert sorted(map(tuple, heard)) == [("after", 1), ("before", None)]

    def test_descriptions_are_kept_with_the_view(self, bench: Workbench) -> None:
        def comments() -> dict[str, str]:
            described = bench.spark.sql(f"describe extended {bench.schema}.accounts").collect()
            return {row.col_name: row.comment or row.data_type for row in described}

        bench.configure(persist_docs={"relation": True, "columns": True})
        for words, name in (("what it''s called", "ann"), ("how it is called", "eve"), ("how it is called", "ida")):
            bench.add_yml(YML.format(words=words))
            bench.build(f"select 1 as account_id, '{name}' as name")
            found = comments()
            assert found["name"] == words.replace("''", "'")
            assert found["_change_type"] == "insert, update or delete"
            assert found["Comment"] == "Who's who"

    @pytest.mark.core
    def test_docs_show_the_rows_and_bytes_of_a_log(self, bench: Workbench) -> None:
        """The log is a view, of which Spark has no statistics."""
        bench.build("select id as account_id from range(3)")
        bench.build("select id as account_id from range(2)")
        done = bench.run("generate", command="docs")
        assert done.ok, done.text
        catalog = json.loads((bench.root / "target" / "catalog.json").read_text())
        (log,) = (node for name, node in catalog["nodes"].items() if name.endswith(".accounts"))
        assert log["stats"]["rows"]["value"] == 4
        assert log["stats"]["bytes"]["value"] > 0
        assert "_change_type" in log["columns"]


ROW = "select 1 as account_id, 'ann' as `full name`, 2.50 as amount"
COLUMNS = {
    "account_id": "int",
    "full name": "string",
    "amount": "decimal(3,2)",
    "_change_type": "string",
    "_changed_columns": "array<string>",
    "_before": "struct<`full name`:string,amount:decimal(3,2)>",
    "_batch_id": "bigint",
    "_batch_at": "timestamp",
}


class TestContract:
    @staticmethod
    def place(bench: Workbench, columns: list[dict[str, Any]]) -> None:
        """Write the yml of an enforced contract."""
        model = {"name": "accounts", "config": {"contract": {"enforced": True}}, "columns": columns}
        bench.add_yml(yaml.safe_dump({"models": [model]}, sort_keys=False))

    @staticmethod
    def printed(bench: Workbench) -> str:
        """The yml that the operation prints."""
        done = bench.operate("contract", model="accounts")
        found = re.search(r"^models:\n(?: .*\n?)+", done.text, re.MULTILINE)
        assert done.ok, done.text
        assert found is not None, done.text
        return found[0]

    @pytest.mark.core
    @pytest.mark.both_adapters
    def test_what_is_printed_holds_and_each_difference_is_named(self, bench: Workbench) -> None:
        bench.dump(ROW)
        assert "does not exist yet, so its columns are not known" in bench.operate("contract", model="accounts").text
        # A contract that does not fit stops no run that makes the view alone.
        self.place(bench, [{"name": "account_id", "data_type": "int"}])
        bench.build(None, "--empty")
        text = self.printed(bench)
        (model,) = yaml.safe_load(text)["models"]
        assert model["config"] == {"contract": {"enforced": True}}
        assert {column["name"]: column["data_type"] for column in model["columns"]} == COLUMNS
        bench.add_yml(text)
        bench.build()
        bench.build(ROW.replace("ann", "eve"))
        assert bench.batches() == [(1, 1, 0, 0), (2, 0, 0, 1)]

        wrong = [column for column in model["columns"] if column["name"] not in ("amount", "_before", "_batch_at")]
        before = {"name": "_before", "data_type": "struct<`full name`:string>"}
        self.place(bench, [*wrong, before, {"name": "age", "data_type": "integer"}, {"name": "_batch_at"}])
        text = bench.refused(ROW.replace("ann", "ida"))
        expected = messages("Contract")
        assert len(expected) == 4
        for message in expected.values():
            assert message in text

    def test_a_type_that_spark_can_not_read_is_named_with_its_column(self, bench: Workbench) -> None:
        self.place(bench, [{"name": "account_id", "data_type": "int"}, {"name": "amount", "data_type": "decimal(3"}])
        text = bench.refused(ROW)
        assert "invalid type: amount, in the yml decimal(3" in text
        assert "invalid type: account_id" not in text

    @pytest.mark.both_adapters
    def test_a_wide_row_is_compared_whole(self, bench: Workbench) -> None:
        """Spark's `describe` cuts a struct of more than 25 fields off."""
        row = "select 1 as account_id, " + ", ".join(f"{number} as c{number}" for number in range(40))
        bench.build(row)
        text = self.printed(bench)
        bench.add_yml(text)
        bench.build(row.replace("39 as c39", "0 as c39"))
        assert bench.batches("updates") == [(0,), (1,)]
        bench.add_yml(text.replace("c39:int", "c39:bigint"))
        assert "c39:int>, in the yml struct<" in bench.refused(row.replace("39 as c39", "1 as c39"))


@pytest.mark.formats
class TestClone:
    def test_a_clone_shows_the_log_of_another_environment(self, bench: Workbench, tmp_path: Path) -> None:
        """And the table that follows it."""

        def place(**config: Any) -> None:
            bench.configure(**config)
            options = json.dumps({"materialized": "current_state", "file_format": bench.file_format, **config})
            bench.add_model("now", f"{{{{ config(**fromjson({options!r})) }}}} select * from {{{{ ref('accounts') }}}}")

        def clone(*args: str) -> Run:
            return bench.run("--state", str(tmp_path), *args, command="clone")

        place()
        bench.build("select 1 as account_id, 'ann' as name")
        run_dbt(["parse", "--write-json", "--target-path", str(tmp_path)])
        place(schema="dev")
        dev = f"{bench.schema}_dev"
        try:
            assert (done := clone()).ok, done.text
            assert [tuple(row) for row in bench.spark.table(f"{dev}.now").collect()] == [(1, "ann")]
            asked = {"model": MODEL, "format": "html"}, {"model": MODEL, "key": {"account_id": 1}}
            for operation, given in zip(("report", "print_history"), asked, strict=True):
                done = bench.operate(operation, **given)
                message = f"`{dev}`.`accounts` is a view of `{bench.schema}`.`accounts`, as dbt clone makes it"
                assert not done.ok
                assert message in done.text
            place()
            bench.build("select 1 as account_id, 'eve' as name")
            rows = bench.spark.table(f"{dev}.accounts").orderBy("_batch_id")
            assert [row.name for row in rows.collect()] == ["ann", "eve"]
            assert rows.columns == bench.spark.table(f"{bench.schema}.accounts").columns

            place(schema="dev")
            for model, hint in ((MODEL, ""), ("now", ": the next run builds now here.")):
                assert f"If it is a view that dbt clone made, drop it{hint}" in bench.failed("--select", model)
            log_alone = ("--select", MODEL)
            assert (done := clone("--full-refresh", *log_alone)).ok, done.text
            bench.spark.sql(f"drop view {dev}.accounts")
            bench.build(None, *log_alone)
            assert "already exists" in clone(*log_alone).text
            done = clone("--full-refresh", *log_alone)
            assert not done.ok
            assert "was built in this environment" in done.text
            assert [row.name for row in bench.spark.table(f"{dev}.accounts").collect()] == ["eve"]
        finally:
            bench.spark.sql(f"drop schema if exists {dev} cascade")
