"""The line on the terminal about what takes long."""

import io
import logging
import os
import re
import sys
import termios
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from dbt.adapters.deltawave import progress as module
from dbt.adapters.deltawave.progress import STEPS, Progress, name_of, progress

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
    monkeypatch.setenv("TERM", "xterm")
    return Terminal()


@pytest.fixture
def pseudo() -> Iterator[tuple[int, io.TextIOWrapper]]:
    """What a terminal shows, as a file's number, and the terminal."""
    shown, number = os.openpty()
    os.set_blocking(shown, False)
    with os.fdopen(number, "w", encoding="utf-8") as terminal:
        yield shown, terminal
    os.close(shown)


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


def test_a_terminal_that_was_stopped_gets_no_text(pseudo: tuple[int, io.TextIOWrapper]) -> None:
    shown, terminal = pseudo
    line = Progress(terminal)
    assert line._write("x")
    assert os.read(shown, 10) == b"x"
    termios.tcflow(terminal.fileno(), termios.TCOOFF)
    assert not line._write("y")
    termios.tcflow(terminal.fileno(), termios.TCOON)
    assert line._write("z")
    assert os.read(shown, 10) == b"z"


def test_a_statement_waits_for_no_terminal(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT_SECONDS", 0.001)
    line = Progress(terminal)
    # As if writing did not end.
    with line._writing, line.of("accounts"):
        pass
    assert terminal.getvalue() == ""


def test_nothing_is_written_from_the_background(
    pseudo: tuple[int, io.TextIOWrapper], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "tcgetpgrp", lambda number: os.getpgrp() + 1)
    assert not Progress(pseudo[1])._write("x")
    monkeypatch.setattr(os, "tcgetpgrp", lambda number: os.getpgrp())
    assert Progress(pseudo[1])._write("x")


def test_it_is_as_wide_as_the_terminal(pseudo: tuple[int, io.TextIOWrapper], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "get_terminal_size", lambda number: os.terminal_size((37, 20)))
    assert Progress(pseudo[1])._width() == 37
    assert Progress(Terminal())._width() == 80


def test_it_is_erased_before_dbt_writes_a_line(terminal: Terminal) -> None:
    dbts = logging.getLogger("stdout_log")
    handler = logging.StreamHandler(terminal)
    dbts.addHandler(handler)
    try:
        shown = Progress(terminal)
        # As between two ticks of the watching thread.
        shown._write("a long line\r")
        shown._is_shown = True
        dbts.error("short")
    finally:
        dbts.removeHandler(handler)
    assert terminal.getvalue() == f"a long line\r{ERASED}short\n"


def test_a_process_without_another_thread_runs_on(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    with Progress(terminal).of("accounts"):
        pass
    assert "accounts" not in terminal.getvalue()


@pytest.mark.parametrize("stream", [None, object(), "closed", "file", "dumb"])
def test_streams_that_are_no_terminals(stream: object, terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or that erase nothing: nothing is written into them."""
    monkeypatch.delenv("CI", raising=False)
    if stream == "closed":
        terminal.close()
        monkeypatch.setattr(Terminal, "isatty", io.StringIO.isatty)
    elif stream == "file":
        monkeypatch.setattr(terminal, "isatty", lambda: False)
    elif stream == "dumb":
        monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys, "stderr", terminal if isinstance(stream, str) else stream)
    assert progress(None)._terminal is None
    with progress(None).of("accounts"):
        assert not terminal.written.wait(0.05)


@pytest.mark.parametrize(
    ("connection", "name"),
    [
        ("model.shop.accounts", "accounts"),
        ("model.shop.accounts.v2", "accounts.v2"),
        ("test.shop.not_null_accounts_id.5b27f24e3a", "not_null_accounts_id"),
        ("test.shop.no_gaps", "no_gaps"),
        ("unit_test.shop.accounts.adds_up", "accounts.adds_up"),
        ("source.shop.raw.accounts", "raw.accounts"),
        ("macro_report", "report"),
        ("master", "master"),
        ("dbt", "dbt"),
    ],
)
def test_what_is_running_is_named(connection: str, name: str) -> None:
    assert name_of(connection) == name


def test_each_step_of_a_batch_has_a_name() -> None:
    macros = Path(__file__).parents[2] / "macros"
    texts = "".join(file.read_text() for file in macros.rglob("*.sql"))
    assert set(re.findall(r"deltawave\._step\(job, batch, '(\w+)'\)", texts)) == set(STEPS)
