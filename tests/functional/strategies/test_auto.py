"""strategy: auto on real runs: what a batch measures decides how the next one compares."""

from __future__ import annotations

from numbered import kept
from workbench import Workbench

# A window of some tens of rows, and exact comparison alone.
OPTIONS = {"strategy": "auto", "min_comparisons_before_error": 0, "memory_bytes": 20_000}
ROW = "cast(id as int) as account_id, if(id % 100 = {changed}, 'new', 'old') as name, 0.5D as share"
DUMP = f"select {ROW} from range(0, 1000, 1, 1) sort by {{order}}"


class TestExactComparison:
    macros = {
        "few.sql": "{% macro default___few_rows() %}{{ return(10) }}{% endmacro %}"
        "{% macro default___few_bytes() %}{{ return(1) }}{% endmacro %}"
    }

    def test_the_window_stays_while_rows_keep_their_order(self, bench: Workbench) -> None:
        bench.configure(**OPTIONS)
        texts = [bench.build(DUMP.format(changed=changed, order="id")).text for changed in range(3)]
        # An operation forgets nothing.
        assert (done := bench.operate("compact", model="accounts")).ok, done.text
        texts.append(bench.build(DUMP.format(changed=3, order="id")).text)
        rows = bench.batches("strategy, divergence, reason")
        assert [row[:2] for row in rows] == [
            ("window", None),
            ("window", 0),
            ("window", 0),
            ("compact", None),
            ("window", 0),
        ]
        exact = "auto: min_comparisons_before_error: 0 allows exact comparison only; "
        assert rows[0][2].startswith("auto: the first dump has about 0 MB; ")
        assert rows[0][2].endswith("; kept in its order, it shows how near rows lie")
        assert f"strategy window, {rows[0][2]}" in texts[0]
        assert rows[1][2] == exact + "how near rows lie is measured once dumps are kept in their order"
        for row in (rows[2], rows[4]):
            assert row[2].startswith(exact + "100% of the rows lay within ")
        assert not any("strategy window" in text for text in texts[1:]), "it says what is new"
        assert all("window over" in text for text in texts[1:])
        counts = bench.batches("inserts, deletes, updates")
        assert [counts[number] for number in (1, 2, 4)] == [(0, 0, 20)] * 3

    def test_a_shuffled_dump_goes_back_to_the_join_for_good(self, bench: Workbench) -> None:
        bench.configure(**OPTIONS)
        for changed, order in enumerate(("id", "hash(id)", "hash(id)", "hash(id)")):
            bench.build(DUMP.format(changed=changed, order=order))
        rows = bench.batches("strategy, divergence > 0.5, reason")
        assert [row[:2] for row in rows] == [
            ("window", None),
            ("window", True),
            ("outer_join", None),
            ("outer_join", None),
        ]
        assert all("rows apart when last measured, and a window takes up to 25%" in row[2] for row in rows[2:])
        assert bench.batches("inserts, deletes, updates")[1:] == [(0, 0, 20)] * 3
        assert kept(bench, "copy")
        assert not kept(bench, "ordered")
