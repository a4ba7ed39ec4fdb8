"""The lanes of the tests: none is empty, and they have every test."""

from collections import Counter
from pathlib import Path

import pytest
from lanes import CORE, LANES, REST, ROOT, SHORT_HISTORIES, SHOWN_BY, chosen, command

FILES = sorted([*ROOT.glob("tests/**/test_*.py"), *ROOT.glob("benchmarks/tests/test_*.py")])


@pytest.mark.parametrize("path", [path for lane in LANES.values() for path in lane.paths])
def test_what_a_lane_names_is_there(path: str) -> None:
    file, *names = path.partition("[")[0].split("::")
    assert (ROOT / file).exists()
    text = (ROOT / file).read_text() if names else ""
    assert all(f"def {name}(" in text or f"class {name}" in text for name in names)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_lane_has_each_file(file: Path) -> None:
    lanes = [lane for lane in (CORE | REST).values() if not lane.is_another_spark]
    ignored = [[ROOT / option.removeprefix("--ignore=") for option in lane.options] for lane in lanes]
    whole = [path for lane, without in zip(lanes, ignored, strict=True) if file not in without for path in lane.paths]
    named = [path.partition("::")[0] for path in whole if "::TestShortHistories" in path]
    assert any(file == ROOT / path or (ROOT / path) in file.parents for path in whole + named)


def test_files_of_tests_have_names_of_their_own() -> None:
    """They are no packages: two files of one name stop the collection of a lane that has both."""
    assert [name for name, count in Counter(file.name for file in FILES).items() if count > 1] == []


def deselected(name: str, *names: str) -> set[str]:
    """Files or tests that a lane leaves out beside others."""
    return {each.removeprefix("--deselect=") for each in command(name, [name, *names], []) if "--deselect" in each}


@pytest.mark.parametrize(
    ("lane", "longer"),
    [("install", "consumers"), ("kills", "crash"), ("delta_history", "delta"), ("iceberg_history", "iceberg")],
)
def test_a_lane_is_left_out_whose_tests_another_one_has(lane: str, longer: str) -> None:
    assert chosen([lane]) == [lane]
    assert chosen([lane, longer]) == chosen([longer, lane]) == [longer]
    assert lane in chosen(["test"])
    assert lane not in chosen(["all"])
    assert deselected(longer, *chosen(["all"])) == set()


@pytest.mark.parametrize("lane", LANES)
def test_a_lane_alone_runs_all_of_its_tests(lane: str) -> None:
    assert chosen([lane]) == [lane]
    assert deselected(lane) == set()


def test_of_lanes_that_have_a_test_one_runs_it() -> None:
    refusals = "tests/functional/differential/test_refusals.py"
    assert refusals in deselected("engine", "histories")
    assert refusals not in deselected("histories", "engine")
    # On another format or adapter it is another test.
    assert deselected("delta", "engine", "histories") == set()
    assert not deselected("engine", "delta")


def test_short_histories_are_left_out_beside_all_events() -> None:
    assert {SHORT_HISTORIES: "contract"} == SHOWN_BY
    assert deselected("histories", "contract") == {f"tests/{SHORT_HISTORIES}"}
