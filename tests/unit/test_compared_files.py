"""Odd files: ``deltawave compare`` reads their values as they are, or says what is wrong with them."""

import json
import os
import pty
import subprocess
import sys
import sysconfig
from contextlib import suppress
from decimal import Decimal
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from unit.compare_harness import Found, changed, parquet, written

from deltawave import cli

COMMAND = f"{sysconfig.get_path('scripts')}/deltawave"
SMALL = "id,v\n1,a\n2,b\n"


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize(
    ("pattern", "columns"),
    [
        ("day=*/x.{}", ["day"]),
        ("day=[12]", ["day"]),
        ("**/*.{}", ["day"]),
        ("day=1/*.{}", []),
    ],
)
def test_a_pattern_of_folders_gives_columns(
    kind: str, pattern: str, columns: list[str], tmp_path: Path, found: Found
) -> None:
    """Those that the pattern chooses, as for the folder above them."""
    for day in (1, 2):
        folder = tmp_path / "dumps" / f"day={day}"
        folder.mkdir(parents=True)
        duckdb.execute(f"copy (select {day} as id, 'a' as v) to '{folder}/x.{kind}'")
    result = found(str(tmp_path / "dumps"), f"{tmp_path}/dumps/{pattern.format(kind)}", "--key", "id")
    assert (result["code"], result["old_columns"]) == ((0, []) if columns else (1, ["day"]))


def test_parts_of_nested_values_are_compared_in_a_common_type(tmp_path: Path, found: Found) -> None:
    """Numbers as numbers; a field that is missing is null."""
    old = """[{"id": 1, "x": [1], "s": {"a": 1, "c": {"d": 2}}}, {"id": 2, "x": [2], "s": {"a": 2, "c": {"d": 3}}}]"""
    new = """[
        {"id": 1, "x": [1.0], "s": {"b": null, "c": {"d": 2.0, "e": null}, "a": 1}},
        {"id": 2, "x": [2.5], "s": {"c": {"d": 3}, "b": "z", "a": 2}}
    ]"""
    first = written(tmp_path, "old.json", old)
    result = found(first, written(tmp_path, "new.json", new), "--key", "id")
    assert result["types"] == {}
    assert [each[:2] for each in changed(result)] == [("2", "x"), ("2", "s")]
    for number, values in enumerate(("[1::tinyint] as x, {'a': 1.0} as s", "['1'] as x, {'A': '1'} as s")):
        result = found(first, parquet(tmp_path, f"{number}.parquet", f"select 1 as id, {values}"), "--key", "id")
        assert (result["only_old"], result["types"], result["columns"]) == (1, {}, {"s": 1, "x": 0})


def test_types_of_maps(tmp_path: Path, found: Found) -> None:
    old = parquet(tmp_path, "old.parquet", "select 1 as id, map {'b': 1, 'a': 2} as m, map {1: 'x'} as n")
    new = parquet(tmp_path, "new.parquet", "select 1 as id, map {'a': 2.0, 'b': 1.0} as m, map {'1': 'x'} as n")
    result = found(old, new, "--key", "id")
    assert result["columns"] == {"m": 0, "n": 0}
    assert result["types"]["m"]["compared_as"] == "map<string,decimal(11,1)>"


def test_long_decimals_beside_other_types(tmp_path: Path, found: Found) -> None:
    """They are numbers, with all of their digits."""
    long = "1" * 50
    old = str(tmp_path / "old.parquet")
    pq.write_table(pa.table({"id": [1, 2], "v": pa.array([Decimal(long), Decimal("2.50")], pa.decimal256(60, 2))}), old)
    same = written(tmp_path, "same.csv", f"id,v\n1,{long}\n2,2.5\n")
    result = found(old, same, "--key", "id")
    assert (result["code"], result["notes"][-1]) == (0, f"v: text in {same}, read as decimal(60,2)")
    other = written(tmp_path, "other.csv", f"id,v\n1,{long}.5\n2,2.9\n")
    assert found(old, other, "--key", "id")["columns"] == {"v": 2}
    assert found(old, other, "--key", "id", "--tolerance", "v=0.5")["code"] == 0
    short = parquet(tmp_path, "short.parquet", "select 2::bigint as id, 2.5::decimal(20, 3) as v")
    result = found(old, short, "--key", "id")
    assert (result["equal"], result["types"]["v"]["old"]) == (1, "decimal(60,2)")
    assert found(old, same, "--key", "v")["equal"] == 2


def test_a_date_that_no_timestamp_can_hold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = parquet(tmp_path, "old.parquet", "select 1 as id, 2 as w, date '300000-01-01' as v")
    new = parquet(tmp_path, "new.parquet", "select 1 as id, 2 as w, timestamp '2024-01-01' as v")
    assert cli.main(["compare", old, new, "--key", "id"]) == 2
    said = capsys.readouterr().err
    assert "value 300000-01-01" in said
    assert said.endswith("can't hold that value. --ignore leaves a column out.\n")
    assert cli.main(["compare", old, new, "--key", "id", "--ignore", "v"]) == 0


