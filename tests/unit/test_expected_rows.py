"""How many rows a dump must have, where that is read, and which dumps are refused."""

from decimal import Decimal
from typing import Any

import pytest
from dbt_common.exceptions import CompilationError
from unit.macro_harness import Macros, make_batch, make_job

SELECT = "select row_count from {{ source('legacy', 'counts') }}\nwhere day = {snapshot_date};"
DUMP = {"snapshot_date": "2026-01-02", "batch_at": "2026-01-02T00:00:00.000000Z"}
STATE = {"record": {"batch_id": 1}}


def job(expected: int | str | None, **others: Any) -> dict[str, Any]:
    settings = {"expected_rows": expected, "duplicate_keys": "fail", "allow_empty": False, "unique_key": ["id"]}
    strategy = {"reads": "dump", "checksums": None, "reader": "_whole_dump"}
    return make_job(**{"snapshot_type": "date", "settings": settings, "strategy": strategy, **others})


def macros(rows: list[tuple[Any, ...]] | None = None, accept: str = "y") -> Macros:
    """Macros for which every query returns ``rows``."""
    found = Macros(
        run_query=lambda sql: rows or [],
        var=lambda name, default: [accept],
        render=lambda text: text.replace("{{ source('legacy', 'counts') }}", "legacy.counts"),
        run_started_at=None,
        config={"contract": {}},
    )
    found.replace(_discard=None)
    return found


class TestTheNumber:
    def test_it_is_given(self) -> None:
        for given in (None, 10):
            assert macros()._expected_rows(job(given), STATE, DUMP) == given

    def test_a_select_is_asked_for_the_dump_s_date(self) -> None:
        asked = macros([(10,)])
        assert asked._expected_rows(job(SELECT), STATE, DUMP) == 10
        assert asked.queries == [
            "select *\nfrom (\n    select row_count from legacy.counts\n"
            "    where day = cast('2026-01-02' as date)\n)\nlimit 2"
        ]

    @pytest.mark.parametrize(("value", "number"), [(10, 10), (10.0, 10), ("10", 10), (" 10\r", 10), (0, 0)])
    def test_a_whole_number_of_any_type(self, value: Any, number: int) -> None:
        assert macros([(value,)])._expected_rows(job(SELECT), STATE, DUMP) == number

    @pytest.mark.parametrize(
        ("rows", "found"),
        [
            ([], "no row"),
            ([(1,), (2,)], "more than one row"),
            ([(1, 2)], "2 columns"),
            ([(None,)], "null"),
            ([(9.5,)], "9.5"),
            ([(-1,)], "-1"),
            ([("ten",)], "ten"),
            ([(True,)], "True"),
            ([("NaN",)], "NaN"),
        ],
    )
    def test_anything_else_is_refused_unless_the_run_is_accepted(self, rows: list[tuple[Any, ...]], found: str) -> None:
        with pytest.raises(CompilationError) as error:
            macros(rows)._expected_rows(job(SELECT), STATE, DUMP)
        text = str(error.value)
        assert f"x, batch 2 (2026-01-02): the select of expected_rows returned {found}, not one whole number." in text
        assert "Nothing was changed." in text
        assert "run once with --vars '{deltawave_accept: [x]}'" in text
        assert "legacy.counts" in text
        assert macros(rows, accept="x")._expected_rows(job(SELECT), STATE, DUMP) is None

    @pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), Decimal("NaN"), Decimal("Infinity")])
    def test_what_has_no_whole_number(self, value: Any) -> None:
        assert macros()._whole_number(value) is None

    def test_an_accepted_run_asks_for_no_number_of_a_dated_dump(self) -> None:
        dated, accepted = job(SELECT), macros([(10,)], accept="x")
        dated["settings"]["snapshot_date"] = "day"
        assert accepted._expected_rows(dated, STATE, DUMP) is None
        assert not accepted.queries
        assert macros([(10,)])._expected_rows(dated, STATE, DUMP) == 10
        # Without dates the number is part of what shows whether the source has changed.
        assert accepted._expected_rows(job(SELECT), STATE, DUMP) == 10

    def test_an_unchanged_source_is_read_again_if_the_number_is_another(self) -> None:
        found = macros()
        found.adapter.call_library = lambda *_: {"fingerprint": "state", "bytes": 5, "version": None}
        found.replace(_runs_python=True)
        model = job(SELECT, source_bytes=None, source_version=None)
        model["settings"] |= {"snapshot_date": None, "is_auto": True, "strategy": "outer_join", "reason": "configured"}
        prints = [found._source_fingerprint(model, number) for number in (10, 10, 11)]
        assert prints[0] == prints[1] != prints[2]


