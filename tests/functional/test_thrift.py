"""The SQL half through a Thrift server, with stock dbt-spark: the page that says how, as it is written."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from jvm import QUICK_JVM
from spark_servers import SPARK_HOME, ThriftServer
from walkthrough import CHECKOUT, ROOT, carry_out, differences, environ

PAGE = (ROOT / "docs" / "stock_spark.md").read_text()
SECTION = PAGE.split("## Through a Thrift server\n", 1)[1].split("\n## ", 1)[0].split("In an empty folder:\n", 1)[1]


@pytest.fixture(scope="module")
def server() -> Iterator[ThriftServer]:
    with ThriftServer(SPARK_HOME, QUICK_JVM) as started:
        yield started


def test_the_page(server: ThriftServer, tmp_path: Path) -> None:
    page = SECTION.replace("port: 10000", f"port: {server.port}").replace(CHECKOUT, str(ROOT))
    done = carry_out(page, tmp_path, environ(""))
    assert list(differences(done)) == []
    assert not list(tmp_path.glob(".venv/lib/python*/site-packages/pyspark"))
