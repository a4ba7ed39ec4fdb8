"""Options of a wave index, and the selects of its probes and scans, without Spark."""

from __future__ import annotations

from typing import Any

import pytest
from bad_input import messages
from dbt_common.exceptions import CompilationError
from unit.macro_harness import Macros

GOOD = {"scheme": "del", "window": 7, "constituents": 3, "day_column": "day", "search_field": "supplier"}
CONFIGURATION: dict[str, dict[str, Any]] = {
    "no window": {"window": None},
    "an unknown scheme": {"scheme": "wait"},
    "one constituent that is thrown away": {"scheme": "wata", "constituents": 1},
    "more constituents than days": {"constituents": 8},
    "a misspelt option": {"constituent": 3},
    "an unknown technique": {"update_technique": "shadow"},
}


@pytest.mark.parametrize("kind", CONFIGURATION)
def test_a_bad_configuration_is_explained(kind: str) -> None:
    with pytest.raises(CompilationError) as error:
        Macros().check_wave_config("sales", {**GOOD, **CONFIGURATION[kind]})
    assert messages("Wave indices")[kind] in str(error.value)


def test_options_have_defaults_and_come_from_meta() -> None:
    settings = Macros()._wave_settings("sales", {**GOOD, "meta": {"deltawave": {"window": 5, "gaps": "empty"}}})
    assert (settings["window"], settings["gaps"], settings["update_technique"]) == (5, "empty", "packed_shadow")


def test_days_of_a_part() -> None:
    assert Macros()._days_of_part("5,11-13") == [5, 11, 12, 13]
