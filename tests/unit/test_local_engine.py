"""Comparisons by DuckDB, without Spark: against an oracle in plain Python."""

import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PySparkException
from pyspark.sql.types import (
    BooleanType,
    DataType,
    DecimalType,
    DoubleType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from deltawave.differencing import hash_compressed, hash_selects, local_engine, logged_rows
from deltawave.differencing.contract import schema_of_pairs
from deltawave.differencing.local_engine import name_in_duckdb, type_in_duckdb
from deltawave.rows.parquet_files import NotInPlaceError, check_calendar, examined

Row = tuple[Any, ...]

# Names that the selects use themselves.
FIELDS: dict[str, DataType] = {
    "c1": LongType(),
    "c0": StringType(),
    "low": StringType(),
    "is_there": DoubleType(),
    "k0": DecimalType(38, 2),
    "high": BooleanType(),
    "was kept": LongType(),
}
KEYS = 2
CELLS: list[list[Any]] = [
    [None, 0, 1],
    [None, "", "a"],
    [None, "", "0", "name-of-X", "name-of-x"],
    [None, 0.0, -0.0, 1.0, math.nan],
    [None, Decimal(0), Decimal("12345678901234567890.10"), Decimal("-0.01")],
    [None, False, True],
    [None, 0, 1, -1],
]


class Engine:
    """What is compared lies in tables."""

    def __init__(self) -> None:
        self.connection = duckdb.connect(config={"threads": 1})
        self.tables = 0

    def execute(self, statement: str) -> list[Row]:
        return self.connection.execute(statement).fetchall()

    def stored(self, select: str) -> str:
        self.tables += 1
        self.execute(f"create table t{self.tables} as {select}")
        return f"from t{self.tables}"

    def rows(self, rows: Iterable[Sequence[Any]], fields: Mapping[str, DataType]) -> str:
        """A select of rows; texts as their bytes."""
        types = [str(type_in_duckdb(kind)).replace("VARCHAR", "BLOB") for kind in fields.values()]
        cells = ", ".join(f"{name_in_duckdb(name)} {kind}" for name, kind in zip(fields, types, strict=True))
        self.tables += 1
        self.execute(f"create table t{self.tables} ({cells})")
        for row in rows:
            values = [cell.encode() if isinstance(cell, str) else cell for cell in row]
            places = ", ".join(f"?::{kind}" for kind in types)
            self.connection.execute(f"insert into t{self.tables} values ({places})", values)
        return f"from t{self.tables}"


def compared(fields: Mapping[str, DataType] = FIELDS, keys: int = KEYS) -> Any:
    names = list(fields)
    frame: Any = SimpleNamespace(schema=StructType([StructField(*field) for field in fields.items()]))
    columns = [
        {"name": name, "is_compared": place >= keys and name != "_change_type"} for place, name in enumerate(names)
    ]
    return hash_selects.HashSelects(frame, names[:keys], columns)


def same(cell: Any) -> Any:
    """Equal for what the delta contract holds for equal."""
    if isinstance(cell, float):
        return "NaN" if math.isnan(cell) else cell + 0.0
    return cell.decode() if isinstance(cell, bytes) else cell


def counted(rows: Iterable[Sequence[Any]]) -> Counter[Row]:
    return Counter(tuple(map(same, row)) for row in rows)


def expected(old: Iterable[Sequence[Any]], new: Iterable[Sequence[Any]]) -> Counter[Row]:
    known = {row[:KEYS]: row for row in (tuple(map(same, row)) for row in old)}
    rows = [tuple(map(same, row)) for row in new]
    copies = Counter(row[:KEYS] for row in rows)
    found = [
        (*row, row[:KEYS] in known, True) for row in rows if copies[row[:KEYS]] > 1 or known.get(row[:KEYS]) != row
    ]
    nothing = (None,) * (len(FIELDS) - KEYS)
    return Counter(found + [(*key, *nothing, True, False) for key in known if key not in copies])


def test_what_differs_is_what_plain_python_finds() -> None:
    """Keys with nulls, keys that stand more than once, and values that are nearly equal."""
    draw = random.Random(7)
    keys = [(number, text) for number in CELLS[0] for text in CELLS[1]]
    for _ in range(15):
        old = [(*key, *map(draw.choice, CELLS[KEYS:])) for key in draw.sample(keys, 6)]
        # With rows of kept keys that stand twice as they were kept, and of new keys.
        new = [list(draw.choice(old)) for _ in range(7)]
        new += [[*draw.choice(keys), *map(draw.choice, CELLS[KEYS:])] for _ in range(2)]
        for row in draw.sample(new, 4):
            cell = draw.randrange(len(row))
            row[cell] = draw.choice(CELLS[cell])
        engine: Any = Engine()
        what = compared()
        kept = engine.stored(what.hashed(engine.rows(old, FIELDS)))
        rows = engine.rows(new, FIELDS)
        for memory in (0, 1 << 20):
            found = what.differing(engine, kept, rows, memory)
            assert counted(engine.execute(found)) == expected(old, new), (old, new, memory)


def test_later_changes_are_in_the_hashes() -> None:
    fields = FIELDS | {"_change_type": StringType()}
    values = ("x", 1.0, Decimal(1), True, 1)
    old = [(1, "a", *values), (2, None, *values), (None, "c", *values)]
    patches = [(2, None, *values[:-1], 2, "update"), (None, "c", *values, "delete"), (4, "d", *values, "insert")]
    engine, what = Engine(), compared(fields)
    kept = engine.stored(compared().hashed(engine.rows(old, FIELDS)))
    patched = engine.execute(what.patched(kept, engine.rows(patches, fields)))
    now = [old[0], patches[0][:-1], patches[2][:-1]]
    assert counted(patched) == counted(engine.execute(compared().hashed(engine.rows(now, FIELDS))))


def test_rows_come_with_the_last_ones_of_their_keys() -> None:
    """A key may be null, have several rows, or have none in the log, or a deleted one."""
    fields: dict[str, DataType] = {"id": LongType(), "name": StringType()}
    flags: dict[str, DataType] = {"was_kept": BooleanType(), "is_there": BooleanType()}
    engine, what = Engine(), compared(fields, 1)
    found: list[Row] = [(1, "x", True, True), (1, "y", True, True), (2, None, True, False), (3, "z", True, True)]
    found.append((None, "n", False, True))
    last: list[Row] = [(1, "old", "update"), (2, "two", "insert"), (None, "gone", "delete"), (9, "equal", "insert")]
    before = [StructField("name", StringType())]
    rows = what.with_before(
        engine.rows(found, dict(zip(("c0", "c1"), fields.values(), strict=True)) | flags),
        engine.rows(last, fields | {"change_type": StringType()}),
        before,
    )
    known: dict[Any, Row] = {1: ("update", "old"), 2: ("insert", "two")}
    assert counted(engine.execute(rows)) == Counter((*row, *known.get(row[0], (None, None))) for row in found)
    schema = StructType([StructField(*field) for field in fields.items()])
    assert schema_of_pairs(schema, before).names == [*fields, *flags, "_change_type", "before__name"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("c39595X-name-of-some-lUth", "c39595x-name-of-some-luth"),
        ("c07919d-name-of-some-lTth", "c07919D-name-of-some-ltth"),
        ("c31676h-name-of-some-leng-of-t5th", "c31676(-name-of-some-leng-of-tuth"),
    ],
)
def test_texts_that_differ_in_two_places_have_other_hashes(one: str, other: str) -> None:
    """DuckDB's own hash of each pair is the same, and it is once more with a byte before the texts."""
    fields = {"id": LongType(), "name": StringType()}
    engine, what = Engine(), compared(fields, 1)
    ((_, *words), (_, *others)) = engine.execute(what.hashed(engine.rows([(1, one), (2, other)], fields)))
    assert words[1] != others[1]


