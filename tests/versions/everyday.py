"""A user's days with every strategy, by dbt alone: `python everyday.py FOLDER --target '{"type": "deltawave", ...}'`.

Runs in any environment that has dbt and an adapter, against any session or server that the target names, and imports
nothing of this project. The days: a first dump, changes and deleted rows, no change, a new column. Of each day dbt runs
every log and what follows some of them; after the last one, tests compare all with a diff in plain Python. One log has
duplicate keys.

Prints a line for each day, and at last the strategies as JSON; fails with what dbt said.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dbt.cli.main import dbtRunner

ROOT = Path(__file__).resolve().parents[2]

Row = Mapping[str, Any]
KEY = ["region", "id"]
TYPES = {"region": "string", "id": "bigint", "name": "string", "amount": "decimal(9,2)", "note": "string"}
TIMES = {"updated_at": "timestamp", "is_deleted": "boolean"}
# What a change says besides its values, and how the log shows it as texts.
CHANGE = {
    "_change_type": "`_change_type`",
    "changed": "array_join(array_sort(`_changed_columns`), ', ')",
    "name_before": "`_before`.`name`",
    "amount_before": "cast(`_before`.`amount` as string)",
}
# Types that not all engines compare, each with another value for another name.
TYPED = {
    "number": "cast(length(`name`) as double) / 3",
    "day": "date_add(date'2026-01-01', length(`name`))",
    "tags": "array(`name`, null)",
    "part": "named_struct('a', array(`amount`), 'b', `name`)",
}


def row(key: tuple[str, int], day: int, name: str, amount: str = "1.50", note: str | None = None) -> Row:
    return {
        **dict(zip(KEY, key, strict=True)), "name": name, "amount": amount, "note": note,
        "updated_at": f"2026-01-0{day} 10:00:00", "is_deleted": False,
    }  # fmt: skip


FIRST = [row((region, number), 1, f"{region} {number}") for region in ("north", "söuth") for number in range(6)]


def days() -> list[list[Row]]:
    """The source's rows after each day, with a time and a flag instead of deletes."""
    by_key = {(each["region"], each["id"]): each for each in FIRST}
    found = [list(by_key.values())]
    by_key["north", 1] = row(("north", 1), 2, 'O\'Hara \\ "quoted"', "-2.25")
    by_key["north", 7] = row(("north", 7), 2, "new", "0.00")
    for key in [("north", 3), ("söuth", 0)]:
        by_key[key] = {**by_key[key], "updated_at": "2026-01-02 10:00:00", "is_deleted": True}
    found += [list(by_key.values()), list(by_key.values())]
    by_key["north", 2] = row(("north", 2), 4, "north 2", "1.50", "noted")
    found.append(list(by_key.values()))
    return found


# The day from which the new column is there.
NOTED = 4


@dataclass(frozen=True)
class Log:
    """A model, and which changes it can find."""

    options: dict[str, Any]
    columns: Sequence[str] = ()
    sees_deletes: bool = True
    has_duplicates: bool = False
    takes_columns: bool = False
    types: Sequence[str] = ()

    @property
    def strategy(self) -> str:
        return str(self.options["strategy"])


LOGS = {
    "logged_by_default": Log({"strategy": "auto"}, takes_columns=True, types=["number", "day"]),
    "joined": Log({"strategy": "outer_join"}, takes_columns=True),
    "bags": Log({"strategy": "outer_join", "duplicate_keys": "multiset"}, has_duplicates=True),
    "united": Log({"strategy": "union"}, takes_columns=True, types=list(TYPED)),
    "merged": Log({"strategy": "sort_merge"}, takes_columns=True),
    "ranged": Log({"strategy": "ranges", "range_rows": 5}),
    "summed": Log({"strategy": "range_checksum", "range_rows": 5}),
    "by_checksum": Log({"strategy": "row_checksum"}, takes_columns=True, types=list(TYPED)),
    "timed": Log(
        {"strategy": "timestamp", "updated_at": "updated_at", "ignore_columns": ["is_deleted"]},
        ["updated_at"],
        sees_deletes=False,
    ),
    "flagged": Log(
        {"strategy": "timestamp_delete_flag", "updated_at": "updated_at", "delete_flag": "is_deleted"},
        ["updated_at", "is_deleted"],
    ),
    "hashed": Log({"strategy": "hash_compressed"}, takes_columns=True),
    "viewed": Log({"strategy": "view", "root": "joined", "relations": {"joined": dict(zip(KEY, KEY, strict=True))}}),
}
# Logs that current_state and scd2 follow; the macro current_state gives the rows of the log of bags.
FOLLOWED = ("logged_by_default", "joined", "flagged", "timed")
WITH_STATE, WITH_HISTORY = (*FOLLOWED, "bags"), FOLLOWED[:3]


