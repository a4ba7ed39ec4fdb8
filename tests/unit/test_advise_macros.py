"""`advise`: its choice for typical sources, and what it refuses."""

from collections.abc import Callable, Iterator
from itertools import count, product
from types import SimpleNamespace
from typing import Any

import pytest
from dbt_common.exceptions import CompilationError
from unit.macro_harness import ROOT, Macros, Node, Relation

BIG = {"rows": 50_000_000}
FLAGGED = {"has_timestamps": True, "flags_deletes": True}
# A source, the strategy, and words of the reason.
SOURCES: dict[str, tuple[dict[str, Any], str, str]] = {
    "nothing is known": ({}, "auto", "it reads and writes least, 218% of the table"),
    "small, with all one can wish for": ({**FLAGGED, "rows": 10_000}, "auto", "nothing can be missed"),
    "big": (BIG, "auto", "it reads and writes least, 218% of the table"),
    "big, without Python": ({**BIG, "python": False}, "auto", "it reads and writes least, 316% of the table"),
    "big, a few columns of which are compared": ({**BIG, "compared_fraction": 0.02}, "auto", "117% of the table"),
    "big, few changes close together": (
        {**BIG, "is_clustered": True, "change_fraction": 0.00001},
        "range_checksum",
        "it reads and writes least, 137% of the table",
    ),
    "big, inserted to and updated": (
        {**BIG, "has_timestamps": True, "has_deletes": False},
        "timestamp",
        "it reads and writes least, 101% of the table",
    ),
    "big, with timestamps, and deletes that leave nothing": (
        {**BIG, "has_timestamps": True},
        "auto",
        "218%",
    ),
    "big, with timestamps and flags": ({**BIG, **FLAGGED}, "timestamp_delete_flag", "2.1% of the table"),
    "big, with timestamps and flags, few columns of which are compared": (
        {**BIG, **FLAGGED, "compared_fraction": 0.3},
        "timestamp_delete_flag with a covering copy",
        "0.7% of the table",
    ),
    "big, and open to new columns": (
        {**BIG, "schema_can_change": True},
        "timestamp_delete_flag",
        "Before that, add a timestamp and a delete flag to the source",
    ),
    "big, with timestamps, and open to a flag": (
        {**BIG, "schema_can_change": True, "has_timestamps": True},
        "timestamp_delete_flag",
        "Before that, add a delete flag to the source",
    ),
    "busy": ({"can_be_locked": False}, "ranges", "it is the only one that can be used."),
    "busy, changes close together": (
        {"can_be_locked": False, "is_clustered": True},
        "range_checksum",
        "it reads and writes least, 180% of the table",
    ),
    "busy, with timestamps and flags": ({"can_be_locked": False, **FLAGGED}, "timestamp_delete_flag", "2.1%"),
    "remote, changes close together": (
        {**BIG, "is_remote": True, "is_clustered": True},
        "range_checksum",
        "no other sends fewer rows (10,000,000 of 50,000,000).",
    ),
    "big, of which much changes": ({**BIG, "change_fraction": 0.3}, "auto", "it reads and writes least, 400%"),
    "remote, changes all over the table": (
        {**BIG, "is_remote": True},
        "auto",
        "no other sends fewer rows (50,000,000 of 50,000,000); of those it reads and writes least, 218% of the table.",
    ),
    "remote, changes all over the table, without Python": (
        {**BIG, "is_remote": True, "python": False},
        "auto",
        "no other sends fewer rows (50,000,000 of 50,000,000); of those it reads and writes least, 400% of the table.",
    ),
    "remote and small": (
        {"is_remote": True, "row_bytes": 99},
        "auto",
        "(1,000,000 of 1,000,000); a table of less than 100 MB is read quickly",
    ),
    "remote and small, with timestamps and flags": (
        {**FLAGGED, "is_remote": True},
        "timestamp_delete_flag",
        "no other sends fewer rows (10,000 of 1,000,000)",
    ),
    "a join": ({**BIG, **FLAGGED, "is_join": True, "relations": 4}, "view", "the logs of the joined relations show"),
}


