"""The tables `now` and `versions`, which follow the workbench's log, and what they have to hold."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from unit.macro_harness import Macros, Relation
from workbench import MODEL, Workbench

FOLLOWERS = ("now", "versions")
TRACKED = ["name"]
NAMES = {"valid_from": "dbt_valid_from", "valid_to": "dbt_valid_to"}
# How JSON shows all that a row has.
EXACTLY = "map('ignoreNullFields', 'false', 'timestampFormat', 'yyyy-MM-dd HH:mm:ss.SSSSSS')"


def follower(materialized: str, file_format: str, **options: Any) -> str:
    """The file of a model that follows the log."""
    config = json.dumps({"materialized": materialized, "file_format": file_format, **options})
    return f"{{{{ config(**fromjson({config!r})) }}}}\nselect * from {{{{ ref('{MODEL}') }}}}\n"


def follow(bench: Workbench, **options: Any) -> None:
    """Write models that follow the log; ``options``: of the versions."""
    bench.add_model("now", follower("current_state", bench.file_format))
    bench.add_model("versions", follower("scd2", bench.file_format, **{"track_columns": TRACKED, **options}))


def rows(bench: Workbench, table: str) -> list[str]:
    frame = bench.spark.table(f"{bench.schema}.{table}")
    return sorted(map(str, frame.select(*(f"`{name}`" for name in sorted(frame.columns))).collect()))


def assert_followed(
    bench: Workbench, *followers: str, tracked: Sequence[str] = TRACKED, duplicate_keys: str = "fail"
) -> None:
    """The tables, by default both, are what the macros give for the log; each version has an id of its own."""
    log = Relation.create(bench.schema, MODEL)
    columns = [(field.name, field.dataType.simpleString()) for field in bench.spark.table(str(log)).schema]
    macros = Macros({str(log): columns})
    state = macros.current_state(log, "account_id", duplicate_keys=duplicate_keys)
    history = macros.scd2(log, "account_id", tracked, **NAMES)
    selects = {
        "now": f"select * from {bench.schema}.now",
        "expected_now": state,
        "versions": f"select * except (dbt_updated_at) from {bench.schema}.versions",
        "expected_versions": f"select * except (is_current) from ({history})",
    }
    names = followers or FOLLOWERS
    found = read(bench, {name: selects[name] for each in names for name in (each, f"expected_{each}")})
    ids = [row.pop("dbt_scd_id") for row in found.get("versions", [])]
    assert len(set(ids)) == len(ids)
    for name in names:
        assert in_order(found[name]) == in_order(found[f"expected_{name}"])
        types, wanted = (sorted(bench.spark.sql(selects[each]).dtypes) for each in (name, f"expected_{name}"))
        assert [each for each in types if each[0] != "dbt_scd_id"] == wanted


def read(bench: Workbench, selects: Mapping[str, str]) -> dict[str, list[dict[str, Any]]]:
    """What selects return, by one statement."""
    each = [f"select '{name}', to_json(struct(*), {EXACTLY}) from ({select})" for name, select in selects.items()]
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in selects}
    for name, row in bench.spark.sql("\nunion all\n".join(each)).collect():
        found[name].append(json.loads(row))
    return found


def in_order(found: list[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(row, sort_keys=True) for row in found)