def literal(value: Any, kind: str) -> str:
    if value is None:
        return f"cast(null as {kind})"
    text = str(value).replace("\\", "\\\\").replace("'", "\\'")
    return f"cast('{text}' as {kind})"


def values(rows: Sequence[Row], types: Mapping[str, str]) -> str:
    """A select of these rows; without rows, of none."""
    selects = [
        f"select {', '.join(f'{literal(each[name], kind)} as `{name}`' for name, kind in types.items())}"
        for each in rows or [dict.fromkeys(types)]
    ]
    return "\nunion all\n".join(selects) + ("" if rows else " limit 0")


def unlike(
    model: str,
    types: Mapping[str, str],
    rows: Sequence[Row],
    where: str = "true",
    shown: Mapping[str, str] | None = None,
) -> str:
    """A select of how often the rows of a model that fulfil a condition are others than these; ``shown``: columns."""
    names = ", ".join(f"`{name}`" for name in types)
    columns = ", ".join(f"{(shown or {}).get(name, f'`{name}`')} as `{name}`" for name in types)
    return f"""
    select '{model}' as model, to_json(struct({names})) as unlike, sum(weight) as copies
    from (
        select {columns}, 1 as weight from {{{{ ref('{model}') }}}} where {where}
        union all
        select {names}, -1 as weight from ({values(rows, types)}) as wanted
    ) as rows_of_both
    group by {names} having sum(weight) <> 0
    """


@dataclass
class Expected:
    """What a log has to say, added up day by day."""

    changes: list[Row] = field(default_factory=list)
    state: Counter[tuple[Any, ...]] = field(default_factory=Counter)
    names: Sequence[str] = ()

    def take(self, rows: Sequence[Row], log: Log, day: int) -> None:
        """Compare a dump with the one before."""
        names = [*KEY, "name", "amount", *(["note"] if day >= NOTED and log.takes_columns else [])]
        shown = [each for each in rows if not (each["is_deleted"] and log.sees_deletes)]
        new = Counter(tuple(each[name] for name in names) for each in shown)
        if log.has_duplicates:
            new += Counter({each: 1 for each in new if each[1] == 4})
        old = self.state if len(names) == len(self.names) or not self.names else Counter(
            {(*each, None): count for each, count in self.state.items()}
        )  # fmt: skip
        gone, come = old - new, new - old
        previous = {each[:2]: each for each in gone}
        for found, kind in ((come, "insert"), (gone, "delete")):
            for each in found.elements():
                before = previous.get(each[:2]) if kind == "insert" else None
                if kind == "delete" and each[:2] in {other[:2] for other in come}:
                    continue
                change = dict.fromkeys(CHANGE) | {"_change_type": "update" if before else kind}
                if before:
                    # A row that only fills a new column has no changed columns.
                    pairs = zip(self.names, before, each, strict=False)
                    changed = [name for name, old, now in pairs if old != now]
                    changed += log.types if "name" in changed else []
                    change["changed"] = ", ".join(sorted(changed))
                    change |= {"name_before": before[2], "amount_before": before[3]}
                self.changes.append({**dict.fromkeys(TYPES), **dict(zip(names, each, strict=True)), **change})
        self.state, self.names = new, names

    @property
    def rows(self) -> list[Row]:
        return [dict(zip(self.names, each, strict=True)) for each in self.state.elements()]


