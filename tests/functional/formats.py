"""Tests of the materializations on Delta and Iceberg, whose catalogs need a Spark of their own."""

from __future__ import annotations

from functional.beside import run_beside

FORMATS = ("delta", "iceberg")
FOLDER = "tests/functional"
TESTS = (
    "differential/test_types.py::TestTypes",
    "differential/test_types.py::TestNames",
    "differential/test_types.py::TestRefusedNames",
    "differential/test_slice_keys.py",
    "differential/test_state.py::TestDriftedColumns",
    "test_stored_relation.py::test_a_table_and_a_view_of_it_are_known_by_a_version",
    "wave/test_wave_index.py::TestWaveIndex::test_files_go_with_their_days",
)


def run_on_format(name: str, jvm_options: str) -> None:
    """Run TESTS on that format; raises ``AssertionError`` if not all pass."""
    run_beside("--table-format", name, *(f"{FOLDER}/{test}" for test in TESTS), jvm_options=jvm_options)
