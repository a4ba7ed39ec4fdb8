"""Links of docs/ to files that the site does not have."""

import logging
from pathlib import Path
from types import SimpleNamespace

import pytest
from site_links import on_page_markdown


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
