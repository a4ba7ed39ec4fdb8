"""What dbt offers to every model: hooks, persisted descriptions."""

from __future__ import annotations

from workbench import Workbench

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
            (bench.root / "models" / "accounts.yml").write_text(YML.format(words=words))
            bench.build(f"select 1 as account_id, '{name}' as name")
            found = comments()
            assert found["name"] == words.replace("''", "'")
            assert found["_change_type"] == "insert, update or delete"
            assert found["Comment"] == "Who's who"
        (bench.root / "models" / "accounts.yml").unlink()
