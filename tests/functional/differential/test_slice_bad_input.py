"""What somebody, or another configuration, does to a model between two runs that read parts of the table."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from bad_input import messages
from workbench import DUMP, MODEL, REWRITING, SEVERAL, Run, Workbench

ROWS = "select id as account_id, cast(id as string) as name, 'same' as note, 1 as version, 1 as number from range(20)"
BY_TIME = {"strategy": "timestamp", "updated_at": "version"}
PADDED = DUMP.replace("*", "* except (note), 'same ' as note")
CHECKSUMS_ALONE = {"strategy": "row_checksum", "initial_load": "baseline"}


@dataclass(frozen=True)
class Between:
    """A model, and what happens to it between two runs: other options, another select, a statement about a table.

    fine: a select that comes before, in a run that is not refused.
    """

    config: dict[str, Any]
    then: dict[str, Any] = field(default_factory=dict)
    select: str = DUMP
    fine: str = ""
    damage: tuple[str, str] = ("", "")


REFUSED = {
    "a clock that went back": Between(BY_TIME),
    "a part without a column": Between({"strategy": "ranges"}, select=DUMP.replace("*", "* except (note)")),
    "a part with another type": Between(
        {"strategy": "range_checksum"}, select=DUMP.replace("*", "* except (note), 1 as note")
    ),
    "a column that comes back": Between(
        {"on_schema_change": "append_new_columns"},
        then={"strategy": "ranges", "on_schema_change": "ignore"},
        fine=DUMP.replace("*", "* except (note)") + " where account_id > 0",
    ),
    "a part without most of its rows": Between({"strategy": "ranges"}, select=f"{DUMP} where account_id < 5"),
    "a source that gradually loses its rows": Between(
        {"strategy": "ranges", "ranges_per_run": 2},
        fine=f"{DUMP} where account_id > 7",
        select=f"{DUMP} where account_id > 12",
    ),
    "a source that gradually writes a column in another form": Between(
        {"strategy": "ranges", "ranges_per_run": 2, "max_update_fraction": 0.6}, fine=PADDED, select=PADDED
    ),
    "a part of a source that lost all rows": Between(
        {"strategy": "ranges", "ranges_per_run": 1}, select=f"{DUMP} where account_id < 0"
    ),
    "a source that lost all rows": Between({"strategy": "range_checksum"}, select=f"{DUMP} where account_id < 0"),
    "checksums of a source that lost all rows": Between(
        {"strategy": "row_checksum", "max_delete_fraction": 1}, select=f"{DUMP} where account_id < 0"
    ),
    "edited ranges": Between(
        {"strategy": "range_checksum"}, damage=("ranges", "insert into {} (range_id) values (99)")
    ),
    "edited ranges of timestamps": Between(
        BY_TIME | {"updated_at": "number"}, damage=("ranges", "insert into {} (range_id) values (99)")
    ),
    "an emptied copy": Between({"strategy": "outer_join"}, damage=("copy", "truncate table {}")),
    "emptied hashes": Between({"strategy": "hash_compressed"}, damage=("hashes", "truncate table {}")),
    "kept rows that were taken away": Between({"strategy": "ranges"}, damage=("base", "truncate table {}")),
    "kept checksums that were added": Between(
        {"strategy": "row_checksum"}, damage=("checksums", "insert into {} values (99, 1, 1, 1)")
    ),
    "a previous state that is missing": Between({"strategy": "range_checksum"}, damage=("base", "drop table {}")),
    "other checksums after a baseline": Between(CHECKSUMS_ALONE, then={"compare_columns": "name"}),
    "rows of which only checksums are kept": Between(
        CHECKSUMS_ALONE, then={"strategy": "range_checksum", "initial_load": "inserts"}
    ),
}

GOES_ON = {
    "row_columns": Between({"strategy": "row_checksum", "ignore_columns": "note"}, then={"ignore_columns": None}),
    "range_columns": Between({"strategy": "range_checksum"}, then={"compare_columns": "name"}),
    "upper_case_key": Between({"strategy": "range_checksum"}, then={"unique_key": "ACCOUNT_ID"}),
    "narrow_ranges": Between({"strategy": "range_checksum"}, then={"range_rows": 2}),
    "dropped_ranges": Between({"strategy": "ranges"}, damage=("ranges", "drop table {}")),
    "dropped_checksums": Between({"strategy": "range_checksum"}, damage=("ranges", "drop table {}")),
    "baseline": Between(CHECKSUMS_ALONE),
}


class Desk(Workbench):
    """A workbench with several models."""

    def run(self, *args: str, command: str = "run") -> Run:
        return super().run(*SEVERAL, *args, command=command)

    def place(self, name: str, config: dict[str, Any], select: str = DUMP) -> None:
        """Write a model's file."""
        whole = ("outer_join", "hash_compressed", "row_checksum")
        ranges = {} if config.get("strategy", "row_checksum") in whole else {"range_rows": 5}
        self.add_differential(name, select, **ranges | config)

    def change(self, name: str, between: Between) -> None:
        """Do to a model what comes between its runs."""
        self.place(name, between.config | between.then, between.select)
        kind, statement = between.damage
        if statement:
            (table,) = [each for each in self.tables() if each.startswith(f"{name}__{kind}_")]
            self.spark.sql(statement.format(f"{self.schema}.{table}"))

    def tables(self) -> set[str]:
        """All tables and views."""
        return {row.tableName for row in self.spark.sql(f"show tables in {self.schema}").collect()}

    def changes(self, name: str) -> list[tuple[Any, ...]]:
        """The changes after a model's first batch."""
        rows = self.spark.table(f"{self.schema}.{name}").where("_batch_id > 1")
        return sorted(tuple(row) for row in rows.select("_batch_id", "account_id", "_change_type", "name").collect())


