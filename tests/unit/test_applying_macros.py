"""`current_state`, `apply_changes` and the generic tests: what they refuse, and which SQL they write."""

import pytest
from dbt_common.exceptions import CompilationError
from unit.macro_harness import Macros, Relation

LOG = Relation("dev.accounts_changes")
ACCOUNTS = Relation("dev.accounts")
CONTROL = [
    ("_change_type", "string"),
    ("_changed_columns", "array<string>"),
    ("_before", "struct<name:string>"),
    ("_batch_id", "bigint"),
    ("_batch_at", "timestamp"),
]
TABLES = {
    str(LOG): [("id", "int"), ("name", "string"), *CONTROL],
    str(ACCOUNTS): [("ID", "int"), ("name", "string"), ("note", "string")],
}
macros = Macros(tables=TABLES, config={})


def test_control_columns_are_left_out_of_the_state():
    assert macros.current_state(LOG, "id").endswith(
        """
select
    `id`,
    `name`
from last_changes
where `_change_type` <> 'delete'"""
    )


@pytest.mark.parametrize(
    ("bounds", "condition"),
    [
        ({}, None),
        ({"from_batch": 0}, "where `_batch_id` >= 0"),
        ({"to_batch": 7}, "where `_batch_id` <= 7"),
        ({"from_batch": "(select max(b) from done)"}, "where `_batch_id` >= (select max(b) from done)"),
    ],
)
def test_batches_bound_the_log(bounds, condition):
    sql = macros.current_state(LOG, "id", **bounds)
    assert condition in sql if condition else "`_batch_id` >=" not in sql


def test_a_cte_needs_its_columns():
    assert "from changes" in macros.current_state("changes", "id", columns=["id", "name"])
    with pytest.raises(CompilationError, match="current_state: the columns of changes are not known"):
        macros.current_state("changes", "id")


@pytest.mark.parametrize("macro", ["current_state", "apply_changes", "test_replays_to"])
def test_a_key_that_is_not_there_is_named(macro):
    arguments = [LOG] if macro == "current_state" else [LOG, ACCOUNTS]
    with pytest.raises(CompilationError, match=r"has no column 'idd'\. It has: "):
        getattr(macros, macro)(*arguments, "idd", columns=["id"] if macro == "test_replays_to" else None)


def test_other_methods_are_refused():
    with pytest.raises(CompilationError, match="apply_changes: 'method' can't be 'upsert'; it takes rebuild or merge"):
        macros.apply_changes(LOG, ACCOUNTS, "id", method="upsert")


def test_keys_match_null_safe_and_whatever_their_case():
    sql = macros.apply_changes(LOG, ACCOUNTS, "id")
    assert "base_side.`id` <=> last_changes.`id`" in sql


def test_base_is_joined_only_for_columns_that_the_log_lacks():
    assert "left join base_side" in macros.apply_changes(LOG, ACCOUNTS, "id")
    assert "left join base_side" not in macros.apply_changes(LOG, ACCOUNTS, "id", columns=["id", "name"])


def test_merge_leaves_keys_and_unlogged_columns_alone():
    sql = macros.apply_changes(LOG, ACCOUNTS, "id", method="merge")
    assert sql.startswith("merge into dev.accounts as base_side\nusing (")
    assert "update set\n    `name` = last_changes.`name`\nwhen not matched" in sql
    assert "`note`" not in sql


def test_merge_of_keys_alone_updates_nothing():
    sql = macros.apply_changes(LOG, ACCOUNTS, ["id", "name"], method="merge")
    assert "update set" not in sql
    assert "then delete\nwhen not matched" in sql


def test_replays_to_asks_for_the_columns_of_the_other_side():
    with pytest.raises(CompilationError, match=r"replays_to: dev\.accounts_changes has no column 'note'"):
        macros.test_replays_to(LOG, ACCOUNTS, "id")
    assert "only in dev.accounts" in macros.test_replays_to(LOG, ACCOUNTS, "id", columns=["id", "name"])


def test_nothing_is_asked_while_dbt_parses():
    parsing = Macros(execute=False)
    assert parsing.current_state(LOG, "id") == ""
    assert parsing.apply_changes(LOG, ACCOUNTS, "id") == ""
    assert parsing.test_replays_to(LOG, ACCOUNTS, "id") == ""
