"""What `dbt docs` shows of a change log."""

from unit.macro_harness import Macros, Relation

from dbt.adapters.deltawave.impl import LOG_TABLE


def test_the_table_of_a_log_is_found_in_the_text_of_its_view() -> None:
    names = {"target": Relation.create("shop", "x"), "state_schema": "its state"}
    job = names | {"batches": Relation.create("its state", "x__batches")}
    column = {"name": "as log", "is_key": True}
    record = {"batch_id": 7, "attempt": "aaaaaaaaaaaa", "log": "log_5_bbbbbbbbbbbb", "first_batch": 3}
    text = Macros().default___log_view(job, record | {"columns": [column], "has_before": False})
    found = LOG_TABLE.search(text)
    assert found is not None, text
    assert found.groups() == ("its state", "x__log_5_bbbbbbbbbbbb")
