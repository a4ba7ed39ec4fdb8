"""The session opens while dbt parses, for commands that need it."""

from types import SimpleNamespace

import pytest
from pyspark import SparkContext

from dbt.adapters.deltawave import session
from dbt.adapters.deltawave.connections import open_ahead, wait_until_open


@pytest.fixture
def opened(monkeypatch):
    """The credentials whose sessions were opened."""
    opened = []
    monkeypatch.setattr(session, "open_session", opened.append)
    return opened


@pytest.mark.parametrize(
    ("command", "in_session", "running", "opens"),
    [
        ("run", True, None, True),
        ("parse", True, None, False),
        (None, True, None, False),
        ("run", False, None, False),
        # A Spark that runs already.
        ("run", True, object(), False),
    ],
)
def test_commands_that_run_statements_in_a_session_open_it_ahead(
    opened, monkeypatch, command, in_session, running, opens
):
    monkeypatch.setattr(SparkContext, "_active_spark_context", running)
    credentials = SimpleNamespace(in_session=in_session)
    open_ahead(credentials, SimpleNamespace(which=command))
    wait_until_open(credentials)
    assert opened == [credentials] * opens


def test_its_error_is_raised_once_where_the_session_is_needed(monkeypatch):
    def fail(credentials):
        raise ValueError("no Java")

    monkeypatch.setattr(session, "open_session", fail)
    monkeypatch.setattr(SparkContext, "_active_spark_context", None)
    credentials = SimpleNamespace(in_session=True)
    open_ahead(credentials, SimpleNamespace(which="test"))
    # Those of another command.
    wait_until_open(SimpleNamespace(in_session=True))
    with pytest.raises(ValueError, match="no Java"):
        wait_until_open(credentials)
    wait_until_open(credentials)
