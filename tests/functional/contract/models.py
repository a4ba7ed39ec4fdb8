"""The models of the contract suite: every strategy, in the variants that its options make of it."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from model_options import placed
from source import KEYS, LIMIT, Source

ROWS = ["k1", "k2", "oid", "name", "num", "dep"]
TIMED = [*ROWS, "version"]
# A counter as hours since 2020.
HOURS = "timestamp_seconds(1577836800 + 3600 * version) as version"
# What goes from a config under a strategy that does not read it.
OWN_OPTIONS = [
    "updated_at",
    "delete_flag",
    "overlap",
    "row_id",
    "range_rows",
    "ranges_per_run",
]
OWN_OPTIONS += ["relations", "root"]

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Edit:
    """What a model's file says otherwise than usual."""

    limit: int = LIMIT
    strategy: str | None = None
    has_note: bool = False
    lacks_name: bool = False


USUAL = Edit()


@dataclass(frozen=True)
class Model:
    """A model, and what its select reads of the source."""

    name: str
    strategy: str
    options: dict[str, Any] = field(default_factory=dict)
    is_remote: bool = False
    columns: list[str] = field(default_factory=lambda: ROWS)
    size: int = 14

    @property
    def key(self) -> list[str]:
        """Its unique_key."""
        return ["oid"] if self.strategy == "view" else KEYS

    @property
    def has_files(self) -> bool:
        """Is the dump a table of files, of which some are as they were?"""
        return self.name in ("probed_held", "chosen_held")

    @property
    def variant(self) -> str:
        """How it compares: every event has to happen to each variant."""
        return self.strategy

    @property
    def duplicate_keys(self) -> str:
        return str(self.options.get("duplicate_keys", "fail"))

    @property
    def is_bounded(self) -> bool:
        """Does a run read a part of the table?"""
        return "ranges_per_run" in self.options

    @property
    def flag(self) -> str | None:
        """How rows are flagged: by a column, by an expression, or not."""
        flag = self.options.get("delete_flag")
        return None if flag is None else "column" if flag == "is_deleted" else "expression"

    @property
    def compared(self) -> list[str]:
        """The columns that make an update."""
        return [name for name in self.columns if name not in (*self.key, "version")]

    def read(self, source: Source, edit: Edit) -> list[tuple[Record, bool]]:
        """The rows of the select, each with whether the flag says that it is deleted."""
        found = []
        for row in source.rows:
            record = asdict(row) | {"title": source.titles.get(row.dep)}
            kept = {name: record[name] for name in self.columns}
            is_outside = row.dep > edit.limit
            if self.flag == "expression":
                found.append((kept, row.is_deleted or is_outside))
            elif not is_outside and (self.flag == "column" or not row.is_deleted):
                found.append((kept, row.is_deleted))
        return found

    def text(self, edit: Edit = USUAL) -> str:
        """The model's file."""
        options = {
            "materialized": "differential",
            "unique_key": self.key,
            "strategy": self.strategy,
            "full_refresh": True,
        } | self.options
        if edit.strategy:
            options = {name: value for name, value in options.items() if name not in OWN_OPTIONS}
            options |= {"strategy": edit.strategy}
            if "version" in self.columns:
                options |= {"ignore_columns": ["version"]}
        elif self.flag == "expression":
            options |= {"delete_flag": f"is_deleted or dep > {edit.limit}"}
        if self.is_remote:
            options |= {"remote": "legacy"}
        config = f"{{{{ config(**fromjson({json.dumps(placed(options))!r})) }}}}\n"
        if self.has_files:
            return f"{config}select * from {{{{ target.schema }}}}.delivered_{self.name}"
        return config + (self._view(edit) if self.strategy == "view" else self.select(edit))

    def select(self, edit: Edit) -> str:
        """The rows that it compares, unless it is a view of logs."""
        columns = [name for name in self.columns if not (edit.lacks_name and name == "name")]
        if self.options.get("overlap") == "2 hours":
            columns = [HOURS if name == "version" else name for name in columns]
        if self.flag == "column":
            columns = [*columns, "is_deleted"]
        if edit.has_note:
            columns = [*columns, "concat('n', k1) as note"]
        source = f"contract.{self.name}" if self.is_remote else f"global_temp.contract_{self.name}"
        select = f"select {', '.join(columns)} from {source}"
        if self.flag == "expression":
            return select
        deleted = "" if self.flag == "column" else " and not is_deleted"
        return f"{select} where dep <= {edit.limit}{deleted}"

    def _view(self, edit: Edit) -> str:
        columns = [f"items.{name}" for name in ROWS if not (edit.lacks_name and name == "name")]
        if edit.has_note:
            columns = [*columns, "concat('n', k1) as note"]
        state = "({{{{ deltawave.current_state(ref('{}'), '{}') }}}}) as {}"
        items = state.format(f"{self.name}_items", "oid", "items")
        titles = state.format(f"{self.name}_titles", "dep", "titles")
        return (
            f"select {', '.join(columns)}, titles.title\nfrom {items}\n"
            f"left join {titles} on items.dep = titles.dep\nwhere items.dep <= {edit.limit}"
        )