def checked(
    rows: int, expected: int | str | None = 10, *, accept: str = "y", reads: str = "dump", **reading: Any
) -> str | None:
    """The error of a dump with that many rows, of which none has a null or duplicate key."""
    model = job(expected, strategy={"reads": reads, "checksums": None})
    read = 10 if isinstance(expected, str) else expected
    batch = make_batch(rows_old=9, expected_rows=read, reading={"is_whole": False, **reading})
    landed = {"rows": rows, "null_keys": 0, "duplicate_keys": 0, "duplicate_rows": 0}
    try:
        macros(accept=accept)._check_dump(model, batch, landed)
    except CompilationError as error:
        return str(error)
    return None


class TestTheDump:
    @pytest.mark.parametrize("rows", [9, 11])
    def test_another_number_is_refused(self, rows: int) -> None:
        text = str(checked(rows))
        assert f"x, batch 2: the dump has {rows} row(s), and expected_rows is 10. Is the dump complete?" in text
        assert "Nothing was changed. If it is right, run once with --vars '{deltawave_accept: [x]}'" in text
        assert "and expected_rows gives 10." in str(checked(rows, SELECT))
        assert checked(rows, accept="x") is None
        assert checked(rows, None) is None
        assert checked(10) is None

    def test_an_empty_dump_is_named_as_such(self) -> None:
        assert "the dump is empty" in str(checked(0))

    def test_rows_are_counted_where_all_of_them_were_read(self) -> None:
        # The rest is counted with the changes.
        assert checked(3, reads="differences") is None
        assert "the dump has 9 row(s)" in str(checked(9, reads="differences", is_whole=True))


@pytest.mark.parametrize(("expected", "checked_rows"), [(None, []), (10, [10])])
def test_a_dump_that_is_the_same_is_checked_if_a_number_is_expected(
    expected: int | None, checked_rows: list[int]
) -> None:
    found, numbers = macros(), []
    found.replace(
        _expected_rows=expected,
        _source_fingerprint=None,
        _is_source_unchanged=False,
        _begin_batch=make_batch(
            is_first=True, expected_rows=expected, reading=None, result={"quarantined": 0, "measured": {}}
        ),
        _differences_since_version=None,
        _macro_named=lambda name: lambda *_: {"is_idle": True},
        _count_landed={"rows": 10, "checksum": None},
        _is_unchanged=True,
        _check_dump=lambda job, batch, landed: numbers.append(landed["rows"]),
    )
    without_effect = """
        step remember_source accept prepare_log stage count_changes keep_state
    """
    found.replace(**{f"_{name}": None for name in without_effect.split()})
    assert found._compare_dump(job(expected, columns=None, select_columns=[]), STATE, DUMP) == STATE
    assert numbers == checked_rows


@pytest.mark.parametrize(("inserts", "deletes", "rows"), [(2, 1, None), (2, 2, 11), (0, 0, 11)])
def test_a_dump_of_which_only_differences_are_landed(inserts: int, deletes: int, rows: int | None) -> None:
    """It has the rows before it and the inserts, without the deletes, and what was set aside instead of held rows."""
    model = job(12, strategy={"reads": "differences", "checksums": "rows", "comparison": None})
    # Two rows of a duplicate key were quarantined, one is held.
    result = {"rows_dump": 5, "rows_new": 4, "quarantined": 2, "counts": None, "log_table": "log"}
    batch = make_batch(rows_old=10, expected_rows=12, columns=[], result=result)
    found = macros([(inserts, deletes, 0, 0, 0)])
    found.replace(_staged_rows="staged")
    if rows is None:
        found._count_changes(model, batch)
        found._count_rows(model, batch)
        assert result["rows_dump"] == 12
        return
    found._count_changes(model, batch)
    with pytest.raises(CompilationError, match=rf"the dump has {rows} row\(s\), and expected_rows is 12\."):
        found._count_rows(model, batch)


@pytest.mark.parametrize(
    "given",
    [
        1,
        "select 1",
        " With counts as (select 1) select * from counts",
        "{{ rows_of('accounts') }}",
        "{% if true %}select 1{% endif %}",
        "{# of the file #} select 1",
        "-- of the file\nselect 1",
        "/* of the file */ select 1",
        "(select 1)",
    ],
)
def test_what_the_option_takes(given: int | str) -> None:
    assert Macros()._differential_settings("x", {"unique_key": "id", "expected_rows": given})["expected_rows"] == given
