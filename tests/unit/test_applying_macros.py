"""`current_state`, `apply_changes` and the generic tests: what they refuse, and which SQL they write."""

from types import SimpleNamespace

import pytest
from dbt_common.exceptions import CompilationError
from unit.macro_harness import Macros, Relation, control_columns

LOG = Relation("dev.accounts_changes")
ACCOUNTS = Relation("dev.accounts")
TABLES = {
    str(LOG): [("id", "int"), ("name", "string"), *control_columns("struct<name:string>").items()],
    str(ACCOUNTS): [("ID", "int"), ("name", "string"), ("note", "string")],
}
DUMPS = [("id", "int"), ("name", "string"), ("seen", "int"), ("Day", "date")]
macros = Macros(tables=TABLES, config={})


def test_a_cte_needs_its_columns():
    assert "from changes" in macros.current_state("changes", "id", columns=["id", "name"])
    with pytest.raises(CompilationError, match="current_state: the columns of changes are not known"):
        macros.current_state("changes", "id")


@pytest.mark.parametrize("macro", ["current_state", "apply_changes", "test_replays_to"])
def test_a_key_that_is_not_there_is_named(macro):
    arguments = [LOG] if macro == "current_state" else [LOG, ACCOUNTS]
    with pytest.raises(CompilationError, match=r"has no column 'idd'\. It has: "):
        getattr(macros, macro)(*arguments, "idd", columns=["id"] if macro == "test_replays_to" else None)


def test_merge_of_keys_alone_updates_nothing():
    sql = macros.apply_changes(LOG, ACCOUNTS, ["id", "name"], method="merge")
    assert "update set" not in sql
    assert "then delete\nwhen not matched" in sql


def test_replays_to_asks_for_the_columns_of_the_other_side():
    with pytest.raises(CompilationError, match=r"replays_to: dev\.accounts_changes has no column 'note'"):
        macros.test_replays_to(LOG, ACCOUNTS, "id")
    assert "only in dev.accounts" in macros.test_replays_to(LOG, ACCOUNTS, "id", columns=["id", "name"])


def test_replays_to_compares_what_the_model_compares():
    def rendered(**options):
        config = {"materialized": "differential", "unique_key": "id", **options}
        node = SimpleNamespace(name="accounts_changes", config=config)
        dated = Macros(
            tables={str(LOG): TABLES[str(LOG)], "dev.dumps": DUMPS},
            graph=SimpleNamespace(nodes={"model.accounts_changes": node}),
            model=SimpleNamespace(attached_node="model.accounts_changes"),
            config={"where": "id > 1 or name = 'x'"},
        )
        return dated.test_replays_to(LOG, Relation("dev.dumps"), "id")

    sql = rendered(ignore_columns=["Seen"], snapshot_date="day")
    assert "`seen`" not in sql
    assert "`Day`,\n" not in sql
    assert "where cast(`day` as string) = (\n        select max_by(snapshot_date, batch_id)" in sql
    assert "and (id > 1 or name = 'x')" in sql
    assert sql == rendered(compare_columns=["name"], snapshot_date="day")
    # Without a date in the model, that of the dumps is a column like any other, which the log lacks.
    with pytest.raises(CompilationError, match="accounts_changes has no column 'Day'"):
        rendered(ignore_columns=["seen"])


def test_nothing_is_asked_while_dbt_parses():
    parsing = Macros(execute=False)
    assert parsing.current_state(LOG, "id") == ""
    assert parsing.apply_changes(LOG, ACCOUNTS, "id") == ""
    assert parsing.test_replays_to(LOG, ACCOUNTS, "id") == ""
