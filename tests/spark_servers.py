"""Servers of Spark, on loopback: Spark Connect, and the Thrift server that speaks Hive's protocol."""

import os
from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pyspark
from server import Server

SPARK_HOME = Path(pyspark.__file__).parent


class SparkServer(Server):
    """A server from the jars of a pyspark; ``jvm_options`` and ``settings`` are its session's."""

    main: ClassVar[str]
    start_seconds = 180

    def __init__(self, spark_home: Path, jvm_options: str = "", settings: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self._spark_home, self._jvm_options, self._settings = spark_home, jvm_options, dict(settings or {})

    @abstractmethod
    def _own_settings(self) -> dict[str, Any]:
        """Where the server listens."""

    def _prepare(self) -> None:
        """Spark makes its own folders."""

    def _command(self) -> list[str]:
        derby = f"-Dderby.stream.error.file=/dev/null -Dderby.system.home={self.folder}"
        settings = {
            "spark.master": "local[2]",
            "spark.ui.enabled": "false",
            "spark.driver.extraJavaOptions": f"{derby} {self._jvm_options}".strip(),
            "spark.driver.host": "127.0.0.1",
            "spark.sql.shuffle.partitions": 2,
            "spark.sql.warehouse.dir": self.folder / "warehouse",
            "spark.hadoop.javax.jdo.option.ConnectionURL": f"jdbc:derby:;databaseName={self.folder}/db;create=true",
            **self._own_settings(),
            **self._settings,
        }
        named = [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
        return [str(self._spark_home / "bin" / "spark-submit"), "--class", self.main, *named, "spark-internal"]

    def _environment(self) -> dict[str, str]:
        left_out = ("SPARK_HOME", "SPARK_CONF_DIR")
        kept = {name: value for name, value in os.environ.items() if name not in left_out}
        # The one that has this Spark: a worker's Python has to be the client's.
        return kept | {"PYSPARK_PYTHON": str(self._spark_home.parents[3] / "bin" / "python")}


class ConnectServer(SparkServer):
    """A Spark Connect server."""

    name = "SparkConnect"
    main = "org.apache.spark.sql.connect.service.SparkConnectServer"

    @property
    def address(self) -> str:
        return f"sc://127.0.0.1:{self.port}"

    def _own_settings(self) -> dict[str, Any]:
        return {
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": self.port,
        }


class ThriftServer(SparkServer):
    """Spark's Thrift server, with one session for all connections, as dbt opens one for each model."""

    name = "SparkThrift"
    main = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"

    def _own_settings(self) -> dict[str, Any]:
        return {
            "spark.hadoop.hive.server2.thrift.bind.host": "127.0.0.1",
            "spark.hadoop.hive.server2.thrift.port": self.port,
            "spark.sql.hive.thriftServer.singleSession": "true",
        }
