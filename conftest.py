"""One pytest process with one Spark session; each test has a schema of its own.

``project`` of dbt-tests-adapter writes a dbt project into a temporary folder and gives it a schema
of its own. A test that needs the macros of this repository asks for ``deltawave_package`` as well:

    @pytest.mark.usefixtures("deltawave_package")
    class TestSomething:
        models = {"accounts.sql": "..."}

        def test_it(self, project, spark):
            run_dbt(["run"])
            assert spark.table(f"{project.test_schema}.accounts").count() == 3

It links ``macros/`` to where ``dbt deps`` would install the package, so that ``deltawave.`` and
dispatch resolve as they do for a user, without the command. The demo models, seeds and tests are
left out.
"""

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from dbt_common.behavior_flags import BehaviorFlagRendered
from filesystem import file_system
from jvm import LONG_JVM, archive_classes
from kafka import CONNECTOR, KafkaServer
from mariadb import DRIVER as MARIADB_DRIVER
from mariadb import MariaDBServer
from maven import ivy_alone
from object_store import CREDENTIALS, ObjectStore, joined
from postgres import DRIVER as POSTGRES_DRIVER
from postgres import PostgresServer
from pyspark.sql import SparkSession

from dbt.adapters.deltawave.credentials import DeltawaveCredentials
from dbt.adapters.deltawave.session import open_session

# Whenever it loads an adapter, dbt searches the whole stack for who asks for a flag: 4% of the time of these tests.
BehaviorFlagRendered._default_source = staticmethod(lambda: "tests")

# Tests leave nothing in the user's cache; those that need quick processes use `quick_jvm`.
os.environ["DELTAWAVE_CLASS_ARCHIVE"] = "false"

pytest_plugins = ["dbt.tests.fixtures.project"]

ROOT = Path(__file__).resolve().parent

SETTINGS = {
    "spark.master": "local[2]",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.driver.memory": "3g",
    # Each sort and aggregation takes a page, by default of 64 MB, for a few rows.
    "spark.buffer.pageSize": "1m",
    # Spark writes down the plan of every statement for its user interface, which no test opens.
    "spark.sql.ui.explainMode": "simple",
    # What its user interface would show of earlier statements fills the heap.
    "spark.sql.ui.retainedExecutions": "1",
    "spark.ui.retainedJobs": "1",
    "spark.ui.retainedStages": "1",
    "spark.driver.extraJavaOptions": LONG_JVM,
    # A worker is gone after a failure, or after a minute without work, and the next one would import everything anew.
    "spark.python.daemon.module": "preloaded_workers",
    "spark.executorEnv.PYTHONPATH": f"{ROOT / 'tests'}:{ROOT / 'benchmarks'}",
}

# With --sparing. Hive's metastore takes half of the time of a small statement, and serves one thread at a time.
SPARING = {"spark.sql.catalogImplementation": "in-memory"}
# Tests drop their schemas, of which Iceberg's own cache of tables knows nothing.
UNCACHED = {"spark.sql.catalog.spark_catalog.cache-enabled": "false"}

# The driver for each server's fixture.
DRIVERS = {"postgres": POSTGRES_DRIVER, "mariadb": MARIADB_DRIVER, "kafka": CONNECTOR}

ANSI = "spark.sql.ansi.enabled"


