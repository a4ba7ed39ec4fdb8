"""A workbench for each test of the differential materialization, or for each class."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from object_store import ObjectStore
from pyspark.sql import SparkSession
from workbench import Workbench

from deltawave.comparing import sessions
from deltawave.comparing.comparison import Comparison

# To compile a query, or to plan it anew while it runs, costs more than a few rows give back.
INTERPRETED = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
}


@pytest.fixture(scope="class")
def models(request: pytest.FixtureRequest) -> dict[str, str]:
    """The files of a class's models: its attribute, where it has no fixture of this name."""
    return getattr(request.cls, "models", {})


@pytest.fixture(scope="class")
def macros(request: pytest.FixtureRequest) -> dict[str, str]:
    """The files of a class's macros: its attribute, where it has no fixture of this name."""
    return getattr(request.cls, "macros", {})


@pytest.fixture
def setting(spark: SparkSession) -> Callable[[str, str], Any]:
    """``with setting("spark.sql.ansi.enabled", "false"):``"""

    @contextmanager
    def change(key: str, value: str) -> Iterator[None]:
        before = spark.conf.get(key, None)
        spark.conf.set(key, value)
        try:
            yield
        finally:
            spark.conf.unset(key) if before is None else spark.conf.set(key, before)

    return change


@pytest.fixture
def by_duckdb(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """One entry for each comparison that DuckDB has made of DataFrames, even of small tables."""
    found: list[None] = []
    compared = sessions._by_duckdb

    def noted(*given: Any) -> Comparison:
        result = compared(*given)
        found.append(None)
        return result

    monkeypatch.setattr(sessions, "_LEAST_BYTES", 0)
    monkeypatch.setattr(sessions, "_by_duckdb", noted)
    return found


@pytest.fixture(params=["spark", "duckdb"])
def engine(request: pytest.FixtureRequest) -> None:
    """What compares two DataFrames: Spark, or DuckDB where it can."""
    if request.param == "duckdb":
        request.getfixturevalue("by_duckdb")


@pytest.fixture(scope="class", autouse=True)
def sparing() -> Iterator[None]:
    """dbt writes neither artifacts nor a log file, which no test reads where this is not overridden."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DBT_WRITE_JSON", "false")
        patch.setenv("DBT_LOG_LEVEL_FILE", "none")
        yield


@pytest.fixture(scope="class")
def interpreted(request: pytest.FixtureRequest, spark: SparkSession) -> Iterator[None]:
    """With --sparing, queries are neither compiled nor planned anew while they run."""
    if not request.config.option.sparing:
        yield
        return
    for name, value in INTERPRETED.items():
        spark.conf.set(name, value)
    yield
    for name in INTERPRETED:
        spark.conf.unset(name)


@pytest.fixture(scope="class")
def shared_bench(
    request: pytest.FixtureRequest,
    project: Any,
    deltawave_package: Path,
    interpreted: None,
    spark: SparkSession,
    object_store: ObjectStore | None,
) -> Workbench:
    """A workbench for all tests of a class, whose schema is empty at first."""
    table_format = request.config.option.table_format
    bench = Workbench(spark, Path(project.project_root), project.test_schema, table_format, object_store)
    spark.sql(f"create schema if not exists {bench.schema}")
    bench.clear()
    bench.configure()
    return bench


@pytest.fixture
def bench(shared_bench: Workbench) -> Workbench:
    """A workbench whose schema is empty."""
    shared_bench.clear()
    shared_bench.configure()
    return shared_bench
