"""Bad input to a differential model: each kind gets the message of messages.yml, and changes nothing."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pytest
from bad_input import messages
from workbench import CONFIG, Workbench

pytestmark = pytest.mark.core

GOOD = "select id as account_id, cast(id as string) as name from range(10)"


@dataclass(frozen=True)
class Input:
    """A dump, the model's configuration, and dbt's arguments."""

    dump: str = GOOD
    config: dict[str, Any] = field(default_factory=dict)
    args: tuple[str, ...] = ()


DUMPS = {
    "no such key column": Input(config={"unique_key": "account"}),
    "no such column in an option": Input(config={"compare_columns": ["nmae"]}),
    "a tolerance for a column that is not there": Input(config={"tolerance": {"nmae": 1}}),
    "a tolerance for text": Input(config={"tolerance": {"Name": 1}}),
    "a column that the log needs": Input("select 1 as account_id, 2 as batch_id"),
    "two columns of one name": Input(f"select *, name as NAME from ({GOOD})"),
    "nulls without a type": Input("select 1 as account_id, null as name"),
    "a map in the key": Input("select map(1, 2) as account_id, 'a' as name"),
    "a variant within the key": Input("select array(parse_json('1')) as account_id, 'a' as name"),
    "a key of text that folds letters": Input("select 'a' collate utf8_lcase as account_id, 'a' as name"),
    "text of a language within the key": Input(
        "select named_struct('a', 'b' collate unicode) as account_id, 'a' as name"
    ),
    "null keys": Input(f"{GOOD} union all select null, 'x'"),
    "duplicate keys": Input(f"{GOOD} union all select 3, 'x' union all select 4, 'x'"),
    "rows to set aside, with `--warn-error`": Input(
        f"{GOOD} union all select 3, 'x'", config={"duplicate_keys": "quarantine"}, args=("--warn-error",)
    ),
    "an empty dump": Input(f"{GOOD} where id < 0"),
    "a cut dump": Input(f"{GOOD} where id < 9", config={"expected_rows": 10}),
    "a number of rows that is not known": Input(config={"expected_rows": "select sum(id) from range(0)"}),
    "half a dump": Input(f"{GOOD} where id < 4"),
    "a column in another form": Input(
        GOOD.replace("cast(id as string)", "concat(if(id < 6, 'no ', ''), cast(id as string))"),
        config={"max_update_fraction": 0.5},
    ),
    "rows of another source": Input(GOOD.replace("range(10)", "range(14)"), config={"max_insert_fraction": 0.3}),
    "a dropped column": Input("select id as account_id from range(10)"),
    "an added column, if drift is to fail": Input(
        GOOD.replace("name", "name, 1 as points"), config={"on_schema_change": "fail"}
    ),
    "a changed type": Input("select id as account_id, 1 as name from range(10)"),
    "another key": Input(config={"unique_key": ["account_id", "name"]}),
    "another way of dating": Input("select 1L as account_id, 'a' as name, 1 as day", config={"snapshot_date": "day"}),
    "a full refresh, of the model by its name": Input(args=("--full-refresh",)),
    "a sample": Input(args=("--sample", "3 days")),
}

DATED = "select 1 as account_id, 'a' as name, {} as day"
TIMED = {"strategy": "timestamp", "updated_at": "touched"}
TOUCHED = "select 1 as account_id, 'a' as name, {} as touched"
FLAGGED = {"strategy": "timestamp_delete_flag", "updated_at": "touched", "delete_flag": "is_gone"}
FIRST_DUMPS = {
    "duplicate keys at once": Input("select 1 as account_id union all select 1"),
    "a row without a date": Input(DATED.format("cast(null as date)"), config={"snapshot_date": "day"}),
    "an invalid date": Input(DATED.format("'soon'"), config={"snapshot_date": "day"}),
    "a number for a date": Input(DATED.format("1"), config={"snapshot_date": "day"}),
    "text for a number": Input(DATED.format("'7'"), config={"snapshot_date": "day", "snapshot_order": "number"}),
    "no such timestamp column": Input(GOOD, config=TIMED),
    "a timestamp of text": Input(TOUCHED.format("'2026-01-31'"), config=TIMED),
    "a timestamp with fractions": Input(TOUCHED.format("1.5"), config=TIMED),
    "a span of a counter": Input(TOUCHED.format("1"), config=TIMED | {"overlap": "1 hour"}),
    "a number of a time": Input(TOUCHED.format("current_date()"), config=TIMED | {"overlap": 3}),
    "a row without a time": Input(TOUCHED.format("cast(null as timestamp)"), config=TIMED),
    "a row of the future": Input(
        TOUCHED.format("current_timestamp() + interval '25 hours'"), config=TIMED | {"future_timestamp": "fail"}
    ),
    "a counter of the future": Input(TOUCHED.format("1"), config=TIMED | {"future_timestamp": "fail"}),
    "no such flag": Input(TOUCHED.format("1"), config=FLAGGED),
    "a text column as delete flag": Input(TOUCHED.format("1") + ", 'no' as is_gone", config=FLAGGED),
    "a flag that is no condition": Input(TOUCHED.format("1"), config=FLAGGED | {"delete_flag": "touched + 1"}),
    "a flag of an unknown column": Input(TOUCHED.format("1"), config=FLAGGED | {"delete_flag": "not is_gonne"}),
    "a flag that is null": Input(TOUCHED.format("1"), config=FLAGGED | {"delete_flag": "touched > nullif(1, 1)"}),
    "no such row id": Input(TOUCHED.format("1"), config=TIMED | {"row_id": "oid"}),
    "numbers with errors as ranges": Input("select 1d as account_id", config={"strategy": "ranges"}),
    "lists as ranges": Input("select array(1) as account_id", config={"strategy": "range_checksum"}),
    "a column that a table needs which follows the log": Input("select 1 as account_id, 2 as _copies"),
    "an empty table at first": Input(f"{GOOD} where id < 0", config={"strategy": "range_checksum"}),
    "duplicate keys in a part": Input(f"{GOOD} union all select 3, 'x'", config={"strategy": "ranges"}),
    "null keys in a part": Input("select cast(null as int) as account_id", config={"strategy": "row_checksum"}),
    "a table of the model's name": Input(),
}


@pytest.fixture(scope="class")
def desk(shared_bench: Workbench) -> Workbench:
    """A workbench whose tests give each kind of input a model of its own, and run all of them at once."""
    shared_bench.configure(GOOD)
    return shared_bench


def named(kinds: Iterable[str]) -> dict[str, str]:
    """The model of each kind."""
    return {kind: f"m{number}" for number, kind in enumerate(kinds)}


def refusals(desk: Workbench, inputs: dict[str, Input], is_built: bool = False) -> dict[str, str]:
    """What dbt says of each kind of input, where there is no log or all have the same; nothing is changed."""
    names, refusals = named(inputs), {}
    for kind, given in inputs.items():
        desk.add_differential(names[kind], given.dump, **CONFIG | given.config)
    if is_built:
        desk.aim(names.values())
    before = desk.contents()
    for args in dict.fromkeys(given.args for given in inputs.values()):
        some = [kind for kind, given in inputs.items() if given.args == args]
        done = desk.run("--select", *(names[kind] for kind in some), *args)
        assert f"PASS=0 WARN=0 ERROR={len(some)} SKIP=0" in done.text, done.text
        refusals |= {kind: done.messages[names[kind]] for kind in some}
    assert desk.contents() == before
    return refusals


class TestDumps:
    @pytest.fixture(scope="class")
    def refusals(self, desk: Workbench) -> dict[str, str]:
        desk.build()
        return refusals(desk, DUMPS, is_built=True)

    @pytest.mark.parametrize("kind", DUMPS)
    def test_a_bad_dump_is_refused(self, refusals: dict[str, str], kind: str) -> None:
        assert messages("Dump")[kind] in refusals[kind]

    def test_all_kinds_are_tested(self) -> None:
        assert list(messages("Dump")) == list(DUMPS)
        assert list(messages("First dump")) == list(FIRST_DUMPS)


class TestFirstDumps:
    @pytest.fixture(scope="class")
    def refusals(self, desk: Workbench) -> dict[str, str]:
        table = named(FIRST_DUMPS)["a table of the model's name"]
        desk.spark.sql(f"create table {desk.schema}.{table} as select 42 as answer")
        return refusals(desk, FIRST_DUMPS)

    @pytest.mark.parametrize("kind", FIRST_DUMPS)
    def test_a_bad_first_dump_is_refused(self, refusals: dict[str, str], kind: str) -> None:
        assert messages("First dump")[kind] in refusals[kind]