@pytest.fixture(scope="session")
def spark_data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the warehouse and the metastore of this test run."""
    return tmp_path_factory.mktemp("spark")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--adapter", choices=["deltawave", "spark"], default="deltawave", help="the adapter, spark: stock dbt-spark"
    )
    parser.addoption(
        "--sparing",
        action="store_true",
        help="a Spark for thousands of small statements: an in-memory catalog, and queries that are not compiled",
    )
    parser.addoption(
        "--seed",
        type=lambda text: random.SystemRandom().randrange(1_000_000) if text == "new" else int(text),
        default="new",
        help="what generated histories are drawn from: a number, or 'new' (default) to draw anew",
    )
    parser.addoption(
        "--table-format",
        choices=["parquet", "delta", "iceberg"],
        default="parquet",
        help="the format of change logs, with the catalog that the profile of that name has",
    )
    parser.addoption(
        "--warehouse",
        choices=["local", "s3"],
        default="local",
        help="where tables are: on this machine, or on an S3 of this machine, with the profile's settings of that name",
    )
    parser.addoption("--screenshots", metavar="FOLDER", help="where tests in a browser keep what pages look like")


def pytest_report_header(config: pytest.Config) -> str:
    return f"generated histories: --seed {config.option.seed} draws the same again"


@pytest.fixture(scope="session")
def seed(request: pytest.FixtureRequest) -> int:
    """What generated histories are drawn from. A test that fails shows how to draw the same again."""
    seed: int = request.config.option.seed
    print(f"--seed {seed} draws the same again")
    return seed


@pytest.fixture(scope="class")
def adapter_type(request: pytest.FixtureRequest) -> str:
    """The adapter that ``project`` runs on."""
    adapter: str = request.config.option.adapter
    return adapter


@pytest.fixture(scope="class")
def dbt_profile_target(
    adapter_type: str, spark_data_dir: Path, spark_settings: dict[str, str], spark: SparkSession
) -> Iterator[dict[str, Any]]:
    """The target that ``project`` runs on; override it in a class to change settings."""
    common = {"type": adapter_type, "threads": 1}
    if adapter_type == "deltawave":
        yield common | {"data_dir": str(spark_data_dir), "server_side_parameters": dict(spark_settings)}
        return
    # dbt-spark takes the session that it finds, and turns ANSI mode off there.
    ansi = spark.conf.get(ANSI)
    yield common | {"method": "session", "host": "local"}
    spark.conf.set(ANSI, ansi)


@pytest.fixture(scope="session")
def object_store(request: pytest.FixtureRequest) -> Iterator[ObjectStore | None]:
    """With --warehouse s3, the server that has the tables; its keys are in the environment."""
    if request.config.option.warehouse == "local":
        yield None
        return
    with pytest.MonkeyPatch.context() as patch, ObjectStore() as store:
        for name, value in CREDENTIALS.items():
            patch.setenv(name, value)
        yield store


@pytest.fixture(scope="session")
def spark_settings(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, object_store: ObjectStore | None
) -> dict[str, str]:
    """Settings of the session, with the drivers of the servers that chosen tests ask for."""
    table_format = request.config.option.table_format
    stored = object_store.settings if object_store else {}
    if table_format != "parquet":
        profiles = yaml.safe_load((ROOT / "profiles" / "profiles.yml").read_text())
        settings = profiles["deltawave_demo"]["outputs"][table_format]["server_side_parameters"]
        return SETTINGS | joined(stored, settings, UNCACHED if table_format == "iceberg" else {})
    if stored:
        return SETTINGS | stored | (SPARING if request.config.option.sparing else {})
    wanted = {name for item in request.session.items for name in getattr(item, "fixturenames", ())}
    drivers = [driver for server, driver in DRIVERS.items() if server in wanted]
    packages = {"spark.jars.packages": ",".join(drivers)} if drivers else {}
    sparing = SPARING | file_system(tmp_path_factory.mktemp("filesystem")) if request.config.option.sparing else {}
    return SETTINGS | sparing | packages


@pytest.fixture(scope="session")
def spark(spark_data_dir: Path, spark_settings: dict[str, str]) -> SparkSession:
    """The session that dbt runs on in this process, for looking at what dbt built."""
    credentials = DeltawaveCredentials(
        schema="default", data_dir=str(spark_data_dir), server_side_parameters=dict(spark_settings)
    )
    with ivy_alone():
        return open_session(credentials)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server, started when the first test asks for it."""
    with PostgresServer() as server:
        yield server


@pytest.fixture(scope="session")
def mariadb() -> Iterator[MariaDBServer]:
    """A MariaDB server, started when the first test asks for it."""
    with MariaDBServer() as server:
        yield server


@pytest.fixture(scope="session")
def kafka() -> Iterator[KafkaServer]:
    """A Kafka broker, started when the first test asks for it."""
    with KafkaServer() as server:
        yield server


@pytest.fixture(scope="session")
def quick_jvm(tmp_path_factory: pytest.TempPathFactory) -> str:
    """JVM options for a Spark in a process of its own: its classes are archived, once for lanes that run together."""
    folder = os.environ.get("CLASSES_OF_LANES")
    return archive_classes(Path(folder) if folder else tmp_path_factory.mktemp("classes"))


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `pip install` of this repository installs."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    run = subprocess.run([*build, str(ROOT)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr + run.stdout
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="class")
def deltawave_package(project_root: Any) -> Path:
    """Install the macros of this repository into the project under test."""
    package = Path(project_root, "dbt_packages", "deltawave")
    package.mkdir(parents=True)
    config = yaml.safe_load((ROOT / "dbt_project.yml").read_text())
    names = ("name", "version", "config-version", "vars", "dispatch")
    kept = {name: config[name] for name in names if name in config}
    (package / "dbt_project.yml").write_text(yaml.safe_dump(kept | {"macro-paths": ["macros"]}))
    (package / "macros").symlink_to(ROOT / "macros", target_is_directory=True)
    # dbt counts what is installed.
    Path(project_root, "packages.yml").write_text(yaml.safe_dump({"packages": [{"local": str(ROOT)}]}))
    return package
