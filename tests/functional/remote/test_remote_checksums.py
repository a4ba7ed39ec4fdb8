"""Checksums and rows of key ranges, computed where the source lives."""

import bisect
from collections import Counter

import pytest
from dbt_common.exceptions import CompilationError, DbtRuntimeError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sources import Derby, Job, Server

from dbt.adapters.deltawave.remotes import DERBY_FUNCTIONS

# Even a test on Derby alone may be the one that starts Spark, for those on the servers.
pytestmark = pytest.mark.usefixtures("postgres", "mariadb", "interpreted")

# For each database: what a column is declared as, a value, and others that have to be reported from it.
POSTGRES_TYPES = {
    "text": ("'null'", ["null", "''", "' '", "'NULL'", "'a,b'", "'\"'", r"'\'", "'é'", "'😀'"]),
    "varchar(9)": ("'a'", ["null", "''", "'a '", "'A'"]),
    "char(4)": ("'a'", ["null", "''", "'b'"]),
    "int": ("0", ["null", "1", "-1"]),
    "bigint": ("9223372036854775807", ["null", "9223372036854775806"]),
    "numeric(38, 18)": ("0", ["null", "0.000000000000000001"]),
    "real": ("0.1", ["null", "0.10000001", "'NaN'", "'-Infinity'"]),
    "double precision": ("0.1", ["null", "0.10000000000000002", "'NaN'"]),
    "boolean": ("false", ["null", "true"]),
    "date": ("'2026-01-31'", ["null", "'2026-01-30'", "'infinity'"]),
    "timestamp": ("'2026-01-31 12:00:00'", ["null", "'2026-01-31 12:00:00.000001'"]),
    "timestamptz": ("'2026-01-31 12:00:00Z'", ["null", "'2026-01-31 12:00:00.000001Z'", "'2026-01-31 12:00:00+01'"]),
    "time": ("'12:00'", ["null", "'12:00:00.000001'"]),
    "interval": ("'1 day'", ["null", "'24 hours'"]),
    "bytea": (r"'\x00ff'", ["null", "''", r"'\x00fe'", r"'\x00'"]),
    "uuid": ("'00000000-0000-0000-0000-000000000000'", ["null", "'00000000-0000-0000-0000-000000000001'"]),
    "json": ("""'{"a": 1}'""", ["null", "'null'", """'{"a": 2}'"""]),
    "jsonb": ("""'{"a": 1}'""", ["null", "'null'", """'{"a": null}'"""]),
    "text[]": (
        "array['a', 'b']",
        ["null", "array[]::text[]", "array['a,b']", "array['a', null]", "array['a', 'null']"],
    ),
    "int[]": ("array[1]", ["null", "array[]::int[]", "array[1, 1]"]),
}
MARIADB_TYPES = {
    "text": ("'null'", ["null", "''", "' '", "'NULL'", "'a,b'", r"'\'", "'é'", "'😀'"]),
    "varchar(9)": ("'a'", ["null", "''", "'a '", "'A'", "'ä'"]),
    "char(4)": ("'a'", ["null", "''", "'A'"]),
    "int": ("0", ["null", "1", "-1"]),
    "bigint": ("9223372036854775807", ["null", "9223372036854775806"]),
    "bigint unsigned": ("18446744073709551615", ["null", "18446744073709551614"]),
    "decimal(38, 18)": ("0", ["null", "0.000000000000000001"]),
    "float": ("0.1", ["null", "0.10000001"]),
    "double": ("0.1", ["null", "0.10000000000000002"]),
    "boolean": ("false", ["null", "true"]),
    "bit(1)": ("b'0'", ["null", "b'1'"]),
    "bit(8)": ("b'0'", ["null", "b'10000000'"]),
    "date": ("'2026-01-31'", ["null", "'2026-01-30'"]),
    "datetime(6)": ("'2026-01-31 12:00:00'", ["null", "'2026-01-31 12:00:00.000001'"]),
    "timestamp(6) null": ("'2026-01-31 12:00:00'", ["null", "'2026-01-31 12:00:00.000001'"]),
    "time(6)": ("'12:00'", ["null", "'12:00:00.000001'"]),
    "varbinary(9)": ("X'00ff'", ["null", "''", "X'00fe'", "X'00'"]),
    "blob": ("X'00ff'", ["null", "''", "X'00fe'"]),
    "enum('a', 'b')": ("'a'", ["null", "'b'"]),
    "json": ("""'{"a": 1}'""", ["null", "'null'", """'{"a": 2}'"""]),
}
DERBY_TYPES = {
    "varchar(20)": ("'null'", ["cast(null as varchar(20))", "''", "' '", "'NULL'", "'é'"]),
    "char(4)": ("'a'", ["cast(null as char(4))", "'b'"]),
    "clob": ("'a'", ["cast(null as clob)", "''"]),
    "int": ("0", ["cast(null as int)", "1"]),
    "decimal(31, 10)": ("0", ["cast(null as decimal)", "0.0000000001"]),
    "real": ("0.5", ["cast(null as real)", "0.50000006"]),
    "double": ("0.1", ["cast(null as double)", "0.10000000000000002"]),
    "boolean": ("false", ["cast(null as boolean)", "true"]),
    "date": ("'2026-01-31'", ["cast(null as date)", "'2026-01-30'"]),
    "timestamp": ("'2026-01-31 12:00:00'", ["cast(null as timestamp)", "'2026-01-31 12:00:00.000001'"]),
    "varchar(9) for bit data": ("X'00ff'", ["cast(null as varchar(9) for bit data)", "X''", "X'00'"]),
}
TYPES = {"postgresql": POSTGRES_TYPES, "mysql": MARIADB_TYPES, "derby": DERBY_TYPES}


