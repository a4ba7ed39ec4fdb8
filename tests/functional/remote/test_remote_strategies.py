"""Strategies at databases that order text, and find it equal, otherwise than Spark does."""

import datetime as dt
import itertools
import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from dbt.tests.util import run_dbt
from mariadb import MariaDBServer
from postgres import PostgresServer
from pyspark.sql import SparkSession

Key = tuple[str | None, str]
Rows = dict[Key, str]

REGIONS = ["a", "A", "", None]
CODES = ["", " ", "-", "_", "-a", "_a", "A", "B", "Z", "a", "a ", "b", "z", "a-b", "a_b", "aB", "Ä", "ä", "é", "😀"]
NEW_CODES = ["  ", "-A", "Ab", "_b", "a  ", "ab", "b ", "ß", "zz", "É"]
BEGIN = dt.datetime(2026, 1, 31, 12)

BEFORE: Rows = {key: f"name {number}" for number, key in enumerate(itertools.product(REGIONS, CODES))}
AFTER: Rows = {
    **{key: name + " new" * (number % 5 == 1) for number, (key, name) in enumerate(BEFORE.items()) if number % 5},
    **dict.fromkeys(itertools.product(REGIONS, NEW_CODES), "born"),
}

CONFIG = {
    "materialized": "differential",
    "unique_key": ["region", "code"],
    "ignore_columns": ["changed_at"],
    "remote": "legacy",
}
BY_TIME: dict[str, Any] = {"updated_at": "changed_at"}
# Those that ask the database for a part: by order, by equality or by checksums.
STRATEGIES: dict[str, dict[str, Any]] = {
    "timestamp": BY_TIME,
    "timestamp_delete_flag": {**BY_TIME, "delete_flag": "gone"},
    "row_checksum": {},
    # A statement for each range.
    "ranges": {"range_rows": 16},
    "range_checksum": {"range_rows": 4},
}


def model(strategy: str) -> str:
    config = json.dumps(CONFIG | {"strategy": strategy} | STRATEGIES[strategy])
    if strategy == "timestamp_delete_flag":
        select = "select region, code, name, changed_at, gone from {{ source('legacy', 'accounts') }}"
    else:
        select = "select region, code, name, changed_at from {{ source('legacy', 'accounts') }} where not gone"
    return f"{{{{ config(**fromjson({config!r})) }}}}\n{select}"


def changes(before: Rows, after: Rows) -> list[tuple[Any, ...]]:
    """The changes between two states, by plain comparison: (region, code, name, type, name before)."""
    found: list[tuple[Any, ...]] = []
    for key in before.keys() | after.keys():
        if key not in after:
            found.append((*key, before[key], "delete", None))
        elif key not in before:
            found.append((*key, after[key], "insert", None))
        elif before[key] != after[key]:
            found.append((*key, after[key], "update", before[key]))
    return sorted(found, key=repr)


def quoted(text: str | None) -> str:
    return "null" if text is None else f"'{text}'"