@pytest.mark.parametrize(
    "value", ["date '9999-12-31'", "timestamp '1500-01-01'", "timestamptz '9999-12-31 00:00:00+00'"]
)
def test_times_beyond_nanoseconds(value: str, tmp_path: Path, found: Found) -> None:
    times = "timestamp_ns '2024-01-01' as v union all select 2, timestamp_ns '2024-01-02 00:00:00.000000001'"
    old = parquet(tmp_path, "old.parquet", f"select 1 as id, {times}")
    for day, other in (("2024-01-01", "2024-01-02"), ("2024-01-01", None)):
        last = f"cast('{other}' as {value.split()[0]})" if other else value
        new = f"select 1 as id, cast('{day}' as {value.split()[0]}) as v union all select 2, {last}"
        result = found(old, parquet(tmp_path, "new.parquet", new), "--key", "id")
        ((key, _, before, after),) = changed(result)
        assert (key, before) == ("2", "2024-01-02 00:00:00.000000001")
        assert after.startswith(other or value.split("'")[1].removesuffix("+00"))
    text = written(tmp_path, "new.csv", "id,v\n1,2024-01-01\n2,9999-12-31T00:00:00Z\n")
    assert [each[3] for each in changed(found(old, text, "--key", "id"))] == ["9999-12-31T00:00:00Z"]
    assert found(old, str(tmp_path / "new.parquet"), "--key", "v")["equal"] == 1


def test_backslashes_are_no_escapes(tmp_path: Path, found: Found) -> None:
    """Values have all of theirs, also in a file that has quotes after backslashes."""
    plain = written(tmp_path, "plain.csv", 'id,v\n1,C:\\temp\\new\n2,"a\\"\n3,"x\\\\y"\n')
    same = written(tmp_path, "same.csv", 'id,v\n1,"C:\\temp\\new"\n2,a\\\n3,x\\\\y\n')
    result = found(plain, same, "--key", "id")
    assert (result["code"], result["notes"]) == (0, [])
    spark = written(tmp_path, "spark.csv", 'id,v\n1,"C:\\temp\\new"\n2,"say \\"hi, you\\" x"\n3,"x\\\\y"\n')
    usual = written(tmp_path, "usual.csv", 'id,v\n1,C:\\temp\\new\n2,"say ""hi, you"" x"\n3,x\\\\y\n')
    result = found(spark, usual, "--key", "id")
    assert (result["code"], result["notes"]) == (0, [f"{spark}: quotes are escaped by backslashes"])
    both = written(tmp_path, "both.csv", 'id,v\n1,"C:\\temp\\"\n2,"say \\"hi, you\\" x"\n')
    assert found(both, usual, "--key", "id")["error"].startswith(f"{both}, line 3, has a quote that is not closed, or")


@pytest.mark.parametrize(
    ("text", "names", "note"),
    [
        ("id;name, first\n1;ann\n2;bob\n", ["id", "name, first"], "a semicolon"),
        ("id,name; first\n1,ann\n2,bob\n", ["id", "name; first"], None),
        ("name; first\nann\nbob\n", ["name; first"], None),
        ("id\ta, b;c\n1\tann\n2\tbob\n", ["id", "a, b;c"], "a tab"),
        ("id;a,b\n1;2,3\n2;3,4\n", ["id;a", "b"], "a comma, though a semicolon would fit"),
    ],
)
def test_rows_show_the_separator(text: str, names: list[str], note: str | None, tmp_path: Path, found: Found) -> None:
    """Where the header has several; a note says which it is."""
    file = written(tmp_path, "old.csv", text)
    result = found(file, file)
    assert set(result["key"]) | set(result["columns"]) == set(names)
    said = [each for each in result["notes"] if "separated by" in each]
    assert said == ([f"{file}: values are separated by {note}"] if note else [])


def test_a_malformed_line_does_not_change_the_separator(tmp_path: Path, found: Found) -> None:
    file = written(tmp_path, "old.csv", "id;a\n1;2,3\n2;3,4\n3\n")
    assert found(file, file)["error"].startswith(f"{file}, line 4, has 1 values, and the header has 2 names")
    file = written(tmp_path, "old.txt", "id;a,b\n1;2,3\n2;3,4\n")
    assert found(file, file, "--separator", ";")["code"] == 0


def test_a_byte_order_mark_before_json(tmp_path: Path, found: Found) -> None:
    rows = '[{"id": 1}, {"id": 2}]'
    old = written(tmp_path, "old.json", rows)
    for name, text in (("new.json", f"\ufeff{rows}"), ("new", f"\ufeff{rows}"), ("new.json.gz", f"\ufeff{rows}")):
        for options in ([], ["--encoding", "utf-8"]):
            assert found(old, written(tmp_path, name, text), "--key", "id", *options)["code"] == 0
    assert found(old, written(tmp_path, "new.ndjson", '\ufeff{"id": 1}\n{"id": 2}\n'), "--key", "id")["code"] == 0


