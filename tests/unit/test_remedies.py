"""Messages of data that is refused or skipped name the way out."""

from typing import Any

import pytest
from dbt_common.exceptions import CompilationError
from unit.macro_harness import Macros, make_job

QUARANTINE = "duplicate_keys: quarantine, which sets such rows aside with a warning"
MULTISET = "duplicate_keys: multiset, which counts the rows of a key"


@pytest.mark.parametrize(
    ("strategy", "is_auto", "batch_id", "remedy"),
    [
        ("outer_join", False, 1, f", or set {QUARANTINE}, or {MULTISET}"),
        ("outer_join", False, 2, f", or set {QUARANTINE}, or, in a new model, {MULTISET}"),
        ("hash_compressed", True, 1, f", or set {QUARANTINE}, or {MULTISET}"),
        ("hash_compressed", False, 1, f", or set {QUARANTINE}"),
        ("timestamp", False, 2, f", or take strategy: outer_join with {QUARANTINE}"),
        ("ranges", False, 1, f", or set {QUARANTINE}"),
    ],
)
def test_duplicate_keys(strategy: str, is_auto: bool, batch_id: int, remedy: str) -> None:
    macros = Macros()
    settings = dict.fromkeys(("compare_columns", "ignore_columns", "tolerance"))
    settings |= {"is_auto": is_auto, "before_image": "auto", "on_schema_change": "fail"}
    job = {"settings": settings, "strategy": macros._strategies()[strategy]}
    assert macros._remedy_of_duplicates(job, {"batch_id": batch_id}) == remedy


def test_skipped_dates_name_the_batches_and_the_command_that_undoes_them() -> None:
    macros, job = Macros(), make_job()
    seen = {"is_compared": True, "checksum": "1:7", "seen_checksum": None, "files": "a", "rows": 4}
    known: dict[str, dict[str, Any]] = {
        "2026-01-01": seen | {"batch_id": 1, "is_other": False},
        "2026-01-02": seen | {"batch_id": 2, "is_other": True},
        "2026-01-05": seen | {"batch_id": 3, "is_other": True},
        "2026-01-03": seen | {"batch_id": None, "is_compared": False},
    }
    # An operation is the last batch.
    record = {"snapshot_date": "2026-01-05", "batch_id": 4, "first_batch": 1, "is_baseline": False}
    macros._warn_of_skipped(job, record, known, macros._skipped_dates(known, list(known), []))
    assert macros.warnings == [
        "x: skipped dump(s) of 2026-01-03: they were delivered after the dump of 2026-01-05 was compared (batch 3)."
        " To take them, undo the later batches, then run again: "
        "dbt run-operation deltawave.rewind --args '{model: x, to_batch: 2}'",
        "x: skipped dump(s) of 2026-01-02, 2026-01-05: they were compared before, and were delivered again with other"
        " rows. The log keeps the earlier delivery (batches 2, 3); with redelivery: replace, a run compares such dates"
        " again by itself. To take them, undo the later batches, then run again: "
        "dbt run-operation deltawave.rewind --args '{model: x, to_batch: 1}'",
    ]

    # No earlier state can be rebuilt from a log that began with a baseline.
    macros.warnings.clear()
    macros._warn_of_skipped(job, record | {"is_baseline": True}, known, macros._skipped_dates(known, list(known), []))
    for text in macros.warnings:
        assert text.endswith(
            "The log began with initial_load: baseline, so it cannot be rewound. To take them, begin a new generation: "
            "full_refresh: true in the config and --full-refresh once."
        )


def test_an_undeclared_column_of_a_header_is_shown_as_the_yml_takes_it() -> None:
    macros = Macros(run_query=lambda sql: [("id", "string"), ("town", "string"), ("zip", "string")])
    definition = {"name": "legacy.accounts", "options": {}, "columns": [{"name": "ID"}]}
    with pytest.raises(CompilationError) as error:
        macros._header_of(definition, "day=1", "dumps/day=1/a.csv")
    text = str(error.value)
    assert "has column(s) that its yml does not list: town, zip." in text
    assert 'add each to the source\'s columns in the yml, like {name: "town", data_type: string}, and create' in text
    assert "dbt run-operation create_external_sources --args '{select: legacy.accounts}'" in text