def _joined(name: str) -> Model:
    """A view of two logs; see logs_below."""
    relations = {f"{name}_items": {"oid": "oid"}, f"{name}_titles": {"dep": "dep"}}
    return Model(name, "view", {"root": f"{name}_items", "relations": relations}, columns=[*ROWS, "title"])


def _models() -> list[Model]:
    by_time = {"updated_at": "version", "range_rows": 5}
    some = {"ranges_per_run": 2}
    flagged = [*TIMED, "is_deleted"]
    # Nothing differs by less.
    near = {"tolerance": {"num": 1e-9}}
    return [
        Model("joined", "outer_join", {"on_schema_change": "sync_all_columns"}),
        Model("joined_remote", "outer_join", {"before_image": "none"}, is_remote=True),
        Model("joined_held", "outer_join", {"duplicate_keys": "quarantine"}),
        Model("joined_bags", "outer_join", {"duplicate_keys": "multiset"}),
        Model("joined_baseline", "outer_join", {"initial_load": "baseline"}),
        Model("united", "union", {"on_schema_change": "append_new_columns"}),
        Model("united_strict", "union", {"on_schema_change": "fail"}),
        Model("sorted", "sort_merge", {"on_schema_change": "sync_all_columns"}),
        Model("sorted_held", "sort_merge", {"duplicate_keys": "quarantine"}),
        Model("own_by_sql", "not_in", {"on_schema_change": "fail"}),
        Model("own_by_sql_held", "not_in", {"duplicate_keys": "quarantine"}),
        Model("own_by_python", "by_function", {"on_schema_change": "sync_all_columns"}),
        Model("own_by_python_held", "by_function", {"duplicate_keys": "quarantine"}),
        Model("ranged", "ranges", {"range_rows": 5}),
        Model("ranged_remote", "ranges", {"range_rows": 5}, is_remote=True),
        Model("ranged_some", "ranges", {"range_rows": 4, **some}, size=20),
        Model("summed", "range_checksum", {"range_rows": 4}),
        Model("summed_remote", "range_checksum", {"range_rows": 4}, is_remote=True),
        Model("summed_some", "range_checksum", {"range_rows": 4, **some}, size=20),
        Model("hashed", "row_checksum", {"on_schema_change": "sync_all_columns"}),
        Model(
            "hashed_held",
            "row_checksum",
            {"duplicate_keys": "quarantine", "on_schema_change": "sync_all_columns", **near},
        ),
        Model("hashed_remote", "row_checksum", {}, is_remote=True),
        Model("probed", "hash_compressed", {"on_schema_change": "sync_all_columns"}),
        Model(
            "probed_held", "hash_compressed", {"duplicate_keys": "quarantine", "on_schema_change": "sync_all_columns"}
        ),
        Model("chosen", "auto", {"on_schema_change": "sync_all_columns"}),
        Model("chosen_held", "auto", {"duplicate_keys": "quarantine"}),
        Model("probed_remote", "hash_compressed", near, is_remote=True),
        Model("timed", "timestamp", {**by_time, "overlap": 2}, columns=TIMED),
        Model("timed_remote", "timestamp", {**by_time, "overlap": 2}, is_remote=True, columns=TIMED),
        Model("timed_by_row", "timestamp", {**by_time, "overlap": "2 hours", "row_id": "oid"}, columns=TIMED),
        Model(
            "flagged", "timestamp_delete_flag", {**by_time, "delete_flag": "is_deleted", "overlap": 2}, columns=TIMED
        ),
        Model(
            "flagged_remote",
            "timestamp_delete_flag",
            {**by_time, "delete_flag": f"is_deleted or dep > {LIMIT}", "overlap": 2},
            is_remote=True,
            columns=flagged,
        ),
        _joined("lines"),
        _joined("orders"),
    ]


MODELS = {model.name: model for model in _models()}
VARIANTS = list(dict.fromkeys(model.variant for model in MODELS.values()))


def logs_below(model: Model) -> dict[str, str]:
    """The change logs that a view reads, and their files."""
    if model.strategy != "view":
        return {}
    config = "materialized='differential', full_refresh=false, meta={'allow_empty': true, 'max_delete_fraction': 1}"
    items = f"select {', '.join(ROWS)} from global_temp.contract_{model.name} where not is_deleted"
    titles = f"select * from global_temp.contract_{model.name}_titles"
    return {
        f"{model.name}_items": f"{{{{ config({config}, unique_key='oid') }}}} {items}",
        f"{model.name}_titles": f"{{{{ config({config}, unique_key='dep') }}}} {titles}",
    }