PAGE = """
Strategies for 1,000,000 rows of 200 bytes, 8 of them key
100% of a row is compared, 1% of the rows change from run to run

  strategy                          usable  pages  why
  outer_join                        no       400%  reads the source whole, which may not be locked
  union                             no       700%  reads the source whole, which may not be locked
  sort_merge                        no       400%  reads the source whole, which may not be locked
  timestamp                         no       101%  reads the source whole, which may not be locked
  timestamp_delete_flag             no       2.1%  the source does not flag deletes, and can't be made to
  timestamp_delete_flag (covering)  no       2.1%  the source does not flag deletes, and can't be made to
  row_checksum                      no       316%  reads the source whole, which may not be locked
  hash_compressed                   no       218%  reads the source whole, which may not be locked
  ranges                            yes      400%  reads a few key ranges per run; sees a change when its turn comes
  range_checksum                    no       500%  changes fall into 100% of the key ranges: few can be left out
  view                              no          -  the model is no join of relations with change logs

  pages: those that a run reads and writes, its previous state and the log included, in per cent of the table's pages

Take ranges: it is the only one that can be used.

  {{ config(
      materialized='differential',
      unique_key=['<key>'],
      meta={
          'strategy': 'ranges',
          'ranges_per_run': 1,
      },
  ) }}
"""


def advise(nodes: dict[str, Any] | None = None, python: bool = True, **arguments: Any) -> str:
    macros = Macros(graph=SimpleNamespace(nodes=nodes or {}, sources={}))
    macros.adapter.runs_python = lambda: python
    macros.advise(**arguments)
    return "".join(macros.printed)


def line_of(text: str, strategy: str) -> list[str]:
    """The cells of a strategy's line, the reason as the last."""
    (line,) = (line for line in text.splitlines() if line.startswith(f"  {strategy}  "))
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


@pytest.mark.parametrize("source", SOURCES)
def test_a_typical_source_gets_its_strategy(source: str) -> None:
    arguments, strategy, reason = SOURCES[source]
    text = advise(**arguments)
    (advice,) = (line for line in text.splitlines() if line.startswith("Take "))
    assert advice.startswith(f"Take {strategy}: ")
    assert reason in advice
    assert f"          'strategy': '{strategy.split()[0]}',\n" in text
    if strategy != "auto":
        assert line_of(text, strategy.replace("with a covering copy", "(covering)"))[1] == "yes"
    # It is printed as a model takes it.
    config = eval(f"dict({text.partition('config(')[2].partition(') }}')[0]})")
    macros = Macros()
    macros.adapter.view_by_python = macros.adapter.check_library_function = lambda *_: None
    settings = macros._differential_settings("accounts", config)
    assert strategy == "auto" if settings["is_auto"] else settings["strategy"] == strategy.split()[0]


Source = dict[str, Any]


def is_spread_little(source: Source) -> bool:
    """Few: up to 1,000 rows, or one in 4,000. Close together: within a fifth of the table."""
    most_changes = min(source["rows"] / 4000, 1000)
    return bool(source["is_clustered"]) or round(source["rows"] * source["change_fraction"]) <= most_changes


# The chart's questions, in its order, and their answers.
QUESTIONS: dict[str, Callable[[Source], bool]] = {
    "a join of relations<br/>with change logs?": lambda source: source["is_join"],
    "may the source be read<br/>whole while it is used?": lambda source: source["can_be_locked"],
    "less than 100 MB,<br/>and not remote?": lambda source: (
        source["rows"] * source["row_bytes"] < 1e8 and not source["is_remote"]
    ),
    "does every change set a<br/>timestamp, are deletes flagged?": lambda source: (
        source["has_timestamps"] and source["flags_deletes"]
    ),
    "does every change set a<br/>timestamp, is nothing deleted?": lambda source: (
        source["has_timestamps"] and not source["has_deletes"]
    ),
    "are changes few,<br/>or close together?": is_spread_little,
}
FLAGS = ("has_timestamps", "flags_deletes", "has_deletes", "is_remote", "can_be_locked", "is_clustered", "is_join")


