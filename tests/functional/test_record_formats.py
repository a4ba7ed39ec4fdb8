"""Legacy files that a format definition describes: what is read of them, what is set aside, and what is refused."""

import shutil
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from bad_input import messages
from landing import Landing
from py4j.protocol import Py4JJavaError
from pyspark.errors import SparkRuntimeException

PARTITIONS = [{"name": "dump_date", "data_type": "date"}]
FIXED = {
    "file_format": "fixed_width",
    "encoding": "iso-8859-1",
    "key": "account_id",
    "header": "HACCOUNTS",
    "trailer": {"pattern": "T([0-9]{4})", "counts": "records"},
    "fields": [
        {"name": "account_id", "data_type": "int", "start": 2, "length": 4},
        {"name": "name", "data_type": "string", "length": 8},
        {"name": "opened", "data_type": "date", "length": 8, "format": "yyyyMMdd", "null_marker": ["", "00000000"]},
        {"name": "balance", "data_type": "decimal(9,2)", "length": 9, "implied_decimals": 2},
    ],
}
NAMES = {"file_format": "delimited", "delimiter": ";", "fields": [{"name": "name", "data_type": "string"}]}
DELIMITED = {
    "file_format": "delimited",
    "delimiter": "|",
    "quote": '"',
    "null_marker": "\\N",
    "key": ["account_id"],
    "header": "names",
    "trailer": "END",
    "fields": [
        {"name": "account_id", "data_type": "int"},
        {"name": "name", "data_type": "string"},
        {"name": "balance", "data_type": "decimal(9,2)"},
    ],
}


def fixed(account_id: int | str, name: str, opened: str = "20260131", balance: str = "000001250") -> str:
    return f"D{account_id:>4}{name:<8}{opened}{balance}"


def framed(*records: str, count: int | None = None) -> str:
    return "\n".join(["HACCOUNTS", *records, f"T{len(records) if count is None else count:04}"]) + "\n"


class Legacy(Landing):
    """The same, whose records a format definition describes, and a change log of it."""

    def read(self, text: str | bytes, external: dict[str, Any], encoding: str = "utf-8", **changed: Any) -> None:
        """One file, declared so."""
        self.write("accounts.txt", text, encoding)
        self.declare(external, **changed)
        self.create()

    def bad(self) -> list[tuple[Any, ...]]:
        """Line number, record and reason of what is in quarantine."""
        rows = self.spark.table(f"{self.table}__quarantine").orderBy("file", "line_number").collect()
        return [(row.line_number, row.record, row.reason) for row in rows]

    def unreadable(self, columns: str = "*", where: str = "true") -> str:
        with pytest.raises((SparkRuntimeException, Py4JJavaError)) as stopped:
            self.rows(columns, where)
        return str(stopped.value)

    def log(self) -> list[tuple[Any, ...]]:
        columns = "_batch_id, _change_type, account_id, name, balance"
        rows = self.spark.sql(f"select {columns} from {self.schema}.accounts_changes order by _batch_id, account_id")
        return [(*tuple(row)[:-1], str(row.balance)) for row in rows.collect()]


@pytest.fixture(scope="class")
def shared_legacy(project, spark, interpreted, deltawave_package):
    return Legacy(spark, Path(project.project_root), project.test_schema)


@pytest.fixture
def legacy(shared_legacy):
    shared_legacy.clear()
    return shared_legacy


class Records(NamedTuple):
    """A file, how its records are described, what is read of it, and what is set aside."""

    text: str | bytes
    external: dict[str, Any]
    rows: list[tuple[Any, ...]]
    bad: list[tuple[Any, ...]] = []
    columns: str = "*"
    encoding: str = "utf-8"


