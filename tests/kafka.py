"""A Kafka broker of the tests' own, which is its own controller (KRaft)."""

import os
import signal
import socket
import subprocess

from maven import artifacts
from server import Server

from deltawave.environment import java_command

# For the minor version of pyspark. Of later patches the registry lacks a jar that this one needs.
CONNECTOR = "org.apache.spark:spark-sql-kafka-0-10_2.13:4.1.1"
_BROKER = "org.apache.kafka:kafka_2.13:4.1.0"
_CLUSTER = "ZGVsdGF3YXZlLXRlc3RzMA"


class KafkaServer(Server):
    """On loopback only; topics come into being when they are written to."""

    name = "Kafka"
    end_signal = signal.SIGKILL

    @property
    def address(self) -> str:
        """What clients ask first (bootstrap.servers)."""
        return f"127.0.0.1:{self.port}"

    def _prepare(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            controller = f"127.0.0.1:{probe.getsockname()[1]}"
        settings = {
            "process.roles": "broker,controller",
            "node.id": "1",
            "controller.quorum.voters": f"1@{controller}",
            "listeners": f"PLAINTEXT://{self.address},CONTROLLER://{controller}",
            "advertised.listeners": f"PLAINTEXT://{self.address}",
            "controller.listener.names": "CONTROLLER",
            "log.dirs": str(self.folder / "data"),
            "offsets.topic.replication.factor": "1",
            "num.partitions": "2",
        }
        (self.folder / "properties").write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
        self._jars = os.pathsep.join(map(str, artifacts(_BROKER)))
        formatted = self._java("kafka.tools.StorageTool", "format", "-t", _CLUSTER, "-c", "properties")
        done = subprocess.run(formatted, cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"Kafka's folder can't be made:\n{done.stdout}{done.stderr}")

    def _command(self) -> list[str]:
        return self._java("kafka.Kafka", "properties")

    def _java(self, program: str, *arguments: str) -> list[str]:
        return [java_command(os.environ), "-Xmx256m", "-cp", self._jars, program, *arguments]
