"""The profile of type deltawave."""

import pytest
import yaml
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.deltawave import DeltawaveCredentials
from dbt.adapters.deltawave.launch import claim_metastore


def test_a_schema_is_enough():
    credentials = DeltawaveCredentials(schema="dev")
    assert credentials.type == "deltawave"
    assert credentials.method == "session"
    assert credentials.in_session
    assert credentials.server_side_parameters == {}


@pytest.mark.parametrize(
    ("parameters", "host"),
    [
        ({}, "local"),
        ({"spark.master": "spark://head:7077"}, "spark://head:7077"),
        ({"spark.remote": "sc://head:15002"}, "sc://head:15002"),
    ],
)
def test_debug_shows_where_spark_is(parameters, host):
    credentials = DeltawaveCredentials(schema="dev", server_side_parameters=parameters)
    assert dict(credentials.connection_info())["host"] == host


def test_values_are_spelt_as_spark_reads_them():
    parameters = {"spark.ui.enabled": True, "spark.sql.shuffle.partitions": 4}
    credentials = DeltawaveCredentials(schema="dev", server_side_parameters=parameters)
    assert credentials.server_side_parameters == {"spark.ui.enabled": "true", "spark.sql.shuffle.partitions": "4"}


@pytest.mark.parametrize("data_dir", ["{root}/here/spark", "here/spark"])
def test_data_dir_is_relative_to_the_project(tmp_path, data_dir):
    credentials = DeltawaveCredentials(schema="dev", data_dir=data_dir.replace("{root}", str(tmp_path)))
    credentials.anchor("/elsewhere" if data_dir.startswith("{") else str(tmp_path))
    assert credentials.data_dir == str(tmp_path / "here" / "spark")


@pytest.mark.parametrize(
    ("profile", "clean_targets"),
    [
        ({"data_dir": "target/spark"}, ["target"]),
        ({"data_dir": "target"}, ["target"]),
        ({}, ["logs", "spark_data"]),
        ({}, ["spark_data/warehouse/old"]),
        ({}, ["./"]),
        ({"server_side_parameters": {"spark.sql.warehouse.dir": "file:{root}/target/tables"}}, ["target"]),
    ],
)
def test_what_dbt_cleans_is_no_place_for_tables(tmp_path, profile, clean_targets):
    profile = yaml.safe_load(yaml.safe_dump(profile).replace("{root}", str(tmp_path)))
    credentials = DeltawaveCredentials(schema="dev", **profile)
    credentials.anchor(str(tmp_path), clean_targets)
    with pytest.raises(DbtRuntimeError, match=r"^\s*(Runtime Error\s*)?`dbt clean` would delete .* data_dir "):
        credentials.refuse_cleaned()


@pytest.mark.parametrize("data_dir", ["spark_data", "targets", "."])
def test_other_folders_are(tmp_path, data_dir):
    credentials = DeltawaveCredentials(schema="dev", data_dir=data_dir)
    credentials.anchor(str(tmp_path), ["target", "dbt_packages"])
    credentials.refuse_cleaned()


@pytest.mark.parametrize(
    ("given", "message"), [({"method": "thrift"}, "host"), ({"database": "other"}, "database must be omitted")]
)
def test_what_is_missing_or_no_second_name(given, message):
    with pytest.raises(DbtRuntimeError, match=message):
        DeltawaveCredentials(schema="dev", **given)


def test_a_new_data_dir_is_made_and_left_out_of_git(tmp_path):
    claim_metastore(str(tmp_path / "data" / "spark"))
    assert (tmp_path / "data" / "spark").is_dir()
    assert (tmp_path / "data" / "spark" / ".gitignore").read_text() == "*\n"


def test_a_data_dir_that_is_there_stays_as_it_is(tmp_path):
    claim_metastore(str(tmp_path))
    assert list(tmp_path.iterdir()) == []