BALANCES = "account_id, name, cast(balance as string)"
FIXED_LINES = [
    fixed(1, "Müller"),
    fixed(2, "", "00000000", "-00000001"),
    fixed(3, "cid")[:-1],
    fixed("x", "dan", "20260230"),
]
DELIMITED_LINES = [
    '1|"ann ""a"" | b"|12.5',
    "2|\\N|\\N",
    "3||1.00",
    "4|dan",
    "5|eve|1|2",
    '6|"fay|1',
    '7|g"y|1',
    "\\N|hal|1.005",
    '"\\N"|ian|',
]
TRIMMED = {
    "file_format": "fixed_width",
    "fields": [
        {"name": "a", "data_type": "string", "length": 3, "trim": "right"},
        {"name": "b", "data_type": "string", "start": 5, "length": 3, "trim": "none", "null_marker": []}
        | {"required": True},
        {"name": "c", "data_type": "int", "length": 2, "required": True},
    ],
}
HEADER, RECORD, TRAILER, _ = framed(fixed(1, "ann")).split("\n")
RECORDS = {
    "fixed_width": Records(
        framed(*FIXED_LINES),
        FIXED,
        [(1, "Müller", "2026-01-31", "12.50"), (2, None, None, "-0.01")],
        [
            (4, FIXED_LINES[2], "29 characters, not 30"),
            (5, FIXED_LINES[3], "account_id is 'x', not int; opened is '20260230', not date written as yyyyMMdd"),
        ],
        "account_id, name, cast(opened as string), cast(balance as string)",
        "iso-8859-1",
    ),
    "delimited": Records(
        "\n".join(['account_id|"name"|balance', *DELIMITED_LINES, "END"]),
        DELIMITED,
        [(1, 'ann "a" | b', "12.50"), (2, None, None), (3, "", "1.00")],
        [
            (5, "4|dan", "2 fields, not 3"),
            (6, "5|eve|1|2", "4 fields, not 3"),
            (7, '6|"fay|1', "a quote that does not open or close a field"),
            (8, '7|g"y|1', "a quote that does not open or close a field"),
            (9, "\\N|hal|1.005", "account_id is null, and in the key; balance is '1.005', not decimal(9,2)"),
            (10, '"\\N"|ian|', "account_id is '\\N', not int; balance is '', not decimal(9,2)"),
        ],
        BALANCES,
    ),
    "a_long_delimiter": Records(
        "1||ann*||2.00\r\n2||*||\r\n||bob||1\r\n",
        {**DELIMITED, "delimiter": "||", "quote": None, "header": None, "trailer": None, "null_marker": None},
        [(1, "ann*", "2.00"), (2, "*", None)],
        [(3, "||bob||1", "account_id is null, and in the key")],
        BALANCES,
    ),
    # A mark of byte order is no text.
    "marked": Records("ann\nbob\n", NAMES, [("ann",), ("bob",)], encoding="utf-8-sig"),
    "marked_with_a_header": Records(
        "account_id|name|balance\n1|ann|1.00\nEND\n",
        DELIMITED,
        [(1, "ann")],
        columns="account_id, name",
        encoding="utf-8-sig",
    ),
    "decimal_comma": Records(
        "1,5\n1.5\n",
        {**NAMES, "decimal_separator": ",", "fields": [{"name": "price", "data_type": "decimal(5,2)"}]},
        [("1.50",)],
        [(2, "1.5", "price is '1.5', not decimal(5,2)")],
        "cast(price as string)",
    ),
    "trimmed": Records(" x  y   1\n    y   \n", TRIMMED, [(" x", "y  ", 1)], [(2, "    y   ", "8 characters, not 9")]),
    "padded": Records(
        " x  y   1\n    y   \n",
        {**TRIMMED, "short_records": "pad", "record_length": 12},
        [(" x", "y  ", 1)],
        [(2, "    y   ", "c is null, and required")],
    ),
    "another_separator": Records(
        "ann\nb;bob\x1e",
        {**NAMES, "fields": [{"name": n, "data_type": "string"} for n in "ab"], "record_separator": "\x1e"},
        [("ann\nb", "bob")],
    ),
    "frame_in_a_wrong_place": Records(
        "\n".join([RECORD, TRAILER, HEADER]),
        FIXED,
        [(1,)],
        [(2, TRAILER, "a trailer that is not the last line"), (3, HEADER, "a header that is not line 1")],
        "account_id",
    ),
}
# Of each encoding a text, and bytes that it does not have.
ENCODED = {
    "utf-8": ("Mü€", b"M\xfc"),
    "windows-1252": ("Mü€", b"M\x81"),
    "us-ascii": ("Mu", b"M\xfc"),
    "cp850": ("Müí", None),
}
RECORDS |= {
    encoding.replace("-", "_"): Records(
        good.encode(encoding) + (b"\n" + bad + b"\n" if bad else b"\n"),
        {**NAMES, "encoding": encoding},
        [(good,)],
        [(2, "M\ufffd", f"not all of its bytes are {encoding}")] if bad else [],
    )
    for encoding, (good, bad) in ENCODED.items()
}


