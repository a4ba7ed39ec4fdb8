"""Errors that the package's macros raise: dbt would report them as compilation errors, with the macros' calls."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from dbt.clients.jinja import MacroGenerator
from dbt_common.clients.jinja import BaseMacroGenerator
from dbt_common.exceptions import DbtRuntimeError


class RefusalError(DbtRuntimeError):
    """What a user has to correct; ``kind`` says where: Configuration, Data, State or Usage."""

    def __init__(self, message: str, kind: str, node: Any = None) -> None:
        super().__init__(message, node)
        self.kind = kind

    @property
    def type(self) -> str:
        return self.kind


def calling_macros() -> list[Any]:
    """Return dbt's generators of the macros that are running in this thread, the innermost first."""
    found: list[Any] = []
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_code is BaseMacroGenerator.call_macro.__code__:
            caller = frame.f_locals["self"]
            if isinstance(caller, MacroGenerator):
                found.append(caller)
        frame = frame.f_back
    return found