@dataclass(frozen=True)
class Project:
    """A dbt project in a folder, for one target."""

    folder: Path
    table_format: str

    def write(self, path: str, text: str) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def begin(self, target: Mapping[str, Any]) -> None:
        """Everything that stays the same."""
        self.write("profiles.yml", json.dumps({"days": {"target": "cell", "outputs": {"cell": target}}}))
        self.write("packages.yml", json.dumps({"packages": [{"local": str(ROOT)}]}))
        models = {"+file_format": self.table_format, "+materialized": "table"}
        project = {"name": "days", "version": "1.0.0", "profile": "days", "models": {"days": models}}
        self.write("dbt_project.yml", json.dumps(project | {"flags": {"send_anonymous_usage_stats": False}}))
        for name, log in LOGS.items():
            self.write(f"models/{name}.sql", self._log(name, log))
            if name in WITH_STATE:
                self.write(f"models/{name}_now.sql", self._follower(name, "current_state"))
            if name in WITH_HISTORY:
                self.write(f"models/{name}_history.sql", self._follower(name, "scd2"))

    def _log(self, name: str, log: Log) -> str:
        options = {"max_delete_fraction": 1, **log.options}
        given = {"materialized": "differential", "unique_key": KEY, "meta": options}
        if log.takes_columns:
            given["on_schema_change"] = "append_new_columns"
        return f"{{{{ config(**fromjson({json.dumps(json.dumps(given))})) }}}}\n{self._select(name, log)}"

    def _select(self, name: str, log: Log) -> str:
        if log.strategy == "view":
            return f"select * from ({{{{ deltawave.current_state(ref('joined'), {KEY}) }}}}) as state"
        if log.has_duplicates:
            return "select * from {{ ref('doubled') }}"
        if not log.columns:
            typed = "".join(f", {TYPED[each]} as `{each}`" for each in log.types)
            return f"select *{typed} from {{{{ ref('dump') }}}}"
        return "select * from {{ ref('source_rows') }}"

    def _follower(self, name: str, kind: str) -> str:
        if LOGS[name].has_duplicates:
            return f"{{{{ deltawave.current_state(ref('{name}'), {KEY}, duplicate_keys='multiset') }}}}"
        return f"{{{{ config(materialized='{kind}', unique_key={KEY}) }}}}\nselect * from {{{{ ref('{name}') }}}}"

    def day(self, number: int, rows: Sequence[Row], expected: Mapping[str, Expected]) -> None:
        """The dump of a day, and what the logs have to say after it."""
        types = {name: kind for name, kind in TYPES.items() if name != "note" or number >= NOTED}
        there = [each for each in rows if not each["is_deleted"]]
        self.write("models/source_rows.sql", values(rows, TIMES | types))
        self.write("models/dump.sql", values(there, types))
        self.write("models/doubled.sql", values([each for each in there for _ in range(1 + (each["id"] == 4))], types))
        for name, expects in expected.items():
            own = {column: kind for column, kind in TYPES.items() if column in expects.names}
            found = [unlike(name, dict.fromkeys(CHANGE, "string") | own, expects.changes, shown=CHANGE)]
            if name in WITH_STATE:
                found.append(unlike(f"{name}_now", own, expects.rows))
            if name in WITH_HISTORY:
                found.append(unlike(f"{name}_history", own, expects.rows, "dbt_valid_to is null"))
            self.write(f"tests/{name}_as_expected.sql", "\nunion all\n".join(found))

    def seed(self) -> None:
        """A seed, with the types that dbt finds."""
        rows = [(1, "ann", "1.5", "2026-01-31", "true"), (2, "söuth", "", "2026-02-01", "false")]
        names = {"id": "bigint", "name": "string", "rate": "double", "day": "date", "is_open": "boolean"}
        self.write("seeds/regions.csv", "\n".join([",".join(names), *(",".join(map(str, each)) for each in rows)]))
        wanted = [dict(zip(names, (value or None for value in each), strict=True)) for each in rows]
        self.write("tests/seed_as_expected.sql", unlike("regions", names, wanted))

    def dbt(self, *command: str) -> None:
        """Run a command. Raises ``SystemExit`` with what failed."""
        folders = ["--project-dir", str(self.folder), "--profiles-dir", str(self.folder)]
        quietly = ["--quiet", "--no-use-colors"]
        done = dbtRunner().invoke([*quietly, *command, *folders])
        if done.exception is not None:
            sys.exit(f"dbt {' '.join(command)}: {done.exception}")
        # Operations have results without a node.
        results = [each for each in getattr(done.result, "results", []) if hasattr(each, "node")]
        failed = [
            f"{each.node.name}: {each.message}" for each in results if str(each.status) in ("error", "fail", "skipped")
        ]
        if failed or not done.success:
            sys.exit("\n".join([f"dbt {' '.join(command)} failed", *failed]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the project is written; it has to be empty")
    parser.add_argument("--format", default="parquet", choices=["parquet", "delta", "iceberg"])
    parser.add_argument("--target", type=json.loads, required=True, help="an output of profiles.yml, as JSON")
    given = parser.parse_args()
    project = Project(given.folder, given.format)
    project.begin(given.target)
    project.seed()
    expected = {name: Expected() for name in LOGS}
    project.dbt("deps")
    for number, rows in enumerate(days(), 1):
        for name, log in LOGS.items():
            expected[name].take(rows, log, number)
        project.day(number, rows, expected)
        project.dbt("run")
        print(f"day {number}: {len(LOGS)} logs", flush=True)
    project.dbt("seed")
    project.dbt("test")
    project.dbt("run-operation", "deltawave.report", "--args", "{model: joined}")
    if given.target["type"] == "deltawave":
        project.dbt(
            "run-operation",
            "deltawave.compare",
            "--args",
            f"{{a: joined_now, b: timed_now, unique_key: [{', '.join(KEY)}]}}",
        )
    project.dbt("docs", "generate")
    print(json.dumps(sorted({log.strategy for log in LOGS.values()})))


if __name__ == "__main__":
    main()
