"""Options of models, as tests write them into files."""

from collections.abc import Mapping
from typing import Any

# Keys that dbt or dbt-spark know.
KNOWN_TO_DBT = {"materialized", "unique_key", "file_format", "buckets", "on_schema_change", "full_refresh"}


def placed(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options where users write them: those that dbt knows at the top level, the others under meta."""
    at_top = {name: value for name, value in options.items() if name in KNOWN_TO_DBT}
    under_meta = {name: value for name, value in options.items() if name not in KNOWN_TO_DBT}
    return at_top | ({"meta": under_meta} if under_meta else {})
