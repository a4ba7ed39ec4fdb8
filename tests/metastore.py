"""A Hive metastore server, from pyspark's own jars: tests of several processes on one catalog."""

import os
from pathlib import Path
from xml.sax.saxutils import escape

import pyspark
from jvm import QUICK_JVM
from object_store import ObjectStore
from server import Server

from deltawave.environment import java_command


class MetastoreServer(Server):
    """Serves from ``folder``, which stays; tables are there, too, or in a ``store``."""

    name = "metastore"
    start_seconds = 120

    def __init__(self, folder: Path, store: ObjectStore | None = None) -> None:
        super().__init__(folder)
        self.store = store

    @property
    def settings(self) -> dict[str, str]:
        """Spark settings of a client."""
        return {
            "spark.sql.warehouse.dir": str(self.folder / "warehouse"),
            **(self.store.settings if self.store else {}),
            "spark.hadoop.hive.metastore.uris": f"thrift://127.0.0.1:{self.port}",
            # As in a session with an embedded metastore: Derby at times refuses to filter partitions by date.
            "spark.sql.hive.metastorePartitionPruningFallbackOnException": "true",
        }

    def _prepare(self) -> None:
        settings = {
            "javax.jdo.option.ConnectionURL": f"jdbc:derby:;databaseName={self.folder}/db;create=true",
            "hive.metastore.warehouse.dir": self.settings["spark.sql.warehouse.dir"],
            "datanucleus.schema.autoCreateAll": "true",
            "hive.metastore.schema.verification": "false",
            "hive.async.log.enabled": "false",
            **(self.store.hadoop_settings if self.store else {}),
        }
        properties = (
            f"<property><name>{name}</name><value>{escape(value)}</value></property>"
            for name, value in settings.items()
        )
        (self.folder / "hive-site.xml").write_text(f"<configuration>{''.join(properties)}</configuration>")

    def _command(self) -> list[str]:
        jars = Path(pyspark.__file__).parent / "jars"
        path = os.pathsep.join(map(str, (self.folder, f"{jars}/*", *(self.store.jars if self.store else []))))
        jvm = [*QUICK_JVM.split(), "-Xmx512m", "-Dderby.stream.error.file=/dev/null", "-cp", path]
        return [java_command(os.environ), *jvm, "org.apache.hadoop.hive.metastore.HiveMetaStore", "-p", str(self.port)]
