"""Library functions by dotted path: found, called, what they log, and the messages where that fails."""

import logging
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bad_input import messages, refused
from dbt_common.exceptions import DbtRuntimeError

import deltawave
from dbt.adapters.deltawave import python_models
from dbt.adapters.deltawave.impl import DeltawaveAdapter
from dbt.adapters.deltawave.library_functions import LibraryFunction, captured

SHOP_DIFFS = """
LIMIT = 3


def compare(old, new):
    return inner(old)


def inner(old):
    raise KeyError("spoilt")  # token="hunter2"


def names(old):
    return [old]


def vague(old):
    return old, {"distance": "far"}
"""
NEEDS = "import shop_of_nobody\n"


class Session:
    """A session whose every table is its name."""

    def sql(self, statement: str) -> str:
        return statement


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Two modules, installed where packages lie."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "shop_diffs.py").write_text(SHOP_DIFFS)
    (folder / "shop_needs.py").write_text(NEEDS)
    monkeypatch.syspath_prepend(str(folder))
    yield folder
    for name in ("shop_diffs", "shop_needs"):
        sys.modules.pop(name, None)


def compared(path: str, options: dict[str, Any] | None = None, **relations: str) -> str:
    with pytest.raises(DbtRuntimeError) as error:
        LibraryFunction(path, ["hunter2"]).rows(relations, options or {}, Session())  # type: ignore[arg-type]
    return error.value.msg


WRONG = {
    "no dotted path": ("compare", {}),
    "no such module": ("shop_difs.compare", {}),
    "no such function": ("shop_diffs.comapre", {}),
    "no function": ("shop_diffs.LIMIT", {}),
    "other arguments": ("shop_diffs.compare", {"old": "a", "new": "b", "options": {"size": 3}}),
    "no frame returned": ("shop_diffs.names", {"old": "a"}),
    "a figure that is no number": ("shop_diffs.vague", {"old": "a"}),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_wrong_is_reported(installed: Path, kind: str) -> None:
    path, arguments = WRONG[kind]
    assert messages("Comparison in Python")[kind] in compared(path, **arguments)


def test_every_row_of_the_page_is_tested() -> None:
    of_the_macros = ["figures beside the rows"]
    of_the_macros += ["changes without a column", "changes with a column of another type", "changes of another kind"]
    elsewhere = ["an adapter that runs no Python", "a connection without a session"]
    assert list(messages("Comparison in Python")) == elsewhere + list(WRONG) + of_the_macros


def test_an_argument_that_is_left_out_is_named(installed: Path) -> None:
    assert "missing a required argument: 'new'" in compared("shop_diffs.compare", old="a")


def test_a_module_that_cannot_be_imported_shows_its_line(installed: Path) -> None:
    message = compared("shop_needs.compare")
    assert "Importing shop_needs failed with ModuleNotFoundError: No module named 'shop_of_nobody'" in message
    assert message.count("File ") == 1
    assert f'File "{installed / "shop_needs.py"}", line 1' in message


def test_an_error_shows_the_lines_of_the_functions_package_alone(installed: Path) -> None:
    message = compared("shop_diffs.compare", old="a", new="b")
    file = installed / "shop_diffs.py"
    assert message.startswith("Library function 'shop_diffs.compare' failed with KeyError: 'spoilt'")
    assert f'File "{file}", line 6, in compare' in message
    assert f'File "{file}", line 10, in inner' in message
    assert message.count("File ") == 2
    assert "hunter2" not in message


def test_lines_of_packages_say_nothing_but_those_of_the_library() -> None:
    assert python_models.is_relevant("/project/models/accounts.py")
    assert python_models.is_relevant(str(Path(deltawave.__file__).parent / "evaluation" / "change_rates.py"))
    for foreign in (
        python_models.__file__,
        sys.modules["json"].__file__,
        "/env/site-packages/numpy/core.py",
        "<frozen a>",
    ):
        assert not python_models.is_relevant(str(foreign))
    assert python_models.is_relevant("/env/site-packages/shop/diffs.py", [Path("/env/site-packages/shop")])


@pytest.mark.parametrize("method", ["view_by_python", "check_library_function"])
def test_a_connection_without_a_session_is_refused(method: str) -> None:
    adapter: Any = DeltawaveAdapter.__new__(DeltawaveAdapter)
    adapter.config = SimpleNamespace(credentials=SimpleNamespace(in_session=False))
    arguments = [{}, {}, "view"] if method == "view_by_python" else [[]]
    with refused("Comparison in Python", "a connection without a session", DbtRuntimeError):
        getattr(adapter, method)("shop_diffs.compare", *arguments)


def test_messages_of_the_package_are_heard() -> None:
    with captured("shop") as messages:
        logging.getLogger("shop.diffs").info("%d segments", 3)
        logging.getLogger("shop.diffs").debug("not this")
        logging.getLogger("other").info("nor this")
        thread = threading.Thread(target=logging.getLogger("shop").info, args=("of another model",))
        thread.start()
        thread.join()
    assert messages == ["3 segments"]


def test_levels_are_as_before() -> None:
    logger = logging.getLogger("shop")
    before = logger.level
    with captured("shop"), captured("shop"):
        assert logger.isEnabledFor(logging.INFO)
    assert (logger.level, logger.handlers) == (before, [])
    with pytest.raises(KeyError), captured("shop"):
        raise KeyError
    assert (logger.level, logger.handlers) == (before, [])


def test_a_message_that_cannot_be_made_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    # pytest's own handler raises.
    monkeypatch.setattr(logging.getLogger("shop"), "propagate", False)
    with captured("shop") as messages:
        logging.getLogger("shop").info("%d rows", "many")
        logging.getLogger("shop").info("done")
    assert messages == ["done"]
