"""The way of dbt commands into the JVM of a server: each command has a gateway of its own, which ends with it.

A command connects to a port of loopback, sends the server's token, and gets the port and the secret of its gateway. The
connection stays open while the command lives. When it closes, also because the command was killed, the server cancels
what the command runs.
"""

import json
import os
import secrets
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from pyspark import SparkConf, SparkContext, java_gateway
from pyspark.sql import SparkSession

_HOST = "127.0.0.1"
# A command answers at once.
_PATIENCE_SECONDS = 10.0


class Gateways:
    """Gives gateways into the JVM of ``session`` to those who know ``token``, at ``port``."""

    def __init__(self, session: SparkSession, token: str) -> None:
        self._session: Any = session
        self._token = token.encode()
        self._lock = threading.Lock()
        self._used = 0
        self._socket = socket.create_server((_HOST, 0))
        self.port = int(self._socket.getsockname()[1])
        threading.Thread(target=self._accept, name="accepts commands", daemon=True).start()

    @property
    def are_used(self) -> bool:
        return self._used > 0

    @property
    def have_ended(self) -> bool:
        """Whether Spark has ended, as when a command stops it."""
        return bool(self._session.sparkContext._jsc.sc().isStopped())

    def _accept(self) -> None:
        while True:
            client, _ = self._socket.accept()
            threading.Thread(target=self._serve, args=(client,), name="serves a command", daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, suppress(OSError):
            client.settimeout(_PATIENCE_SECONDS)
            if not secrets.compare_digest(_line(client), self._token):
                return
            with self._gateway() as described:
                client.sendall(json.dumps(described).encode() + b"\n")
                client.settimeout(None)
                # It sends nothing more: this is its end.
                client.recv(1)

    @contextmanager
    def _gateway(self) -> Iterator[dict[str, Any]]:
        context = self._session.sparkContext
        server = context._jvm.Py4JServer(context._jsc.sc().conf())
        server.start()
        group = secrets.token_hex(8)
        with self._lock:
            self._used += 1
        try:
            yield {"port": server.getListeningPort(), "secret": server.secret(), "group": group}
        finally:
            context._jsc.sc().cancelJobGroupAndFutureJobs(group)
            server.shutdown()
            # A command makes its session the default one of the JVM.
            SparkSession._get_j_spark_session_class(context._jvm).setDefaultSession(self._session._jsparkSession)
            with self._lock:
                self._used -= 1


@dataclass(frozen=True)
class Link:
    """A command's session in the JVM of a server, and what ends with it."""

    session: SparkSession
    group: str
    _connection: socket.socket

    def claim_jobs(self) -> None:
        """Let the jobs of this thread be cancelled when this process ends."""
        self.session.sparkContext.setJobGroup(self.group, "dbt")

    def leave(self) -> None:
        """Forget the server's Spark, whether or not it still runs, so that this process can start another."""
        context: Any = self.session.sparkContext
        gateway = context._gateway
        # Otherwise the server's Spark would stop.
        context._jsc = None
        context.stop()
        SparkContext._gateway = SparkContext._jvm = None
        self._connection.close()
        with suppress(Exception):
            gateway.close()


def join(port: int, token: str) -> Link:
    """Return a new session of the server at ``port``. Raises ``OSError`` or ``ValueError`` if it does not answer."""
    connection = socket.create_connection((_HOST, port), _PATIENCE_SECONDS)
    connection.sendall(token.encode() + b"\n")
    described = json.loads(_line(connection))
    connection.settimeout(None)
    gateway = _gateway(described)
    jvm: Any = gateway.jvm
    java = jvm.JavaSparkContext.fromSparkContext(getattr(jvm, "org.apache.spark.SparkContext").getOrCreate())
    with _own_interrupts():
        context = SparkContext(gateway=gateway, jsc=java, conf=SparkConf(_jconf=java.getConf()))
    default = SparkSession._get_j_spark_session_class(jvm).getDefaultSession().get()
    return Link(SparkSession(context, default.newSession()), described["group"], connection)


def _gateway(described: dict[str, Any]) -> Any:
    # So PySpark is told of a JVM that runs.
    variables = {"PYSPARK_GATEWAY_PORT": str(described["port"]), "PYSPARK_GATEWAY_SECRET": described["secret"]}
    os.environ.update(variables)
    try:
        return java_gateway.launch_gateway()  # type: ignore[no-untyped-call]
    finally:
        for name in variables:
            del os.environ[name]


@contextmanager
def _own_interrupts() -> Iterator[None]:
    """Keep PySpark from handling Ctrl-C, since it would cancel the jobs of all commands."""
    is_main = threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGINT)
    yield
    if is_main:
        signal.signal(signal.SIGINT, handler)


def _line(connection: socket.socket) -> bytes:
    with connection.makefile("rb") as lines:
        return lines.readline(1000).rstrip(b"\n")
