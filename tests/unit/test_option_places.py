"""Options lie under meta or at the top level of a config: each gives the same, and a clash of both is refused."""

from typing import Any

import pytest
from dbt_common.exceptions import CompilationError
from unit.macro_harness import Macros

MACROS = Macros()
WAVE = {"scheme": "wata", "window": 7, "constituents": 3, "day_column": "day", "search_field": "supplier_id"}
# Of each kind, options with other values than their defaults.
GIVEN: dict[str, dict[str, Any]] = {
    "differential": {
        "unique_key": ["region", "id"],
        "strategy": "timestamp",
        "updated_at": "touched",
        "overlap": "2 hours",
        "ignore_columns": "seen_at",
        "on_schema_change": "fail",
        "file_format": "delta",
        "full_refresh": True,
    },
    "current_state": {"unique_key": "id", "state_schema": "kept", "file_format": "iceberg", "full_refresh": False},
    "scd2": {
        "track_columns": ["name"],
        "hard_deletes": "new_record",
        "dbt_valid_to_current": "timestamp'9999-12-31'",
        "snapshot_meta_column_names": {"dbt_valid_from": "since"},
    },
    "wave_index": {**WAVE, "update_technique": "simple_shadow", "buckets": 4, "gaps": "empty", "lead_days": 0},
}
EACH_KIND = pytest.mark.parametrize("kind", GIVEN)


def settings(kind: str, config: dict[str, Any]) -> dict[str, Any]:
    readers = {"differential": MACROS._differential_settings, "wave_index": MACROS._wave_settings}
    found: dict[str, Any] = readers.get(kind, MACROS._follower_settings)("accounts", {"materialized": kind} | config)
    return found


@EACH_KIND
def test_both_places_give_the_same_settings(kind: str) -> None:
    given = {option: value for option, value in GIVEN[kind].items() if option != "on_schema_change"}
    at_top, under_meta = settings(kind, given), settings(kind, {"meta": {"owner": "bi"} | given})
    assert under_meta == at_top
    mixed = dict(list(given.items())[1:])
    first = next(iter(given))
    assert settings(kind, {first: given[first], "meta": mixed}) == at_top
    assert settings(kind, given | {"meta": given}) == at_top, "said twice, the same"


@EACH_KIND
def test_two_values_are_refused_by_name(kind: str) -> None:
    with pytest.raises(CompilationError) as error:
        settings(kind, GIVEN[kind] | {"state_schema": "here", "meta": {"state_schema": "there"}})
    said = "accounts: 'state_schema' is 'there' under meta, but 'here' at the top level of the config."
    assert said in str(error.value)


def test_no_value_is_no_clash() -> None:
    # A model's none takes back what its folder says.
    config = {"unique_key": "id", "strategy": None, "meta": {"strategy": "union", "updated_at": None}}
    assert settings("differential", config)["strategy"] == "union"


def test_what_dbt_fills_in_is_not_read_from_meta() -> None:
    """Its value at the top level may be the model's own, against that of its folder."""
    for config in ({}, {"on_schema_change": "ignore"}, {"on_schema_change": "fail"}):
        with pytest.raises(CompilationError, match=r"'on_schema_change' is under meta\. It is dbt's own option"):
            settings("differential", {"unique_key": "id", "meta": {"on_schema_change": "fail"}} | config)


def test_a_name_and_a_list_of_it_are_no_clash() -> None:
    for at_top, under_meta in [("id", ["id"]), (["id"], "id"), (("id", "region"), ["id", "region"])]:
        found = settings("differential", {"unique_key": at_top, "meta": {"unique_key": under_meta}})
        assert found["unique_key"] == MACROS._listed(at_top)
    for at_top, under_meta in [("id", ["region"]), (["id", "region"], ["region", "id"])]:
        with pytest.raises(CompilationError, match="'unique_key' is"):
            settings("differential", {"unique_key": at_top, "meta": {"unique_key": under_meta}})
    with pytest.raises(CompilationError, match="'overlap' is 2 under meta, but 3"):
        settings("differential", {"unique_key": "id", "overlap": 3, "meta": {"overlap": 2}})


def test_a_false_value_is_a_value() -> None:
    config = {"unique_key": "id", "full_refresh": True, "meta": {"full_refresh": False}}
    with pytest.raises(CompilationError, match="'full_refresh' is False under meta, but True"):
        settings("differential", config)


@EACH_KIND
@pytest.mark.parametrize("block", ["deltawave", "Deltawave", "delta_wave", "dbt_deltawave", "deltawave_options"])
def test_a_block_of_ours_is_refused(kind: str, block: str) -> None:
    for options in ({"state_schema": "kept"}, [{"state_schema": "kept"}]):
        with pytest.raises(CompilationError) as error:
            settings(kind, GIVEN[kind] | {"meta": {block: options}})
        said = f"accounts: meta has a block '{block}', which nobody reads. Write its options directly under meta,"
        assert said in str(error.value)


def test_options_of_different_kinds_are_not_mistaken_for_each_other() -> None:
    # A folder's meta reaches models of every kind.
    kinds = {"differential": MACROS._options(), "wave_index": MACROS._wave_options()}
    kinds |= {kind: MACROS._follower_options(kind) for kind in ("current_state", "scd2")}
    for kind, options in kinds.items():
        of_others = {option: "x" for other in kinds.values() for option in other if option not in options}
        assert settings(kind, GIVEN[kind] | {"meta": of_others}) == settings(kind, GIVEN[kind])
