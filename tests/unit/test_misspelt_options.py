"""A key that is nearly one of the options is refused; any other passes."""

import dataclasses
import re
from typing import Any

import pytest
from dbt.adapters.spark.impl import SparkConfig
from dbt.artifacts.resources.v1.model import ModelConfig
from dbt_common.exceptions import CompilationError
from unit.macro_harness import Macros

# The option, and what is nearly it.
NEARLY = """
    ignore_columns: ignore_column ignore-columns ignoreColumns ignored_columns ignore_cols ingore_columns
    unique_key: Unique_Key unique-key unique_keys uniqe_key unique_key_columns
    max_delete_fraction: max_deletes max_delete_frction
    max_update_fraction: max_updates
    max_insert_fraction: max_insert_fractions
    strategy: stratgey
    updated_at: update_at updated_at_column
    delete_flag: delete_flags
    snapshot_date: snapshot_dates snap_date
    tolerance: tolerence tolerances Tolerance
    relations: relation
    remote: remotes
    duplicate_keys: duplicat_keys
    on_schema_change: on_schema_chnage
"""
MISSPELT = {
    given: option
    for option, _, spellings in (line.strip().partition(": ") for line in NEARLY.strip().splitlines())
    for given in spellings.split()
}

# Keys that models have for users, other packages and other adapters.
FOREIGN = """
    owner my_flag team sla priority layer domain pii_columns load_strategy update_strategy created_at deleted_at
    time_format date_format row_format column_format key_columns business_key primary_key surrogate_key source_system
    snapshot updated unique compare ignore delete version root_cause hours print remark overwrite range state file full
    tblproperties liquid_clustered_by auto_liquid_cluster databricks_tags compression target_alias source_alias
    unique_tmp_table_suffix merge_exclude_columns incremental_predicates predicates include_full_name_in_path
    partitions cluster_by transient copy_grants dist sort indexes unlogged labels require_partition_filter
    elementary dbt_expectations partition_expiration_days row_access_policy predicate storage_type table_type
"""

# Near enough at the top level, where few keys are the user's own; under meta they are names like any other.
FINE_UNDER_META = """
    unique_key_columns updated_at_column relation hint hints copy_format remotes bucket
    contains_pii group windows remove overlay roots route every_hour full_refresh_day initial_load_date warn_after_hours
    snapshot_date_source file_format_version updated_by updated_on Window deltawave_owner
"""
# Under meta alone: an option with something around it.
NEARLY_UNDER_META = {
    **dict.fromkeys(["Overlap", "overlaps", "+overlap", "deltawave_overlap", "deltawave.overlap"], "overlap"),
    **dict.fromkeys(["Every", "+every", "EVERY", "deltawave-every"], "every"),
    **dict.fromkeys(["deltawave-duplicate-keys", "deltawave_duplicate_key"], "duplicate_keys"),
}

MACROS = Macros()


def settings(**config: Any) -> dict[str, Any]:
    found: dict[str, Any] = MACROS._differential_settings("accounts", {"unique_key": "id"} | config)
    return found


@pytest.mark.parametrize("given", MISSPELT)
def test_a_misspelt_option_is_refused_and_the_right_one_named(given: str) -> None:
    option = MISSPELT[given]
    with pytest.raises(CompilationError) as error:
        settings(**{given: "x"})
    assert f"accounts: '{given}' is not an option, but nearly '{option}'. Write '{option}'" in str(error.value)


def test_it_is_refused_beside_the_right_one() -> None:
    with pytest.raises(CompilationError, match="nearly 'ignore_columns'"):
        settings(ignore_columns=["a"], ignore_column=["b"])


def test_a_key_without_a_value_passes() -> None:
    assert settings(ignore_column=None)["ignore_columns"] is None


def test_foreign_keys_pass() -> None:
    settings(**dict.fromkeys(FOREIGN.split(), "x"))


@pytest.mark.parametrize("given", [given for given in MISSPELT if given not in FINE_UNDER_META.split()])
def test_a_misspelt_option_under_meta_is_refused_too(given: str) -> None:
    option = MISSPELT[given]
    with pytest.raises(CompilationError) as error:
        settings(meta={"owner": "bi", given: "x"})
    assert f"accounts: '{given}' is not an option, but nearly '{option}'. Write '{option}', or rename" in str(
        error.value
    )


@pytest.mark.parametrize(("given", "option"), NEARLY_UNDER_META.items())
def test_an_option_with_our_name_or_in_capitals_is_refused_under_meta(given: str, option: str) -> None:
    with pytest.raises(
        CompilationError, match=re.escape(f"accounts: '{given}' is not an option, but nearly '{option}'")
    ):
        settings(meta={given: "x"})


def test_an_option_of_snapshots_is_refused() -> None:
    for config in ({"check_cols": ["name"]}, {"meta": {"check_cols": "all"}}):
        with pytest.raises(CompilationError, match=r"'check_cols' is not read by materialized: differential\. Use"):
            settings(**config)


def test_keys_of_the_user_s_own_under_meta_pass() -> None:
    own = dict.fromkeys((FOREIGN + FINE_UNDER_META).split(), "x")
    assert settings(meta={**own, "wave": {"ignore_columns": ["a"]}, "deltawave": "yes"}) == settings()
    # Of other kinds of models.
    keys = {"unique_key": "id", "schema": "x", "windows": True, "constituent_of": "x"}
    waves = {"scheme": "del", "window": 7, "constituents": 3, "day_column": "day", "search_field": "supplier"}
    assert MACROS._wave_settings("sales", waves | {"meta": keys})["scheme"] == "del"


@pytest.mark.parametrize("known", [ModelConfig, SparkConfig])
def test_keys_that_dbt_knows_pass(known: Any) -> None:
    options = MACROS._options()
    fields = dataclasses.fields(known)
    names = {field.name for field in fields} | {field.metadata.get("alias", field.name) for field in fields}
    assert {"meta", "persist_docs"} <= names or "location_root" in names
    keys = (names | {"pre-hook", "post-hook"}) - set(options)
    settings(**dict.fromkeys(keys, "x") | {"meta": {"owner": "bi"}})
    near = [(key, option) for key in keys for option in options if MACROS._is_near(key, option)]
    assert not near, "a newer dbt knows more keys than the list of the macro"
