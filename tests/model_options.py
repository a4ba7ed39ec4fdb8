"""Options of models, as tests write them into files."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from unit.macro_harness import Macros

# Options that dbt or dbt-spark know as well.
KNOWN_TO_DBT = {"unique_key", "file_format", "on_schema_change", "full_refresh"}


@cache
def _under_meta() -> frozenset[str]:
    macros = Macros()
    every = [macros._options(), macros._wave_options(), macros._follower_options("scd2")]
    return frozenset(name for options in every for name in options) - KNOWN_TO_DBT


def placed(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options where users write them: those that dbt does not know under meta."""
    own = options.get("meta", {})
    under_meta = {**own, **{name: value for name, value in options.items() if name in _under_meta()}}
    at_top = {name: value for name, value in options.items() if name not in under_meta and name != "meta"}
    return at_top | ({"meta": under_meta} if under_meta else {})
