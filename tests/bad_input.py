"""The messages of messages.yml, for which the tests of bad input look."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from dbt_common.exceptions import CompilationError


@cache
def _sections() -> Any:
    return yaml.safe_load(Path(__file__).with_name("messages.yml").read_text())


def messages(section: str) -> dict[str, str]:
    """The message of each kind of bad input in a section of the file."""
    return dict(_sections()[section])


@contextmanager
def refused(
    section: str, kind: str, error: type[Exception] = CompilationError
) -> Iterator[pytest.ExceptionInfo[Exception]]:
    """What is done within is refused with the file's message."""
    with pytest.raises(error) as raised:
        yield raised
    assert messages(section)[kind] in str(raised.value)
