"""Tables that follow a change log: what they refuse, what a run has to do, and which SQL it writes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from bad_input import messages, refused
from dbt_common.exceptions import CompilationError
from unit.macro_harness import Macros, Relation, control_columns

from deltawave.sql_text import literal

OWN = "aaaaaaaaaaaa"
OTHER = "bbbbbbbbbbbb"
CONTROL = control_columns("struct<name:string>")
LOG_COLUMNS = {"id": "int", "name": "string", **CONTROL}
SQL = "select * from shop.accounts_changes"


def node(name: str, materialized: str, *reads: str, **config: Any) -> SimpleNamespace:
    return SimpleNamespace(
        name=name,
        alias=name,
        schema="shop",
        resource_type="model",
        unique_id=f"model.shop.{name}",
        raw_code="select * from " + ", ".join(f"{{{{ ref('{each}') }}}}" for each in reads),
        depends_on=SimpleNamespace(nodes=[f"model.shop.{each}" for each in reads]),
        config={"materialized": materialized, **config},
    )


# What the macros see of a project; each project puts itself here, since macros take long to load.
GRAPH: dict[str, Any] = {}
ARGUMENTS: dict[str, Any] = {}
FLAGS = SimpleNamespace(FULL_REFRESH=False, EMPTY=False)
ANSWER: dict[str, Callable[[str], list[tuple[Any, ...]]]] = {}
macros = Macros(
    graph=GRAPH,
    invocation_id=OWN,
    invocation_args_dict=ARGUMENTS,
    selected_resources=["model.shop.accounts"],
    flags=FLAGS,
    run_query=lambda sql: ANSWER["of"](sql),
    config=SimpleNamespace(get=lambda name: SimpleNamespace(enforced=False)),
)
macros.replace(_discard=None)


class Project:
    """A model that follows a log, without Spark: what the catalog has, and the statements that a run would run."""

    def __init__(self, kind: str = "scd2", reads: tuple[str, ...] = ("accounts_changes",), **config: Any) -> None:
        self.model = node("accounts", kind, *reads, **config)
        self.log: dict[str, Any] = {"unique_key": "id"}
        self.columns: dict[str, str] = dict(LOG_COLUMNS)
        # What the log's view and its decision show; none for a log that is not built.
        self.view: dict[str, Any] | None = {"batch_id": 7, "attempt": OTHER}
        self.record: dict[str, Any] = {
            "version": Macros()._state_version(),
            "is_baseline": False,
            "log": "log",
            "file_format": "parquet",
            "batch_id": 7,
            "attempt": OTHER,
            "generation": 1,
            "first_batch": 1,
            "rows_new": 20,
            "batch_at": "2026-01-07T00:00:00.000000Z",
            "snapshot_date": None,
            "columns": [{"name": "id"}, {"name": "name"}],
            "hidden": ["former"],
        }
        # is_known, is_standing, expired, and changes.
        self.news = [1, 1, 0, 2, 0, 1, 0]
        # How many changes the select returns, and the log has.
        self.counts = [3, 3]
        self.full_refresh = False
        self.arguments: dict[str, Any] = {}
        self.ran: list[str] = []
        # Queries of which only the columns were asked.
        self.described: list[str] = []

    def enter(self) -> None:
        """Let the macros see this project."""
        models = [self.model, node("accounts_changes", "differential", **self.log), node("customers", "table")]
        GRAPH["nodes"] = {each.unique_id: each for each in models}
        ARGUMENTS.clear()
        ARGUMENTS.update(self.arguments)
        FLAGS.FULL_REFRESH = self.full_refresh
        ANSWER["of"] = self._answer

    def _answer(self, sql: str) -> list[tuple[Any, ...]]:
        if sql.startswith("describe query"):
            self.described.append(sql)
            return [(name, data_type, None) for name, data_type in self.columns.items()]
        if sql.startswith("show tables"):
            return [("shop", "accounts_changes", False)] if self.view else []
        if sql.startswith("describe extended"):
            text = f"select {literal(json.dumps(self.record))} as record"
            mark = f"select /* deltawave {json.dumps(self.view)} */ * from t"
            return [("View Text", text if "__commit_" in sql else mark, "")]
        if sql.startswith("set "):
            return [(sql, "a catalog of tables")]
        if "as is_known" in sql:
            return [tuple(self.news)]
        if "as logged" in sql:
            return [tuple(self.counts)]
        self.ran.append(sql)
        return []

    def open(self) -> Any:
        self.enter()
        return macros._open_follower(self.model, Relation.create("shop", "accounts"), SQL)

    def last(self, job: Any, **changes: Any) -> dict[str, Any]:
        """The record of a run that has read the log up to batch 5."""
        selected = macros._selected_columns(job)
        meta = job["settings"].get("snapshot_meta_column_names")
        return {
            "batch_id": 3,
            "materialization": job["settings"]["kind"],
            "file_format": job["settings"]["file_format"],
            "rows": {"kind": "rows", "batch_id": 1, "attempt": OTHER},
            "rows_new": 19,
            "columns": selected,
            "shown": {"columns": [each["name"] for each in selected], "meta": meta, "valid_to": None},
            "fingerprint": macros._follower_fingerprint(job),
            "followed": {"batch_id": 5, "attempt": OTHER, "generation": 1, "first_batch": 1},
        } | changes

    def begin(self, last: dict[str, Any] | None = None, *, is_first: bool = False, **changes: Any) -> Run:
        """A run after one that has read the log up to batch 5, which left ``last``."""
        job = self.open()
        before = None if is_first else last or self.last(job, **changes)
        followed = macros._followed_log(job)
        work = macros._pending_work(job, followed, macros._selected_columns(job), before)
        return Run(job, before, followed, work, macros._attempt(job, before, ""))

    def work(self, **changes: Any) -> dict[str, Any]:
        return self.begin(**changes).work


@dataclass
class Run:
    """A run of such a model, and what it has to do."""

    job: dict[str, Any]
    last: dict[str, Any] | None
    followed: dict[str, Any]
    work: dict[str, Any]
    batch: dict[str, Any]

    def stage(self) -> Any:
        """Write the rows, or patches; the tables that have them."""
        return macros._stage_work(self.job, self.batch, self.work, self.followed, self.last)

    def record(self, staged: dict[str, Any]) -> Any:
        return macros._follower_record(self.job, self.batch, self.work, staged, self.followed, self.last)


def edited(project: Project, **changes: Any) -> Project:
    for name, value in changes.items():
        setattr(project, name, value)
    return project


def in_log(**changes: Any) -> Project:
    project = Project()
    project.record |= changes
    return project


def rewritten() -> None:
    project = Project()
    run = project.begin()
    project.view, project.record = {"batch_id": 8, "attempt": OWN}, {"log": f"log_8_{OWN}"}
    macros._require_same_log(dict(run.job, outcome={"batches": 0}), run.batch, run.followed)


def filtered() -> None:
    run = edited(Project("current_state"), counts=[2, 3]).begin()
    run.job["outcome"] = {"batches": 0}
    run.stage()


def checked(kind: str = "scd2", log: dict[str, Any] | None = None, **config: Any) -> Callable[[], Any]:
    def check() -> None:
        project = Project(kind, **config)
        project.log |= log or {}
        project.enter()
        macros.check_follower_config("accounts", project.model.config)

    return check


def renamed_in_bag() -> None:
    project = edited(Project("current_state"), columns={"id": "int", "full_name": "string", **CONTROL})
    project.log["duplicate_keys"] = "multiset"
    project.work()


REFUSED: dict[str, Callable[[], Any]] = {
    "a select from something else as well": checked("current_state", reads=("accounts_changes", "customers")),
    "a select from no change log": checked(reads=("customers",)),
    "another key than the log's": checked(unique_key="name"),
    "versions of a bag of rows": checked(log={"duplicate_keys": "multiset"}),
    "a renamed column of a bag of rows": renamed_in_bag,
    "hard deletes that are not known": checked(hard_deletes="delete"),
    "an end of current versions that is no expression": checked(dbt_valid_to_current=9999),
    "two columns of one name": checked(snapshot_meta_column_names={"dbt_valid_from": "since", "dbt_valid_to": "Since"}),
    "an option of dbt snapshots": checked(check_cols=["name"]),
    "the strategy of a dbt snapshot": checked(strategy="timestamp", updated_at="seen"),
    "a misspelt option": checked(track_column=["name"]),
    "a sample of changes": lambda: edited(Project(), arguments={"sample": "3 days"}).open(),
    "a log of another environment": lambda: edited(Project(), arguments={"defer": True, "favor_state": True}).open(),
    "a select without the log's columns": lambda: edited(
        Project(), columns={"id": "int", "_batch_id": "bigint"}
    ).work(),
    "tracked columns that are nowhere": lambda: Project(track_columns=["nmae"]).work(),
    "a tracked column that the select has renamed": lambda: edited(
        Project(track_columns=["full_name"]), columns={"id": "int", "full_name": "string", **CONTROL}
    ).work(),
    "a column with the name of an added one": lambda: Project(
        snapshot_meta_column_names={"dbt_valid_to": "NAME"}
    ).work(),
    "a column that such a table needs": lambda: edited(Project(), columns={**LOG_COLUMNS, "_applied": "int"}).work(),
    "a log that was not built": lambda: edited(Project(), view=None).work(),
    "a log without its first rows": lambda: in_log(is_baseline=True).work(),
    "a filter of the log's rows": filtered,
    "a log that is rewritten meanwhile": rewritten,
    "versions that an expired log lacks": lambda: edited(in_log(first_batch=6), news=[1, 1, 1, 0, 0, 0, 0]).work(),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_refused_is_explained(kind: str) -> None:
    with refused("Tables that follow a log", kind):
        REFUSED[kind]()


def test_all_kinds_are_tested() -> None:
    assert list(messages("Tables that follow a log")) == list(REFUSED)


@pytest.mark.parametrize("kind", ["current_state", "scd2"])
@pytest.mark.parametrize(("file_format", "method"), [("parquet", "rewrite"), ("delta", "merge"), ("iceberg", "merge")])
def test_new_batches_are_merged_where_the_format_takes_merges(kind: str, file_format: str, method: str) -> None:
    work = Project(kind, file_format=file_format).work()
    assert (work["method"], work["after"]) == (method, 5)
    assert work["changes"] == {"inserts": 2, "deletes": 0, "updates": 1, "backfilled": 0}


def test_bags_and_wider_columns_are_written_whole() -> None:
    bag = Project("current_state", file_format="delta")
    bag.log["duplicate_keys"] = "multiset"
    assert bag.work()["method"] == "rewrite"
    narrow = [{"name": "id", "data_type": "int"}, {"name": "name", "data_type": "char(3)"}]
    assert Project(file_format="delta").work(columns=narrow)["method"] == "rewrite"
    assert Project(file_format="delta").work(file_format="parquet")["method"] == "rewrite"
    assert Project(file_format="delta").work(columns=narrow[:1])["method"] == "merge"


def test_without_changes_nothing_is_written() -> None:
    project = edited(Project(), news=[1, 1, 0, 0, 0, 0, 0])
    assert project.work()["method"] == "nothing"
    assert edited(Project(dbt_valid_to_current="null"), news=project.news).work()["method"] == "show"
    # A new column has no values yet, but readers see it.
    assert project.work(columns=[{"name": "id", "data_type": "int"}])["method"] == "rewrite"


def test_a_log_without_a_new_batch_is_not_read() -> None:
    project = Project()
    followed = {"batch_id": 7, "attempt": OTHER, "generation": 1, "first_batch": 1}
    project.news = []
    assert project.work(followed=followed)["method"] == "nothing"
    assert "was edited" in project.work(followed=followed, fingerprint="another")["reason"]
    # A log that was dropped and built again has another attempt.
    other = edited(Project("current_state"), news=UNKNOWN).work(followed=followed | {"attempt": OWN})
    assert "were undone or replaced" in other["reason"]


def test_batches_that_expired_are_not_read() -> None:
    """Without changes between, the first batch of the log is the state that the table has."""
    project = edited(in_log(first_batch=6), news=[1, 1, 0, 1, 0, 0, 0])
    assert (project.work()["method"], project.work()["after"]) == ("rewrite", 6)


UNDONE = [1, 0, 0, 0, 0, 0, 0]
UNKNOWN = [0, 0, 0, 0, 0, 0, 0]
EXPIRED = [1, 1, 1, 0, 0, 0, 0]


@pytest.mark.parametrize("kind", ["current_state", "scd2"])
def test_a_table_is_rebuilt_where_the_log_has_everything(kind: str) -> None:
    assert Project(kind).work(is_first=True)["reason"] == "first run"
    assert "were undone or replaced" in edited(Project(kind), news=UNDONE).work()["reason"]
    assert "was edited" in Project(kind).work(fingerprint="another")["reason"]
    assert "--full-refresh" in edited(Project(kind), full_refresh=True).work()["reason"]
    ignored = edited(Project(kind, full_refresh=False), full_refresh=True)
    assert ignored.work()["method"] == "rewrite"


@pytest.mark.parametrize(
    ("record", "news", "full_refresh"),
    [
        ({}, UNKNOWN, False),
        ({"generation": 6, "first_batch": 6}, UNDONE, False),
        ({"first_batch": 6}, EXPIRED, False),
        ({"first_batch": 4}, UNDONE, False),
        ({"first_batch": 4}, [1, 1, 0, 2, 0, 0, 0], True),
    ],
)
def test_versions_are_not_lost_unasked(record: dict[str, Any], news: list[int], full_refresh: bool) -> None:
    def project(kind: str, **config: Any) -> Project:
        found = edited(Project(kind, **config), news=news, full_refresh=full_refresh)
        found.record |= record
        return found

    with pytest.raises(CompilationError, match="Versions that only the table has would be lost"):
        project("scd2").work()
    assert project("current_state").work()["method"] == "build"
    if full_refresh:
        assert project("scd2", full_refresh=True).work()["method"] == "build"
        # A log that has expired up to a batch that the table has goes on.
        assert edited(project("scd2"), full_refresh=False).work()["method"] == "rewrite"


HOOK = """insert into {{ ref('customers') }} select "it's", count(*) from {{ this }}"""


@pytest.mark.parametrize("key", ["pre-hook", "post-hook"])
@pytest.mark.parametrize("written", [HOOK, HOOK.replace('"', '\\"'), ""], ids=["text", "escaped", "project"])
def test_hooks_and_functions_may_read_anything(key: str, written: str) -> None:
    def check(text: str, **config: Any) -> None:
        project = Project(**config)
        project.model.depends_on.nodes += ["model.shop.customers", "function.shop.shout"]
        project.model.raw_code = text
        project.enter()
        macros.check_follower_config("accounts", project.model.config)

    block = f"""{{{{ config(materialized='scd2', {key.replace("-", "_")}={json.dumps(written)}) }}}}\n"""
    select = "select * from {{ ref('accounts_changes') }}"
    check(block + select, **{key: [{"sql": HOOK}]})
    for text in (f"{block}{select} join {{{{ ref('customers') }}}}", f"{select} {{{{ read('customers') }}}} {block}"):
        with pytest.raises(CompilationError, match=r"It reads .*accounts_changes, .*customers"):
            check(text, **{key: [{"sql": HOOK}]})
    with pytest.raises(CompilationError, match=r"It reads .*accounts_changes, .*customers"):
        check(select)


def test_a_strategy_of_logs_may_be_that_of_a_folder() -> None:
    Project(strategy="hash_compressed").open()


def test_tracked_columns_are_those_of_the_log() -> None:
    """Be they hidden now, or left out by the select."""
    assert Project(track_columns=["Former", "NAME"]).work()["method"] == "rewrite"
    assert edited(Project(track_columns=["name"]), columns={"id": "int", **CONTROL}).work()["method"] == "rewrite"


def test_empty_reads_another_environment() -> None:
    project = edited(Project(), arguments={"defer": True, "favor_state": True}, view=None)
    FLAGS.EMPTY = True
    try:
        job = project.open()
        assert [each["name"] for each in macros._selected_columns(job)] == ["id", "name"]
    finally:
        FLAGS.EMPTY = False


def test_what_determines_the_rows_is_edited() -> None:
    def fingerprint(kind: str = "scd2", **config: Any) -> str:
        project = Project(kind, **config)
        job = project.open()
        return str(macros._follower_fingerprint(job))

    assert fingerprint() == fingerprint(dbt_valid_to_current="current_date()", file_format="delta", unique_key="ID")
    others = [fingerprint("current_state"), fingerprint(hard_deletes="ignore"), fingerprint(track_columns=["name"])]
    assert len({fingerprint(), *others}) == 4


def staged(project: Project, **last: Any) -> tuple[dict[str, Any], list[str]]:
    """What a run stages, and its statements."""
    return project.begin(**last).stage(), project.ran


@pytest.mark.parametrize("kind", ["current_state", "scd2"])
def test_a_rewritten_table_is_another_one(kind: str) -> None:
    found, (statement,) = staged(Project(kind), columns=[{"name": "id", "data_type": "smallint"}])
    assert found["rows"] == {"kind": "rows", "batch_id": 4, "attempt": OWN}
    assert statement.startswith(f"create table `shop`.`accounts__rows_4_{OWN}`\nusing parquet")
    assert "where `_batch_id` > 5 and `_batch_id` <= 7" in statement
    assert f"from `shop`.`accounts__rows_1_{OTHER}`" in statement
    assert "cast(`id` as int) as `id`" in statement
    assert "cast(null as string) as `name`" in statement
    assert "_applied" not in statement


def test_columns_that_the_log_hides_are_null_in_changed_rows() -> None:
    columns = [{"name": name, "data_type": "string"} for name in ("id", "name", "hidden")]
    _, (statement,) = staged(Project("current_state"), columns=columns)
    assert "cast(null as string) as `hidden`" in statement


def test_deletes_are_versions_only_where_asked() -> None:
    texts = {option: staged(Project(hard_deletes=option))[1][0] for option in ("invalidate", "ignore", "new_record")}
    assert [option for option, text in texts.items() if ")\n        where `_change_type` <> 'delete'\n" in text] == []
    counts = {option: text.count("`_change_type` <> 'delete'") for option, text in texts.items()}
    assert counts == {"invalidate": 1, "ignore": 2, "new_record": 1}
    assert [option for option, text in texts.items() if "or not (`_closed_by` <=> `_opened_by`)" in text] == [
        "new_record"
    ]


@pytest.mark.parametrize("kind", ["current_state", "scd2"])
def test_iceberg_shows_what_others_have_written(kind: str) -> None:
    """The text of the log's view is the newest, but not what the session knows of its tables."""
    project = Project(kind, file_format="iceberg")
    project.record["file_format"] = "iceberg"
    _, statements = staged(project)
    tables = ["accounts_changes__log", "accounts_changes__batches", f"accounts__rows_1_{OTHER}"]
    assert statements[:-1] == [f"refresh table `shop`.`{table}`" for table in tables]


