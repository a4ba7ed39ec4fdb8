"""Calls of functions of Python libraries, for the package's macros."""

import importlib
import inspect
import logging
import math
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from numbers import Integral, Real
from pathlib import Path
from traceback import FrameSummary
from typing import Any

from dbt_common.exceptions import DbtRuntimeError
from pyspark.sql import DataFrame, SparkSession

from dbt.adapters.deltawave.python_models import is_relevant, report, to_frame
from deltawave.resources import keeping

_LOCK = threading.Lock()
# How many threads listen to a package whose logger was changed, and its level before, and whether it propagated.
_listeners: Counter[str] = Counter()
_before: dict[str, tuple[int, bool]] = {}


@dataclass(frozen=True)
class LibraryFunction:
    """A function of a Python library, by its dotted path; errors name it, and show none of ``secrets``."""

    path: str
    secrets: Sequence[str] = ()

    def __str__(self) -> str:
        return f"Library function {self.path!r}"

    def find(self, arguments: Iterable[str]) -> Callable[..., Any]:
        """Return the function, which takes arguments of these names. Raises ``DbtRuntimeError`` where it does not."""
        function: Callable[..., Any] = self._imported()
        if not callable(function):
            raise DbtRuntimeError(f"{self} is of type {type(function).__name__}, which can't be called.")
        names = dict.fromkeys(arguments)
        # A function that is written in C need not have a signature.
        with suppress(ValueError):
            signature = inspect.signature(function)
            try:
                signature.bind(**names)
            except TypeError as error:
                declared = f"It is declared as {self.path.rpartition('.')[2]}{signature}."
                raise DbtRuntimeError(f"{self} can't be called with {', '.join(names)}: {error}. {declared}") from error
        return function

    def call(self, frames: Mapping[str, DataFrame], options: Mapping[str, Any]) -> Any:
        """Return what it returns for these frames and options."""
        function = self.find([*frames, *options])
        with self._reported():
            return function(**frames, **options)

    def rows(
        self, frames: Mapping[str, DataFrame], options: Mapping[str, Any], session: SparkSession
    ) -> tuple[DataFrame, Callable[[], object], dict[str, float | list[str] | None]]:
        """Return the rows that ``call`` returns, what releases them when they have been read, and the figures."""
        with keeping() as release:
            result = self.call(frames, options)
            figures: Mapping[str, Any] = {}
            if isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], Mapping):
                result, figures = result
            with self._reported():
                measured = {name: self._figure(name, value) for name, value in figures.items()}
                frame = to_frame(result, session, str(self))
                # Spark Connect analyses a frame at its first use: here, so that an error is attributed to the function.
                _ = frame.schema
        return frame, release, measured

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """Let errors name the function, and show the lines of its package that led to them."""
        try:
            yield
        except DbtRuntimeError:
            raise
        except Exception as error:
            raise DbtRuntimeError(report(str(self), error, self.secrets, self._is_shown())) from error

    def _figure(self, name: str, value: Any) -> float | list[str] | None:
        """Return the figure as a Python number, also if it is a NumPy number; a list of texts as it is."""
        if value is None or (isinstance(value, list) and all(isinstance(each, str) for each in value)):
            return value
        if not isinstance(value, Real) or not math.isfinite(value):
            raise DbtRuntimeError(f"{self} measured {name}: {value!r}; it must be a number, or None.")
        return int(value) if isinstance(value, Integral) else float(value)

    def _imported(self) -> Any:
        module, _, name = self.path.rpartition(".")
        if not module or not all(map(str.isidentifier, self.path.split("."))):
            raise DbtRuntimeError(f"{self} can't be found by that name; it takes the form package.module.function.")
        try:
            namespace = importlib.import_module(module)
        except Exception as error:
            if isinstance(error, ModuleNotFoundError) and error.name and f"{module}.".startswith(f"{error.name}."):
                raise DbtRuntimeError(
                    f"{self} can't be imported: there is no module {error.name!r}. Install its package where dbt "
                    "runs, or correct the name."
                ) from error
            raise DbtRuntimeError(report(f"Importing {module}", error, self.secrets, self._is_shown())) from error
        if not hasattr(namespace, name):
            raise DbtRuntimeError(f"{self} can't be imported: the module {module!r} has no {name!r}.")
        return getattr(namespace, name)

    def _is_shown(self) -> Callable[[FrameSummary], bool]:
        """Return a filter for lines of the function's own package, wherever it is installed."""
        package = find_spec(self.path.partition(".")[0])
        homes = (package.submodule_search_locations or [package.origin or ""]) if package else []
        return lambda frame: is_relevant(frame.filename, [Path(home) for home in homes if home])


@contextmanager
def captured(package: str) -> Iterator[list[str]]:
    """Gather what the package logs in this thread, from level INFO on."""
    messages: list[str] = []
    thread = threading.get_ident()

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.thread != thread:
                return
            try:
                messages.append(record.getMessage())
            except Exception:
                self.handleError(record)

    logger = logging.getLogger(package)
    collector = Collector(logging.INFO)
    with _LOCK:
        if not _listeners[package]:
            _before[package] = logger.level, logger.propagate
        _listeners[package] += 1
        logger.setLevel(min(logger.getEffectiveLevel(), logging.INFO))
        # A library below dbt has given the root a handler, which would print them as well.
        logger.propagate = False
        logger.addHandler(collector)
    try:
        yield messages
    finally:
        with _LOCK:
            logger.removeHandler(collector)
            _listeners[package] -= 1
            if not _listeners[package]:
                level, logger.propagate = _before.pop(package)
                logger.setLevel(level)
