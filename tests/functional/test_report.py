"""The report of a change log, as a user reads it."""

import pytest
import yaml
from dbt.tests.util import run_dbt, run_dbt_and_capture

CHANGES = """
{{ config(unique_key=['region', 'id'], initial_load=var('load', 'inserts')) }}

select
    region,
    id,
    `full name`,
    amount,
    _change_type,
    _changed_columns,
    case when _change_type = 'update' then named_struct('full name', `old name`, 'amount', old_amount) end as _before,
    cast(_batch_id as bigint) as _batch_id,
    to_timestamp(_batch_at) as _batch_at
from values
    ('n', 1, 'ann', 1.5D, 'insert', null, null, null, 1, '2026-01-31 00:00:00Z'),
    ('n', 2, 'bob', 2.5D, 'insert', null, null, null, 1, '2026-01-31 00:00:00Z'),
    ('s', 3, 'eve', null, 'insert', null, null, null, 1, '2026-01-31 00:00:00Z'),
    ('s', 4, 'dan', null, 'insert', null, null, null, 1, '2026-01-31 00:00:00Z'),
    ('n', 1, 'Ann', 1.5D, 'update', array('full name'), 'ann', 1.5D, 2, '2026-02-28 00:00:00Z'),
    ('n', 2, null, 3.5D, 'update', array('full name', 'amount'), 'b\\no\\'b', 2.5D, 2, '2026-02-28 00:00:00Z'),
    ('s', 3, repeat('x', 70), null, 'update', array('full name'), 'eve', null, 2, '2026-02-28 00:00:00Z'),
    ('s', 4, 'dan', null, 'delete', null, null, null, 3, '{{ var("last", "2026-03-31 00:00:00Z") }}')
    as log (region, id, `full name`, amount, _change_type, _changed_columns, `old name`, old_amount, _batch_id, _batch_at)
"""  # noqa: E501

ODD = """
{{ config(unique_key='id') }}

select
    'a\\u001bb' as id,
    '\\u009be' as _note,
    'update' as _change_type,
    array('_note') as _changed_columns,
    named_struct('_note', 'c\\nd') as _before,
    1L as _batch_id,
    timestamp '2026-01-31 00:00:00Z' as _batch_at
"""


@pytest.mark.usefixtures("deltawave_package")
class TestReport:
    models = {
        "changes.sql": CHANGES,
        "odd.sql": ODD,
        "empty.sql": "{{ config(unique_key='id') }} select * from {{ ref('changes') }} limit 0",
    }

    @pytest.fixture(scope="class")
    def report(self, project):
        run_dbt(["run"])

        def printed(variables=None, **args):
            command = ["run-operation", "report", "--args", yaml.safe_dump(args)]
            if variables:
                run_dbt(["run", "--vars", yaml.safe_dump(variables)])
                command += ["--vars", yaml.safe_dump(variables)]
            _, text = run_dbt_and_capture(["--quiet", *command])
            return text.replace(project.test_schema, "dev")

        return printed

    def test_counts_and_samples(self, report):
        assert report(model="changes", samples=2).strip("\n").splitlines() == [
            "What changed in dev.changes",
            "",
            "  batch  date        inserts  deletes  updates  rows",
            "      1  2026-01-31        4        0        0     4",
            "      2  2026-02-28        0        0        3     4",
            "      3  2026-03-31        0        1        0     3",
            "",
            "Some of the updates",
            "",
            "  2026-02-28",
            "    n, 2  full name: 'b o'b' -> null",
            "          amount: 2.5 -> 3.5",
            "    n, 1  full name: 'ann' -> 'Ann'",
        ]

    def test_one_batch(self, report, project):
        """With what it changed, and where; as a page, too."""
        text = report(model="changes", batch=2, samples=1)
        assert text.strip("\n").splitlines() == [
            "What changed in dev.changes",
            "",
            "  batch  date        inserts  deletes  updates  rows",
            "      2  2026-02-28        0        0        3     4",
            "",
            "Columns that change most",
            "",
            "  column     updates  of all updates",
            "  full name        3          100.0%",
            "  amount           1           33.3%",
            "",
            "Where the changes concentrate",
            "",
            "  No value is clearly more frequent among changed rows than among all rows.",
            "",
            "Some of the updates",
            "",
            "  2026-02-28",
            "    n, 2  full name: 'b o'b' -> null",
            "          amount: 2.5 -> 3.5",
        ]
        assert "  The batch has no updates.\n" in report(model="changes", batch=3)
        for batch, message in (
            (4, "batch 4 of changes has no changes, or there is no such batch."),
            ("x", "can't be 'x'"),
        ):
            args = yaml.safe_dump({"model": "changes", "batch": batch})
            _, text = run_dbt_and_capture(["run-operation", "report", "--args", args], expect_pass=False)
            assert message in text

    def test_long_text_is_cut(self, report):
        assert f"    s, 3  full name: 'eve' -> '{'x' * 57}...'" in report(model="changes")

    def test_samples_and_batches_can_be_fewer(self, report):
        text = report(model="changes", samples=0, batches=1)
        assert text.strip("\n").splitlines()[2:] == [
            "  batch  date        inserts  deletes  updates  rows",
            "      3  2026-03-31        0        1        0     3",
        ]

    def test_log_without_a_batch(self, report):
        assert report(model="empty").strip("\n").splitlines() == ["What changed in dev.empty", "", "  no batch yet"]

    def test_time_of_day_is_shown_where_there_is_one(self, report):
        """And no rows of a log that began with a baseline."""
        text = report(model="changes", variables={"last": "2026-03-31 12:30:00Z", "load": "baseline"})
        assert "      1  2026-01-31 00:00  " in text
        assert "      3  2026-03-31 12:30  " in text
        assert "  batch  date              inserts  deletes  updates\n" in text

    def test_no_character_is_obeyed_by_the_terminal(self, report):
        text = report(model="odd")
        assert "    a b  _note: 'c d' -> ' e'" in text
