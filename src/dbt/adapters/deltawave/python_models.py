"""dbt's Python models, run in this process."""

import ast
import linecache
import sysconfig
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

import pyspark
from dbt.adapters.base import PythonJobHelper
from dbt_common.exceptions import DbtRuntimeError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import NullType

import deltawave
from dbt.adapters.deltawave.errors import readable
from deltawave.model_runs import model_run, results_appended
from deltawave.redaction import redact
from deltawave.resources import keeping

# The name, in a model's namespace, of the job that runs it.
JOB = "__dbt_job__"

# If installed, it is among the packages whose lines mean nothing to a user.
LIBRARY = Path(deltawave.__file__).parent
_FOREIGN = (sysconfig.get_path("stdlib"), str(Path(__file__).parent), str(Path(pyspark.__file__).parent), "<frozen ")


@dataclass(frozen=True)
class SessionPythonJob(PythonJobHelper):
    """Runs a compiled Python model with the session of its connection; ``file`` is the user's.

    ``before_storing`` may refuse the result; ``release_later`` registers what is called when the node ends.
    """

    model: dict[str, Any]
    file: Path
    session: SparkSession
    secrets: list[str]
    before_storing: Callable[[], None]
    release_later: Callable[[Callable[[], object]], None]

    def submit(self, compiled_code: str) -> None:
        """Execute ``compiled_code``; an error shows the lines of the user's file."""
        # No module has this name, so functions of the model are pickled to the executors by value.
        scope = {
            "__name__": f"dbt_model_{self.model['alias']}",
            "__file__": str(self.file),
            "spark": self.session,
            JOB: self,
        }
        try:
            exec(self._compile(compiled_code), scope)
        except DbtRuntimeError:
            raise
        except Exception as error:
            raise DbtRuntimeError(report("Python model", error, self.secrets, self._is_users)) from error

    def _compile(self, compiled_code: str) -> CodeType:
        """Compile so that the user's lines keep the numbers that they have in the user's file."""
        shift = self._first_line() - _lines_before(compiled_code, self.model["raw_code"])
        lines = compiled_code.splitlines(keepends=True)
        shown = ["\n"] * shift + lines if shift > 0 else lines[-shift:]
        # Without a modification time linecache does not compare with the file, which does not have what dbt appends.
        linecache.cache[str(self.file)] = (len(compiled_code), None, shown, str(self.file))
        try:
            tree = ast.parse(compiled_code, filename=str(self.file))
        except SyntaxError as error:
            error.lineno = error.lineno and error.lineno + shift
            raise
        return compile(ast.increment_lineno(tree, shift), str(self.file), "exec")

    def _first_line(self) -> int:
        """Return how many lines of the user's file precede its code: dbt strips empty ones."""
        text = self.file.read_text(encoding="utf-8") if self.file.exists() else ""
        return _lines_before(text, self.model["raw_code"])

    def _is_users(self, frame: traceback.FrameSummary) -> bool:
        """Return whether the frame's line is the user's or the library's, and not of dbt's appendix."""
        last = self._first_line() + int(self.model["raw_code"].count("\n")) + 1
        return (frame.lineno or 0) <= last if frame.filename == str(self.file) else is_relevant(frame.filename)


def save(scope: dict[str, Any], view: str, create: str | None, empty: bool) -> None:
    """Run ``model`` of a compiled Python model and store its result.

    ``scope`` is the namespace of the model; ``view`` the temporary view that holds the result; ``create`` the statement
    that makes a table of it, none to leave it at the view; with ``empty``, refs and sources have no rows.
    """
    job: SessionPythonJob = scope[JOB]
    session = job.session

    def load(relation: str) -> DataFrame:
        # Under --empty, dbt makes a select of a source, though not of a ref.
        frame = session.sql(relation) if relation.startswith("(") else session.table(relation)
        return frame.limit(0) if empty else frame

    with model_run(is_empty=empty), keeping() as release_kept:
        result = scope["model"](scope["dbtObj"](load), session)
    job.release_later(release_kept)
    frame = to_frame(result, session, "model()")
    job.before_storing()
    frame.createOrReplaceTempView(view)
    if create is None:
        return
    try:
        session.sql(create)
    finally:
        session.catalog.dropTempView(view)
    results_appended()


def to_frame(result: Any, session: SparkSession, giver: str) -> DataFrame:
    """Return as Spark's the frame of Spark, pandas or pandas-on-Spark that ``giver``, a model or function, returned."""
    if isinstance(result, DataFrame):
        return result
    # By name, so that neither library has to be imported.
    kinds = [f"{kind.__module__}.{kind.__qualname__}" for kind in type(result).__mro__]
    if any(kind in ("pandas.DataFrame", "pandas.core.frame.DataFrame") for kind in kinds):
        frame = session.createDataFrame(result)
        # pandas has no type for columns without any value, but tables need one.
        void = [field.name for field in frame.schema.fields if isinstance(field.dataType, NullType)]
        return frame.withColumns({name: F.lit(None).cast("string") for name in void}) if void else frame
    if "pyspark.pandas.frame.DataFrame" in kinds:
        return result.to_spark()  # type: ignore[no-any-return]
    raise DbtRuntimeError(
        f"{giver} returned {kinds[0].removeprefix('builtins.')}; it must return a Spark DataFrame, "
        "a pandas DataFrame or a pandas-on-Spark DataFrame."
    )


def _lines_before(text: str, part: str) -> int:
    """Return the number of lines of ``text`` before ``part``, 0 when it is not there."""
    position = text.find(part.strip())
    return text.count("\n", 0, position) if position > 0 else 0


def is_relevant(file: str, homes: Iterable[Path] = ()) -> bool:
    """Return whether ``file`` is of deltawave's library, in ``homes``, or in no installed package."""
    if any(Path(file).is_relative_to(home) for home in (LIBRARY, *homes)):
        return True
    return not file.startswith(_FOREIGN) and "site-packages" not in file


def report(
    what: str, error: Exception, secrets: Iterable[str], is_shown: Callable[[traceback.FrameSummary], bool]
) -> str:
    """Return that ``what`` failed, why, and those lines on the way to ``error`` that ``is_shown`` lets through."""
    secrets = list(secrets)
    message = readable(error, secrets)
    frames = filter(is_shown, traceback.extract_tb(error.__traceback__))
    new = [frame for frame in frames if f'"{frame.filename}", line {frame.lineno},' not in message]
    where = redact("".join(traceback.format_list(new)), secrets)
    return f"{what} failed with {type(error).__name__}: {message}\n{where}".rstrip()
