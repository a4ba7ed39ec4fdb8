"""What a library logs while dbt calls it."""

import logging
import threading

import pytest

from dbt.adapters.deltawave.library_functions import captured


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
