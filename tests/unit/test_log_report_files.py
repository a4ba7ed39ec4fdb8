"""What a report chooses from a log: groups of batches, samples, times; and what the history of a row says."""

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from unit.made_up_log import BEGIN, batch, delete, insert, update

from deltawave.comparing.concentrations import measured
from deltawave.reporting.batches import began_with_baseline, grouped, sampled_from
from deltawave.reporting.changes import Change, key_of, times, value_in
from deltawave.reporting.history import history_text
from deltawave.reporting.log_report import rarest_first

KEY = [("id", "1")]
BATCHES = [batch(1), batch(2), batch(3)]


@pytest.mark.parametrize(
    ("batches", "most", "numbers"),
    [(0, 3, []), (3, 3, [[1], [2], [3]]), (4, 3, [[1, 2], [3, 4]]), (7, 3, [[1, 2, 3], [4, 5, 6], [7]])],
)
def test_batches_are_put_into_groups(batches: int, most: int, numbers: list[list[int]]) -> None:
    groups = grouped([batch(number + 1) for number in range(batches)], most)
    assert [[each.number for each in group] for group in groups] == numbers


def test_samples_come_from_the_last_batches() -> None:
    batches = [batch(number) for number in range(1, 10)]
    assert sampled_from(batches, "update", 3, first=1) == 9
    assert sampled_from(batches, "update", 4, first=1) == 8
    assert sampled_from(batches, "update", 1000, first=1) == 2
    assert sampled_from(batches, "delete", 1, first=1) is None
    # Rows of the load are samples only where there are no others.
    assert sampled_from(batches, "insert", 1000, first=1) == 1
    assert sampled_from([*batches, batch(10, inserts=1)], "insert", 1000, first=1) == 10


def test_the_state_that_an_expire_left_is_no_sample() -> None:
    batches = [batch(number, inserts=1) for number in range(1, 10)]
    assert sampled_from(batches, "insert", 1000, first=5) == 6
    assert sampled_from(batches, "insert", 1000, first=9) is None
    # Of a new generation the load is one, unless there are others.
    batches = [batch(1), batch(2), batch(3, rows_old=0, updates=0, inserts=4)]
    assert sampled_from(batches, "insert", 1000, first=3) == 3
    # After a baseline the log begins with changes.
    batches = [batch(1, inserts=0), batch(2), batch(3)]
    assert sampled_from(batches, "update", 1000, first=2) == 2


def test_a_baseline_is_seen_in_the_batches() -> None:
    baseline, load = batch(1, inserts=0), batch(2, rows_old=0, inserts=4)
    assert not began_with_baseline([])
    assert not began_with_baseline([batch(1), batch(2)])
    assert began_with_baseline([baseline, batch(2)])
    # A new generation, or a table that was emptied.
    assert not began_with_baseline([baseline, load])
    assert began_with_baseline([batch(1), batch(2, rows_old=0, inserts=0)])
    # An operation on an empty table.
    assert began_with_baseline([baseline, batch(2, rows_old=0, inserts=0, rows_new=0, strategy="compact")])


def test_updates_of_rarely_changing_columns_are_shown_first() -> None:
    often = [update(3, {}, ("often",), id=str(number)) for number in range(100)]
    rare = [update(2, {}, ("often", "rare"), id="r")]
    shown = rarest_first([*often, *rare], {"often": 101, "rare": 1})
    assert [change.row["id"] for change in shown] == ["0", "1", "r"]
    unknown = [update(3, None, None, id=str(number)) for number in range(100)]
    assert len(rarest_first(unknown, {})) == 24


def test_columns_with_few_values_are_measured() -> None:
    estimates = {"constant": 1, "flag": 2, "region": 40, "null": 0, "name": 5000}
    assert measured(estimates, estimates.__getitem__) == ["flag", "region"]
    assert len(measured(map(str, range(500)), lambda name: 3)) == 20


def test_times_are_days_where_they_can_be() -> None:
    assert times([]) == []
    assert times([BEGIN, BEGIN + timedelta(days=1)]) == ["2026-01-31", "2026-02-01"]
    later = datetime(2026, 2, 1, 12, 30, 59, tzinfo=timezone.utc)
    assert times([BEGIN, later]) == ["2026-01-31 00:00", "2026-02-01 12:30"]


def test_names_are_found_whatever_their_case() -> None:
    change = insert(1, Region="n", ID="1")
    assert key_of(change, ["id", "REGION"]) == ("1", "n")
    assert (value_in({"Name": "a"}, "name"), value_in({}, "name"), value_in(None, "name")) == ("a", None, None)


def described(*changes: Change, **others: Any) -> list[str]:
    key, batches = others.pop("key", KEY), others.pop("batches", BATCHES)
    return history_text("accounts", key, changes, batches, **{"first_batch": 1, **others}).splitlines()