@pytest.mark.parametrize("kind", ["current_state", "scd2"])
def test_a_merge_counts_itself(kind: str) -> None:
    project = Project(kind, file_format="delta")
    found, (patch,) = staged(project)
    assert found == {
        "method": "merge",
        "rows": {"kind": "rows", "batch_id": 1, "attempt": OTHER},
        "patch": {"kind": "patch", "batch_id": 4, "attempt": OWN},
    }
    assert patch.startswith(f"create table `shop`.`accounts__patch_4_{OWN}`\nusing delta")
    job = project.open()
    record = project.last(job, batch_id=4, attempt=OWN, unique_key=["id"], **found)
    project.ran.clear()
    macros._place(job, dict(record, staged_in=[]))
    (merge,) = project.ran
    assert merge.startswith(f"merge into `shop`.`accounts__rows_1_{OTHER}` as base_side")
    # Of both the changes and the row that counts.
    assert merge.count("on merged.last_batch < 4") == 2
    assert "isnull(base_side.`_applied`) = isnull(changes.`_applied`)" in merge
    assert "`_applied` = changes.`_applied`" in merge
    assert "`id` = changes.`id`" not in merge
    assert ("then delete" in merge) == (kind == "current_state")
    project.ran.clear()
    macros._place(job, dict(record, staged_in=[], patch=None))
    assert project.ran == []