@pytest.mark.parametrize("kind", ["csv.gz", "ndjson.gz", "csv.zst"])
def test_no_part_of_a_damaged_file_is_compared(kind: str, tmp_path: Path, found: Found) -> None:
    """DuckDB does not look at checksums, and takes what comes before a cut for a whole file of Zstandard."""
    whole, damaged = tmp_path / f"whole.{kind}", tmp_path / f"damaged.{kind}"
    packing, form = ("zstd", "csv") if kind.endswith("zst") else ("gzip", "json" if "json" in kind else "csv")
    duckdb.execute(
        f"copy (select range as id, range * range as v from range(60_000)) to '{whole}' "
        f"(format {form}, compression {packing})"
    )
    data = bytearray(whole.read_bytes())
    assert found(str(whole), str(whole), "--key", "id")["equal"] == 60_000
    cuts = [data[:-1000], data[:-4]]
    if packing == "gzip":
        data[-6] ^= 1
        cuts.append(data)
    for each in cuts:
        damaged.write_bytes(each)
        assert found(str(whole), str(damaged), "--key", "id")["error"].startswith(f"{damaged} can't be unpacked: ")


@pytest.mark.parametrize("text", ["[]", "", " \n", '{"rows": [], "page": 1}'])
def test_json_without_rows_has_the_columns_of_the_other_table(text: str, tmp_path: Path, found: Found) -> None:
    empty = written(tmp_path, "empty.json", text)
    for name, rows in (("rows.json", '[{"id": 1, "l": [1]}]'), ("rows.csv", "id,l\n1,a\n")):
        other = written(tmp_path, name, rows)
        for options in ([], ["--key", "id"]):
            result = found(empty, other, *options)
            assert (result["code"], result["old_rows"], result["only_new"]) == (1, 0, 1)
            assert f"{empty} has no rows: its columns are those of {other}" in result["notes"]
            assert found(other, empty, *options)["only_old"] == 1
    assert found(empty, empty)["error"].endswith("have no rows of JSON, and so no columns that could be compared.")
    assert "has no rows of JSON. It has to be objects" in found(empty, written(tmp_path, "o.json", "{}"))["error"]


@pytest.mark.parametrize("output", ["-", "/dev/stdout"])
@pytest.mark.parametrize(("kind", "begin"), [("json", b"{"), ("csv", b"_change,"), ("parquet", b"PAR1")])
def test_output_to_standard_output(output: str, kind: str, begin: bytes, tmp_path: Path) -> None:
    """It follows what the file already has."""
    old, new = written(tmp_path, "old.csv", SMALL), written(tmp_path, "new.csv", SMALL.replace("b", "c"))
    with (tmp_path / "all").open("wb") as opened:
        opened.write(b"before\n")
        opened.flush()
        command = [COMMAND, "compare", old, new, "--key", "id", "--format", kind, "--output", output]
        assert subprocess.run(command, stdout=opened, check=False).returncode == 1
    assert (tmp_path / "all").read_bytes().startswith(b"before\n" + begin)
    if kind == "json":
        assert json.loads((tmp_path / "all").read_bytes().removeprefix(b"before\n"))["changed"] == 1


def test_little_memory(tmp_path: Path) -> None:
    """Tables that need more are compared with temporary files. A pipe gets no progress."""
    for name, add in (("old", 0), ("new", 1)):
        duckdb.execute(
            f"copy (select range as id, range % 7 + {add} * (range % 1000 = 1)::int as n from range(2_000_000)) "
            f"to '{tmp_path}/{name}.csv'"
        )
    command = [COMMAND, "compare", str(tmp_path / "old.csv"), str(tmp_path / "new.csv"), "--key", "id", "--summary"]
    environment = {**os.environ, "DELTAWAVE_MEMORY": "100MB"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("The tables differ: 2,000 rows changed (n in 2,000)")


def test_progress_on_a_terminal(tmp_path: Path) -> None:
    """Nothing else is written there, and nothing to a pipe."""
    old = written(tmp_path, "old.csv", SMALL)
    program = (
        "import sys; from deltawave import cli; from deltawave.comparing import connection; "
        "connection._QUIET_SECONDS = connection._EVERY_SECONDS = 0.001; sys.exit(cli.main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", program, "compare", old, old, "--key", "id", "--summary"]
    own, terminal = pty.openpty()
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=terminal)
    os.close(terminal)
    shown = b""
    # Linux reports the end of a terminal as an error.
    with suppress(OSError):
        while part := os.read(own, 1024):
            shown += part
    os.close(own)
    assert running.communicate()[0] == b"The tables are equal: 2 rows.\n"
    assert running.returncode == 0
    lines = shown.split(b"\r\x1b[K")
    assert len(lines) > 2
    assert lines[0] == lines[-1] == b""
    assert all(line.startswith(b"comparing ...") for line in lines[1:-1])
    assert subprocess.run(command, capture_output=True, check=True).stderr == b""