class TestKindsOfRecords:
    models = {"sources.yml": "version: 2"}

    @pytest.fixture(scope="class")
    def made(self, shared_legacy):
        """A table for each kind."""
        shared_legacy.clear()
        tables = []
        for name, records in RECORDS.items():
            shared_legacy.write(f"{name}/a.txt", records.text, records.encoding)
            tables.append({"name": name, "external": {**records.external, "location": f"dumps/{name}"}})
        shared_legacy.declare_tables(*tables)
        shared_legacy.create()
        return shared_legacy

    @pytest.mark.parametrize("name", RECORDS)
    def test_what_is_read_and_what_is_set_aside(self, made, name):
        found = replace(made, name=name)
        assert found.rows(RECORDS[name].columns) == RECORDS[name].rows
        assert found.bad() == RECORDS[name].bad


class TestRecords:
    models = {"sources.yml": "version: 2"}

    VALUES = [
        ({"data_type": "int"}, {"7": 7, "+007": 7, "-7": -7}, ["7.0", "7 7", "1e3", "2147483648", "x"]),
        ({"data_type": "bigint", "sign": "trailing"}, {"70-": -70, "70+": 70, "70": 70}, ["-70", "-"]),
        (
            {"data_type": "decimal(5,2)"},
            {"1.5": "1.50", ".5": "0.50", "1.": "1.00", "1.500": "1.50"},
            ["1.505", "1234.5", ".", "1e2"],
        ),
        (
            {"data_type": "decimal(5,2)", "implied_decimals": 2, "sign": "overpunched"},
            {"0012C": "1.23", "0012L": "-1.23", "0012{": "1.20", "0012}": "-1.20", "00120": "1.20"},
            ["C0012", "0012Z", "9999999"],
        ),
        (
            {"data_type": "double"},
            {"1.5e3": 1500.0, "-2": -2.0, "0.0e9": 0.0, "5e-324": 5e-324},
            ["1e999", "1e-400", "-0.001E-999", "NaN", "1d", "0x1"],
        ),
        ({"data_type": "float"}, {"1e-40": "1.0E-40"}, ["1e-50", "1e50"]),
        (
            {"data_type": "date"},
            {"2026-01-31": "2026-01-31", "0001-01-01": "0001-01-01", "9999-12-31": "9999-12-31"},
            ["2026-02-30", "2026-1-5", "2026", "2026-01-31 x", "0000-01-01"],
        ),
        ({"data_type": "date", "format": "dd.MM.yyyy"}, {"31.01.2026": "2026-01-31"}, ["30.02.2026", "2026-01-31"]),
        (
            {"data_type": "timestamp_ntz", "format": "yyyyMMddHHmm"},
            {"202603290230": "2026-03-29 02:30:00"},
            ["20260329", "000001010000"],
        ),
        (
            {"data_type": "timestamp"},
            {"2026-03-29 02:30:00Z": "2026-03-29 02:30:00"},
            ["0000-12-31 23:00:00Z", "2026-03-29"],
        ),
        ({"data_type": "timestamp_ntz"}, {"2026-03-29T02:30:00.25": "2026-03-29 02:30:00.25"}, ["2026-03-29"]),
        ({"data_type": "boolean"}, {"Y": True, "0": False, "false": False}, ["J", "2"]),
    ]

    def test_values_are_read_exactly_or_not_at_all(self, legacy):
        """A field for each kind; each line fills one of them."""
        fields = [{"name": f"c{n}", **field} for n, (field, _, _) in enumerate(self.VALUES)]
        lines, values, bad = [], [], []
        for n, (_, good, wrong) in enumerate(self.VALUES):
            for text in [*good, *wrong]:
                lines.append(";" * n + text + ";" * (len(fields) - n - 1))
                if text in good:
                    values.append(good[text])
                else:
                    bad.append(lines[-1])
        legacy.read("\n".join(lines), {**NAMES, "fields": fields})
        plain = {"int", "bigint", "double", "boolean"}
        shown = [
            f"c{n}" if field["data_type"] in plain else f"cast(c{n} as string)"
            for n, (field, _, _) in enumerate(self.VALUES)
        ]
        assert [next(value for value in row if value is not None) for row in legacy.rows(", ".join(shown))] == values
        assert [record for _, record, _ in legacy.bad()] == bad

    def test_line_numbers_of_a_file_that_is_split(self, legacy, setting):
        """Splits are tiny here, so that the lines of a file come from many tasks."""
        numbers = range(1, 2001)
        lines = [f"{n};{'x' * (n % 50)}" if n % 7 else f"bad {n}" for n in numbers]
        fields = [{"name": "n", "data_type": "int"}, {"name": "x", "data_type": "string"}]
        in_files = [*numbers, *numbers[:100]]
        with setting("spark.sql.files.maxPartitionBytes", "4096"), setting("spark.sql.files.minPartitionNum", "20"):
            legacy.write("b.txt", "\n".join(lines[:100]))
            legacy.read("\n".join(lines), {**NAMES, "fields": fields})
            assert legacy.spark.table(f"{legacy.schema}.accounts__lines").rdd.getNumPartitions() > 5
            assert sorted(n for (n,) in legacy.rows("n")) == sorted(n for n in in_files if n % 7)
            bad = [(n, f"bad {n}") for n in in_files if n % 7 == 0]
            assert [(line, record) for line, record, _ in legacy.bad()] == bad

    BROKEN = {
        "no trailer": (framed(fixed(1, "ann")).rsplit("T", 1)[0], "no trailer T([0-9]{4})"),
        "another count": (framed(fixed(1, "ann"), count=2), "records: 2 by its trailer, 1 by count"),
        "no header": (framed(fixed(1, "ann")).split("\n", 1)[1], "no header HACCOUNTS"),
        "two dumps in one file": (framed(fixed(1, "ann")) * 2, "2 lines are like the header HACCOUNTS"),
    }

    def test_half_a_file_is_refused_whatever_is_read(self, legacy):
        legacy.read(framed(fixed(1, "ann")), FIXED)
        assert len(legacy.rows()) == 1
        for text, problem in self.BROKEN.values():
            legacy.write("accounts.txt", text)
            legacy.spark.sql(f"refresh table {legacy.schema}.accounts__lines")
            for columns, where in [("*", "true"), ("count(*)", "true"), ("name", "account_id = 99")]:
                message = legacy.unreadable(columns, where)
                assert "source legacy.accounts: refused file:" in message
                assert problem in message
            assert any(number is None and problem in reason for number, _, reason in legacy.bad())

    @pytest.mark.parametrize("frame", [{}, {"header": None, "trailer": None}])
    def test_bad_records_may_stop_every_reader(self, legacy, setting, frame):
        """Whatever rows it wants, and whether its query is compiled: no filter lets a bad record pass."""
        records = [fixed(1, "ann"), fixed("x", "bob")]
        legacy.read("\n".join(records) if frame else framed(*records), FIXED, bad_records="fail", **frame)
        wanted = [
            ("count(*)", "true"),
            ("*", "account_id = 1"),
            ("*", "account_id is not null"),
            ("name", "name = 'ann'"),
            ("1", "account_id in (select 1)"),
        ]
        for (columns, where), codegen in product(wanted, ["true", "false"]):
            with setting("spark.sql.codegen.wholeStage", codegen):
                assert "account_id is 'x', not int" in legacy.unreadable(columns, where), where
        assert len(legacy.bad()) == 1

    def test_names_and_patterns_may_hold_any_text(self, legacy):
        fields = [{"name": name, "data_type": "string"} for name in ("it's", "`a`", "file", "$|")]
        external = {
            "file_format": "delimited",
            "delimiter": "^",
            "header": ["#'\\\\'", "names"],
            "null_marker": "'\\",
            "fields": fields,
        }
        legacy.read("#'\\'\nit's^`a`^file^$|\n1^'\\^3^\\\n1^2\n", external)
        assert legacy.rows() == [("1", None, "3", "\\")]
        assert legacy.spark.table(f"{legacy.schema}.accounts").columns == ["it's", "`a`", "file", "$|"]
        assert legacy.bad() == [(4, "1^2", "2 fields, not 4")]

    def test_from_and_to_a_table_of_spark_s(self, legacy):
        text = "account_id|name|balance\n1|ann|1.00\nEND\n"
        legacy.read(text, DELIMITED)
        columns = [{"name": "account_id", "data_type": "string"}]
        legacy.declare({"file_format": "text"}, columns)
        legacy.create()
        assert len(legacy.rows()) == 3
        legacy.declare(DELIMITED)
        legacy.create()
        assert legacy.rows("account_id") == [(1,)]

    @pytest.mark.parametrize(
        ("kind", "trailer"),
        [
            ("an expression that is none", "("),
            ("a count by a group that is none", {"pattern": "T[a[b](]", "counts": "lines"}),
        ],
    )
    def test_a_wrong_expression(self, legacy, kind, trailer):
        legacy.write("a.txt", "x")
        legacy.declare(DELIMITED, trailer=trailer)
        assert messages("Format definitions")[kind] in legacy.refused()
        assert not legacy.exists()

    def test_relations_of_another_maker_are_not_touched(self, legacy):
        legacy.write("a.txt", "")
        legacy.declare(DELIMITED)
        legacy.spark.sql(f"create schema {legacy.schema}")
        legacy.spark.sql(f"create table {legacy.schema}.accounts__quarantine using parquet as select 42 as answer")
        assert "create_external_sources did not create it" in legacy.refused()
        assert not legacy.spark.catalog.tableExists(f"{legacy.schema}.accounts__lines")


