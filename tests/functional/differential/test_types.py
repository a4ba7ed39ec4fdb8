"""Every type that a format keeps, names of every kind, and sessions in any time zone."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

import pytest
from bad_input import messages
from functional.macros.generated import content
from unit.macro_harness import Macros, Relation
from workbench import DUMP, MODEL, SEVERAL, Workbench

pytestmark = pytest.mark.formats

CURRENT = "{{ deltawave.current_state(ref('accounts'), %r) }}"


class Values(NamedTuple):
    """What a column holds first, the same written in another way, and another value."""

    first: str
    same: str
    other: str


COLUMNS = {
    "flag": Values("true", "1 = 1", "false"),
    "tiny": Values("-128Y", "-128Y", "127Y"),
    "big": Values("9223372036854775807L", "9223372036854775807L", "-1L"),
    "amount": Values("1.10BD", "cast(1.1 as decimal(3, 2))", "1.11BD"),
    "huge": Values("cast('1e27' as decimal(38, 10))", "cast('1e27' as decimal(38, 10))", "cast(1 as decimal(38, 10))"),
    "single": Values("float('NaN')", "float('NaN')", "cast(null as float)"),
    "zero": Values("-0.0D", "0.0D", "4.9E-324D"),
    "text": Values("''", "concat('', '')", "' '"),
    "folded": Values("'a' collate utf8_lcase", "'a' collate utf8_lcase", "'A' collate utf8_lcase"),
    "raw": Values("X''", "cast('' as binary)", "X'00'"),
    "day": Values("date'0001-01-01'", "date'0001-01-01'", "date'9999-12-31'"),
    "moment": Values(
        "timestamp'2024-10-27 01:30:00Z'", "timestamp'2024-10-27 03:30:00+02:00'", "timestamp'2024-10-27 00:30:00Z'"
    ),
    "wall": Values(
        "timestamp_ntz'2024-03-31 02:30:00'",
        "timestamp_ntz'2024-03-31 02:30:00.000000'",
        "timestamp_ntz'2024-03-31 03:30:00'",
    ),
    "span": Values("interval '1 12' day to hour", "interval '1 12' day to hour", "interval '1 11' day to hour"),
    "tags": Values("array(-0.0D, null)", "array(0.0D, null)", "array(null, 0.0D)"),
    "attributes": Values("map('a', 1, 'b', null)", "map('b', null, 'a', 1)", "map('a', 1)"),
    "deep": Values(
        "named_struct('n', 1, 'm', map(date'2024-01-01', array(double('NaN')), date'2024-01-02', null))",
        "named_struct('n', 1, 'm', map(date'2024-01-02', null, date'2024-01-01', array(double('NaN'))))",
        "named_struct('n', 1, 'm', map(date'2024-01-02', null, date'2024-01-01', array(0.0D)))",
    ),
    "document": Values(
        """parse_json('{"a": 1, "b": [null, 2.50]}')""",
        """parse_json('{"b": [null, 2.5], "a": 1}')""",
        """parse_json('{"a": "1", "b": [null, 2.5]}')""",
    ),
    "documents": Values(
        "map('a', array(parse_json('[1]')), 'b', null)",
        "map('b', null, 'a', array(parse_json('[1]')))",
        "map('b', null, 'a', array(parse_json('[1, null]')))",
    ),
}
# What the log's format has no type for.
NOT_KEPT = {"parquet": [], "delta": ["span", "folded"], "iceberg": ["span", "tiny", "folded", "document", "documents"]}
UNCHANGED, EMPTIED, FILLED = 1001, 1002, 1003


def row(key: int, values: dict[str, str]) -> str:
    return f"({', '.join([str(key), *values.values()])})"


def table(rows: list[str], names: Iterable[str]) -> str:
    return f"select * from values {', '.join(rows)} as t({', '.join(['account_id', *names])})"


def dumps(columns: dict[str, Values]) -> tuple[str, str]:
    """In the second dump row n differs in column n alone; one row is equal, one loses and one gains all values."""
    first = {name: values.first for name, values in columns.items()}
    same = {name: values.same for name, values in columns.items()}
    nothing = dict.fromkeys(columns, "null")
    numbered = list(enumerate(columns))
    old = [row(number, first) for number, _ in numbered]
    new = [row(number, same | {name: columns[name].other}) for number, name in numbered]
    old += [row(UNCHANGED, first), row(EMPTIED, first), row(FILLED, nothing)]
    new += [row(UNCHANGED, same), row(EMPTIED, nothing), row(FILLED, first)]
    return table(old, columns), table(new, columns)


def rows(bench: Workbench, name: str) -> Counter[Any]:
    return Counter(content(tuple(found)) for found in bench.spark.table(f"{bench.schema}.{name}").collect())


STRATEGIES = (
    "outer_join",
    "row_checksum",
    "range_checksum",
    "hash_compressed",
)
# On Delta and Iceberg, whose logs are compared with Parquet files, too: by SQL, and by hashes with the log.
SOME_STRATEGIES = ("outer_join", "hash_compressed", "sort_merge")


class TestTypes:
    def test_every_type_is_compared_by_its_content(self, bench: Workbench) -> None:
        """A model by each strategy, and its current rows; of one of them in a view."""
        kept = {name: values for name, values in COLUMNS.items() if name not in NOT_KEPT[bench.file_format]}
        strategies = STRATEGIES if bench.file_format == "parquet" else SOME_STRATEGIES
        select = DUMP.replace("*", ", ".join(["account_id", *kept]))
        for strategy in strategies:
            bench.add_differential(strategy, select, strategy=strategy)
        state = CURRENT.replace("accounts", STRATEGIES[0]) % ["account_id"]
        bench.add_model("now", f"{{{{ config(materialized='view') }}}} {state}")
        macros = Macros(run_query=lambda sql: [tuple(row) for row in bench.spark.sql(sql).collect()])

        def current(strategy: str) -> Counter[Any]:
            state = macros.current_state(Relation(f"{bench.schema}.{strategy}"), ["account_id"])
            return Counter(content(tuple(found)) for found in bench.spark.sql(state).collect())

        def delivered(strategy: str) -> Counter[Any]:
            dump = bench.spark.table(f"{bench.schema}.dump").select("account_id", *kept)
            return Counter(content(tuple(found)) for found in dump.collect())

        def built(dump: str) -> None:
            bench.build(dump, "--exclude", MODEL, *SEVERAL)
            assert rows(bench, "now") == delivered(STRATEGIES[0])
            for strategy in strategies:
                assert current(strategy) == delivered(strategy), strategy

        old, new = dumps(kept)
        built(old)
        before = {found.account_id: found.asDict() for found in bench.spark.table(f"{bench.schema}.dump").collect()}
        built(new)
        for strategy in strategies:
            log = bench.spark.table(f"{bench.schema}.{strategy}").where("_batch_id = 2")
            found = log.orderBy("account_id").collect()
            assert [(update.account_id, update._changed_columns) for update in found] == [
                *((number, [name]) for number, name in enumerate(kept)),
                (EMPTIED, list(kept)),
                (FILLED, list(kept)),
            ], strategy
            assert {update._change_type for update in found} == {"update"}
            for update in found:
                was = tuple(before[update.account_id][name] for name in kept)
                assert content(tuple(update._before)) == content(was), strategy


NAMES = {
    "two\nlines": "10",
    "Mixed Case": "'a'",
    "select": "1.5D",
    "a`b": "true",
    "a.b": "date'2024-01-01'",
    "Größe, кг": "array(1)",
    "50%; {x: 'y'}": "map('a', 1)",
    'back\\slash "q"': "named_struct('a.b', map(1, 2), 'c`d, e', 1, 'Order By', 'x', 'long:int', 2)",
}
OTHERS = ["10", "'a'", "2.5D", "false", "date'2024-01-02'", "array(2)", "map('a', 2)"]
NESTED = "named_struct('a.b', map(1, 3), 'c`d, e', 1, 'Order By', 'x', 'long:int', 2)"
# Iceberg's catalog reads types of structs back that have none of these.
HARD = re.compile("[`,:<>]")


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def named(values: Iterable[str]) -> str:
    return "select " + ", ".join(f"{value} as {quoted(name)}" for name, value in zip(NAMES, values, strict=True))


def plainly_named(values: Iterable[str]) -> str:
    chosen = [(name, value) for name, value in zip(NAMES, values, strict=True) if not HARD.search(name + value)]
    return "select " + ", ".join(f"{value} as {quoted(name)}" for name, value in chosen)


class TestNames:
    KEYS = ["two\nlines", "MIXED case"]

    models = {"current.sql": CURRENT % KEYS}

    def test_names_of_every_kind(self, bench: Workbench) -> None:
        """Of columns, and of what is nested in one."""
        bench.configure(unique_key=self.KEYS)
        write, nested = named, NESTED.replace("3", "{}")
        if bench.file_format == "iceberg":
            write, nested = plainly_named, "named_struct('aB', {}, 'Order By', 'x')"
        for values, number in ((NAMES.values(), 2), ([*OTHERS, NESTED], 3)):
            bench.build(f"{write(values)}, {nested.format(number)} as `In Out`")
        names = bench.spark.table(f"{bench.schema}.dump").columns
        log = bench.spark.table(f"{bench.schema}.accounts")
        [update] = log.where("_batch_id = 2").collect()
        assert log.columns[: len(names)] == names
        assert update._changed_columns == names[2:]
        assert update._before.asDict().keys() == set(names[2:])
        assert bench.spark.table(f"{bench.schema}.current").columns == names
        assert rows(bench, "current") == rows(bench, "dump")
        [row] = bench.spark.table(f"{bench.schema}.dump").collect()
        assert row["In Out"].asDict().keys() == update["In Out"].asDict().keys()
        assert row["In Out"].asDict().keys() == update._before["In Out"].asDict().keys()


class TestRefusedNames:
    def test_iceberg_views_cannot_hold_every_name_or_variants(self, bench: Workbench) -> None:
        if bench.file_format != "iceberg":
            pytest.skip("other formats have the names and types of the tests above")
        assert messages("Iceberg")["a variant"] in bench.refused(
            "select 1 as account_id, parse_json('[1]') as document"
        )
        dump = "select 1 as account_id, 'a' as `size, kg`"
        assert messages("Iceberg")["a name with a comma"] in bench.refused(dump)
        bench.configure(before_image="none")
        bench.build(dump)
        assert bench.spark.table(f"{bench.schema}.accounts").columns[:2] == ["account_id", "size, kg"]


class TestTimeZone:
    """The session's zone decides how moments are written, never what they are."""

    ZONES = ["America/St_Johns", "Asia/Kathmandu", "UTC"]

    @pytest.fixture(scope="class")
    def dbt_profile_target(self, dbt_profile_target: dict[str, Any]) -> dict[str, Any]:
        zone = {"spark.sql.session.timeZone": "{{ env_var('SESSION_ZONE', 'UTC') }}"}
        return dbt_profile_target | {"server_side_parameters": dbt_profile_target["server_side_parameters"] | zone}

    def test_batches_are_dated_alike_and_nothing_is_updated(
        self, bench: Workbench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bench.configure(snapshot_date="dump_date")
        dated = "select 1 as account_id, date'2024-03-{:02}' as dump_date, {}"
        values = """
            timestamp'2024-10-27 01:30:00Z' as moment,
            timestamp_ntz'2024-03-10 02:30:00' as wall,
            array(timestamp'0001-01-01 00:00:00Z') as moments
        """
        if bench.file_format != "iceberg":
            values += ", cast(timestamp'2024-10-27 01:30:00Z' as variant) as document"
        dumps = [dated.format(day, values) for day in (9, 10, 11)]
        for number, zone in enumerate(self.ZONES, start=1):
            monkeypatch.setenv("SESSION_ZONE", zone)
            bench.build(" union all ".join(dumps[:number]))
            assert bench.spark.conf.get("spark.sql.session.timeZone") == zone
        assert bench.batches("inserts, deletes, updates") == [(1, 0, 0), (0, 0, 0), (0, 0, 0)]
        midnights = bench.batches("unix_seconds(batch_at)")
        assert midnights == [(1709942400 + 86400 * number,) for number in range(3)]
        assert bench.log("unix_seconds(_batch_at), account_id, _batch_id") == [(1709942400, 1, 1)]
