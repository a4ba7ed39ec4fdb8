"""The two states of a table."""

from typing import Literal, TypeAlias

Side: TypeAlias = Literal["old", "new"]
SIDES: tuple[Side, Side] = ("old", "new")
