"""Two processes in turn: each goes on from what the other has published.

A session of its own stands for a process. On Iceberg each keeps tables as it has seen them, as the profile's does.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest
from workbench import MODEL, SEVERAL, Workbench

from dbt.adapters.deltawave import session as sessions

pytestmark = pytest.mark.iceberg

Process = Callable[[], AbstractContextManager[None]]

VIEW = {
    "strategy": "view",
    "root": MODEL,
    "relations": {MODEL: {"account_id": "account_id"}},
    "max_delete_fraction": 1,
}
SELECT = f"-- depends_on: {{{{ ref('{MODEL}') }}}}\nselect * from {{{{ target.schema }}}}.dump"
DUMP = "select * from values {} as t(account_id, name)"


@pytest.fixture
def begin(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Process]:
    """Begins a process; dbt runs in it within its context."""

    def process() -> Process:
        session = bench.spark.newSession()
        session.conf.set("spark.sql.catalog.spark_catalog.cache-enabled", "true")

        @contextmanager
        def within() -> Iterator[None]:
            assert sessions._current is not None
            with monkeypatch.context() as patch:
                patch.setattr(sessions, "_current", sessions._current._replace(session=session))
                patch.setattr(bench, "spark", session)
                yield

        return within

    return process


def test_a_log_and_a_view_of_it_miss_nothing(bench: Workbench, begin: Callable[[], Process]) -> None:
    bench.configure(strategy="row_checksum")
    bench.add_differential("joined", SELECT, **VIEW)
    here, there = begin(), begin()
    with here():
        bench.build(DUMP.format("(1, 'ann'), (2, 'bob')"), *SEVERAL)
        bench.build(DUMP.format("(1, 'anna'), (2, 'bob')"), *SEVERAL)
    with there():
        bench.build(DUMP.format("(1, 'anna'), (2, 'bob'), (3, 'cid')"), "--select", MODEL)
    with here():
        bench.spark.sql(f"refresh table {bench.schema}.dump")
        bench.build(None, "--select", "joined")
        bench.build(DUMP.format("(1, 'anna'), (2, 'eve'), (3, 'cid')"), *SEVERAL)
    expected: list[tuple[Any, ...]] = [
        (1, "ann", "insert"),
        (2, "bob", "insert"),
        (1, "anna", "update"),
        (3, "cid", "insert"),
        (2, "eve", "update"),
    ]
    for model in (MODEL, "joined"):
        assert [row[:3] for row in bench.log(model=model)] == expected, model
