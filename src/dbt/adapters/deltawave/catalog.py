"""What the catalog of a session in this process knows and does without a statement.

A statement takes a tenth of a second, however little it asks for; the catalog itself answers within milliseconds.
"""

import json
import re
import shutil
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from dbt.adapters.deltawave.session import is_connect
from deltawave.source_state import items, java_class
from deltawave.sql_text import literal

# Other implementations of the session catalog keep relations of their own, which only statements show.
_KNOWN_CATALOGS = ("builtin", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
# The table of a change log in the text of its view, which default___log_view writes.
LOG_TABLE = re.compile(r"^ *from `(.+)`\.`(.+)`(?: as log)?$", re.MULTILINE)
SCHEMA = "spark.sql.sources.schema"
# Spark splits the text of a schema in the same way, since a metastore limits the length of a value.
PART_LENGTH = 4000


def catalog_of(session: SparkSession) -> "Catalog | None":
    """Return the catalog of a session; none if only statements tell what it holds, as under Spark Connect."""
    if is_connect(session):
        return None
    is_current = session.catalog.currentCatalog() == "spark_catalog"
    is_known = session.conf.get("spark.sql.catalog.spark_catalog", "builtin") in _KNOWN_CATALOGS
    has_lower_names = session.conf.get("spark.sql.caseSensitive") != "true"
    return Catalog(session) if is_current and is_known and has_lower_names else None


class Catalog:
    """Databases of Hive's metastore, or of memory. Names are spelt in lower case."""

    def __init__(self, session: SparkSession) -> None:
        self._session = session
        self._state: Any = session._jsparkSession.sessionState()
        self._catalog: Any = session._jsparkSession.sharedState().externalCatalog()

    def names(self, schema: str, pattern: str) -> list[str]:
        """The names of tables and views that match a pattern of ``show tables``; none without the schema."""
        if not self._catalog.databaseExists(schema.lower()):
            return []
        # Metastores read patterns in dialects of their own.
        names = self._catalog.listTables(schema.lower())
        patterns = java_class(self._session, "org.apache.spark.sql.catalyst.util.StringUtils")
        return list(map(str, items(patterns.filterPattern(names, pattern))))

    def log_bytes(self, schema: str, name: str) -> int | None:
        """The size of a change log's files; none if the text of its view names no table."""
        table = LOG_TABLE.search(self.facts(schema, name).get("View Text", ""))
        if table is None:
            return None
        path, system = self._path(self.facts(*table.groups())["Location"])
        return int(system.getContentSummary(path).getLength())

    def folder_usage(self, folder: str) -> list[int]:
        """The number of files below a folder, with those that only Hadoop or a table format needs, and their bytes."""
        path, system = self._path(folder)
        summary = system.getContentSummary(path)
        return [int(summary.getFileCount()), int(summary.getLength())]

    def delete_folder(self, folder: str) -> None:
        """Delete a folder with all that is in it, if it is there, on any of Hadoop's file systems."""
        path, system = self._path(folder)
        if not system.delete(path, True) and system.exists(path):
            raise OSError(f"The folder {folder} can't be deleted.")

    def delete_in_each(self, folder: str, name: str) -> None:
        """Delete what bears a name in each folder of a folder, if that is on a disk of this machine."""
        own = self._on_disk(folder)
        for each in own.glob(f"*/{name}") if own else ():
            shutil.rmtree(each)

    def other_files(self, folder: str, names: Collection[str]) -> list[str]:
        """The files of data in a folder but those named; none if they are not on a disk of this machine."""
        own = self._on_disk(folder)
        found = sorted(own.glob("[!._]*")) if own else []
        return [file.name for file in found if file.name not in names]

    def link_files(self, folder: str, names: Iterable[str], target: str) -> None:
        """Have files of a folder in another one, too: as links, or copied where the disk has none."""
        source, other = self._on_disk(folder), self._on_disk(target)
        if source is None or other is None:
            raise OSError(f"No files of a disk: {folder}, {target}.")
        other.mkdir(parents=True, exist_ok=True)
        for name in names:
            _link(source / name, other / name)
            # The sums by which Hadoop checks it.
            if (sums := source / f".{name}.crc").exists():
                _link(sums, other / sums.name)

    def _on_disk(self, folder: str) -> Path | None:
        path, system = self._path(folder)
        address = system.makeQualified(path).toUri()
        return Path(str(address.getPath())) if address.getScheme() == "file" else None

    def _path(self, folder: str) -> tuple[Any, Any]:
        path = java_class(self._session, "org.apache.hadoop.fs.Path")(folder)
        return path, path.getFileSystem(self._state.newHadoopConf())

    def facts(self, schema: str, name: str) -> dict[str, str]:
        """Type, provider, text and location of a relation, under the names that ``describe extended`` gives them."""
        table = self._catalog.getTable(schema.lower(), name.lower())
        facts = {"Type": str(table.tableType().name())}
        if table.provider().isDefined():
            facts["Provider"] = str(table.provider().get())
        if table.viewText().isDefined():
            facts["View Text"] = str(table.viewText().get())
        location = table.storage().locationUri()
        if location.isDefined():
            paths = java_class(self._session, "org.apache.spark.sql.catalyst.catalog.CatalogUtils")
            facts["Location"] = str(paths.URIToString(location.get()))
        return facts

    def relations(self, schema: str) -> list[tuple[str, str]]:
        """The name of each relation of a schema, which may be missing, and what ``show table extended`` says of it."""
        if not self._catalog.databaseExists(schema.lower()):
            return []
        names = self._catalog.listTables(schema.lower())
        tables = items(self._catalog.getTablesByName(schema.lower(), names))
        return [(str(table.identifier().table()), f"{table.simpleString()}\n") for table in tables]


def names_clause(view: DataFrame, comments: Mapping[str, str]) -> str:
    """Return the ``tblproperties (...)`` of a view of these rows, in which Spark finds its names and comments.

    Iceberg's session catalog writes a view's columns in lower case; Spark reads them from these properties first, where
    it also stores the schemas of its own views. The keys of ``comments`` are column names in lower case.
    """
    described = view.schema.jsonValue()
    for field in described["fields"]:
        if comment := comments.get(field["name"].lower()):
            field["metadata"] = {**field["metadata"], "comment": comment}
    text = json.dumps(described)
    parts = [text[start : start + PART_LENGTH] for start in range(0, len(text), PART_LENGTH)]
    properties = {f"{SCHEMA}.numParts": str(len(parts))}
    properties |= {f"{SCHEMA}.part.{number}": part for number, part in enumerate(parts)}
    return f"tblproperties ({', '.join(f'{literal(name)} = {literal(value)}' for name, value in properties.items())})"


def _link(file: Path, other: Path) -> None:
    try:
        other.hardlink_to(file)
    except OSError:
        shutil.copyfile(file, other)