def test_a_table_that_takes_merges_begins_with_its_count() -> None:
    _, (statement,) = staged(Project("current_state", file_format="iceberg"), is_first=True)
    assert statement.endswith(
        "union all\nselect\n    cast(null as int) as `id`,\n    cast(null as string) as `name`,\n"
        "    cast(1 as bigint) as `_applied`"
    )


@pytest.mark.parametrize("file_format", ["parquet", "delta"])
def test_a_view_has_the_columns_of_a_snapshot(file_format: str) -> None:
    names = {"dbt_valid_to": "until", "dbt_is_deleted": "is gone"}
    project = Project(
        hard_deletes="new_record",
        dbt_valid_to_current="to_date('9999-12-31')",
        snapshot_meta_column_names=names,
        file_format=file_format,
    )
    job = project.open()
    shown = project.work(is_first=True)["shown"]
    record = project.last(job, attempt=OWN, shown=shown)
    text = macros._select_of_view(job, record)
    assert macros._mark_in(text) == {"batch_id": 3, "attempt": OWN}
    assert text.split("*/\n")[1].split("\nfrom")[0].split(",\n") == [
        "    `id`",
        "    `name`",
        "    `_scd_id` as `dbt_scd_id`",
        "    `_updated_at` as `dbt_updated_at`",
        "    `_valid_from` as `dbt_valid_from`",
        "    coalesce(`_valid_to`, cast(to_date('9999-12-31') as timestamp)) as `until`",
        "    if(`_is_deleted`, 'True', 'False') as `is gone`",
    ]
    assert ("where `_applied` is null" in text) == (file_format == "delta")
    assert macros._select_of_view(job, dict(record, rows=None)).endswith("where false")