@pytest.fixture(scope="module")
def postgresql(spark, postgres):
    source = Server(postgres)
    source.run("create schema checksums")
    yield source
    source.run("drop schema checksums cascade")


@pytest.fixture(scope="module")
def maria(spark, mariadb):
    source = Server(mariadb)
    source.run("create schema checksums")
    yield source
    source.run("drop schema checksums")


@pytest.fixture(scope="module")
def derby(spark, tmp_path_factory):
    folder = tmp_path_factory.mktemp("derby")
    source = Derby(spark, f"jdbc:derby:{folder / 'legacy'};create=true")
    source.run("create schema checksums", *DERBY_FUNCTIONS.values())
    return source


@pytest.fixture
def source(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
def table(spark, source):
    """``table("id int", "(1)", "(2)")`` rebuilds the table checksums.t of those rows; a job that reads it."""
    made = []

    def make(definition, *rows):
        drop = [f"drop table {made.pop()}"] if made else []
        inserts = [f"insert into checksums.t values {row}" for row in rows]
        source.run(*drop, f"create table checksums.t ({definition})", *inserts)
        made.append("checksums.t")
        return Job(spark, source, "select * from checksums.t")

    yield make
    if made:
        source.run("drop table checksums.t")


everywhere = pytest.mark.parametrize("source", ["postgresql", "maria", "derby"], indirect=True)
on_postgresql = pytest.mark.parametrize("source", ["postgresql"], indirect=True)


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def counts(found):
    """How many rows each range has."""
    return {number: count for number, (count, _) in found.items()}


def null(source, declared):
    """A null to insert; Derby wants to know its type."""
    return f"cast(null as {declared})" if source.dialect == "derby" else "null"


# -- checksums


@everywhere
def test_any_cell_moves_the_checksum_of_its_range_alone(source, table):
    """Every type at once: a range for each row, of which all but two differ from the first one in one cell."""
    types = TYPES[source.dialect]
    first = [value for value, _ in types.values()]
    rows = [first, first]
    for place, (_, others) in enumerate(types.values()):
        rows += [[*first[:place], other, *first[place + 1 :]] for other in others]
    definition = ", ".join(["id int", *(f"c{number} {declared}" for number, declared in enumerate(types))])
    job = table(definition, *(f"({', '.join([str(number), *cells])})" for number, cells in enumerate(rows)))
    columns = job.columns("id", "ID")
    lows = [None, *([str(number)] for number in range(1, len(rows)))]
    before = job.checksums(columns, lows)
    assert [before[number][0] for number in range(1, len(rows) + 1)] == [1] * len(rows)

    # Now each row of another cell becomes the first one, so that each range but the first two has to move.
    names = [f"c{number}" for number in range(len(types))]
    cells = ", ".join(f"{name} = {value}" for name, value in zip(names, first, strict=True))
    source.run(f"update checksums.t set {cells}")
    after = job.checksums(columns, lows)
    assert {number for number in before if before[number] == after[number]} == {1, 2}

    # And rows of equal cells under one key have one checksum.
    source.run("update checksums.t set id = 0")
    once = {row["row_checksum"] for row in job.rows(columns, (None, None))}
    assert len(once) == 1


@everywhere
def test_text_that_moves_to_the_neighbouring_column(source, table):
    rows = [("ab", "c"), ("a", "bc"), ("", "abc"), ("abc", ""), ("abc", None), (None, "abc"), ("1:a", "2:b")]
    rows.append(("1", ":a2:b"))
    cells = [
        f"({', '.join(null(source, 'varchar(9)') if cell is None else quoted(cell) for cell in row)}, 1)"
        for row in rows
    ]
    job = table("a varchar(9), b varchar(9), id int", *cells)
    seen = {row["row_checksum"] for row in job.rows(job.columns("id", "ID"), (None, None))}
    assert len(seen) == len(rows)


def halves(checksum):
    """The two numbers of a checksum."""
    return tuple(map(int, checksum.split(":")))


@everywhere
def test_the_order_of_rows_does_not_count(source, table):
    found = []
    for order in (range(50), reversed(range(50))):
        job = table("id int, name varchar(9)", ", ".join(f"({number}, 'n{number % 7}')" for number in order))
        found.append(job.checksums(job.columns("id", "ID"), [None, ["10"], ["33"]]))
    assert found[0] == found[1]
    assert counts(found[0]) == {1: 10, 2: 23, 3: 17}


@everywhere
def test_ignored_columns_do_not_count(source, table):
    found = []
    for seen in (1, 2):
        job = table("id int, name varchar(9), seen int", f"(1, 'a', {seen})")
        found.append(job.checksums(job.columns("id", "ID", ignored=["seen", "SEEN"])))
    assert found[0] == found[1]


@on_postgresql
def test_settings_of_the_connection_do_not_count(spark, source, table, setting):
    cells = "(1, '2026-01-31 12:00:00Z'::timestamptz, '2026-01-31 12:00:00'::timestamp, 0.1::float8, 0.1::real)"
    table(
        "id timestamptz, seen timestamptz, at timestamp, balance float8, rate real",
        cells.replace("(1", "('2026-01-30Z'"),
    )
    found = []
    for zone, statement in (
        ("UTC", "select 1"),
        ("America/New_York", "set timezone = 'Asia/Kathmandu'"),
        ("UTC", "set extra_float_digits = -3"),
    ):
        with setting("spark.sql.session.timeZone", zone):
            job = Job(spark, source, "select * from checksums.t", sessionInitStatement=statement)
            found.append(
                job.checksums(job.columns("id"), [None, ["2026-01-30 00:00:00"], ["2026-01-30 00:00:00.000001"]])
            )
    assert list(found[0]) == [2]
    assert found[0] == found[1] == found[2]


# -- ranges


AWKWARD = ["", " ", "A", "Z", "a", "a ", "a  b", "a\t", "aa", "b", "Ä", "ä", "É", "é", "ﬀ", "\uff41", "😀"]
AWKWARD += ["'", "\\", "\\'", "$x", "?"]


@everywhere
def test_text_keys_fall_in_the_same_range_as_in_spark(spark, source, table):
    """Order by code point: case, accents, blanks at the end, beyond the basic plane."""
    job = table("k varchar(20), n int", ", ".join(f"({quoted(key)}, {number})" for number, key in enumerate(AWKWARD)))
    columns = job.columns("k", "K")
    name = columns[0]["name"]
    in_order = [row[0] for row in spark.createDataFrame([(key,) for key in AWKWARD], "k string").orderBy("k").collect()]
    found = job.checksums(columns, [None, *([key] for key in in_order)])
    # No key is below the empty one.
    assert counts(found) == dict.fromkeys(range(2, len(AWKWARD) + 2), 1)
    every_second = [([low], [high]) for low, high in zip(in_order[::2], in_order[1::2], strict=True)]
    assert sorted(row[name] for row in job.rows(columns, *every_second)) == sorted(in_order[::2])


@everywhere
def test_padded_keys_fall_in_the_same_range_as_in_spark(spark, source, table):
    keys = ["ab", "ab\t", "ab!"]
    job = table("k char(4), n int", ", ".join(f"({quoted(key)}, 1)" for key in keys))
    columns = job.columns("k", "K")
    in_order = [row[0] for row in spark.sql(f"select k from ({job.job['sql']}) order by k").collect()]
    assert in_order == ["ab\t ", "ab  ", "ab! "]
    found = job.checksums(columns, [None, *([key] for key in in_order)])
    assert counts(found) == {2: 1, 3: 1, 4: 1}


KEYS = {
    "int": ["-2147483648", "-1", "0", "7", "2147483647"],
    "decimal(20, 4)": ["-9999999999999999.9999", "-0.0001", "0.0000", "12.5000"],
    "double precision": ["-1.0E300", "-0.5", "0.0", "1.0E-5", "12345.678"],
    "boolean": ["false", "true"],
    "date": ["0001-01-01", "1969-12-31", "2026-01-31", "9999-12-31"],
    "timestamp": ["1969-12-31 23:59:59.999999", "2026-03-29 02:30:00", "2026-03-29 02:30:00.000001"],
}


@everywhere
@pytest.mark.parametrize("declared", KEYS)
def test_keys_of_other_types(source, table, declared):
    spelt = "datetime(6)" if source.dialect == "mysql" and declared == "timestamp" else declared
    literal = "{}" if declared.startswith(("int", "decimal", "double", "bool")) else "'{}'"
    job = table(f"n int, k {spelt}", ", ".join(f"({n}, {literal.format(key)})" for n, key in enumerate(KEYS[declared])))
    columns = job.columns("k", "K")
    found = job.checksums(columns, [None, *([key] for key in KEYS[declared])])
    assert counts(found) == {n + 2: 1 for n in range(len(KEYS[declared]))}


@on_postgresql
def test_time_stamps_as_keys_are_shown_in_utc(spark, source, table):
    table("k timestamptz", "('2026-10-25 00:30:00Z'), ('2026-10-25 01:30:00Z')")
    job = Job(spark, source, "select * from checksums.t", sessionInitStatement="set timezone = 'Europe/Berlin'")
    found = job.checksums(job.columns("k"), [None, ["2026-10-25 00:30:00.000001"], ["2026-10-25 01:30:00"]])
    assert counts(found) == {1: 1, 3: 1}


def test_time_stamps_of_mariadb_as_keys_are_shown_in_utc(spark, maria):
    maria.run(
        "set time_zone = '+00:00'",
        "create table checksums.times (k timestamp null)",
        "insert into checksums.times values ('2026-10-25 00:30:00'), ('2026-10-25 01:30:00')",
    )
    job = Job(spark, maria, "select * from checksums.times")
    columns = job.columns("k")
    found = job.checksums(columns, [None, ["2026-10-25 00:30:00.000001"], ["2026-10-25 01:30:00"]])
    assert counts(found) == {1: 1, 3: 1}
    assert len(job.rows(columns, (["2026-10-25 00:30:00"], ["2026-10-25 01:30:00"]))) == 1


parts = st.sampled_from([None, "a", "B", "é"])
composite = st.tuples(parts, st.sampled_from([None, 1, 2, 3]))


def sortable(key):
    """As Spark sorts: null first, text by code point."""
    text, number = key
    return (text is not None, (text or "").encode(), number is not None, number or 0)


@everywhere
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.sets(composite, min_size=1, max_size=16), bounds=st.sets(composite, max_size=9))
def test_ranges_are_those_of_bisection(source, table, rows, bounds):
    """Composite keys, with nulls in parts of them."""

    def cells(text, number):
        return (
            f"({null(source, 'varchar(9)') if text is None else quoted(text)}, "
            f"{null(source, 'int') if number is None else number})"
        )

    job = table("a varchar(9), b int", ", ".join(cells(*key) for key in rows))
    columns = job.columns("a", "b", "A", "B")
    ordered = sorted(map(sortable, bounds))
    lows = [[key[0], None if key[1] is None else str(key[1])] for key in sorted(bounds, key=sortable)]
    expected = Counter(bisect.bisect_right(ordered, sortable(key)) + 1 for key in rows)
    found = job.checksums(columns, [None, *lows])
    assert counts(found) == dict(expected)
    # Every second range in one query, and those between in another one.
    intervals = list(zip([None, *lows], [*lows, None], strict=True))
    first, second = (columns[number]["name"] for number in range(2))
    for parity in (0, 1):
        sums = {}
        for row in job.rows(columns, *intervals[parity::2]):
            number = bisect.bisect_right(ordered, sortable((row[first], row[second]))) + 1
            before = sums.get(number, (0, 0))
            sums[number] = tuple(map(sum, zip(before, halves(row["row_checksum"]), strict=True)))
        assert sums == {number: halves(total) for number, (_, total) in found.items() if number % 2 != parity}