def decisions(python: bool) -> list[tuple[Source, str]]:
    """Sources of all kinds, each with the strategy that is best for it."""
    macros = Macros()
    macros.adapter.runs_python = lambda: python
    found = []
    for rows, row_bytes, change, *flags in product(
        [900_000, 100_000_000], [100, 900], [0.00001, 0.01], *[[False, True]] * len(FLAGS)
    ):
        source = macros._usual_table() | dict(zip(FLAGS, flags, strict=True))
        source |= {"rows": rows, "row_bytes": row_bytes, "change_fraction": change}
        best = macros._best_strategy(source, macros._weighed_strategies(source))
        found.append((source, best["named"] + ("<br/>with ranges_per_run" if best["ranges_per_run"] else "")))
    return found


def tree(cases: list[tuple[Source, str]], questions: tuple[str, ...] = tuple(QUESTIONS)) -> Any:
    """A decision as a strategy's name, or as (question, what follows from yes, what follows from no)."""
    names = {name for _, name in cases}
    if len(names) == 1:
        return names.pop()
    first, *others = questions
    yes = tree([case for case in cases if QUESTIONS[first](case[0])], tuple(others))
    no = tree([case for case in cases if not QUESTIONS[first](case[0])], tuple(others))
    return yes if yes == no else (first, yes, no)


def drawn(decision: Any, ids: Iterator[int], before: str = "") -> Iterator[str]:
    """Lines of a mermaid chart."""
    me = f"n{next(ids)}"
    if isinstance(decision, str):
        yield f"    {before}{me}[{decision}]"
        return
    question, yes, no = decision
    yield f"    {before}{me}{{{question}}}"
    yield from drawn(yes, ids, f"{me} -- yes --> ")
    yield from drawn(no, ids, f"{me} -- no --> ")


@pytest.mark.parametrize("python", [True, False])
def test_the_chart_is_drawn_from_the_decisions(python: bool) -> None:
    chart = "\n".join(drawn(tree(decisions(python)), count()))
    page = (ROOT / "docs" / "strategies" / "choosing.md").read_text()
    assert f"```mermaid\nflowchart TD\n{chart}\n```" in page, chart


@pytest.mark.parametrize("flags", [{}, FLAGGED, {"can_be_locked": False}, {"is_remote": True}])
def test_no_other_strategy_that_can_be_used_costs_less(flags: dict[str, bool]) -> None:
    """By the advice's own table: rows over a network, then pages; small tables are joined, wherever that is usable."""
    macros = Macros()
    macros.adapter.runs_python = lambda: True
    others = macros._usual_table()
    sizes = ("rows", "row_bytes", "change_fraction", "compared_fraction", "is_clustered")
    points = product(
        [1000, 3_000_000, 50_000_000, 10**9], [40, 1500], [1e-6, 1e-5, 0.001, 0.3], [0.05, 1], [False, True]
    )
    for point in points:
        table = others | flags | dict(zip(sizes, point, strict=True))
        weighed = [one for one in macros._weighed_strategies(table) if one["usable"]]
        chosen = macros._best_strategy(table, weighed)
        costs = (chosen["rows_sent"], chosen["pages"])
        least = min((one["rows_sent"], one["pages"]) for one in weighed)
        is_small = table["rows"] * table["row_bytes"] < 1e8
        assert costs == least or (is_small and chosen["named"] == "auto" and costs[0] == least[0]), point