class Strategies:
    """Both servers go through the same; a row that is gone stays at the source, flagged."""

    # The type of times, how an instant is written, and what a run asks of the times.
    TIME: str
    INSTANT: str
    MARK: str
    # The states of the source, and the strategies of the models.
    STATES: tuple[Rows, ...] = (BEFORE, AFTER, BEFORE)
    CHOSEN: tuple[str, ...] = tuple(STRATEGIES)

    @pytest.fixture(scope="class")
    def remotes(self, server: PostgresServer | MariaDBServer) -> dict[str, dict[str, str]]:
        return {"legacy": server.remote}

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        sources = {
            "version": 2,
            "sources": [{"name": "legacy", "schema": "strategies", "tables": [{"name": "accounts"}]}],
        }
        return {"sources.yml": json.dumps(sources)} | {f"by_{name}.sql": model(name) for name in self.CHOSEN}

    @pytest.fixture(scope="class")
    def write(self, server: PostgresServer | MariaDBServer) -> Iterator[Callable[..., None]]:
        """``write(hour, rows, gone, touched)`` makes the source anew; in that hour ``touched`` changed."""
        server.sql(f"""
            create schema strategies;
            create table strategies.accounts (
                region varchar(9), code varchar(9), name varchar(20), changed_at {self.TIME}, gone boolean
            );
        """)
        hours: dict[Key, int] = {}

        def write(hour: int, rows: Rows, gone: Rows, touched: set[Key]) -> None:
            hours.update(dict.fromkeys(touched, hour))
            lines = []
            for key, name in (gone | rows).items():
                at = BEGIN + dt.timedelta(hours=hours[key])
                cells = [*map(quoted, (*key, name)), self.INSTANT.format(at), str(key not in rows).lower()]
                lines.append(f"({', '.join(cells)})")
            values = ",\n".join(lines)
            server.sql(f"delete from strategies.accounts; insert into strategies.accounts values {values};")

        yield write
        server.sql("drop table strategies.accounts; drop schema strategies;")

    def test_changes_are_those_of_a_plain_comparison(
        self,
        project: Any,
        logs_dir: str,
        spark: SparkSession,
        write: Callable[..., None],
        setting: Callable[[str, str], Any],
    ) -> None:
        previous: Rows = {}
        for number, rows in enumerate(self.STATES):
            write(3 * number, rows, previous, {change[:2] for change in changes(previous, rows)})
            # A mark that is reported to the source by a clock of Spark's own zone would lie hours ahead.
            with setting("spark.sql.session.timeZone", "Asia/Tokyo") if number == 1 else nullcontext():
                run_dbt(["run"])
            previous = rows
        for strategy in self.CHOSEN:
            log = spark.table(f"{project.test_schema}.by_{strategy}")
            found = log.selectExpr("region", "code", "name", "_change_type", "_before.name", "_batch_id").collect()
            state: Rows = {}
            for batch, rows in enumerate(self.STATES, 1):
                # By timestamps alone, deletes are not seen.
                following = state | rows if strategy == "timestamp" else rows
                changed = sorted((tuple(row)[:5] for row in found if row[5] == batch), key=repr)
                assert changed == changes(state, following), strategy
                state = following
        # What is older than the mark stays at the source.
        assert self.MARK in Path(logs_dir, "dbt.log").read_text()


@pytest.mark.usefixtures("deltawave_package")
class TestPostgres(Strategies):
    TIME = "timestamptz"
    INSTANT = "timestamptz '{}+00'"
    MARK = """where ("changed_at" >= timestamptz '2026-01-31 12:00:00"""

    @pytest.fixture(scope="class")
    def server(self, postgres: PostgresServer) -> PostgresServer:
        return postgres

    def test_the_server_does_not_order_as_spark_does(self, server: PostgresServer) -> None:
        assert server.sql("select 'a' < 'B', '_' < 'A', 'a-b' < 'aB', 'ä' < 'z'") == [["t"] * 4]


@pytest.mark.core
class TestPostgresOnce(TestPostgres):
    """Two strategies, and one batch with each kind of change."""

    STATES = (BEFORE, AFTER)
    CHOSEN = ("timestamp_delete_flag", "range_checksum")


@pytest.mark.usefixtures("deltawave_package")
class TestMariaDB(Strategies):
    TIME = "timestamp(6) null"
    INSTANT = "timestamp '{}' + interval 345 minute"
    MARK = "where ((`changed_at` >= from_unixtime(greatest(1769860800.000000 - 86400, 0)) and"

    @pytest.fixture(scope="class")
    def server(self, mariadb: MariaDBServer) -> MariaDBServer:
        return mariadb

    def test_the_server_finds_equal_what_spark_does_not(self, server: MariaDBServer) -> None:
        assert server.sql("select 'a' = 'A', 'a ' = 'a', 'ä' = 'A', 'é' = 'E'") == [["1"] * 4]
