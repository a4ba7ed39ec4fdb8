"""Links that the site's own check does not see: from docs/ to other files, and from other files to docs/."""

import logging
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from markdown.extensions.toc import slugify
from site_links import on_page_markdown
from unit.macro_harness import ROOT

LINK = re.compile(r"\]\((docs/[^)#]*)(?:#([^)]+))?\)")
NAMED = re.compile(r"\bdocs/[\w/.]+\.md\b")
CODE = ("macros", "models", "python_models", "src", "profiles", "integration_tests", "scripts")


def links_to_docs() -> Iterator[tuple[str, str, str]]:
    """The file, the page and the anchor (or nothing) of each link in the pages of the repository's first folder."""
    for file in ROOT.glob("*.md"):
        for page, anchor in LINK.findall(file.read_text()):
            yield file.name, page, anchor


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as the site has them."""
    return {slugify(heading, "-") for heading in re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)}


@pytest.mark.parametrize(
    ("link", "shown", "is_missing"),
    [
        ("[the profile](../../profiles/local.yml#top)", "the profile (`profiles/local.yml`)", False),
        ("[the\nprofiles](../../profiles)", "the\nprofiles (`profiles`)", False),
        ("[a page](../start.md#a-model)", "[a page](../start.md#a-model)", False),
        ("[a typo](../../profile/local.yml)", "a typo (`profile/local.yml`)", True),
    ],
)
def test_a_file_outside_docs_is_named(
    link: str, shown: str, is_missing: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "local.yml").touch()
    page = SimpleNamespace(file=SimpleNamespace(src_uri="strategies/auto.md"))
    with caplog.at_level(logging.WARNING):
        text = on_page_markdown(f"See {link}.", page=page, config={"docs_dir": str(tmp_path / "docs")}, files=None)
    assert text == f"See {shown}."
    assert bool(caplog.records) is is_missing


@pytest.mark.parametrize(("file", "page", "anchor"), sorted(set(links_to_docs())))
def test_a_link_to_a_page_leads_there(file: str, page: str, anchor: str) -> None:
    assert (ROOT / page).exists(), file
    assert not anchor or anchor in anchors(ROOT / page), file


@pytest.mark.parametrize("folder", CODE)
def test_pages_that_code_names_are_there(folder: str) -> None:
    files = [file for file in (ROOT / folder).rglob("*") if file.suffix in (".sql", ".py", ".yml", ".md")]
    named = {(file.name, page) for file in files for page in NAMED.findall(file.read_text())}
    assert not [(file, page) for file, page in named if not (ROOT / page).exists()]
