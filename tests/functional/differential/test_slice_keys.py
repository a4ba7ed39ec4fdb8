"""Keys and names that are hard to write down, in slices: what is found is what changed."""

import json
from collections.abc import Iterator

import pytest
from workbench import DUMP, SEVERAL, Workbench

pytestmark = pytest.mark.formats

# Key columns of row number n.
KEYS = {
    "text": """
        concat(
            element_at(
                array(
                    '', 'it''s', 'back\\\\slash', 'new\\nline', '$\\u007bx}', 'null', '007', '`', 'É', '\\ud83d\\ude00'
                ),
                n % 10 + 1
            ),
            if(n < 10, '', string(n))
        ) as `a``key`
    """,
    "long_ago": "date_add(date '1500-02-20', n) as `a``key`",
    "clock_changes": "timestamp '2026-03-28 22:00:00 UTC' + make_interval(0, 0, 0, 0, 0, 10 * n) as `a``key`",
    "no_such_hour": "timestamp_ntz '2026-03-29 01:00:00' + make_interval(0, 0, 0, 0, 0, 5 * n) as `a``key`",
    "first_year": "timestamp '0001-01-01 00:00:00 UTC' + make_interval(0, 0, 0, 0, n) as `a``key`",
    "38_digits": "cast(concat(if(n % 2 = 0, '-', ''), repeat('9', 36), lpad(n, 2, '0')) as decimal(38, 0)) as `a``key`",
    "fractions": "cast(concat('0.', repeat('0', 36), lpad(n, 2, '0')) as decimal(38, 38)) as `a``key`",
    "booleans": "n % 2 = 0 as `a``key`, if(n % 7 = 0, null, n % 3 = 0) as `Schlüssel '\"2`, n as key_3",
    "our_own_names": """
        n div 10 as place, n as row_count, n % 10 as copies, cast(null as int) as low, n as range_id,
        true as is_present, n as `_place`
    """,
}
NAMES = {
    "booleans": ["a`key", "Schlüssel '\"2", "key_3"],
    "our_own_names": ["place", "row_count", "copies", "low", "range_id"],
}
# On Delta and Iceberg, where slices are Parquet tables, too: names and texts of the log. test_types.py has its types.
HARD_IN_A_LOG = ("text", "booleans", "our_own_names")
# Names of the time column; Iceberg's catalog refuses the first one.
TIMES = {"parquet": "seen `at`", "delta": "seen `at`", "iceberg": "seen At"}
STRATEGIES = {"range_checksum": {"range_rows": 4}, "timestamp": {"range_rows": 4}, "row_checksum": {}}


def add(bench: Workbench, keys: str, strategy: str) -> None:
    """A model over the numbered rows."""
    moment = TIMES[bench.file_format].replace("`", "``")
    time = {"updated_at": TIMES[bench.file_format]} if strategy == "timestamp" else {}
    columns = f"{KEYS[keys]}, n, name" + (f", at as `{moment}`" if time else "")
    options = {"strategy": strategy, "unique_key": NAMES.get(keys, "a`key"), **STRATEGIES[strategy], **time}
    bench.add_differential(f"{keys}__{strategy}", DUMP.replace("*", columns), **options)


def dump(**changed: str) -> str:
    """Sixty rows, of which some are changed: their number, and their name or none."""
    names = json.dumps({number.removeprefix("n"): name for number, name in changed.items()})
    return f"""
        select
            cast(id as int) as n,
            coalesce(name, 'old') as name,
            timestamp '2026-03-29 00:30:00 UTC' + make_interval(0, 0, 0, 0, if(name is null, 0, 2)) as at
        from (select id, from_json('{names}', 'map<string,string>')[string(id)] as name from range(60))
        where name is distinct from 'gone'
    """


class TestHardKeys:
    @pytest.fixture
    def clocks(self, bench: Workbench) -> Iterator[None]:
        """A session whose clock goes forward in the dumps."""
        bench.spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
        yield
        bench.spark.conf.set("spark.sql.session.timeZone", "UTC")

    @pytest.mark.usefixtures("clocks")
    def test_changes_are_found_once(self, bench: Workbench) -> None:
        (bench.root / "models" / "accounts.sql").unlink()
        chosen = KEYS if bench.file_format == "parquet" else HARD_IN_A_LOG
        for keys in chosen:
            add(bench, keys, "range_checksum")
        add(bench, "clock_changes", "timestamp")
        add(bench, "our_own_names", "row_checksum")
        changed = {f"n{number}": "new" for number in (0, 4, 17, 25, 26, 27, 28, 29, 40, 59)}
        for each in (dump(), dump(**changed, n58="gone")):
            bench.build(each, *SEVERAL)
        expected = [(int(number[1:]), "update", 2) for number in changed]
        files = sorted((bench.root / "models").rglob("*.sql"))
        assert len(files) == len(chosen) + 2
        for file in files:
            log = bench.spark.table(f"{bench.schema}.{file.stem}").where("_batch_id > 1")
            found = log.select("n", "_change_type", "_batch_id").orderBy("_batch_id", "n")
            deletes = [] if file.stem.endswith("timestamp") else [(58, "delete", 2)]
            assert [tuple(row) for row in found.collect()] == sorted(expected + deletes), file.stem
