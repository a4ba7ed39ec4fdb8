"""A Hive metastore server, from pyspark's own jars: tests of several processes on one catalog."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType
from xml.sax.saxutils import escape

import pyspark
from jvm import QUICK_JVM

from deltawave.environment import java_command

_START_SECONDS = 120


class MetastoreServer:
    """Starts the server in ``folder`` on a free port; a context manager that ends it.

    Raises ``RuntimeError`` with the server's own output when it does not answer.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = _free_port()

    @property
    def settings(self) -> dict[str, str]:
        """Spark settings of a client."""
        return {
            "spark.hadoop.hive.metastore.uris": f"thrift://127.0.0.1:{self.port}",
            "spark.sql.warehouse.dir": str(self.folder / "warehouse"),
        }

    def __enter__(self) -> MetastoreServer:
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "hive-site.xml").write_text(_hive_site(self.folder))
        output = self.folder / "metastore.log"
        jars = Path(pyspark.__file__).parent / "jars"
        with output.open("w") as log:
            self._process = subprocess.Popen(
                [
                    java_command(os.environ),
                    *QUICK_JVM.split(),
                    "-Xmx512m",
                    "-Dderby.stream.error.file=/dev/null",
                    "-cp",
                    f"{self.folder}:{jars}/*",
                    "org.apache.hadoop.hive.metastore.HiveMetaStore",
                    "-p",
                    str(self.port),
                ],
                cwd=self.folder,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        deadline = time.monotonic() + _START_SECONDS
        while not _answers(self.port):
            if self._process.poll() is not None or time.monotonic() > deadline:
                self._process.kill()
                raise RuntimeError(f"the metastore server did not start:\n{output.read_text()[-4000:]}")
            time.sleep(0.2)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.terminate()
        self._process.wait(timeout=30)


def _hive_site(folder: Path) -> str:
    settings = {
        "javax.jdo.option.ConnectionURL": f"jdbc:derby:;databaseName={folder}/db;create=true",
        "hive.metastore.warehouse.dir": f"{folder}/warehouse",
        "datanucleus.schema.autoCreateAll": "true",
        "hive.metastore.schema.verification": "false",
        "hive.async.log.enabled": "false",
    }
    properties = (
        f"<property><name>{name}</name><value>{escape(value)}</value></property>" for name, value in settings.items()
    )
    return f"<configuration>{''.join(properties)}</configuration>"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0