# -- rows


@on_postgresql
def test_an_index_on_the_key_is_used(spark, source, table, postgres):
    table("region text, id int, name text", "('', 0, '')")
    source.run(
        "insert into checksums.t select 'r' || n % 100, n, 'name' from generate_series(1, 20000) as n",
        'create index on checksums.t (region collate "C", id)',
        "analyze checksums.t",
    )
    queries = []
    job = Job(spark, source, "select region, id, name from checksums.t")
    view = job.macros._context["adapter"].remote_view
    job.macros._context["adapter"].remote_view = lambda remote, query, name: (
        queries.append(query) or view(remote, query, name)
    )
    columns = job.columns("region", "id")
    assert len(job.rows(columns, (["r5", "10000"], ["r50", None]), (["r98", None], ["r98", "500"]))) > 0
    some = [{"range_id": 4, "low": ["r5", "10000"], "high": ["r50", None]}]
    assert spark.sql(job.macros._remote_checksums(job.job, columns, some)).count() == 1
    for query in queries[-2:]:
        plan = "\n".join(line for (line,) in postgres.sql(f"explain {query}"))
        assert "Index" in plan
        assert "Seq Scan" not in plan


# -- what is refused


@on_postgresql
@pytest.mark.parametrize(("declared", "kind"), [("bytea", "binary"), ("int[]", "array<int>")])
def test_keys_without_a_common_order(source, table, declared, kind):
    job = table(f"k {declared}, n int", "(null, 1)")
    with pytest.raises(CompilationError, match=f"'k' is of type {kind}, which Spark and the remote 'legacy'"):
        job.checksums(job.columns("k"))


def test_derby_without_the_functions(spark, tmp_path):
    source = Derby(spark, f"jdbc:derby:{tmp_path / 'bare'};create=true")
    source.run("create table t (id int)")
    job = Job(spark, source, "select * from t")
    with pytest.raises(DbtRuntimeError) as failed:
        job.checksums(job.columns("ID"))
    assert "misses a function. Create it there once: create function deltawave_hash (value varchar" in str(failed.value)
    source.run(*DERBY_FUNCTIONS.values())
    assert job.checksums(job.columns("ID")) == {}
