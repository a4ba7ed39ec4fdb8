"""Where values lie: each relation that has some is in the table of docs/removing.md."""

from typing import Any

import pytest
from followed import follow
from forgotten import contents_of
from places_of_values import tables_with_values
from workbench import MODEL, SEVERAL, STOPPING, Workbench

COUNTER = {"updated_at": "version", "range_rows": 2}
STRATEGIES: dict[str, dict[str, Any]] = {
    "outer_join": {"duplicate_keys": "quarantine"},
    "union": {},
    "sort_merge": {},
    "row_checksum": {},
    "hash_compressed": {},
    "ranges": {"range_rows": 2, "ranges_per_run": 1},
    "range_checksum": {"range_rows": 2, "ranges_per_run": 1},
    "timestamp": COUNTER,
    "timestamp_delete_flag": {**COUNTER, "delete_flag": "is_left"},
    "view": {"root": MODEL, "relations": {MODEL: {"account_id": "account_id"}}},
}


def people(version: int, *more: str) -> str:
    """A dump in which all names have changed."""
    rows = [f"('person {number}', 'Zoe {version}', {version}, false)" for number in range(6)]
    values = ", ".join([*rows, *more])
    return f"select * from values {values} as t(account_id, name, version, is_left)"


@pytest.mark.formats
class TestPlaces:
    macros = STOPPING

    def test_no_relation_has_values_that_the_table_leaves_out(self, bench: Workbench) -> None:
        """After batches under each strategy, in tables that follow a log, and when a run was killed."""
        follow(bench)
        assert {"outer_join", "view"} < STRATEGIES.keys()
        for name, options in STRATEGIES.items():
            state = "({{ deltawave.current_state(ref('accounts'), 'account_id') }})"
            source = state if name == "view" else "{{ target.schema }}.dump"
            bench.add_differential(f"by_{name}", f"select * from {source}", strategy=name, **options)
        bench.build(people(1), *SEVERAL)
        bench.build(people(2), *SEVERAL)
        twice = [f"('person 7', 'Zoe {number}', 3, false)" for number in range(2)]
        bench.build(people(3, *twice), "--select", "by_outer_join")
        bench.dump(people(4))
        bench.failed("--vars", "{stop_at: decide}", *SEVERAL)

        having = {name for name, content in contents_of(bench) if b"person " in content or b"Zoe " in content}
        kinds = {name.partition("__")[2] for name in having}
        assert [kind for kind in kinds if not tables_with_values().fullmatch(f"__{kind}")] == []
        # So many of the table's rows has this history.
        assert {kind.partition("_")[0] for kind in kinds} >= {"log", "copy", "base", "quarantine", "slice", "rows"}
