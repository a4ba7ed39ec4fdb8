"""The lanes of the tests: none is empty, and they have every test."""

from collections import Counter
from pathlib import Path

import pytest
from lanes import CORE, LANES, REST, ROOT

FILES = sorted([*ROOT.glob("tests/**/test_*.py"), *ROOT.glob("benchmarks/tests/test_*.py")])


@pytest.mark.parametrize("path", [path for lane in LANES.values() for path in lane.paths])
def test_what_a_lane_names_is_there(path: str) -> None:
    file, *names = path.partition("[")[0].split("::")
    assert (ROOT / file).exists()
    text = (ROOT / file).read_text() if names else ""
    assert all(f"def {name}(" in text or f"class {name}" in text for name in names)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_lane_has_each_file(file: Path) -> None:
    whole = [path for lane in (CORE | REST).values() if not lane.is_another_spark for path in lane.paths]
    assert any(file == ROOT / path or (ROOT / path) in file.parents for path in whole)


def test_files_of_tests_have_names_of_their_own() -> None:
    """They are no packages: two files of one name stop the collection of a lane that has both."""
    assert [name for name, count in Counter(file.name for file in FILES).items() if count > 1] == []
