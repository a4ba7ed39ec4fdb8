"""The package's macros as Python functions, rendered by dbt's own Jinja without dbt, a profile or Spark.

``macros.row_checksum(columns, bits=64)`` returns what the macro returns, as ``deltawave.row_checksum(...)`` does in a
model. ``Macros(tables={"shop.orders": [("id", "int")]})`` gives the columns that the catalog has for a relation.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import md5
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import agate
import pytz
import yaml
from dbt_common.clients.agate_helper import table_from_data_flat
from dbt_common.clients.jinja import get_template
from dbt_common.exceptions import CompilationError
from dbt_common.exceptions.macros import MacroReturn

ROOT = Path(__file__).resolve().parents[2]
PREFIX = "dbt_macro__"
DESCRIBE = re.compile(r"describe query select \* from (\S+)")
DEFINITION = re.compile(r"{%-?\s*(macro|test)\s+(\w+)")

Columns = Sequence[tuple[str, str]]


class Node(dict[str, Any]):
    """A node as dbt hands it to macros."""

    __getattr__ = dict.get


def control_columns(before: str = "struct<>") -> dict[str, str]:
    """The columns that each log has of its own, with their types; ``before``: that of the before images."""
    types = {"_change_type": "string", "_changed_columns": "array<string>", "_before": before}
    return {**types, "_batch_id": "bigint", "_batch_at": "timestamp"}


@dataclass(frozen=True)
class Relation:
    """A relation as dbt hands it to a macro: rendered, it is its name."""

    name: str

    @classmethod
    def create(cls, schema: str, identifier: str, **others: Any) -> Relation:
        return cls(f"`{schema}`.`{identifier}`")

    @property
    def schema(self) -> str:
        return self.name.split(".")[0].strip("`")

    @property
    def identifier(self) -> str:
        return self.name.split(".")[-1].strip("`")

    def quote(self, **parts: bool) -> Relation:
        return self

    def __str__(self) -> str:
        return self.name


def make_job(name: str = "x", **others: Any) -> dict[str, Any]:
    """A job of the model ``name``, whose tables lie in the schema ``s``, as macros hand it on."""
    common = {"name": name, "target": Relation.create("s", name), "state_schema": "s", "attempt": "own"}
    common |= {"sql": "select 1", "settings": {}, "remote": None, "dated_sources": [], "select_columns": []}
    common |= {"is_reached": None, "quarantine": "quarantine"}
    return common | {"statements": [], "outcome": {"batches": 0}} | others


def make_batch(batch_id: int = 2, **others: Any) -> dict[str, Any]:
    """A batch that has staged nothing yet."""
    common = {"batch_id": batch_id, "label": str(batch_id), "attempt": "own", "staged_in": [], "is_first": False}
    return common | others


class Package:
    """``deltawave`` in a template: the sandbox forbids attributes that begin with an underscore, but not items."""

    def __init__(self, macros: Macros) -> None:
        self._macros = macros

    def __getitem__(self, name: str) -> Callable[..., Any]:
        return getattr(self._macros, name)


class Macros:
    """Every macro and generic test under ``macros/`` by name; a file is compiled when it is first asked for."""

    def __init__(
        self,
        tables: Mapping[str, Columns] | None = None,
        run_query: Callable[[str], list[tuple[Any, ...]]] | None = None,
        **context: Any,
    ) -> None:
        self._tables = tables or {}
        self._run_query = run_query
        self._macros: dict[str, Callable[..., Any]] = {}
        # What macros have run, except for the columns of tables, warned of, logged and printed.
        self.queries: list[str] = []
        self.warnings: list[str] = []
        self.logged: list[str] = []
        self.printed: list[str] = []
        self.adapter = SimpleNamespace(dispatch=self._dispatch, quote="`{}`".format, call_library=_called)
        self._context = {
            "deltawave": Package(self),
            "adapter": self.adapter,
            "api": SimpleNamespace(Relation=Relation),
            "exceptions": SimpleNamespace(raise_compiler_error=_raise, warn=_adding_to(self.warnings)),
            "return": _return,
            "run_query": self._query,
            "execute": True,
            "zip": zip,
            "tojson": json.dumps,
            "local_md5": lambda text: md5(text.encode()).hexdigest(),
            "fromjson": json.loads,
            "fromyaml": _from_yaml,
            "modules": SimpleNamespace(re=re, datetime=dt, pytz=pytz),
            "log": _adding_to(self.logged),
            "print": _adding_to(self.printed),
        } | context
        self._sources = _sources()

    def replace(self, **macros: Any) -> None:
        """Put these functions, or functions that return these values, in the place of macros."""
        for name, value in macros.items():
            self._macros[name] = value if callable(value) else lambda *_, value=value, **__: value

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in self._macros:
            if name not in self._sources:
                raise AttributeError(f"there is no macro {name}")
            self._load(self._sources[name])
        return self._macros[name]

    def _load(self, source: str) -> None:
        module = _template(source).make_module(vars=self._context)
        for name, macro in vars(module).items():
            if name.startswith(PREFIX):
                # What `replace` has put in its place stays.
                self._macros.setdefault(name.removeprefix(PREFIX), _returning(macro))

    def _dispatch(self, name: str, macro_namespace: str) -> Callable[..., Any]:
        assert macro_namespace == "deltawave"
        kind = "spark" if f"spark__{name}" in self._sources else "default"
        return getattr(self, f"{kind}__{name}")

    def _query(self, sql: str) -> agate.Table:
        described = DESCRIBE.fullmatch(sql)
        if described and described[1] in self._tables:
            rows = [(*column, None) for column in self._tables[described[1]]]
        else:
            assert self._run_query is not None, f"no answer is given to {sql}"
            self.queries.append(sql)
            rows = self._run_query(sql)
        names = [f"column_{n}" for n in range(len(rows[0]))] if rows else []
        return table_from_data_flat([dict(zip(names, row, strict=True)) for row in rows], names)


@cache
def _sources() -> dict[str, str]:
    """The text of each macro's file, by the macro's name."""
    texts = [path.read_text() for path in (ROOT / "macros").rglob("*.sql")]
    return {"test_" * (kind == "test") + name: text for text in texts for kind, name in DEFINITION.findall(text)}


@cache
def _template(source: str) -> Any:
    """A file's macros, compiled once for all tests."""
    return get_template(source, ctx={})


def _returning(macro: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return macro(*args, **kwargs)
        except MacroReturn as returned:
            return returned.value

    return call


def _adding_to(texts: list[str]) -> Callable[..., str]:
    """A function of dbt's context that takes a text, and renders as nothing."""
    return lambda text="", *_, **__: texts.append(text) or ""  # type: ignore[func-returns-value]


def _called(function: str, relations: Mapping[str, str], options: Mapping[str, Any]) -> Any:
    """What a library function returns that reads no relation."""
    assert not relations, f"no answer is given to {function}"
    module, _, name = function.rpartition(".")
    return getattr(import_module(module), name)(**options)


def _return(value: Any = None) -> NoReturn:
    raise MacroReturn(value)


@cache
def _from_yaml(text: str) -> Any:
    return yaml.safe_load(text)


def _raise(message: str) -> NoReturn:
    raise CompilationError(message)
