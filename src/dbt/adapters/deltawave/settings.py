"""Which Spark settings a session gets: those of the profile, otherwise defaults that suit dbt."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from deltawave.class_archive import DEFAULT_JAVA_OPTIONS, JAVA_OPTIONS, OPTIONS_FROM_OUTSIDE

REMOTE = "spark.remote"
MASTER = "spark.master"
WAREHOUSE = "spark.sql.warehouse.dir"
METASTORE_URL = "spark.hadoop.javax.jdo.option.ConnectionURL"
CATALOG = "spark.sql.catalogImplementation"
PYTHON = "spark.pyspark.python"

# The settings that name a metastore.
_METASTORES = (METASTORE_URL, "spark.hadoop.hive.metastore.uris", "spark.hive.metastore.uris", "hive.metastore.uris")

# The previous state of a differential model is bucketed and sorted by a hash of the key and joined by
# it: without these settings Spark sorts it again, and shuffles it again if other columns join as well.
_EVERYWHERE = {
    # The default since Spark 4. Otherwise a value that can't be cast becomes null, and the log says that it changed.
    "spark.sql.ansi.enabled": "true",
    "spark.sql.requireAllClusterKeysForCoPartition": "false",
    "spark.sql.legacy.bucketedTableScan.outputOrdering": "true",
}

# Of a session whose driver this process starts.
_CLASSIC = {
    "spark.app.name": "dbt",
    CATALOG: "hive",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # A run repeats its kinds of statements: code that Spark generated for one, and Java compiled, serves the next.
    # Spark keeps 100 pieces; a few models take more.
    "spark.sql.codegen.cache.maxEntries": "1000",
    # A tenth of a second less for each Python task (deltawave.quick_tasks).
    "spark.executorEnv.DELTAWAVE_QUICK_TASKS": "1",
}
# Of one without a cluster.
_LOCAL = {
    MASTER: "local[*]",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.session.timeZone": "UTC",
}

_READERS_OF_PLANS = ("spark.ui.enabled", "spark.eventLog.enabled")

# Java compiles a method a second time once it has run 5,000 times. Planning small statements runs very many methods
# that often, and a third of the CPU time of a short session went into that. Loops over rows still get there within
# a second.
_RARE_RECOMPILATION = (
    "-XX:Tier4InvocationThreshold=50000 -XX:Tier4MinInvocationThreshold=6000 "
    "-XX:Tier4CompileThreshold=150000 -XX:Tier4BackEdgeThreshold=400000"
)
# Some hundred models fill the room that Java reserves for compiled code: 240 MB, of which half is for the first
# compilation. Then Java throws code away, and compiles it again. What is reserved is taken as it is used.
_ROOM_FOR_CODE = "-XX:ReservedCodeCacheSize=512m"
# Spark writes rows in six sevenths of the time that it takes with Java's own choice, which pauses less.
_COLLECTOR = "-XX:+UseParallelGC"
_NAMES_COLLECTOR = re.compile(r"-XX:\+Use\w+GC\b")

_LOCAL_PATH = re.compile(r"(?:file:(?://)?)?(?P<path>[^:]+)")
_DERBY_PATH = re.compile(r"jdbc:derby:(?:directory:|;databaseName=)?(?P<path>[^:;]+)(?:;|$)")

LOG4J = Path(__file__).with_name("log4j2.properties")


def as_spark_value(value: Any) -> str:
    """Spell a YAML value as Spark reads it (``true``, not ``True``)."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def is_remote(profile: Mapping[str, str]) -> bool:
    """Whether the session is a Spark Connect client."""
    return REMOTE in profile


def is_embedded(profile: Mapping[str, str]) -> bool:
    """Whether the metastore is an embedded Derby database of ours."""
    return (
        not is_remote(profile)
        and not any(key in profile for key in _METASTORES)
        and profile.get(CATALOG, "hive") == "hive"
        and not _hive_site()
    )


