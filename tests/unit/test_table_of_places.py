"""The table of docs/removing.md has all kinds of tables in which values lie."""

import pytest
from places_of_values import tables_with_values
from unit.macro_harness import Macros

ATTEMPT = "3_0123456789ab"


@pytest.mark.parametrize(
    "name", ["log", f"log_{ATTEMPT}", "quarantine", f"quarantine_{ATTEMPT}", "commit_3", "seen_3_0f"]
)
def test_a_log_is_in_the_table(name: str) -> None:
    assert tables_with_values().fullmatch(f"__{name}")


def test_all_tables_of_attempts_are_in_the_table() -> None:
    kinds = [kind.replace(r"\d+", "1") for kind in Macros()._attempt_kinds()]
    missing = [kind for kind in kinds if not tables_with_values().fullmatch(f"__{kind}_{ATTEMPT}")]
    # Earlier versions have written some, and one counts the changes of batches.
    gone = {name for name, form in Macros()._state_forms().items() if form["is_gone"]}
    assert set(missing) == {*gone, "history"}


@pytest.mark.parametrize("name", ["batches", "erased", "salt", "removals", "deliveries"])
def test_what_has_no_values_is_not_in_the_table(name: str) -> None:
    assert not tables_with_values().fullmatch(f"__{name}")
