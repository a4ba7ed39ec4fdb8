"""Fixtures of several files."""

from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the tests of a file share."""
    return tmp_path_factory.mktemp("folder")
