"""The profile of ``type: deltawave``."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dbt.adapters.spark.connections import SparkConnectionMethod, SparkCredentials

from dbt.adapters.deltawave import remotes
from dbt.adapters.deltawave.errors import secret_values


def as_spark_value(value: Any) -> str:
    """Spell a YAML value as Spark reads it (``true``, not ``True``)."""
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass
class DeltawaveCredentials(SparkCredentials):
    """Credentials of dbt-spark with a session as the default method.

    ``data_dir`` holds warehouse and metastore of an embedded session; a relative path
    is taken from the project's folder. ``remotes`` names databases that models read through JDBC.
    """

    method: SparkConnectionMethod = SparkConnectionMethod.SESSION
    server_side_parameters: dict[str, Any] = field(default_factory=dict)
    data_dir: str = "target/spark"
    # Any, since a message of dbt's own check would show the value, and with it passwords.
    remotes: Any = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        profile = {str(key): as_spark_value(value) for key, value in self.server_side_parameters.items()}
        if self.in_session and self.host is None:
            self.host = profile.get("spark.remote") or profile.get("spark.master") or "local"
        super().__post_init__()
        if self.in_session:
            # dbt-spark turns ANSI mode off; here the profile decides, else Spark itself.
            self.server_side_parameters = profile
        self.remotes = remotes.checked(self.remotes)

    @property
    def type(self) -> str:
        return "deltawave"

    @property
    def in_session(self) -> bool:
        """Whether this process drives Spark: embedded, on a cluster, or through Spark Connect."""
        return self.method == SparkConnectionMethod.SESSION

    @property
    def secrets(self) -> list[str]:
        """What no message may show."""
        return secret_values(self.server_side_parameters) + remotes.secrets(self.remotes)

    def anchor(self, project_root: str) -> None:
        """Make ``data_dir`` absolute, seen from the project's folder."""
        self.data_dir = str(Path(project_root, Path(self.data_dir).expanduser()).resolve())

    def _connection_keys(self) -> tuple[str, ...]:
        if self.in_session:
            return "method", "host", "schema", "data_dir"
        return ("method", *super()._connection_keys())
