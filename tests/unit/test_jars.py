"""`deltawave doctor`, and the adapter before Spark starts, recognize jars of another Spark by their names."""

import re
from pathlib import Path

import pyspark
import pytest
from bad_input import messages
from dbt_common.exceptions import DbtRuntimeError
from pyspark import java_gateway

from dbt.adapters.deltawave.launch import launch
from deltawave.jars import FILES, JARS, PACKAGES, REMOTE, jars, minor, remedy, scala

ROOT = Path(__file__).resolve().parents[2]

SPARK = minor(pyspark.__version__)
TESTED = tuple(JARS[SPARK].values())

FITTING = (
    *TESTED,
    "org.apache.spark:spark-avro_2.13:4.1.4",
    "uk.co.gresearch.spark:spark-extension_2.13:2.15.0-4.1",
    "org.postgresql:postgresql:42.7.5",
    "org.apache.iceberg:iceberg-aws-bundle:1.11.0",
    "org.mongodb.spark:mongo-spark-connector_2.13:10.5.0",
    "org.apache.hadoop:hadoop-aws:3.4.2",
    "com.datastax.spark:spark-cassandra-connector_2.13:3.5.1",
)
REFUSED = {
    "io.delta:delta-spark_4.2_2.13:4.4.0": "Spark 4.2",
    "io.delta/delta-spark_4.0_2.13:4.1.0": "Spark 4.0",
    "org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.9.2": "Spark 3.5 and Scala 2.12",
    "org.apache.iceberg:iceberg-spark-runtime-3.5_2.13:1.9.2": "Spark 3.5",
    "io.delta:delta-core_2.12:2.4.0": "Scala 2.12",
    "org.apache.spark:spark-avro_2.13:4.0.1": "Spark 4.0",
    "com.example:any_2.12:1.0": "Scala 2.12",
}
DOUBTFUL = {
    "io.delta:delta-spark_2.13:4.0.0": "does not say which Spark",
    "org.apache.hudi:hudi-spark4.0-bundle_2.13:1.1.0": "is made for Spark 4.0",
    "org.apache.sedona:sedona-spark-shaded-4.0_2.13:1.8.0": "is made for Spark 4.0",
    "org.apache.hadoop:hadoop-aws:3.3.6": "is of Hadoop 3.3.6; pyspark 4.1.4 has Hadoop 3.4.2",
    "{{ env_var('A', 'x,y') | trim }}": "does not say which Spark",
}


def finding_of(named: str, key: str = PACKAGES) -> tuple[str, bool] | None:
    """Why the only jar with a finding does not fit pyspark 4.1.4, and whether that is certain."""
    (jar,) = jars({key: named}, "4.1.4")
    return (jar.wrong, jar.certain) if jar.wrong else None


@pytest.mark.parametrize("named", FITTING)
def test_fitting_jars_are_in_order(named: str) -> None:
    assert finding_of(named) is None


@pytest.mark.parametrize("named", REFUSED)
def test_jars_of_another_spark_or_scala_are_named(named: str) -> None:
    reason = f"{named} is made for {REFUSED[named]}; pyspark 4.1.4 is Spark 4.1 with Scala 2.13."
    assert finding_of(named) == (reason, True)


@pytest.mark.parametrize("named", DOUBTFUL)
def test_doubts_are_reported_as_doubts(named: str) -> None:
    finding = finding_of(named)
    assert finding is not None
    reason, certain = finding
    assert DOUBTFUL[named] in reason
    assert not certain


@pytest.mark.parametrize(
    ("file", "fits"),
    [
        ("/opt/jars/delta-spark_4.1_2.13-4.4.0.jar", True),
        ("hdfs://node:9000/jars/iceberg-spark-runtime-4.1_2.13-1.11.0.jar", True),
        ("/spark-3.5/jars/postgresql-42.7.5.jar", True),
        ("/opt/jars/delta-spark_4.2_2.13-4.4.0.jar", False),
        ("hdfs://node:9000/jars/iceberg-spark-runtime-3.5_2.12-1.9.2.jar", False),
    ],
)
def test_files_are_known_by_their_names(file: str, fits: bool) -> None:
    assert (finding_of(file, FILES) is None) == fits