def test_the_history_of_a_row() -> None:
    before = {"name": "ann", "amount": "1"}
    found = described(
        insert(1, id="1", name="ann", amount="1"),
        update(2, before, ("name",), id="1", name="anna", amount="1"),
        delete(3, id="1", name="anna", amount="1"),
        insert(3, id="1", name=None, amount=""),
    )
    assert found == [
        "accounts: id = 1",
        "",
        "  batch  at          change  column  before  after",
        "  1      2026-01-31  insert  name            ann",
        "                             amount          1",
        "  2      2026-02-01  update  name    ann     anna",
        "  3      2026-02-02  delete  name    anna",
        "                             amount  1",
        "  3      2026-02-02  insert  name            null",
        "                             amount          ''",
    ]


def test_the_history_names_dumps_that_have_no_dates() -> None:
    found = described(
        insert(1, id="1", name="ann"), insert(2, id="1", name="eve"), batches=[batch(1, dump="17"), batch(2, dump="18")]
    )
    assert [line.split()[:3] for line in found[2:]] == [
        ["batch", "dump", "at"],
        ["1", "17", "2026-01-31"],
        ["2", "18", "2026-02-01"],
    ]
    assert "up to batch 1 (17)" in described(batches=[batch(1, dump="17")])[2]


def test_the_history_of_a_value() -> None:
    changes = [
        insert(1, id="1", name="ann", amount="1"),
        update(2, {"name": "ann", "amount": "1"}, ("name",), id="1", name="anna", amount="1"),
        update(3, {"name": "anna", "amount": "1"}, ("amount",), id="1", name="anna", amount="2"),
    ]
    assert described(*changes, column="Amount")[3:] == [
        "      1  2026-01-31  insert  amount              1",
        "      3  2026-02-02  update  amount  1           2",
    ]
    assert described(changes[1], column="amount")[2:] == ["  Its changes (1) are of other columns than amount."]


def test_a_version_before_stands_in_for_a_missing_before_image() -> None:
    first = insert(1, id="1", name="ann", amount="1")
    update_2 = update(2, None, None, id="1", name="anna", amount="1")
    assert described(first, update_2)[-1].split() == ["2", "2026-02-01", "update", "name", "ann", "anna"]
    # After a baseline the log does not have it either.
    assert described(update_2)[3:] == [
        "  2      2026-02-01  update  name    (not recorded)  anna",
        "                             amount  (not recorded)  1",
    ]
    known = update(2, None, ("name",), id="1", name="anna", amount="1")
    assert described(known)[-1].split()[3:] == ["name", "(not", "recorded)", "anna"]
    # A deleted row is no version before.
    assert "(not recorded)" in described(first, delete(2, **first.row), update(3, None, None, **first.row))[-1]


def test_a_backfill_shows_the_columns_that_joined() -> None:
    filled = update(2, {"name": "ann", "points": None}, (), id="1", name="ann", points="15")
    assert filled.is_backfill
    assert described(filled)[-1].split() == ["2", "2026-02-01", "backfill", "points", "null", "15"]


def test_a_row_without_other_columns() -> None:
    assert described(insert(1, id="1"))[-1].split() == ["1", "2026-01-31", "insert"]


def test_a_key_that_never_existed() -> None:
    key = [("region", None), ("a=b", "'x'\n")]
    assert described(key=key) == [
        "accounts: region = null, a=b = ''x'\\n'",
        "",
        "  No change of such a row up to batch 3 (2026-02-02): the log never had this key.",
    ]
    assert "it may be one of them" in described(batches=[batch(1, inserts=0), batch(2)], first_batch=2)[2]


def test_a_log_that_lost_earlier_changes() -> None:
    assert described(first_batch=2)[2].endswith(": the log has only what was changed since batch 2.")
    assert described(first_batch=None)[2].endswith(": the log has no rows any more.")
    rows = described(insert(2, id="1", name="ann"), insert(3, id="1", name="anna"), first_batch=2)[3:]
    assert [row.split()[2] for row in rows] == ["state", "insert"]
    assert described(insert(1, id="1", name="ann"))[3].split()[2] == "insert"
    # A new generation that began with a baseline has changes from its first row on.
    batches = [batch(1), batch(2, rows_old=0, inserts=0, updates=0), batch(3, inserts=1)]
    assert described(insert(3, id="1", name="ann"), batches=batches, first_batch=3)[3].split()[2] == "insert"
    assert sampled_from(batches, "insert", 1000, first=3) == 3


def test_deletes_without_values_show_the_version_before() -> None:
    first, last = insert(1, id="1", name="ann", note=None), delete(2, id="1", name=None, note=None)
    assert [line.split()[-2:] for line in described(first, last)[-2:]] == [["name", "ann"], ["note", "null"]]
    assert described(last)[3:] == [
        "  2      2026-02-01  delete  name    (not recorded)",
        "                             note    (not recorded)",
    ]
    # A table that has no other columns than its key.
    assert described(delete(2, id="1"))[3:] == ["      2  2026-02-01  delete"]
