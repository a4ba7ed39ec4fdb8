"""What a format definition may hold, and the defaults that it gets."""

import pytest
from bad_input import messages
from dbt_common.exceptions import CompilationError
from unit.test_external_definition import definition

ID = {"name": "id", "data_type": "int", "start": 1, "length": 4}
NAME = {"name": "name", "data_type": "string", "length": 8}
PRICE = {"name": "id", "data_type": "decimal(9,2)", "length": 9}
DATE = {"name": "id", "data_type": "date", "length": 8}


def fixed(*fields, columns=None, **given):
    """The format of a definition."""
    fields = [ID] if not fields else list(fields)
    return definition(columns=columns or {}, **{"file_format": "fixed_width", "fields": fields, **given})


def delimited(*fields, **given):
    fields = [{"name": "id", "data_type": "int"}] if not fields else list(fields)
    return definition(columns={}, **{"file_format": "delimited", "delimiter": "|", "fields": fields, **given})


def without(field, option):
    return {name: value for name, value in field.items() if name != option}


DAY = [{"name": "day", "data_type": "date"}]
BAD_FORMATS = {
    "no fields": lambda: definition(columns={"id": "int"}, file_format="delimited", delimiter="|"),
    "fields that are no mappings": lambda: fixed("account_id"),
    "a field without a type": lambda: fixed(without(ID, "data_type")),
    "an unknown type": lambda: fixed({**ID, "data_type": "number"}),
    "a decimal of 40 digits": lambda: fixed({**ID, "data_type": "decimal(40,2)"}),
    "a field without a width": lambda: fixed(without(ID, "length")),
    "a field that starts at 0": lambda: fixed({**ID, "start": 0}),
    "fields that overlap": lambda: fixed({**NAME, "start": 3}, ID),
    "a record shorter than its fields": lambda: fixed(record_length=3),
    "a field twice": lambda: fixed(ID, {**NAME, "name": "ID"}),
    "a field of a partition's name": lambda: delimited({"name": "day", "data_type": "int"}, partitions=DAY),
    "a misspelt option of a format": lambda: fixed(encodng="utf-8"),
    "an option of the other format": lambda: fixed(delimiter=";"),
    "an option of Spark's": lambda: delimited(options={"sep": "|"}),
    "a misspelt option of a field": lambda: fixed({**ID, "witdh": 4}),
    "an unknown encoding": lambda: fixed(encoding="klingon"),
    "a separator that the encoding writes otherwise": lambda: fixed(encoding="latin1", record_separator="§"),
    "a null marker that is a number": lambda: fixed(null_marker=0),
    "no delimiter": lambda: delimited(delimiter=None),
    "a quote of two characters": lambda: delimited(quote="''"),
    "a key that is no field": lambda: fixed(key="account"),
    "an unknown trimming": lambda: fixed(trim="all"),
    "more implied decimals than decimals": lambda: fixed({**PRICE, "implied_decimals": 3}),
    "a format of text": lambda: fixed({**DATE, "data_type": "string", "format": "yyyyMMdd"}),
    "a date pattern of week years": lambda: fixed({**DATE, "format": "YYYYMMDD"}),
    "a date pattern of minutes": lambda: fixed({**DATE, "format": "yyyymmdd"}),
    "a time pattern of half days": lambda: fixed({**DATE, "data_type": "timestamp", "format": "yyyyMMddhhmm"}),
    "a number of header lines": lambda: fixed(header=1),
    "names in a file of fixed width": lambda: fixed(header="names"),
    "a count without a group": lambda: fixed(trailer={"pattern": "T.*", "counts": "records"}),
    "a count by a quoted parenthesis": lambda: fixed(trailer={"pattern": "T [(]\\d+[)]", "counts": "records"}),
    "a count of something else": lambda: fixed(trailer={"pattern": "T(.*)", "counts": "bytes"}),
    "a column that is no field": lambda: fixed(columns={"nmae": "string"}),
    "a column of another type": lambda: fixed(columns={"id": "string"}),
    "a partition of the quarantine's own name": lambda: fixed(partitions=[{"name": "file", "data_type": "string"}]),
}
OF_A_SESSION = [
    "an expression that is none",
    "a count by a group that is none",
    "a folder that names no value",
    "a bad record in a run",
]