@pytest.mark.parametrize(
    ("rows", "change", "is_clustered", "hit"),
    [
        (400_000, 1e-5, False, 1 - (1 - 1e-5) ** 1000),
        (4_000_000, 1e-5, False, 1 - (1 - 1e-5) ** 1000),
        (400_000_000, 1e-5, False, 1 - (1 - 1e-5) ** 100_000),
        (400_000_000, 0.3, True, 0.3),
        # One range holds all rows: any change is one of all.
        (1000, 0.3, True, 1),
    ],
)
def test_ranges_are_priced_as_a_run_cuts_them(rows: int, change: float, is_clustered: bool, hit: float) -> None:
    macros = Macros()
    given = {"rows": rows, "row_bytes": 200, "key_bytes": 8, "compared_fraction": 1, "relations": 2}
    given |= {"has_timestamps": False, "is_clustered": is_clustered, "change_fraction": change}
    assert macros._predicted_pages(given)["changed_ranges"] == pytest.approx(hit)
    job = {"settings": {"range_rows": None}, "strategy": macros._strategies()["range_checksum"]}
    assert macros._default_ranges(job["strategy"], rows) == rows / macros._range_rows(job, rows)


def test_the_page_is_one_that_a_terminal_shows() -> None:
    assert advise(has_timestamps=True, can_be_locked=False).strip("\n") == PAGE.strip("\n")


def test_options_of_time_stamps_are_part_of_the_configuration() -> None:
    text = advise(**BIG, **FLAGGED, compared_fraction=0.3)
    options = ["'updated_at': '<timestamp>'", "'delete_flag': '<flag>'"]
    read = "  select ... from <covering copy>"
    assert "".join(f"          {option},\n" for option in options) + f"      }},\n  ) }}}}\n{read}" in text


@pytest.mark.parametrize(
    ("strategy", "source", "ranges"),
    [
        ("ranges", {"rows": 10_000_001}, 5),
        ("range_checksum", {"is_clustered": True}, 100),
        ("range_checksum", {"is_clustered": True, "rows": 1_000_000_000}, 400),
        ("range_checksum", {"is_clustered": True, "rows": 10}, 1),
    ],
)
def test_a_source_that_may_not_be_locked_is_read_some_ranges_a_run(
    strategy: str, source: dict[str, Any], ranges: int
) -> None:
    text = advise(**source, can_be_locked=False)
    assert f"          'strategy': '{strategy}',\n          'ranges_per_run': {ranges},\n" in text
    assert line_of(text, strategy)[-1].endswith("; sees a change when its turn comes")
    assert "ranges_per_run" not in advise(**source)


def test_a_remote_source_is_named_in_the_configuration() -> None:
    assert "'strategy': 'range_checksum',\n          'remote': '<remote>',\n" in advise(
        is_remote=True, is_clustered=True
    )
    assert "'remote'" not in advise()
    # Known from the model itself.
    config = {"materialized": "differential", "unique_key": "id", "meta": {"remote": "legacy"}}
    node = {"resource_type": "model", "name": "accounts", "config": config}
    sizes = {"rows": 1_000_000, "row_bytes": 200, "key_bytes": 8}
    text = advise({"accounts": node}, model="accounts", is_clustered=True, **sizes)
    assert (
        "  unique_key=['id'],\n      meta={\n          'strategy': 'range_checksum',\n          'remote': 'legacy',\n"
        in text
    )
    # A view reads change logs.
    assert "'remote'" not in advise(is_remote=True, is_join=True)


def test_rows_that_are_sent_are_shown_of_a_remote_source_alone() -> None:
    assert "rows sent" not in advise()
    text = advise(is_remote=True, is_clustered=True)
    assert line_of(text, "outer_join")[3] == "1,000,000"
    assert line_of(text, "timestamp")[3] == "10,000"
    assert line_of(text, "range_checksum")[3] == "200,000"
    assert line_of(advise(is_remote=True, is_join=True), "view")[3] == "0"


def test_a_row_of_few_bytes_is_all_key() -> None:
    assert "1,000,000 rows of 4 bytes, 4 of them key" in advise(row_bytes=4)