def session_settings(profile: Mapping[str, str], data_dir: Path) -> dict[str, str]:
    """Return every setting of a session; ``profile`` wins over each default."""
    if is_remote(profile):
        return _EVERYWHERE | dict(profile)
    settings = _EVERYWHERE | _CLASSIC
    if not any(profile.get(name, "").strip().lower() == "true" for name in _READERS_OF_PLANS):
        # Spark writes down the plan of each statement, for the UI and the event log alone.
        settings["spark.sql.ui.explainMode"] = "simple"
    java_options = [
        f"-Dlog4j2.configurationFile={LOG4J.as_uri()}",
        f"-Dderby.stream.error.file={os.devnull}",
        f'-Dderby.system.home="{data_dir}"',
    ]
    # Driver and executors are one JVM next to this process.
    if profile.get(MASTER, "local").startswith("local"):
        # Hive leaves one folder per session behind; by default in the temporary folder.
        settings |= _LOCAL | {"spark.hadoop.hive.downloaded.resources.dir": str(data_dir / "resources")}
        # A timestamp without a zone passes through the JVM's zone on its way from a remote database.
        java_options += ["-Duser.timezone=UTC", _RARE_RECOMPILATION, _ROOM_FOR_CODE]
        if not _names_collector(profile):
            java_options.append(_COLLECTOR)
    if is_embedded(profile):
        settings |= {
            WAREHOUSE: str(data_dir / "warehouse"),
            METASTORE_URL: f"jdbc:derby:;databaseName={data_dir / 'metastore_db'};create=true",
            # Derby at times refuses to filter partitions by date: then Spark lists all of them and filters itself.
            "spark.sql.hive.metastorePartitionPruningFallbackOnException": "true",
        }
    elif profile.get(CATALOG) == "in-memory":
        settings[WAREHOUSE] = str(data_dir / "warehouse")
    # The last mention of a property counts, so the profile's come last.
    java_options += [options] if (options := profile.get(JAVA_OPTIONS)) else []
    return {**settings, **profile, JAVA_OPTIONS: " ".join(java_options)}


def prepare(data_dir: Path) -> None:
    """Make the folder of tables and metastore. By default it lies in a project's folder: it is not to be committed."""
    if not data_dir.exists():
        data_dir.mkdir(parents=True, exist_ok=True)
        Path(data_dir, ".gitignore").write_text("*\n")


def storage_folders(profile: Mapping[str, str], data_dir: Path) -> list[Path]:
    """Return the folders of this machine that hold tables and metastore of a session."""
    if is_remote(profile) or profile.get(CATALOG) == "in-memory":
        # They belong to the server, or end with the process.
        return []
    settings = session_settings(profile, data_dir)
    found = [_LOCAL_PATH.fullmatch(settings.get(WAREHOUSE, "")), _DERBY_PATH.match(settings.get(METASTORE_URL, ""))]
    # Derby resolves a relative path from derby.system.home, Spark from where dbt runs: the project's folder.
    homes = [Path.cwd(), data_dir]
    return [Path(home, match["path"]).resolve() for home, match in zip(homes, found, strict=True) if match]


def _names_collector(profile: Mapping[str, str]) -> bool:
    """Whether Java is told its garbage collector: it refuses to start with two of them."""
    options = [profile.get(JAVA_OPTIONS, ""), profile.get(DEFAULT_JAVA_OPTIONS, "")]
    outside = [os.environ.get(name, "") for name in OPTIONS_FROM_OUTSIDE]
    return any(map(_NAMES_COLLECTOR.search, options + outside))


def _hive_site() -> bool:
    """Whether the installation brings a metastore configuration, which we must not override."""
    named = {"SPARK_CONF_DIR": "", "HADOOP_CONF_DIR": "", "SPARK_HOME": "conf"}
    found = ((os.environ.get(variable), below) for variable, below in named.items())
    return any(folder and Path(folder, below, "hive-site.xml").exists() for folder, below in found)