def test_a_record_keeps_the_table_before_for_its_readers() -> None:
    run = Project("current_state").begin()
    before = {"kind": "rows", "batch_id": 1, "attempt": OTHER}
    now, patch = ({"kind": kind, "batch_id": 4, "attempt": OWN} for kind in ("rows", "patch"))
    record = run.record({"method": "rewrite", "rows": now, "patch": None})
    assert record["tables"] == [now, before]
    assert record["followed"] == {"batch_id": 7, "attempt": OTHER, "generation": 1, "first_batch": 1}
    assert (record["rows_old"], record["rows_dump"], record["rows_new"], record["inserts"]) == (19, 3, 20, 2)
    assert run.record({"method": "merge", "rows": before, "patch": patch})["tables"] == [before, patch]
    # It is read back from JSON.
    assert json.loads(json.dumps(record)) == record


def test_the_end_of_current_versions_is_read_before_anything_is_written() -> None:
    """No run could publish a decision whose view Spark does not take."""
    project = edited(Project(dbt_valid_to_current="to_date("), news=[1, 1, 0, 0, 0, 0, 0])
    run = project.begin()
    project.described.clear()
    macros._require_valid_to(run.job, run.batch, run.work)
    (described,) = project.described
    assert "coalesce(`_valid_to`, cast(to_date( as timestamp)) as `dbt_valid_to`" in described
    assert described.endswith("where false")
    plain = Project()
    run = plain.begin()
    plain.described.clear()
    macros._require_valid_to(run.job, run.batch, run.work)
    assert plain.described == []


@pytest.mark.parametrize(("was", "becomes"), [("parquet", "delta"), ("delta", "parquet")])
def test_a_table_keeps_its_format_until_it_is_rewritten(was: str, becomes: str) -> None:
    """Only a table that takes merges has the row that counts them: its view and the next run have to know."""
    project = edited(Project(file_format=becomes, dbt_valid_to_current="null"), news=[1, 1, 0, 0, 0, 0, 0])
    run = project.begin(file_format=was)
    record = run.record(run.stage())
    assert (record["strategy"], record["file_format"]) == ("show", was)
    assert ("_applied" in macros._select_of_view(run.job, record)) == (was == "delta")
    project.news = [1, 1, 0, 1, 0, 0, 0]
    run = project.begin(record)
    record = run.record(run.stage())
    assert ("`_applied` is null" in project.ran[-1]) == (was == "delta")
    assert (record["strategy"], record["file_format"]) == ("rewrite", becomes)
