"""Strategy hash_compressed where DuckDB does not compare: what is kept, and a source that changes between readings."""

from typing import Any

import pytest
from numbered import kept, table
from workbench import DUMP, MODEL, SEVERAL, Workbench

# DuckDB compares no arrays.
TAGGED = DUMP.replace("*", "*, array(1) as tags")


class TestHashes:
    def test_keys_and_hashes_are_kept_and_nothing_else(self, bench: Workbench) -> None:
        bench.configure(TAGGED, strategy="hash_compressed")
        bench.build(table(3))
        (hashes,) = kept(bench, "hashes")
        assert bench.spark.table(f"{bench.schema}.{hashes}").select("segment", "rows").collect() == [(0, 100)]
        bench.build(table(4))
        assert kept(bench, "hashes") == {hashes}
        assert not kept(bench, "slice")
        assert bench.batches("batch_id, rows_dump, updates") == [(1, 100, 0), (2, 100, 2)]
        assert bench.log("account_id, name, _changed_columns, _before.name, _batch_id")[-2:] == [
            (3, "old", ["name"], "new", 2),
            (4, "new", ["name"], "old", 2),
        ]
        (_,), (error,) = bench.batches("comparisons_before_error")
        assert error == pytest.approx(2.0**128 / 100)

    def test_columns_may_have_any_name(self, bench: Workbench) -> None:
        """Those that the comparison gives its own columns, too."""
        key = ["K0", "account_id"]
        bench.configure(TAGGED, strategy="hash_compressed", unique_key=key)
        bench.add_differential("probed", strategy="hash_compressed", unique_key=key)
        others = "1 as kept_hash, 2 as C0, 'a' as candidate_was_kept, 3 as `x.y`, 4 as seen, 5 as of_task_seen, 6 as e0"
        dump = f"select id as k0, id as account_id, {{}} as candidate_k0, {others} from range(3)"
        bench.build(dump.format("id"), *SEVERAL)
        bench.build(dump.format("if(id = 1, null, id)"), *SEVERAL)
        for model in (MODEL, "probed"):
            changes = bench.log("k0, candidate_k0, _before.candidate_k0, _batch_id", model)
            assert changes[-1] == (1, None, 1, 2)


def test_a_source_that_changes_between_the_readings(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that is gone is found by the next run; one that is another than before would be a mix of two states."""
    from deltawave.differencing import sort_merge_compressed

    bench.configure(
        f"{TAGGED} where account_id >= 0",
        strategy="hash_compressed",
        before_image="none",
    )
    bench.build("select id as account_id, 'old' as name from range(3)")
    fetched = sort_merge_compressed._fetched
    meanwhile: list[str] = []

    def later(new: Any, *others: Any, **options: Any) -> Any:
        changed = new.where("account_id <> 1")
        for name in meanwhile:
            changed = new.selectExpr("account_id", f"if(account_id = 1, '{name}', name) as name", "tags")
        return fetched(changed, *others, **options)

    monkeypatch.setattr(sort_merge_compressed, "_fetched", later)
    # It is as it was before, or another one.
    for name in ("old", "newer"):
        meanwhile[:] = [name]
        refused = bench.refused("select id as account_id, 'new' as name from range(3)")
        assert "The source changed while it was compared" in refused, name
        assert bench.batches("batch_id") == [(1,)]
    meanwhile.clear()
    bench.build("select id as account_id, 'new' as name from range(3)")
    assert sorted(bench.log("account_id, name, _batch_id")[3:]) == [(0, "new", 2), (2, "new", 2)]
    monkeypatch.undo()
    bench.build("select id as account_id, 'new' as name from range(3)")
    assert sorted(bench.log("account_id, name")[3:]) == [(0, "new"), (1, "new"), (2, "new")]
