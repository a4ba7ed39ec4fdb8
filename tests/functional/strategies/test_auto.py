"""strategy: auto on real runs: what a batch measures decides how the next one compares."""

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
        """A shuffled dump goes back to the join for good."""
        bench.configure(**OPTIONS)
        texts = [bench.build(DUMP.format(changed=changed, order="id")).text for changed in range(3)]
        # An operation forgets nothing.
        assert (done := bench.operate("compact", model="accounts")).ok, done.text
        texts.append(bench.build(DUMP.format(changed=3, order="id")).text)
        for changed in range(4, 7):
            bench.build(DUMP.format(changed=changed, order="hash(id)"))
        rows = bench.batches("strategy, divergence = 0, divergence > 0.5, reason")
        near, far, joined = ("window", True, False), ("window", False, True), ("outer_join", None, None)
        assert [row[:3] for row in rows] == [
            ("window", None, None),
            near,
            near,
            ("compact", None, None),
            near,
            far,
            joined,
            joined,
        ]
        reasons = [row[3] for row in rows]
        exact = "auto: min_comparisons_before_error: 0 allows exact comparison only; "
        assert reasons[0] == exact + "kept in its order, the first dump shows how near rows lie"
        assert f"strategy window, {reasons[0]}" in texts[0]
        assert reasons[1] == exact + "how near rows lie is measured once dumps are kept in their order"
        for number in (2, 4):
            assert reasons[number].startswith(exact + "100% of the rows lay within ")
        assert not any("strategy window" in text for text in texts[1:]), "it says what is new"
        assert all("rows apart when last measured, and a window takes up to 25%" in reason for reason in reasons[6:])
        assert all("window over" in text for text in texts[1:])
        counts = bench.batches("inserts, deletes, updates")
        assert [counts[number] for number in (1, 2, 4, 5, 6, 7)] == [(0, 0, 20)] * 6
        assert kept(bench, "copy")
        assert not kept(bench, "ordered")
