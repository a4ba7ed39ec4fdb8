"""Fixtures of the tests of snapshot differentials, which the tests of the library have, too."""

from functional.conftest import interpreted  # noqa: F401
from functional.strategies.conftest import heard, small_segments, stored  # noqa: F401
from unit.conftest import folder  # noqa: F401
