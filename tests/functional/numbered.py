"""Dumps that several tests have: of numbered accounts, of three dates, of every type; and what a model keeps."""

from workbench import MODEL, Workbench

NUMBERED = "select id as account_id, if(id = {changed}, 'new', 'old') as name from range({rows})"

# Dumps of three dates.
DATED = """
    select * from values
        (1, 'ann', date '2026-01-01'), (2, 'bob', date '2026-01-01'),
        (1, 'anna', date '2026-01-02'), (2, 'bob', date '2026-01-02'), (3, 'cid', date '2026-01-02'),
        (1, 'anna', date '2026-01-04'), (3, 'cyd', date '2026-01-04')
        as t(account_id, name, day)
"""
# Dumps of three dates, of one row.
ONE_ROW_DATED = """
    select * from values
        (1, 'ann', date '2026-01-01'), (1, 'anna', date '2026-01-02'), (1, 'anne', date '2026-01-03')
        as t(account_id, name, day)
"""


def table(changed: int, rows: int = 100) -> str:
    """Numbered accounts of which one is changed."""
    return NUMBERED.format(changed=changed, rows=rows)


def kept(bench: Workbench, kind: str, model: str = MODEL) -> set[str]:
    """The tables of that kind that the model keeps."""
    return {name for name in bench.names(model) if name.startswith(f"{model}__{kind}_")}


def of_every_type(
    name: str = "'n' || id", data: str = "binary('b' || id)", zero: str = "float(0)", rows: str = "range(8)"
) -> str:
    """Every type that DuckDB reads, with nulls, NaN, a negative zero, and dates and times of old calendars."""
    return f"""
    select id as account_id, if(id = 1, null, 'k') as `it's`, {name} as `name's`, {data} as data,
    if(id = 2, double('NaN'), double(id)) as ratio, {zero} as zero, date '0900-01-01' + int(id) as old_date,
    timestamp '1800-02-03 04:05:06.123456' as seen, timestamp_ntz '1900-01-01 00:00:00' as local_time,
    cast(id as decimal(38, 10)) as amount, cast(id as decimal(9, 2)) as price, tinyint(id) as tiny,
    smallint(id) as small, int(id) as number, id % 2 = 0 as is_even, cast(null as string) as nothing
    from {rows}"""
