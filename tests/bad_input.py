"""The messages in the tables of docs/bad_input.md, for which the tests of bad input look."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from dbt_common.exceptions import CompilationError

PAGE = Path(__file__).resolve().parents[1] / "docs" / "bad_input.md"


def messages(section: str) -> dict[str, str]:
    """The message of each kind of bad input in a section of the page."""
    text = PAGE.read_text().split(f"## {section}\n", 1)[1].split("\n## ", 1)[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")][1:]
    return {kind: message.strip("`") for kind, message, _ in rows}


@contextmanager
def refused(
    section: str, kind: str, error: type[Exception] = CompilationError
) -> Iterator[pytest.ExceptionInfo[Exception]]:
    """What is done within is refused with the page's message."""
    with pytest.raises(error) as raised:
        yield raised
    assert messages(section)[kind] in str(raised.value)
