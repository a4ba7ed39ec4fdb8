"""The adapter: dbt-spark's, with Python models in process."""

import csv
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbt.adapters.base import BaseRelation, available
from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.spark.column import SparkColumn
from dbt.adapters.spark.impl import SparkAdapter
from dbt_common.exceptions import DbtDatabaseError, DbtRuntimeError

from dbt import selected_resources
from dbt.adapters.deltawave import remotes
from dbt.adapters.deltawave.__version__ import version
from dbt.adapters.deltawave.connections import DeltawaveConnectionManager
from dbt.adapters.deltawave.errors import RefusalError, calling_macros
from deltawave.redaction import redact

if TYPE_CHECKING:
    from dbt.adapters.deltawave.catalog import Catalog
    from dbt.adapters.deltawave.handle import SessionHandle
    from dbt.adapters.deltawave.library_functions import LibraryFunction
    from dbt.adapters.deltawave.python_models import SessionPythonJob
    from dbt.adapters.deltawave.seeds import Seed

logger = AdapterLogger("Spark")

PACKAGE = "deltawave"
CHECK_MACROS = {
    "differential": "check_differential_config",
    "wave_index": "check_wave_config",
    "current_state": "check_follower_config",
    "scd2": "check_follower_config",
}


class DeltawaveAdapter(SparkAdapter):
    """dbt-spark for open-source Spark."""

    ConnectionManager = DeltawaveConnectionManager
    connections: DeltawaveConnectionManager

    def _handle(self) -> "SessionHandle":
        connection = self.connections.get_thread_connection()
        self.connections.open(connection)
        handle: SessionHandle = connection.handle
        return handle

    @property
    def default_python_submission_method(self) -> str:
        return "session" if self.runs_python() else super().default_python_submission_method

    @property
    def python_submission_helpers(self) -> dict[str, Any]:
        helpers: dict[str, Any] = super().python_submission_helpers
        return {**helpers, "session": self._session_python_job} if self.runs_python() else helpers

    def _session_python_job(self, model: dict[str, Any], credentials: Any) -> "SessionPythonJob":
        from dbt.adapters.deltawave.python_models import SessionPythonJob

        return SessionPythonJob(
            model=model,
            file=self._file_of(model),
            session=self._handle().session,
            secrets=credentials.secrets,
            before_storing=self.connections.refuse_if_cancelled,
            release_later=self._handle().release_later,
        )

    def _file_of(self, node: dict[str, Any]) -> Path:
        """The file that a node was read from, in the project or in an installed package."""
        root = Path(self.config.project_root)
        if node["package_name"] != self.config.project_name:
            root = root / self.config.packages_install_path / node["package_name"]
        return Path(root, node["original_file_path"])

    @available.parse_none
    def read_seed(self, seed: dict[str, Any], load_agate_table: Callable[[], Any]) -> "Seed":
        """Return the table of a seed, as ``load_agate_table`` would, but by columns."""
        from dbt.adapters.deltawave.seeds import Seed

        file = self._file_of(seed)
        if not file.exists():
            # Of a package that dbt does not find where it was installed.
            file = Path(seed["root_path"], seed["original_file_path"])
        config = seed["config"]
        try:
            return Seed(
                file,
                config["delimiter"],
                config["column_types"],
                lambda table: str(self.convert_type(table, 0)),
                load_agate_table,
            )
        except (ValueError, csv.Error):
            # It fails as well, and dbt reports it.
            load_agate_table()
            raise

    @classmethod
    def convert_agate_type(cls, agate_table: Any, col_idx: int) -> str | None:
        from dbt.adapters.deltawave.seeds import Seed

        if isinstance(agate_table, Seed):
            return agate_table.spark_types[col_idx]
        return super().convert_agate_type(agate_table, col_idx)

    @available.parse_none
    def view_of_seed(self, seed: "Seed", view: str) -> None:
        """Make ``view`` a temporary view of the cells of a seed until the node ends."""
        from deltawave.spark_versions import frame_of

        handle = self._handle()
        with self.connections.exception_handler(f"rows of {view}"):
            handle.leave_view(frame_of(handle.session, seed.cells), view, release=lambda: None)

    def list_schemas(self, database: str | None) -> list[str]:
        self._check_models()
        return super().list_schemas(database)  # type: ignore[arg-type]

    def set_relations_cache(self, *args: Any, **kwargs: Any) -> None:
        self._check_models()
        super().set_relations_cache(*args, **kwargs)

    def _check_models(self) -> None:
        """Let the package check the configuration of every model of its materializations before anything runs.

        Refuses models that are selected, and warns of the others. ``dbt run`` lists schemas before it fills the cache,
        other commands only fill the cache.
        """
        manifest: Any = self.get_macro_resolver()
        if manifest is None or getattr(self, "_checked", None) is manifest:
            return
        self._checked = manifest
        self._check_version()
        refused: list[DbtRuntimeError] = []
        for node in manifest.nodes.values():
            macro = CHECK_MACROS.get(getattr(node.config, "materialized", ""))
            if macro and manifest.find_macro_by_name(macro, self.config.project_name, PACKAGE) is not None:
                arguments = {"name": node.name, "config": node.config.to_dict(omit_none=True)}
                try:
                    self.execute_macro(macro, project=PACKAGE, kwargs=arguments)
                except DbtRuntimeError as error:
                    error.add_node(node)
                    if node.unique_id in selected_resources.SELECTED_RESOURCES:
                        refused.append(error)
                    else:
                        logger.warning(f"Not selected, so this run continues without it: {error}")
        if len(refused) == 1:
            raise refused[0]
        if refused:
            # Tables that follow a model repeat what is wrong with it.
            raise RefusalError("\n".join(dict.fromkeys(str(error.msg) for error in refused)), "Configuration")

    def _check_version(self) -> None:
        """Warn of a dbt package of another version than this adapter: its macros call functions of the library."""
        package = (getattr(self.config, "dependencies", None) or {}).get(PACKAGE)
        if package is not None and str(package.version) != version:
            logger.warning(
                f"The dbt package {PACKAGE} has version {package.version}, this adapter {version}; they go together in "
                f"the same version. Install dbt-deltawave=={package.version}, or take v{version} in packages.yml."
            )

    def list_relations_without_caching(self, schema_relation: BaseRelation) -> list[BaseRelation]:
        """List relations by the catalog's own methods if possible: a statement takes longer with each relation."""
        schema = str(schema_relation.schema)
        with self._catalog(f"relations of {schema}") as catalog:
            if catalog is None:
                return list(super().list_relations_without_caching(schema_relation))
            # As the statement spells them: dbt compares the names of schemas.
            rows = [(schema.lower(), name, False, information) for name, information in catalog.relations(schema)]
        return list(self._build_spark_relation_list(rows, self._get_relation_information))

    def _get_relation_information(self, row: Any) -> tuple[str, str, str]:
        """Recognize an Iceberg table, which the Hive side of Iceberg's session catalog calls hive."""
        schema, name, information = super()._get_relation_information(row)
        if "table_type=ICEBERG" in information:
            information = information.replace("Provider: hive", "Provider: iceberg")
        return schema, name, information

    def _get_columns_for_catalog(self, relation: BaseRelation) -> Iterable[dict[str, Any]]:
        """Add a change log's rows and bytes: it is a view, of which Spark has no statistics."""
        columns = super()._get_columns_for_catalog(relation)
        nodes = getattr(self.get_macro_resolver(), "nodes", {}).values()
        logs = (node for node in nodes if getattr(node.config, "materialized", "") == "differential")
        names = {f"{node.schema}.{node.alias}".lower() for node in logs}
        if not relation.is_view or f"{relation.schema}.{relation.identifier}".lower() not in names:
            return columns
        try:
            # The count is cheap: Spark reads no column for it.
            _, counted = self.execute(
                f"select count(*) from {relation.quote(schema=True, identifier=True)}", fetch=True
            )
            with self._catalog(f"size of {relation}") as catalog:
                size = catalog.log_bytes(str(relation.schema), str(relation.identifier)) if catalog else None
        except DbtRuntimeError as error:
            # Do not fail: docs still show this relation's columns, and the schema's other relations.
            logger.debug(f"The size of {relation} is not known: {error}")
            return columns
        # As Spark writes the statistics of a table.
        text = f"{'' if size is None else f'{size} bytes, '}{int(counted.rows[0][0])} rows"
        return [column | SparkColumn.convert_table_stats(text) for column in columns]

    @available
    def fail(self, kind: str, message: str) -> None:
        """Raise ``message`` as an error of that kind, and write the macros that led here to dbt.log."""
        callers = calling_macros()
        names = [f"{caller.macro.name} ({caller.macro.original_file_path})" for caller in callers]
        logger.debug("\n  called by macro ".join([f"{kind} error: {message}", *names]))
        # While dbt parses, it does not add the model to an error. In operations and checks, the node is a macro.
        nodes = [caller.node for caller in callers if getattr(caller.node, "resource_type", "macro") != "macro"]
        raise RefusalError(message, kind, nodes[0] if nodes else None)

    @available
    def isolate_session(self, relation: BaseRelation, settings: dict[str, Any]) -> None:
        """Let the node write ``relation`` in a copy of the session with ``settings`` on top, for method session only.

        Other threads see neither the settings nor temporary views, until ``rejoin_session`` or the end of the node.
        """
        self._handle().isolate(relation.render(), {key: str(value) for key, value in settings.items()})

    @available
    def rejoin_session(self) -> None:
        """End ``isolate_session``: the shared session sees what was written."""
        self._handle().rejoin()

    @available
    def begin_step(self, step: str) -> None:
        """Show this step of the model (``progress.STEPS``) in the terminal's progress line."""
        self.connections.begin_step(step)

    @available
    def session_setting(self, name: str) -> str:
        """Return the value of a setting of the session, ``<undefined>`` if it has none."""
        if self.runs_python():
            return str(self._handle().session.conf.get(name, "<undefined>"))
        _, table = self.execute(f"set {name}", fetch=True)
        return str(table.rows[0][1])

    @contextmanager
    def _catalog(self, what: str) -> Iterator["Catalog | None"]:
        """The session's catalog; None if only statements can find it out. ``what``: what is asked, for errors."""
        if not self.runs_python():
            yield None
            return
        from dbt.adapters.deltawave.catalog import catalog_of

        with self.connections.exception_handler(what):
            yield catalog_of(self._handle().session)

    @available.parse_none
    def names_like(self, schema: str, pattern: str) -> list[str] | None:
        """Return what ``show tables in schema like pattern`` shows; None if only that statement can find it."""
        with self._catalog(f"tables of {schema} like {pattern}") as catalog:
            return catalog.names(schema, pattern) if catalog else None

    @available.parse_none
    def catalog_facts(self, relation: BaseRelation) -> dict[str, str] | None:
        """Return what ``Catalog.facts`` knows of a relation; None if only ``describe extended`` can find it."""
        with self._catalog(f"catalog's entry of {relation}") as catalog:
            return catalog.facts(str(relation.schema), str(relation.identifier)) if catalog else None

    @available.parse_none
    def try_statement(self, sql: str) -> bool:
        """Run a statement that need not succeed; whether it did. The log of dbt has the error."""
        try:
            self.execute(sql)
        except DbtRuntimeError as error:
            logger.debug(f"A statement failed, and the run goes on: {error}")
            return False
        return True

    @available.parse_none
    def delete_folder(self, folder: str) -> bool:
        """Delete a folder of files that belong to no table; false if only statements can."""
        with self._catalog(f"folder {folder}") as catalog:
            if catalog:
                logger.debug(f"The folder {folder} is deleted")
                catalog.delete_folder(folder)
        return catalog is not None

    @available.parse_none
    def delete_in_each(self, folder: str, name: str) -> None:
        """Delete what bears a name in each folder of a folder, where that takes no statement."""
        with self._catalog(f"{name} in folders of {folder}") as catalog:
            if catalog:
                catalog.delete_in_each(folder, name)

    @available.parse_none
    def other_files(self, folder: str, names: list[str]) -> list[str]:
        """Return the files of a folder but those named, if ``link_files`` can link them."""
        with self._catalog(f"files of {folder}") as catalog:
            return catalog.other_files(folder, names) if catalog else []

    @available.parse_none
    def link_files(self, folder: str, names: list[str], target: str) -> None:
        """Have files of a folder, which ``other_files`` has shown, in another one, too."""
        with self._catalog(f"files of {folder}") as catalog:
            if catalog:
                catalog.link_files(folder, names, target)

    @available.parse_none
    def folder_usage(self, folder: str) -> list[int] | None:
        """Return how many files are below a folder, and their bytes; None if only statements can tell."""
        with self._catalog(f"folder {folder}") as catalog:
            return catalog.folder_usage(folder) if catalog else None

    @available.parse_none
    def query_columns(self, sql: str) -> list[tuple[str, str, str | None]]:
        """Return name, type and comment of a query's columns, as ``describe query`` does. The query does not run."""
        from pyspark.errors import ParseException

        handle = self._handle()
        with self.connections.exception_handler(sql):
            try:
                # In parentheses only a query can be parsed. Spark would run any other statement at once.
                fields = handle.analyzed(f"(\n{sql}\n)").schema.fields
            except ParseException:
                # Describe it without parentheses: the error then shows the query as it was written.
                handle.session.sql(f"describe query {sql}")
                raise
        return [(field.name, field.dataType.simpleString(), field.metadata.get("comment")) for field in fields]

    @available.parse_none
    def invalid_types(self, types: list[str]) -> list[str]:
        """Return those of some data types, as a yml has them, that Spark can't read; usually by one query."""

        def are_read(some: list[str]) -> bool:
            try:
                self.query_columns("select " + ", ".join(f"cast(null as {each})" for each in some))
            except DbtDatabaseError:
                return False
            return True

        return [each for each in types if not are_read([each])] if types and not are_read(types) else []

    @available
    def remote_dialect(self, remote: str) -> str:
        """Return the SQL dialect of a database of the profile's ``remotes``: postgresql, mysql or derby."""
        return remotes.dialect(remote, remotes.find(self.config.credentials.remotes, remote))

    @available.parse_none
    def remote_view(self, remote: str, query: str, view: str) -> dict[str, int]:
        """Make ``view`` a temporary view over ``query``, which runs at the remote; see ``remotes.create_view``."""
        settings = remotes.find(self.config.credentials.remotes, remote)
        self._require_session(f"Remote '{remote}': databases are read through JDBC")
        logger.debug(f"Temporary view {view} over remote '{remote}':\n{query}")
        return remotes.create_view(self._handle().session, remote, settings, query, view)

    @available.parse_none
    def check_library_function(self, function: str, arguments: list[str]) -> None:
        """Refuse a ``function`` that ``view_by_python`` could not call with these arguments; starts no Spark."""
        self._library_function(function).find(arguments)

    @available
    def runs_python(self) -> bool:
        """Whether dbt's own process has the Spark session, so that library functions can be called with relations."""
        return bool(self.config.credentials.in_session)

    @available.parse_none
    def call_library(self, function: str, relations: dict[str, str], options: dict[str, Any]) -> Any:
        """Return what ``function`` returns: plain values, such as dicts, lists, strings and numbers.

        ``function`` is a dotted path. It gets ``relations`` (names of tables, or selects in parentheses) as
        DataFrames, and ``options``. Without relations, no connection is needed.
        """
        library_function = self._library_function(function, needs_session=bool(relations))
        if not relations:
            return library_function.call({}, options)
        logger.debug(f"{function} is called with {relations}")
        with self.connections.exception_handler(function):
            result = library_function.call(self._handle().frames(relations), options)
            self.connections.refuse_if_cancelled()
        return result

    @available.parse_none
    def view_by_python(
        self, function: str, relations: dict[str, str], options: dict[str, Any], view: str
    ) -> dict[str, Any]:
        """Make ``view`` a temporary view of the rows that ``function`` returns; see ``LibraryFunction.rows``.

        ``function``, ``relations`` and ``options`` are those of ``call_library``. The view lasts until the node's next
        one, or its end. Returns ``messages``, what the function's package logged, and ``measured``, the figures that it
        returned.
        """
        from dbt.adapters.deltawave.library_functions import captured

        library_function = self._library_function(function)
        handle = self._handle()
        logger.debug(f"Temporary view {view} of what {function} makes of {relations}")
        with self.connections.exception_handler(function), captured(function.partition(".")[0]) as messages:
            handle.drop_views()
            frame, release, measured = library_function.rows(handle.frames(relations), options, handle.session)
            handle.leave_view(frame, view, release)
            self.connections.refuse_if_cancelled()
        return {"messages": [redact(message, library_function.secrets) for message in messages], "measured": measured}

    def _library_function(self, path: str, *, needs_session: bool = True) -> "LibraryFunction":
        if needs_session:
            self._require_session(f"Library function '{path}': Python runs")
        from dbt.adapters.deltawave.library_functions import LibraryFunction

        return LibraryFunction(path, self.config.credentials.secrets)

    def _require_session(self, what: str) -> None:
        if not self.runs_python():
            raise DbtRuntimeError(f"{what} with method: session only.")
