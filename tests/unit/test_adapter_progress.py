"""The line on the terminal about what takes long."""

from __future__ import annotations

import io
import sys
import threading
from types import SimpleNamespace

import pytest

from dbt.adapters.deltawave import progress as module
from dbt.adapters.deltawave.progress import Progress, progress

ERASED = "\r\x1b[K"


class Terminal(io.StringIO):
    """Remembers what was written, and says when something was."""

    def __init__(self) -> None:
        super().__init__()
        self.written = threading.Event()

    def write(self, text: str) -> int:
        self.written.set()
        return super().write(text)

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setattr(module, "PAUSE_SECONDS", 0.001)
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(module, "_tasks", lambda: ", 3 of 1,200 tasks")
    return Terminal()


def test_the_line_is_shown_and_erased(terminal: Terminal) -> None:
    with Progress(terminal).of("accounts: reading the source"):
        assert terminal.written.wait(10)
    text = terminal.getvalue()
    assert text.startswith("\raccounts: reading the source: 0 s, 3 of 1,200 tasks\x1b[K\r")
    assert text.endswith(ERASED)
    assert "\n" not in text


def test_of_several_it_names_the_first(terminal: Terminal) -> None:
    shown = Progress(terminal)
    with shown.of("first"), shown.of("second"):
        assert terminal.written.wait(10)
    assert "second" not in terminal.getvalue()


def test_what_is_over_soon_is_not_shown(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 3600.0)
    shown = Progress(terminal)
    with shown.of("quick"):
        assert not terminal.written.wait(0.05)
    assert terminal.getvalue() == ""


def test_it_never_takes_more_than_a_line(terminal: Terminal) -> None:
    with Progress(terminal).of("x" * 500):
        assert terminal.written.wait(10)
    assert len(terminal.getvalue().split("\x1b")[0]) <= 1 + module.WIDTH


def test_a_terminal_that_is_gone_ends_no_run(terminal: Terminal) -> None:
    with Progress(terminal).of("accounts"):
        assert terminal.written.wait(10)
        terminal.close()


@pytest.mark.parametrize(
    ("arguments", "variable", "is_shown"),
    [
        ({}, "", True),
        ({}, "true", False),
        ({"QUIET": True}, "", False),
        ({"LOG_FORMAT": "json"}, "", False),
        ({"LOG_FORMAT": "default", "QUIET": False}, "", True),
    ],
)
def test_where_it_is_shown(
    arguments: dict[str, object], variable: str, is_shown: bool, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("CI", variable)
    with progress(SimpleNamespace(**arguments)).of("accounts"):
        assert terminal.written.wait(10 if is_shown else 0.05) is is_shown


def test_nothing_is_written_into_a_file(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "isatty", lambda: False)
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.delenv("CI", raising=False)
    with progress(None).of("accounts"):
        assert not terminal.written.wait(0.05)
