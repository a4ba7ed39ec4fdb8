"""A project of change logs over small tables, and a view that joins them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from functional.macros.generated import content
from model_options import placed
from unit.macro_harness import Macros, Relation
from workbench import SEVERAL, Run, Workbench

Rows = Sequence[tuple[Any, ...]]


def config(**options: Any) -> str:
    """The head of a differential model, written as users do: dbt's parser reads literals without rendering them."""
    given = placed({"materialized": "differential", **options})
    return f"{{{{ config({', '.join(f'{name}={value!r}' for name, value in given.items())}) }}}}\n"


def log_model(table: str, key: Sequence[str], **options: Any) -> str:
    """A change log of a table in the schema of the project; in a test any share of it may go."""
    generous = {"unique_key": list(key), "max_delete_fraction": 1, "allow_empty": True}
    return config(**generous | options) + f"select * from {{{{ target.schema }}}}.{table}"


def state_of(log: str, key: Sequence[str]) -> str:
    """What a log leaves, as a view reads it."""
    return f"({{{{ deltawave.current_state(ref('{log}'), {list(key)}) }}}})"


class Project:
    """Tables that a test fills, logs of them, and a view."""

    def __init__(self, bench: Workbench, tables: Mapping[str, str], view: str) -> None:
        self.bench = bench
        self.spark = bench.spark
        self.schema = bench.schema
        self.tables = tables
        self.view = view
        self.filled: dict[str, Rows] = {}
        (bench.root / "models" / "accounts.sql").unlink(missing_ok=True)

    def write(self, name: str, text: str) -> None:
        """A model's file."""
        (self.bench.root / "models" / f"{name}.sql").write_text(text)

    def fill(self, **tables: Rows) -> None:
        """New rows of some tables."""
        self.filled.update(tables)
        for name, rows in tables.items():
            frame = self.spark.createDataFrame(list(rows), self.tables[name]).coalesce(1)
            frame.write.mode("overwrite").saveAsTable(f"{self.schema}.{name}")

    def begin(self, **tables: Rows) -> None:
        """Have these rows in the tables, and all models built of them."""
        other = {name: rows for name, rows in tables.items() if self.filled.get(name) != rows}
        if other:
            self.build(**other)

    def build(self, *args: str, **tables: Rows) -> Run:
        """Fill tables and run; fails where dbt does."""
        self.fill(**tables)
        done = self.bench.run(*SEVERAL, *args)
        assert done.ok, done.text
        return done

    def refused(self) -> str:
        """A run of the view alone, which fails; what it says."""
        done = self.bench.run("--select", self.view)
        assert not done.ok, done.text
        return done.text

    def renew(self, *models: str, **tables: Rows) -> Run:
        """Fill tables and run their logs, some other models and the view."""
        names = [self.view, *models, *(f"{name}_changes" for name in tables)]
        return self.build("--select", *names, **tables)

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        """A query's rows, in an order."""
        return sorted((tuple(row) for row in self.spark.sql(sql.format(schema=self.schema)).collect()), key=repr)

    def last_batch(self) -> int:
        """The number of the view's last batch."""
        return int(self.query(f"select max(batch_id) from {{schema}}.{self.view}__batches")[0][0])

    def batch(self, columns: str) -> tuple[Any, ...]:
        """The view's last row of x__batches."""
        table = f"{{schema}}.{self.view}__batches"
        return self.query(f"select {columns} from {table} where batch_id = {self.last_batch()}")[0]

    def changes(self, columns: str) -> list[tuple[Any, ...]]:
        """The view's changes in its last batch."""
        return self.query(f"select {columns} from {{schema}}.{self.view} where _batch_id = {self.last_batch()}")

    def replayed(self, key: Sequence[str], columns: Sequence[str], model: str | None = None) -> Counter[Any]:
        """The rows that the view's log leaves."""
        macros = Macros(run_query=lambda sql: [tuple(row) for row in self.spark.sql(sql).collect()])
        state = macros.current_state(Relation(f"{self.schema}.{model or self.view}"), list(key))
        return self.rows(f"select {', '.join(columns)} from ({state})")

    def rows(self, sql: str) -> Counter[Any]:
        """A query's rows, by content."""
        return Counter(content(tuple(row)) for row in self.spark.sql(sql).collect())
