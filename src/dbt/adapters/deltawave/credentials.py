"""The profile of ``type: deltawave``."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dbt.adapters.spark.connections import SparkConnectionMethod, SparkCredentials
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.deltawave import remotes
from dbt.adapters.deltawave.settings import as_spark_value, storage_folders
from deltawave.redaction import secret_values

DATA_DIR = "spark_data"


@dataclass
class DeltawaveCredentials(SparkCredentials):
    """Credentials of dbt-spark with a session as the default method.

    ``data_dir`` holds warehouse and metastore of an embedded session; a relative path starts at the project's folder,
    and must not lie in a folder that dbt cleans. ``class_archive``: whether the JVM starts from an archive of its
    classes, which is made after the first run. ``remotes`` names databases that models read through JDBC.
    """

    method: SparkConnectionMethod = SparkConnectionMethod.SESSION
    server_side_parameters: dict[str, Any] = field(default_factory=dict)
    data_dir: str = DATA_DIR
    class_archive: bool = True
    # Any, since dbt's own type check would show the value, including passwords.
    remotes: Any = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        profile = {str(key): as_spark_value(value) for key, value in self.server_side_parameters.items()}
        if self.in_session and self.host is None:
            self.host = profile.get("spark.remote") or profile.get("spark.master") or "local"
        super().__post_init__()
        if self.in_session:
            # dbt-spark turns ANSI mode off; here the profile decides, otherwise Spark's default.
            self.server_side_parameters = profile
        self.remotes = remotes.checked(self.remotes)
        # Of the project, not of the profile: no field.
        self._cleaned: tuple[Path, ...] = ()

    @property
    def type(self) -> str:
        return "deltawave"

    @property
    def in_session(self) -> bool:
        """Whether this process drives Spark: embedded, on a cluster, or through Spark Connect."""
        return self.method == SparkConnectionMethod.SESSION

    @property
    def secrets(self) -> list[str]:
        """The values that no message may show."""
        return secret_values(self.server_side_parameters) + remotes.secrets(self.remotes)

    def anchor(self, project_root: str, clean_targets: Sequence[str] = ()) -> None:
        """Make ``data_dir`` absolute, relative to the project's folder, and note what ``dbt clean`` deletes there."""
        self.data_dir = str(Path(project_root, Path(self.data_dir).expanduser()).resolve())
        self._cleaned = tuple(Path(project_root, target).resolve() for target in clean_targets)

    def refuse_cleaned(self) -> None:
        """Raise ``DbtRuntimeError`` where ``dbt clean`` would delete tables or the metastore."""
        for folder in storage_folders(self.server_side_parameters, Path(self.data_dir)):
            for target in self._cleaned:
                if folder.is_relative_to(target) or target.is_relative_to(folder):
                    raise DbtRuntimeError(
                        f"`dbt clean` would delete {folder}, where Spark keeps its tables: the clean target {target} "
                        f"holds it. Set data_dir in the profile to a folder outside (the default is {DATA_DIR}), or "
                        "change clean-targets in dbt_project.yml."
                    )

    def _connection_keys(self) -> tuple[str, ...]:
        if self.in_session:
            return "method", "host", "schema", "data_dir"
        return ("method", *super()._connection_keys())