CHANGES = """
{{ config(
    materialized='differential', unique_key='account_id',
    meta={'snapshot_date': 'dump_date', 'max_delete_fraction': 1},
) }}
select * from {{ source('legacy', 'accounts') }}
"""
DATED = {**FIXED, "partitions": PARTITIONS}


MODELS = {"sources.yml": "version: 2", "accounts_changes.sql": CHANGES}


def land(legacy, day, *records, count=None):
    legacy.write(f"dump_date=2026-01-0{day}/a.txt", framed(*records, count=count), "iso-8859-1")


def begin(legacy):
    """A log with the dump of one day."""
    land(legacy, 1, fixed(1, "Jürg"), fixed(2, "bob"), fixed(3, "cid"))
    legacy.declare(DATED)
    legacy.create()
    legacy.run()


class TestRuns:
    models = MODELS

    @pytest.mark.both_adapters
    def test_two_dumps(self, legacy):
        begin(legacy)
        # Half a dump changes nothing.
        land(legacy, 2, fixed(1, "Jörg"), count=3)
        assert "records: 3 by its trailer, 1 by count" in legacy.run(expect_pass=False)
        assert {row[0] for row in legacy.log()} == {1}
        land(legacy, 2, fixed(1, "Jörg"), fixed(2, "bob"), fixed(3, "cid", balance="00000-250"), fixed(4, ""))
        text = legacy.run()
        reason = "balance is '00000-250', not decimal(9,2) with 2 implied decimals"
        assert messages("Format definitions")["a bad record in a run"] in text
        assert reason in text
        assert legacy.log() == [
            (1, "insert", 1, "Jürg", "12.50"),
            (1, "insert", 2, "bob", "12.50"),
            (1, "insert", 3, "cid", "12.50"),
            (2, "update", 1, "Jörg", "12.50"),
            (2, "delete", 3, "cid", "12.50"),
            (2, "insert", 4, None, "12.50"),
        ]
        assert legacy.bad() == [(4, fixed(3, "cid", balance="00000-250"), reason)]
        assert "were quarantined" not in legacy.run()

    def test_bad_records_of_dumps_that_no_folder_names(self, legacy):
        fields = [*DELIMITED["fields"], {"name": "dump_date", "data_type": "date"}]
        lines = ["1|ann|1.00|2026-01-01", "x|bob|1.00|2026-01-01", "1|ann|2.00|2026-01-02", "3|cid|1.00|x"]
        legacy.write("a.txt", "\n".join(lines))
        legacy.declare(DELIMITED, fields=fields, header=None, trailer=None)
        legacy.create()
        text = legacy.run()
        # One whose date can't be read may be of any dump.
        assert "batch 1 (2026-01-01): 2 malformed record(s) of source legacy.accounts were quarantined" in text
        assert "batch 2 (2026-01-02): 1 malformed record(s) of source legacy.accounts were quarantined" in text
        assert [row[:2] for row in legacy.log()] == [(1, "insert"), (2, "update")]

    def test_a_run_warns_of_a_header_or_trailer_in_a_wrong_place(self, legacy):
        begin(legacy)
        header, record, trailer = framed(fixed(1, "Jorg")).splitlines()
        moved = {
            2: ([header, trailer, record], "a record after the trailer"),
            3: ([record, header, trailer], "a record before the header"),
        }
        for day, (lines, _) in moved.items():
            legacy.write(f"dump_date=2026-01-0{day}/a.txt", "\n".join(lines))
        text = legacy.run()
        message = "1 malformed record(s) of source legacy.accounts were quarantined, for instance"
        for day, (_, problem) in moved.items():
            assert f"batch {day} (2026-01-0{day}): {message}: {problem}" in text
        land(legacy, 4, fixed(1, "Jorg"))
        assert "were quarantined" not in legacy.run()

    @pytest.mark.parametrize("bad_records", ["quarantine", "fail"])
    def test_only_the_folder_of_a_dump_is_read(self, legacy, bad_records):
        land(legacy, 1, fixed(1, "Jürg"), fixed(2, "bob"), fixed(3, "cid"))
        land(legacy, 2, fixed("x", "Jörg"), count=3)
        legacy.declare(DATED, bad_records=bad_records)
        legacy.create()
        query = f"select * from {legacy.schema}.accounts where dump_date = date '2026-01-01'"
        assert len(legacy.spark.sql(query).collect()) == 3
        plan = legacy.spark.sql(f"explain {query}").collect()[0][0]
        assert plan.count("Location: InMemoryFileIndex(1 paths)") == plan.count("FileScan") == 2


