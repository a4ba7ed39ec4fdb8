"""dbt's Python models, run in this process."""

from __future__ import annotations

import ast
import linecache
import traceback
from pathlib import Path
from types import FrameType
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import NullType

from dbt.adapters.base import PythonJobHelper
from dbt.adapters.deltawave.credentials import DeltawaveCredentials
from dbt.adapters.deltawave.errors import readable, secret_values
from dbt_common.exceptions import DbtRuntimeError


class SessionPythonJob(PythonJobHelper):
    """Runs a compiled Python model with the session of its connection."""

    def __init__(
        self, parsed_model: dict[str, Any], credentials: DeltawaveCredentials, session: SparkSession
    ) -> None:
        self._model = parsed_model
        self._secrets = secret_values(credentials.server_side_parameters)
        self._session = session
        self._path = str(Path(parsed_model["root_path"], parsed_model["original_file_path"])) if (
            "root_path" in parsed_model
        ) else str(Path(parsed_model["original_file_path"]).resolve())

    def submit(self, compiled_code: str) -> None:
        """Execute ``compiled_code``; a failure names the lines of the user's file."""
        name = f"dbt_model_{self._model['alias']}"
        try:
            exec(self._compile(compiled_code), {"__name__": name, "__file__": self._path, "spark": self._session})
        except DbtRuntimeError:
            raise
        except Exception as error:
            raise DbtRuntimeError(self._report(error)) from error

    def _compile(self, compiled_code: str) -> Any:
        """Compile so that the user's lines keep the numbers that they have in the user's file."""
        file = Path(self._path)
        source = file.read_text(encoding="utf-8") if file.exists() else ""
        user_code = self._model.get("raw_code") or ""
        shift = _line_of(source, user_code) - _line_of(compiled_code, user_code)
        lines = compiled_code.splitlines(keepends=True)
        shown = ["\n"] * shift + lines if shift > 0 else lines[-shift:]
        # mtime None: linecache keeps the entry though the file on disk is shorter.
        linecache.cache[self._path] = (len(compiled_code), None, shown, self._path)
        try:
            tree = ast.parse(compiled_code, filename=self._path)
        except SyntaxError as error:
            error.lineno = error.lineno and error.lineno + shift
            error.end_lineno = error.end_lineno and error.end_lineno + shift
            raise
        return compile(ast.increment_lineno(tree, shift), self._path, "exec")

    def _report(self, error: Exception) -> str:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_users(frame.filename)]
        # A line behind the user's code belongs to what dbt appends.
        where = "".join(traceback.format_list(frames))
        what = readable(error, self._secrets)
        return f"Python model failed with {type(error).__name__}: {what}\n{where}".rstrip()


def _line_of(text: str, part: str) -> int:
    """Return the number of lines before ``part`` in ``text``."""
    position = text.find(part.strip()) if part.strip() else 0
    return text.count("\n", 0, max(position, 0))


def _is_users(filename: str) -> bool:
    return "site-packages" not in filename and not filename.startswith(str(Path(__file__).parent))


def to_frame(result: Any, session: SparkSession) -> DataFrame:
    """Return what a model returned as a Spark DataFrame.

    Spark, pandas and pandas-on-Spark DataFrames are taken; anything else is a ``DbtRuntimeError``.
    """
    kind = f"{type(result).__module__}.{type(result).__qualname__}"
    if kind.startswith("pyspark.sql.") and type(result).__name__ == "DataFrame":
        return result  # type: ignore[no-any-return]
    if kind == "pyspark.pandas.frame.DataFrame":
        return result.to_spark()  # type: ignore[no-any-return]
    if kind in ("pandas.core.frame.DataFrame", "pandas.DataFrame"):
        return _typed(session.createDataFrame(result))
    raise DbtRuntimeError(
        f"model() returned {kind}; return a Spark DataFrame, a pandas DataFrame or a pandas-on-Spark DataFrame."
    )


def _typed(frame: DataFrame) -> DataFrame:
    """Give string to columns without any value: pandas knows no type for them, and no table takes none."""
    void = {field.name: F.col(f"`{field.name}`").cast("string") for field in frame.schema if isinstance(field.dataType, NullType)}
    return frame.withColumns(void) if void else frame


def save(scope: dict[str, Any], view: str, create: str | None, empty: bool) -> None:
    """Run ``model`` of a compiled Python model and store its result.

    ``scope`` is the namespace of the model; ``view`` the temporary view that holds the result; ``create`` the
    statement that makes a table of it, none to leave it at the view; with ``empty`` inputs have no rows.
    """
    session: SparkSession = scope["spark"]

    def load(relation: str) -> DataFrame:
        frame = session.table(relation)
        return frame.limit(0) if empty else frame

    frame = to_frame(scope["model"](scope["dbtObj"](load), session), session)
    frame.createOrReplaceTempView(view)
    if create is None:
        return
    try:
        session.sql(create)
    finally:
        session.catalog.dropTempView(view)