def test_the_address_of_a_file_stays_hidden() -> None:
    reason, _ = finding_of("https://me:hunter2@host/jars/delta-spark_4.2_2.13-4.4.0.jar", FILES) or ("", False)
    assert reason.startswith("delta-spark_4.2_2.13-4.4.0.jar is made for Spark 4.2")


def test_every_jar_of_a_list_is_looked_at() -> None:
    settings = {PACKAGES: f"{TESTED[0]}, {TESTED[1]},", FILES: "a.jar"}
    assert [jar.named for jar in jars(settings, "4.1.4")] == [*TESTED, "a.jar"]


def test_a_connect_server_loads_its_own_jars() -> None:
    assert jars({REMOTE: "sc://node", PACKAGES: "io.delta:delta-spark_4.2_2.13:4.4.0"}, "4.1.4") == []


def test_the_table_names_what_is_tested() -> None:
    """The installed Spark is the newest that both formats have a jar for."""
    assert max(version for version, tested in JARS.items() if len(tested) == 2) == SPARK
    assert list(Path(pyspark.__file__).parent.glob(f"jars/scala-library-{scala(SPARK)}.*.jar"))


@pytest.mark.parametrize("version", JARS)
def test_the_jars_of_each_spark_fit_it(version: str) -> None:
    found = jars({PACKAGES: ",".join(JARS[version].values())}, f"{version}.1")
    assert [jar.wrong for jar in found] == [""] * len(JARS[version])
    assert all(jar in remedy(f"{version}.1") for jar in JARS[version].values())


def test_a_spark_without_jars_is_named() -> None:
    assert remedy("4.3.0") == (
        "There was no jar of delta and iceberg for pyspark 4.3 yet: pyspark 3.5 or 4.0 or 4.1 has one."
    )
    assert remedy("4.2.1").endswith(
        "There was no jar of iceberg for pyspark 4.2 yet: pyspark 3.5 or 4.0 or 4.1 has one."
    )
    assert remedy("5.0.0") == "No jar was tried with pyspark 5.0; pyspark 3.5, 4.0, 4.1, 4.2, 4.3 were tried."


@pytest.mark.parametrize("page", ["README.md", "profiles/profiles.yml"])
def test_pages_and_profiles_name_them_too(page: str) -> None:
    named = re.findall(r"[\w.]+:(?:delta|iceberg)-spark[\w.-]*:[\d.]+", (ROOT / page).read_text())
    assert sorted(set(named)) == sorted(TESTED)


BAD_JARS = {
    "jars of another Spark": "io.delta:delta-spark_4.2_2.13:4.4.0",
    "jars of another Scala": "org.apache.iceberg:iceberg-spark-runtime-4.1_2.12:1.11.0",
}


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What Spark was started with; it ends at once."""
    seen: list[object] = []

    def start(conf: object, **options: object) -> None:
        seen.append(conf)
        raise OSError("no gateway")

    monkeypatch.setattr(java_gateway, "launch_gateway", start)
    return seen


@pytest.mark.parametrize("kind", BAD_JARS)
def test_the_adapter_refuses_them_before_spark_starts(kind: str, started: list[object]) -> None:
    with pytest.raises(DbtRuntimeError) as error:
        launch({PACKAGES: BAD_JARS[kind]})
    assert messages("Jars")[kind] in error.value.msg
    assert remedy(pyspark.__version__) in error.value.msg
    assert not started


def test_the_adapter_starts_spark_with_fitting_and_doubtful_jars(
    started: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    warnings: list[str] = []
    monkeypatch.setattr("dbt.adapters.deltawave.launch.logger.warning", warnings.append)
    with pytest.raises(DbtRuntimeError, match="JVM did not start"):
        launch({PACKAGES: f"{TESTED[0]},io.delta:delta-spark_2.13:4.0.0"})
    assert started
    (warning,) = warnings
    assert warning.startswith("io.delta:delta-spark_2.13:4.0.0 does not say which Spark it is made for;")


def test_all_kinds_are_tested() -> None:
    assert list(messages("Jars")) == list(BAD_JARS)