class TestRefusedRuns:
    """None of them changes the log."""

    models = MODELS

    @pytest.fixture(scope="class")
    def of_one_dump(self, shared_legacy):
        begin(shared_legacy)
        return shared_legacy

    @pytest.fixture
    def begun(self, of_one_dump):
        """A log with the dump of one day, and its source without another."""
        for folder in (of_one_dump.root / "dumps").iterdir():
            if folder.name != "dump_date=2026-01-01":
                shutil.rmtree(folder)
        of_one_dump.declare(DATED)
        yield of_one_dump
        assert {row[0] for row in of_one_dump.log()} == {1}

    def test_an_empty_dump(self, begun):
        land(begun, 2)
        assert "batch 2 (2026-01-02): the dump is empty (the last one had 3 rows)" in begun.run(expect_pass=False)
        (begun.root / "dumps/dump_date=2026-01-02/a.txt").write_text("")
        assert "batch 2 (2026-01-02): the dump is empty (the last one had 3 rows)" in begun.run(expect_pass=False)

    def test_a_warning_that_is_an_error(self, begun):
        land(begun, 2, fixed(1, "Jörg"), fixed("x", "bob"))
        begun.run("--warn-error", expect_pass=False)

    def test_a_folder_that_names_no_date(self, begun):
        begun.write("dump_date=__HIVE_DEFAULT_PARTITION__/a.txt", framed(fixed(1, "ann")))
        assert messages("Format definitions")["a folder that names no value"] in begun.run(expect_pass=False)
