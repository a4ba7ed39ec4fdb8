"""Fixtures of the tests of snapshot differentials, which the tests of the library have, too."""

import pytest
from functional.conftest import interpreted  # noqa: F401
from functional.strategies.conftest import small_segments, stored  # noqa: F401


@pytest.fixture
def heard(caplog: pytest.LogCaptureFixture) -> None:
    """What the library and the laboratory log is captured."""
    caplog.set_level("INFO", "deltawave")
    caplog.set_level("INFO", "laboratory")
