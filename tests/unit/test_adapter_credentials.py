"""The profile of type deltawave."""

import pytest
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.deltawave import DeltawaveCredentials


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
    assert credentials.server_side_parameters == {
        "spark.ui.enabled": "true",
        "spark.sql.shuffle.partitions": "4",
    }


@pytest.mark.parametrize("ansi", [True, False])
def test_ansi_mode_is_the_profiles(ansi):
    credentials = DeltawaveCredentials(schema="dev", server_side_parameters={"spark.sql.ansi.enabled": ansi})
    assert credentials.server_side_parameters == {"spark.sql.ansi.enabled": str(ansi).lower()}


def test_data_dir_is_relative_to_the_project(tmp_path):
    credentials = DeltawaveCredentials(schema="dev", data_dir="here/spark")
    credentials.anchor(str(tmp_path))
    assert credentials.data_dir == str(tmp_path / "here" / "spark")


def test_absolute_data_dir_stays(tmp_path):
    credentials = DeltawaveCredentials(schema="dev", data_dir=str(tmp_path))
    credentials.anchor("/elsewhere")
    assert credentials.data_dir == str(tmp_path)


def test_other_methods_need_a_host():
    with pytest.raises(DbtRuntimeError, match="host"):
        DeltawaveCredentials(schema="dev", method="thrift")


def test_database_is_no_second_name():
    with pytest.raises(DbtRuntimeError, match="database must be omitted"):
        DeltawaveCredentials(schema="dev", database="other")