def test_numbers_that_change_places_have_other_hashes() -> None:
    what = compared({"id": LongType(), "one": LongType(), "other": LongType()}, 1)
    pairs = "select 0 as id, a as one, b as other from range(-300, 300) as x(a), range(-300, 300) as y(b)"
    hashes = f"select count(distinct low), count(distinct high) from ({what.hashed(pairs)})"
    assert Engine().execute(hashes) == [(600 * 600, 600 * 600)]


def test_the_version_is_that_of_the_hashes_of_values() -> None:
    assert hash_compressed.hash_version().startswith("DuckDB [(")


@pytest.mark.parametrize("is_there", [True, False])
def test_a_server_of_spark_connect_has_to_have_the_files(is_there: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    conf = {"spark.master": "local[2]"} | dict.fromkeys(local_engine._CALENDARS, "CORRECTED")
    tried: list[str] = []

    def text(path: str) -> Any:
        tried.append(path)
        assert Path(path.removeprefix("file://")).is_file()
        if not is_there:
            raise PySparkException("there is no such file")
        return SimpleNamespace(columns=["value"])

    class Session:
        def __init__(self) -> None:
            self.conf, self.read = conf, SimpleNamespace(text=text)

    class Frame:
        def __init__(self, *names: str) -> None:
            self.sparkSession = Session()
            self.columns, self.schema = names, StructType([StructField(name, LongType()) for name in names])

    rows: Any = Frame("id", "a")
    assert local_engine.reaches(rows)
    assert not tried
    one_name_in_duckdb: Any = Frame("id", "a", "A")
    assert not local_engine.reaches(one_name_in_duckdb)
    with monkeypatch.context() as cut:
        cut.setitem(conf, "spark.sql.parquet.outputTimestampType", "TIMESTAMP_MILLIS")
        assert not local_engine.reaches(rows)
    monkeypatch.setattr(Frame, "__module__", "pyspark.sql.connect.dataframe")
    assert local_engine.reaches(rows) is is_there
    assert not Path(tried[0].removeprefix("file://")).exists()


def test_null_and_the_number_with_its_hash_differ() -> None:
    engine = Engine()
    fields = {"id": LongType(), "number": LongType()}
    rows = engine.rows([(1, None), (2, -2930909409056394622)], fields)
    first, second = engine.execute(f"select low, high from ({compared(fields, 1).hashed(rows)})")
    assert first != second


def test_the_last_changes_of_a_log_are_those_of_its_decided_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of attempts that lost, merged batches, deleted keys, and a delete and an insert in one batch."""
    engine = Engine()
    row: dict[str, DataType] = {"id": LongType(), "name": StringType()}
    log: dict[str, list[Row]] = {
        "batch_id=-3/attempt=ee": [
            (1, "ann", "insert", 1),
            (2, "bob", "insert", 1),
            (3, "cid", "insert", 1),
            (4, "dan", "insert", 1),
            (2, "bob", "delete", 2),
            (3, "cee", "insert", 2),
            (3, "cid", "delete", 2),
            (None, "n", "insert", 2),
        ],
        "batch_id=2/attempt=aa": [(1, "lost", "update", None)],
        "batch_id=10/attempt=cc": [(1, "anna", "update", None), (4, "dave", "update", None)],
        "batch_id=11/attempt=dd": [(1, "undecided", "update", None)],
    }
    tables = {
        f"file:/log/{folder}/part-0.parquet": engine.rows(
            rows, row | {"change_type": StringType(), "of_batch": LongType()}
        )
        for folder, rows in log.items()
    }
    fake = SimpleNamespace(
        of_files=lambda _, uris: " union all ".join(f"select * {tables[uri]}" for uri in uris),
        rows=lambda _: engine.rows([(key,) for key in (None, 1, 2, 3, 9)], {"id": LongType()}),
        frame=lambda select, _: engine.execute(select),
        stored=engine.stored,
        by_spark=lambda _: "read by Spark",
    )
    monkeypatch.setattr(logged_rows, "LocalEngine", lambda *_: nullcontext(fake))
    monkeypatch.setattr(logged_rows, "reaches", lambda _: True)
    monkeypatch.setattr(logged_rows, "check_calendar", lambda _: None)
    decided = [[-3, "ee"], [10, "cc"]]
    frame: Any = SimpleNamespace(
        columns=list(row),
        schema=StructType([StructField(*field) for field in row.items()]),
        sparkSession=None,
        inputFiles=lambda: list(tables),
        select=lambda *_: None,
    )
    found: Any = logged_rows.last_rows(frame, frame, frame, partitions=decided, from_batch=1, unique_key=["id"])
    assert counted(found) == Counter([(1, "anna"), (3, "cee"), (None, "n")])
    patches = hash_compressed._patches(fake, ["id"], frame, frame, decided, 1)
    last = [(1, "anna", "update"), (2, "bob", "delete"), (3, "cee", "insert"), (4, "dave", "update")]
    assert counted(engine.execute(f"select id, name, _change_type from ({patches})")) == Counter(
        [*last, (None, "n", "insert")]
    )
    later: Any = logged_rows.last_rows(frame, frame, frame, partitions=decided, from_batch=2, unique_key=["id"])
    assert counted(later) == Counter([(1, "anna"), (3, "cee"), (None, "n")])
    assert hash_compressed._patches(fake, ["id"], frame, frame, [], 1) == "read by Spark"
    assert hash_compressed._patches(fake, ["id"], frame, None, [], 1) == "read by Spark"


def test_files_of_an_old_calendar_or_an_unknown_file_system_are_left_to_spark(tmp_path: Path) -> None:
    table = pa.table({"at": [1]})
    file = str(tmp_path / "part.parquet")
    pq.write_table(table, file)
    check_calendar(f"file:{file}")
    pq.write_table(table.replace_schema_metadata({"org.apache.spark.legacyDateTime": ""}), file)
    with pytest.raises(NotInPlaceError, match="counts dates by an old calendar"):
        check_calendar(f"file:{file}")
    for uri in ("s3a://bucket/part.parquet", "dbfs:/part.parquet"):
        with pytest.raises(NotInPlaceError, match=f"^Python does not reach {re.escape(uri)}$"):
            local_engine.local_path(uri)
        with pytest.raises(NotInPlaceError, match=f"^Python does not reach {re.escape(uri)}$"):
            examined(uri, {}, {})
