"""Defaults of a session, and who wins over them."""

from pathlib import Path

import pytest

from dbt.adapters.deltawave.settings import session_settings, storage_folders
from deltawave.class_archive import OPTIONS_FROM_OUTSIDE

DATA_DIR = Path("/project/spark_data")
ANSI = "spark.sql.ansi.enabled"
CO_PARTITION = "spark.sql.requireAllClusterKeysForCoPartition"
ORDERING = "spark.sql.legacy.bucketedTableScan.outputOrdering"
METASTORE = "spark.hadoop.javax.jdo.option.ConnectionURL"
WAREHOUSE = "spark.sql.warehouse.dir"


@pytest.fixture(autouse=True)
def no_installation(monkeypatch):
    for name in ("SPARK_HOME", "SPARK_CONF_DIR", "HADOOP_CONF_DIR", *OPTIONS_FROM_OUTSIDE):
        monkeypatch.delenv(name, raising=False)


def test_embedded_session():
    settings = session_settings({}, DATA_DIR)
    assert settings["spark.master"] == "local[*]"
    assert settings["spark.ui.enabled"] == "false"
    assert settings[CO_PARTITION] == "false"
    assert settings["spark.driver.bindAddress"] == "127.0.0.1"
    assert settings[WAREHOUSE] == "/project/spark_data/warehouse"
    assert "databaseName=/project/spark_data/metastore_db;" in settings[METASTORE]
    assert settings["spark.hadoop.hive.downloaded.resources.dir"] == "/project/spark_data/resources"
    assert "-Dderby.stream.error.file=/dev/null" in settings["spark.driver.extraJavaOptions"]
    # Spark 3 would make nulls of what can't be cast.
    assert settings[ANSI] == "true"


@pytest.mark.parametrize("key", sorted(session_settings({}, DATA_DIR)))
def test_profile_wins(key):
    if key == "spark.driver.extraJavaOptions":
        settings = session_settings({key: "-Dderby.system.home=mine"}, DATA_DIR)
        # Java takes the last mention.
        assert settings[key].endswith("-Dderby.system.home=mine")
    else:
        assert session_settings({key: "mine"}, DATA_DIR)[key] == "mine"


PARALLEL = "-XX:+UseParallelGC"
OPTIONS = "spark.driver.extraJavaOptions"


def test_collector_that_writes_rows_quickly():
    assert PARALLEL in session_settings({}, DATA_DIR)[OPTIONS].split()
    assert PARALLEL not in session_settings({"spark.master": "spark://head:7077"}, DATA_DIR)[OPTIONS]


@pytest.mark.parametrize("profile", [OPTIONS, "spark.driver.defaultJavaOptions"])
def test_no_second_collector_beside_that_of_the_profile(profile):
    assert PARALLEL not in session_settings({profile: "-Xss4m -XX:+UseG1GC"}, DATA_DIR)[OPTIONS]


@pytest.mark.parametrize("variable", OPTIONS_FROM_OUTSIDE)
def test_no_second_collector_beside_that_of_the_environment(variable, monkeypatch):
    monkeypatch.setenv(variable, "-XX:+UseZGC")
    assert PARALLEL not in session_settings({}, DATA_DIR)[OPTIONS]


def test_spark_connect_gets_what_a_server_takes():
    profile = {"spark.remote": "sc://head:15002"}
    assert session_settings(profile, DATA_DIR) == {**profile, ANSI: "true", CO_PARTITION: "false", ORDERING: "true"}


def test_cluster_keeps_its_own_ways():
    settings = session_settings({"spark.master": "spark://head:7077"}, DATA_DIR)
    assert "spark.sql.session.timeZone" not in settings
    assert "spark.sql.shuffle.partitions" not in settings
    assert "spark.driver.bindAddress" not in settings
    assert settings[CO_PARTITION] == "false"


@pytest.mark.parametrize(
    "key", ["spark.hadoop.hive.metastore.uris", "spark.hive.metastore.uris", "hive.metastore.uris"]
)
def test_metastore_server_is_not_shadowed(key):
    settings = session_settings({key: "thrift://meta:9083"}, DATA_DIR)
    assert METASTORE not in settings
    assert WAREHOUSE not in settings


def test_hive_site_is_not_shadowed(tmp_path, monkeypatch):
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert METASTORE in session_settings({}, DATA_DIR)
    (tmp_path / "hive-site.xml").write_text("<configuration/>")
    assert METASTORE not in session_settings({}, DATA_DIR)


def test_in_memory_catalog_has_no_metastore():
    profile = {"spark.sql.catalogImplementation": "in-memory"}
    settings = session_settings(profile, DATA_DIR)
    assert METASTORE not in settings
    assert settings[WAREHOUSE] == "/project/spark_data/warehouse"


HIVE = "spark.hadoop.hive.metastore.uris"


@pytest.mark.parametrize(
    ("profile", "folders"),
    [
        ({}, ["/project/spark_data/warehouse", "/project/spark_data/metastore_db"]),
        ({WAREHOUSE: "file:/data/tables"}, ["/data/tables", "/project/spark_data/metastore_db"]),
        ({WAREHOUSE: "file:///data/tables", HIVE: "thrift://head"}, ["/data/tables"]),
        ({WAREHOUSE: "/data/tables", METASTORE: "jdbc:derby:/data/meta;create=true"}, ["/data/tables", "/data/meta"]),
        ({WAREHOUSE: "s3a://tables/dev", METASTORE: "jdbc:postgresql://db/meta"}, []),
        ({METASTORE: "jdbc:derby:memory:meta;create=true", WAREHOUSE: "hdfs:/tables"}, []),
        ({METASTORE: "jdbc:derby:;databaseName=meta", WAREHOUSE: "hdfs:/tables"}, ["/project/spark_data/meta"]),
        ({HIVE: "thrift://head"}, []),
        ({"spark.sql.catalogImplementation": "in-memory"}, []),
        ({"spark.remote": "sc://head", WAREHOUSE: "/data/tables"}, []),
    ],
)
def test_folders_that_keep_tables(profile, folders):
    assert [str(folder) for folder in storage_folders(profile, DATA_DIR)] == folders


def test_a_relative_warehouse_lies_in_the_folder_that_dbt_runs_in():
    assert storage_folders({WAREHOUSE: "tables", HIVE: "thrift://head"}, DATA_DIR) == [Path.cwd() / "tables"]
