"""Two values with the same MD5 (Wang and Yu, 2005): an update of one to the other is hidden from hash_compressed alone.

docs/costs.md tells it.
"""

from hashlib import md5
from typing import Any

import pytest
from workbench import Workbench

# Two blocks of 64 bytes each.
ONE = """
    d131dd02c5e6eec4693d9a0698aff95c 2fcab58712467eab4004583eb8fb7f89 55ad340609f4b30283e488832571415a
    085125e8f7cdc99fd91dbdf280373c5b d8823e3156348f5bae6dacd436c919c6 dd53e2b487da03fd02396306d248cda0
    e99f33420f577ee8ce54b67080a80d1e c69821bcb6a8839396f9652b6ff72a70
"""
# They differ in six bytes.
OTHER = """
    d131dd02c5e6eec4693d9a0698aff95c 2fcab50712467eab4004583eb8fb7f89 55ad340609f4b30283e4888325f1415a
    085125e8f7cdc99fd91dbd7280373c5b d8823e3156348f5bae6dacd436c919c6 dd53e23487da03fd02396306d248cda0
    e99f33420f577ee8ce54b67080280d1e c69821bcb6a8839396f965ab6ff72a70
"""
ROWS = "select 1 as account_id, unhex('{value}') as name union all select 2, unhex('{second}')"
STRATEGIES: dict[str, dict[str, Any]] = {
    **{name: {"strategy": name} for name in ("outer_join", "union", "sort_merge", "ranges")},
    **{name: {"strategy": name} for name in ("row_checksum", "range_checksum")},
    "hash_compressed": {"strategy": "hash_compressed"},
    "auto": {},
}


class TestCraftedValues:
    @pytest.fixture(scope="class")
    def updates(self, shared_bench: Workbench) -> dict[str, list[int]]:
        """By model, the rows that the second batch updates."""
        one, other = (bytes.fromhex(text) for text in (ONE, OTHER))
        assert one != other
        assert md5(one).digest() == md5(other).digest()
        for name, options in STRATEGIES.items():
            shared_bench.add_differential(name, **options)
        shared_bench.build(ROWS.format(value=one.hex(), second="00"), "--select", *STRATEGIES)
        shared_bench.build(ROWS.format(value=other.hex(), second="01"), "--select", *STRATEGIES)
        select = "select account_id from {}.{} where _change_type = 'update' order by 1"
        rows = {name: shared_bench.spark.sql(select.format(shared_bench.schema, name)) for name in STRATEGIES}
        return {name: [row.account_id for row in found.collect()] for name, found in rows.items()}

    @pytest.mark.parametrize("name", STRATEGIES)
    def test_the_update_is_hidden_where_docs_say_so(self, updates: dict[str, list[int]], name: str) -> None:
        assert updates[name] == ([2] if name in ("hash_compressed", "auto") else [1, 2])