@pytest.fixture(scope="class")
def desk(shared_bench: Workbench) -> Desk:
    """A desk without models."""
    (shared_bench.root / "models" / f"{MODEL}.sql").unlink()
    return Desk(shared_bench.spark, shared_bench.root, shared_bench.schema)


class TestBetweenRuns:
    NAMES = {kind: f"m{number}" for number, kind in enumerate(REFUSED)}

    @pytest.fixture(scope="class")
    def refusals(self, desk: Desk) -> dict[str, str]:
        """What the second run says of each model; it changes nothing."""
        for kind, name in self.NAMES.items():
            desk.place(name, REFUSED[kind].config)
        desk.build(ROWS)
        fine = {name: REFUSED[kind] for kind, name in self.NAMES.items() if REFUSED[kind].fine}
        for name, between in fine.items():
            desk.place(name, between.config, between.fine)
        assert desk.run("--select", *fine).ok
        for kind, name in self.NAMES.items():
            desk.change(name, REFUSED[kind])
        desk.dump(ROWS.replace("1 as version", "0 as version"))
        tables = desk.tables()
        counts = {name: desk.spark.table(f"{desk.schema}.{name}").count() for name in self.NAMES.values()}
        done = desk.run()
        assert desk.tables() == tables
        assert {name: desk.spark.table(f"{desk.schema}.{name}").count() for name in counts} == counts
        return done.messages

    @pytest.mark.parametrize("kind", REFUSED)
    def test_is_refused(self, refusals: dict[str, str], kind: str) -> None:
        assert messages("Between two runs")[kind] in refusals.get(self.NAMES[kind], "no error")

    def test_all_kinds_are_tested(self) -> None:
        assert list(messages("Between two runs")) == list(REFUSED)


class TestGoesOn:
    macros = REWRITING

    def test_the_changes_are_found_and_no_others(self, desk: Desk) -> None:
        for name, between in GOES_ON.items():
            desk.place(name, between.config)
        desk.build(ROWS)
        for name, between in GOES_ON.items():
            desk.change(name, between)
        # Enough changes to have the state rewritten.
        first = [(2, number, "update", "new") for number in range(6)]
        desk.build(ROWS.replace("cast(id as string)", "if(id < 6, 'new', cast(id as string))"))
        assert {name: desk.changes(name) for name in GOES_ON} == dict.fromkeys(GOES_ON, first)
        desk.build(ROWS.replace("cast(id as string)", "if(id < 6, 'new', if(id = 7, 'other', cast(id as string)))"))
        for name in GOES_ON:
            assert desk.changes(name) == [*first, (3, 7, "update", "other")], name

    def test_a_missing_state_is_rebuilt_by_a_rewind(self, desk: Desk) -> None:
        desk.configure(strategy="outer_join")
        desk.build(ROWS, "--select", MODEL)
        desk.build(ROWS.replace("'same'", "'other'"), "--select", MODEL)
        (kept,) = [name for name in desk.names() if "__copy_" in name]
        desk.spark.sql(f"drop table {desk.schema}.{kept}")
        assert "is missing" in desk.run("--select", MODEL).text
        assert desk.operate("rewind", model=MODEL, to_batch=1).ok
        desk.build(ROWS.replace("'same'", "'another'"), "--select", MODEL)
        assert desk.batches("batch_id, updates")[-1] == (4, 20)
