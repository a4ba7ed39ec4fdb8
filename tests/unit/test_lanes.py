"""The lanes of the tests: what they name is there, and `make test-all` has every test."""

import shlex
from collections import Counter
from pathlib import Path

import pytest
from lanes import CORE, LANES, REST, ROOT, SIZES, chosen

FILES = [*ROOT.glob("tests/**/test_*.py"), *ROOT.glob("benchmarks/tests/test_*.py")]
WORDS = {lane: shlex.split(arguments) for lane, arguments in LANES.items()}
# Short histories, which `make test-all` replaces by those with all events.
SHORT = ROOT / "tests/functional/contract/test_short.py"


@pytest.mark.parametrize("path", sorted({word for words in WORDS.values() for word in words if "tests/" in word}))
def test_what_a_lane_names_is_there(path: str) -> None:
    file, *names = path.removeprefix("--ignore=").partition("[")[0].split("::")
    assert (ROOT / file).exists()
    text = (ROOT / file).read_text() if names else ""
    assert all(f"def {name}(" in text or f"class {name}" in text for name in names)


@pytest.mark.parametrize("file", sorted({*FILES} - {SHORT}), ids=lambda file: file.name)
def test_all_lanes_have_each_file(file: Path) -> None:
    """Tests that are marked `hive` have a lane; other lanes with a marker run on another Spark."""
    lanes = [WORDS[lane] for lane in SIZES["all"]]
    whole = [lane for lane in lanes if "-m" not in lane or "not hive" in lane]
    assert any(ROOT / word in (file, *file.parents) for lane in whole for word in lane if word[0] != "-")


def test_files_of_tests_have_names_of_their_own() -> None:
    """They are no packages: two files of one name stop the collection of a lane that has both."""
    assert [name for name, count in Counter(file.name for file in FILES).items() if count > 1] == []


def test_a_commit_draws_a_lane_that_the_core_lacks() -> None:
    drawn, *others = chosen(["drawn", "test"])
    assert drawn in REST
    assert others == chosen(["test"])


def test_lanes_of_several_sizes_run_once() -> None:
    lanes = chosen(["test", "crash", "all"])
    assert set(lanes) == {*CORE, *SIZES["all"]}
    assert len(lanes) == len(set(lanes))


def test_an_unknown_lane_is_named() -> None:
    with pytest.raises(SystemExit, match="no lane 'speed'"):
        chosen(["speed"])
