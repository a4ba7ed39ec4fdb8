"""A log that begins with a dbt snapshot: changes since the snapshot's last run are found, and one history has all."""

from collections.abc import Iterator

import pytest
from workbench import MODEL, Workbench

pytestmark = pytest.mark.formats

SNAPSHOT = """
{%% snapshot history %%}
{{ config(unique_key='account_id', strategy='check', check_cols=['name'], hard_deletes='invalidate') }}
{{ config(file_format='%s') }}
select * from {{ target.schema }}.dump
{%% endsnapshot %%}
"""
VERSIONS = f"""
{{{{ config(materialized='scd2') }}}}
select * from {{{{ ref('{MODEL}') }}}}
"""
# As in docs/following.md.
HISTORY = """
with log_begins as (
    select min(dbt_valid_from) as began_at from {{ ref('versions') }}
)

select account_id, name, dbt_valid_from, dbt_valid_to
from {{ ref('history') }}
where dbt_valid_to is not null
union all
select
    versions.account_id,
    versions.name,
    coalesce(adopted.dbt_valid_from, versions.dbt_valid_from) as dbt_valid_from,
    versions.dbt_valid_to
from {{ ref('versions') }} as versions
cross join log_begins
left join {{ ref('history') }} as adopted
    on versions.account_id = adopted.account_id
    and versions.dbt_valid_from = log_begins.began_at
    and adopted.dbt_valid_to is null
"""
ADOPT = f"{{deltawave_adopt: {{{MODEL}: history}}}}"


def rows(*values: str) -> str:
    return f"select * from values {', '.join(values)} as t(account_id, name, seen)"


class TestAdopting:
    @pytest.fixture
    def bench(self, bench: Workbench) -> Iterator[Workbench]:
        """A workbench with a snapshot of the dump."""
        if bench.file_format == "parquet":
            pytest.skip("dbt snapshots need Delta or Iceberg")
        file = bench.root / "snapshots" / "history.sql"
        file.parent.mkdir(exist_ok=True)
        file.write_text(SNAPSHOT % bench.file_format)
        yield bench
        file.unlink()

    def test_changes_since_the_snapshot_are_found(self, bench: Workbench) -> None:
        # The select's type is another than the snapshot's.
        bench.configure("select account_id, name, cast(seen as int) as seen from {{ target.schema }}.dump")
        for dump in (
            rows("(1, 'ann', '5')", "(2, 'bob', '5')", "(3, 'cid', '5')"),
            rows("(1, 'anna', '5')", "(3, 'cid', '5')"),
        ):
            bench.dump(dump)
            done = bench.run(command="snapshot")
            assert done.ok, done.text
        bench.add_model("versions", VERSIONS)
        bench.add_model("whole", HISTORY)
        done = bench.operate("adopt_snapshot", model=MODEL, snapshot="history")
        assert f"{MODEL} can begin with the 2 current row(s) of the snapshot history" in done.text
        assert f"dbt run --select {MODEL} --vars '{ADOPT}'" in done.text
        # The snapshot does not track when a row was seen.
        changed = rows("(1, 'anna', '6')", "(3, 'cyd', '5')", "(4, 'dan', '5')")
        done = bench.build(changed, "--vars", ADOPT, "--select", MODEL, "versions")
        assert "begins with the current rows of the snapshot history" in done.text
        assert bench.log() == [(1, "anna", "insert", 1), (3, "cid", "insert", 1)]
        bench.build(None, "--select", f"{MODEL}+")
        assert bench.log()[2:] == [(1, "anna", "update", 2), (3, "cyd", "update", 2), (4, "dan", "insert", 2)]
        assert bench.batches("reason")[0][0].endswith("; rows of the snapshot history")

        found = bench.spark.sql(f"""
            select account_id, name, dbt_valid_to is null,
                dbt_valid_from <=> lag(dbt_valid_to) over (partition by account_id order by dbt_valid_from)
            from {bench.schema}.whole
            order by account_id, dbt_valid_from
        """).collect()
        assert [tuple(row) for row in found] == [
            (1, "ann", False, False),
            (1, "anna", False, True),
            (1, "anna", True, True),
            (2, "bob", False, False),
            (3, "cid", False, False),
            (3, "cyd", True, True),
            (4, "dan", True, False),
        ]

    def test_a_snapshot_is_the_first_dated_dump(self, bench: Workbench) -> None:
        bench.dump(rows("(1, 'ann', 5)", "(2, 'bob', 5)"))
        assert bench.run(command="snapshot").ok
        bench.configure(snapshot_date="day", redelivery="replace")
        # The snapshot has read the first two of these dates, and kept a row that the second one lacks.
        dumps = """
            select * from values
                (1, 'an', 5, date '2026-01-06'), (1, 'ann', 5, date '2026-01-07'),
                (1, 'anna', 5, date '2026-01-08'), (2, 'bob', 5, date '2026-01-08'), (3, 'cid', 5, date '2026-01-09')
                as t(account_id, name, seen, day)
        """
        bench.dump(dumps)
        done = bench.run("--vars", ADOPT)
        assert "Name the date of the last dump that the snapshot has read" in done.text
        adopt = f'{{deltawave_adopt: {{{MODEL}: {{snapshot: history, snapshot_date: "2026-01-07"}}}}}}'
        done = bench.operate("adopt_snapshot", model=MODEL, snapshot="history", snapshot_date="2026-01-07")
        assert f"dbt run --select {MODEL} --vars '{adopt}'" in done.text
        bench.build(None, "--vars", adopt)
        bench.build(None, "--vars", f"{{deltawave_accept: [{MODEL}]}}")
        found = bench.batches("snapshot_date, inserts, deletes, updates")
        assert found == [("2026-01-07", 2, 0, 0), ("2026-01-08", 0, 0, 1), ("2026-01-09", 1, 2, 0)]
        assert "WARN" not in bench.build().text.replace("WARN=0", "")
        assert bench.build().messages[MODEL] == "no changes"