@pytest.mark.parametrize("kind", BAD_FORMATS)
def test_what_cannot_be_is_refused(kind):
    with pytest.raises(CompilationError) as refused:
        BAD_FORMATS[kind]()
    message = messages("Format definitions")[kind].replace("\\|", "|")
    assert message in str(refused.value)
    assert "source legacy.accounts: " in str(refused.value)


def test_all_kinds_are_tested():
    assert list(messages("Format definitions")) == [*BAD_FORMATS, *OF_A_SESSION]


def test_fields_follow_each_other_unless_they_say_where_they_start():
    made = fixed(ID, NAME, {**PRICE, "name": "price", "start": 20})
    assert [(field["start"], field["length"]) for field in made["format"]["fields"]] == [(1, 4), (5, 8), (20, 9)]
    assert made["format"]["record_length"] == 28
    assert [tuple(column.values()) for column in made["columns"]] == [
        ("id", "int"),
        ("name", "string"),
        ("price", "decimal(9,2)"),
    ]


def test_columns_may_describe_fields_and_partitions():
    made = fixed(columns={"id": "INT", "day": "date"}, partitions=["day"])
    assert [column["name"] for column in made["columns"]] == ["id"]
    assert made["partitions"] == DAY


def test_header_and_trailer_are_a_line_or_several():
    made = fixed(header=["A.*", {"pattern": "B(.)", "counts": "lines"}], trailer="T")["format"]
    assert made["header"] == [{"pattern": "A.*", "counts": None}, {"pattern": "B(.)", "counts": "lines"}]
    assert made["trailer"] == [{"pattern": "T", "counts": None}]


@pytest.mark.parametrize("group", ["T(\\d+)", "T(?<count>\\d+)", "\\\\(T)", "[(](\\d+)", "[](](T)", "\\Q(\\E(\\d+)"])
def test_a_count_is_by_a_group_of_any_kind(group):
    assert fixed(trailer={"pattern": group, "counts": "lines"})["format"]["trailer"][0]["pattern"] == group


@pytest.mark.parametrize(
    "quoted", ["\\(\\d+", "[(]\\d+", "[^](]\\d+", "\\Q(\\E\\d+", "(?:T)\\d+", "(?=T)", "(?<=T)", "(?<!T)"]
)
def test_a_parenthesis_that_begins_no_group_counts_nothing(quoted):
    with pytest.raises(CompilationError, match="which has no group for the number"):
        fixed(trailer={"pattern": quoted, "counts": "lines"})


@pytest.mark.parametrize(
    ("given", "encoding"),
    [
        (None, "utf-8"),
        ("UTF8", "utf-8"),
        ("latin1", "iso-8859-1"),
        ("ISO_8859_15", "iso-8859-15"),
        ("cp1252", "windows-1252"),
    ],
)
def test_names_of_encodings(given, encoding):
    assert fixed(encoding=given)["format"]["encoding"] == encoding


@pytest.mark.parametrize(
    "changed",
    [
        {"encoding": "latin1"},
        {"key": "id"},
        {"null_marker": "x"},
        {"header": "H"},
        {"trailer": "T"},
        {"bad_records": "fail"},
        {"short_records": "pad"},
        {"record_separator": "\r\n"},
        {"record_length": 9},
        {"fields": [{**ID, "sign": "trailing"}]},
    ],
)
def test_every_part_of_the_format_is_in_its_fingerprint(changed):
    assert fixed(**changed)["fingerprint"] != fixed()["fingerprint"]


def test_spark_s_formats_keep_their_fingerprint():
    """It stands in the catalogs of those who have made their tables."""
    assert "format" not in definition()["fingerprint"].replace("file_format", "")
