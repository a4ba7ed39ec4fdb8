"""How dbt commands reach the JVM of a server: each command gets its own gateway, which is closed when it ends.

A command connects to a port of loopback, sends the server's token, and gets the port and the secret of its gateway. The
connection stays open while the command lives. When it closes, also because the command was killed, the server cancels
what the command runs, and drops what is cached when no command is left.
"""

import atexit
import json
import os
import secrets
import shutil
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession

from deltawave.spark_versions import SparkConf, SparkContext, cancel_jobs, java_gateway, sessions_of_jvm

_HOST = "127.0.0.1"
# How long a command and the server wait for each other's first message.
_PATIENCE_SECONDS = 10.0
# The setting of a session that has the job group of its command.
_GROUP = "spark.deltawave.command"


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
            try:
                client, _ = self._socket.accept()
            except OSError:
                # There may be too many open files.
                time.sleep(1)
            else:
                threading.Thread(target=self._serve, args=(client,), name="serves a command", daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, suppress(OSError):
            client.settimeout(_PATIENCE_SECONDS)
            if not secrets.compare_digest(client.recv(1000), self._token + b"\n"):
                return
            with self._gateway() as described:
                client.sendall(json.dumps(described).encode() + b"\n")
                client.settimeout(None)
                # It sends nothing more: this is its end.
                client.recv(1)

    @contextmanager
    def _gateway(self) -> Iterator[dict[str, Any]]:
        context = self._session.sparkContext
        # Set again, because a command that stops its session clears the JVM's default session.
        sessions_of_jvm(context._jvm).setDefaultSession(self._session._jsparkSession)
        server = context._jvm.Py4JServer(context._jsc.sc().conf())
        server.start()
        group = secrets.token_hex(8)
        with self._lock:
            self._used += 1
        try:
            yield {"port": server.getListeningPort(), "secret": server.secret(), "group": group}
        finally:
            try:
                cancel_jobs(context, group)
                server.shutdown()
                # Streams have job groups of their own.
                for query in self._session._jsparkSession.sharedState().activeStreamingQueries().values():
                    if query.sparkSession().conf().get(_GROUP, "") == group:
                        query.stop()
            finally:
                with self._lock:
                    self._used -= 1
                    if not self._used:
                        self._session.catalog.clearCache()


@dataclass(frozen=True)
class Link:
    """A command's session in the JVM of a server, and what ends with it."""

    session: SparkSession
    group: str
    _connection: socket.socket

    def claim_thread(self) -> None:
        """Let this thread work in the session, and its jobs be cancelled when this process ends."""
        context: Any = self.session.sparkContext
        context.setJobGroup(self.group, "dbt")
        sessions_of_jvm(context._jvm).setActiveSession(self.session._jsparkSession)

    def leave(self) -> None:
        """Forget the server's Spark, whether or not it still runs, so that this process can start another."""
        context: Any = self.session.sparkContext
        gateway = context._gateway
        context.stop()
        SparkContext._gateway = SparkContext._jvm = None
        SparkSession._instantiatedSession = SparkSession._activeSession = None
        self._connection.close()
        with suppress(Exception):
            gateway.close()


def join(port: int, token: str) -> Link:
    """Return a new session of the server at ``port``.

    Raises ``OSError``, ``ValueError`` or ``Py4JError`` if it does not answer, as when it ends.
    """
    with ExitStack() as failed:
        connection = failed.enter_context(socket.create_connection((_HOST, port), _PATIENCE_SECONDS))
        connection.sendall(token.encode() + b"\n")
        with connection.makefile() as lines:
            described = json.loads(lines.readline())
        connection.settimeout(None)
        gateway = _gateway(described)
        jvm: Any = gateway.jvm
        java = jvm.JavaSparkContext.fromSparkContext(getattr(jvm, "org.apache.spark.SparkContext").getOrCreate())
        # If this command stops Spark, after a failure or in a Python model, the server's Spark has to stay.
        java.stop = lambda: None
        # PySpark's handler of Ctrl-C would cancel the jobs of all commands.
        interrupted = signal.getsignal(signal.SIGINT)
        try:
            context: Any = SparkContext(gateway=gateway, jsc=java, conf=SparkConf(_jconf=java.getConf()))
        finally:
            if threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGINT, interrupted)
        atexit.register(shutil.rmtree, context._temp_dir, ignore_errors=True)
        # The JVM's default session stays the one of the server, which no command uses.
        default = sessions_of_jvm(context._jvm).getDefaultSession().get()
        SparkSession._instantiatedSession = SparkSession(context, default)
        session = SparkSession(context, default.newSession())
        SparkSession._instantiatedSession = SparkSession._activeSession = session
        session.conf.set(_GROUP, described["group"])
        # If another command already runs a stream, starting it here fails, and the running one is not stopped.
        session.conf.set("spark.sql.streaming.stopActiveRunOnRestart", "false")
        failed.pop_all()
    return Link(session, described["group"], connection)


def _gateway(described: dict[str, Any]) -> Any:
    # From these variables PySpark learns of a JVM that already runs.
    variables = {"PYSPARK_GATEWAY_PORT": str(described["port"]), "PYSPARK_GATEWAY_SECRET": described["secret"]}
    os.environ.update(variables)
    try:
        return java_gateway.launch_gateway()  # type: ignore[no-untyped-call]
    finally:
        for name in variables:
            del os.environ[name]
