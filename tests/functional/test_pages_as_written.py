"""First pages, and five minutes of another, carried out by somebody who has a checkout and the pages."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from jvm import QUICK_JVM
from walkthrough import CHECKOUT, ROOT, Step, carry_out, differences, environ


def carried_out(page: str, folder: Path, before: str = "", section: str = "") -> list[Step]:
    text = (ROOT / "docs" / page).read_text().replace(CHECKOUT, str(ROOT))
    if section:
        text = text.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
        assert text
    return carry_out(text, folder, environ(QUICK_JVM), before)


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("start")
    yield folder
    # Its environment takes a gigabyte, and pytest keeps its folders.
    shutil.rmtree(folder)


def test_pages(start: Path, tmp_path: Path) -> None:
    """The first week follows on the start, whose environment it takes; the last five minutes take its project."""
    activated = f". '{start}/.venv/bin/activate'"
    assert list(differences(carried_out("start.md", start))) == []
    assert list(differences(carried_out("first_week.md", tmp_path, activated))) == []
    assert list(differences(carried_out("removing.md", tmp_path, activated, "Five minutes"))) == []