def test_nothing_is_printed_while_dbt_parses() -> None:
    macros = Macros(execute=False)
    macros.advise()
    assert macros.printed == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rows": 0}, "'rows' can't be 0; it takes a whole number from 1"),
        ({"rows": 1.5}, "'rows' can't be 1.5; it takes a whole number from 1"),
        ({"rows": True}, "'rows' can't be True; it takes a whole number from 1"),
        ({"rows": "many"}, "'rows' can't be 'many'; it takes a whole number from 1"),
        ({"row_bytes": 0}, "'row_bytes' can't be 0; it takes a number above 0"),
        ({"row_bytes": float("nan")}, "'row_bytes' can't be nan; it takes a number above 0"),
        ({"key_bytes": -8}, "'key_bytes' can't be -8; it takes a number above 0"),
        ({"key_bytes": 300}, "'key_bytes' can't be 300; it takes a number up to the row_bytes, 200"),
        ({"compared_fraction": None}, "'compared_fraction' can't be None; it takes a number from 0 to 1"),
        ({"change_fraction": 5}, "'change_fraction' can't be 5; it takes a number from 0 to 1"),
        ({"relations": 1}, "'relations' can't be 1; it takes a whole number from 2"),
        ({"is_remote": "yes"}, "'is_remote' can't be 'yes'; it takes true, false"),
        ({"has_deletes": 0}, "'has_deletes' can't be 0; it takes true, false"),
        ({"model": "nowhere"}, "there is no model, seed, snapshot or source 'nowhere'"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(CompilationError) as error:
        advise(**arguments)
    assert f"advise: {message}" in str(error.value)


def measured(partition: Any, columns: dict[str, Any], **arguments: Any) -> tuple[str, str]:
    """What is printed of a source that is an external table with folders, and the query that measured it."""
    known = {"source_name": "legacy", "name": "accounts", "identifier": "accounts", "schema": "shop", "config": {}}
    node = Node(**known, external={"partitions": [partition]}, columns=columns)

    name = "`shop`.`accounts`"
    macros = Macros(
        tables={name: [("id", "int"), ("edited", "timestamp"), ("dt", "date")]},
        run_query=lambda sql: [(400, 20.0, None)],
        graph=SimpleNamespace(nodes={}, sources={"accounts": node}),
    )
    macros.adapter.get_relation = lambda **_: Relation(name)
    macros.adapter.runs_python = lambda: True
    macros.advise("legacy.accounts", **arguments)
    return "".join(macros.printed), "".join(macros.queries[:1])


@pytest.mark.parametrize(
    ("partition", "columns", "arguments"),
    [
        ({"name": "dt", "data_type": "date"}, {}, {}),
        ("dt", {"dt": {"name": "dt", "data_type": "date"}}, {}),
        ({"name": "region", "data_type": "string"}, {}, {"snapshot_date": "dt"}),
    ],
)
def test_of_dated_dumps_the_newest_is_measured(
    partition: Any, columns: dict[str, Any], arguments: dict[str, Any]
) -> None:
    text, query = measured(partition, columns, has_timestamps=False, can_be_locked=False, **arguments)
    assert "where `dt` = (select max(`dt`) from `shop`.`accounts`)" in query
    assert "`dt` as string" not in query
    assert "400 rows of 20 bytes, 8 of them key (measured: legacy.accounts, the newest dump by dt)" in text
    assert "Timestamps: edited; strategies by timestamp take no snapshot_date\n" in text
    for strategy in ("timestamp", "ranges"):
        assert line_of(text, strategy)[1::2] == ["no", "compares no dumps of several dates: it takes no snapshot_date"]
    assert line_of(text, "hash_compressed")[1] == "yes"
    assert "          'strategy': 'auto',\n          'snapshot_date': 'dt',\n" in text


def test_timestamps_are_named() -> None:
    text, query = measured({"name": "region", "data_type": "string"}, {})
    assert "where" not in query
    assert "Timestamps: edited; add has_timestamps: true if every change of a row sets it\n" in text
    assert line_of(text, "hash_compressed")[1] == "yes"
    assert "Timestamps" not in measured({"name": "region", "data_type": "string"}, {}, has_timestamps=True)[0]


def test_a_date_of_dumps_that_is_no_column() -> None:
    with pytest.raises(CompilationError, match=r"accounts` has no column 'day'\. It has: id, edited, dt"):
        measured({"name": "region", "data_type": "string"}, {}, snapshot_date="day")
