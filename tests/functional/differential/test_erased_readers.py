"""What was made of a log forgets the rows that are erased from it: other logs, wave indices."""

import json
import random
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from followed import follow, follower
from forgotten import DUMPS, PERSON, assert_forgotten, decoded, select
from model_options import placed
from workbench import MODEL, SEVERAL, STOPPING, Workbench

from deltawave.meshjoin.hadoop_files import HadoopFiles


class TestErasedReaders:
    macros = STOPPING

    def test_logs_that_were_made_of_the_log_forget_too(self, bench: Workbench, seed: int) -> None:
        """Of it or of a table that follows it, if they have its key; no run logs that the rows went or came."""
        follow(bench)
        bench.add_differential("copied", "select * from {{ ref('now') }}")
        bench.add_model("further", follower("current_state", bench.file_format).replace(f"'{MODEL}'", "'copied'"))
        state = "select * from ({{ deltawave.current_state(ref('accounts'), 'account_id') }})"
        bench.add_differential(
            "joined", state, strategy="view", root=MODEL, relations={MODEL: {"account_id": "account_id"}}
        )
        for rows in DUMPS[:2]:
            bench.build(select(rows), *SEVERAL)
        logs = {model: bench.log(model=model) for model in ("copied", "joined")}
        assert all(len([row for row in rows if row[0] == PERSON]) == 2 for rows in logs.values())

        done = bench.operate("erase", model=MODEL, keys=[PERSON], also=["copied", "joined"], dry_run=True)
        assert "copied: 2 rows in the log" in done.text
        step = random.Random(f"{seed} erasing").choice(["decide", "place", "record", "publish", "clean", "end"])
        stopped = bench.operate(
            "erase", "--vars", f"{{stop_at: copied.{step}}}", model=MODEL, keys=[PERSON], also=["copied", "joined"]
        )
        assert f"stopped at copied.{step}" in stopped.text
        done = bench.operate("erase", model=MODEL, keys=[PERSON], also=["copied", "joined"])
        assert "copied: erase: further: 2 rows" in done.text
        assert "may have these rows" not in done.text
        assert_forgotten(bench)
        without = {key: name for key, name in DUMPS[1].items() if key != PERSON}
        for rows, count in ((without, 0), ({**without, "c": "kit"}, 1)):
            bench.build(select(rows), *SEVERAL)
            for model, before in logs.items():
                left = [row for row in before if row[0] != PERSON]
                assert bench.log(model=model)[: len(left)] == left
                assert len(bench.log(model=model)) == len(left) + count
        assert_forgotten(bench)


# A technique, a search field of several values, temporary indexes, a soft window: each of them somewhere.
INDEXES: dict[str, dict[str, Any]] = {
    "recent_del": {"scheme": "del", "update_technique": "simple_shadow"},
    "recent_words": {"scheme": "wata", "update_technique": "in_place", "search_field": "words"},
    "recent_reindex": {"scheme": "reindex_plus_plus"},
}
INDEX = {
    "materialized": "wave_index",
    "window": 4,
    "constituents": 2,
    "day_column": "day",
    "search_field": "account_id",
    "buckets": 2,
}


def index(options: dict[str, Any]) -> str:
    """The file of a wave index over the log's changes by the day of their dump."""
    head = json.dumps(placed({**INDEX, **options}))
    select = "select account_id, name, split(name, ' ') as words, _change_type, to_date(_batch_at) as day"
    return f"{{{{ config(**fromjson({head!r})) }}}}\n{select} from {{{{ ref('{MODEL}') }}}}\n"


def dated(bench: Workbench, days: int, *keys: str) -> None:
    """A dump for each of the first days, in which all of these names change."""
    each = [
        f"select '{key}' as account_id, 'Zoe {key} {day}' as name, date '2026-01-0{day}' as day"
        for day in range(1, days + 1)
        for key in keys
    ]
    bench.dump(" union all ".join(each))


@pytest.mark.usefixtures("deltawave_package")
class TestErasedWaves:
    macros = STOPPING

    def test_days_are_written_without_the_person(self, bench: Workbench, seed: int) -> None:
        """In each index, temporary ones and replaced tables included; the other rows and the next days stay."""
        draw = random.Random(f"{seed} erasing")
        steps = ["stage", "decide", "place", "record", "publish", "clean", "end"]
        stop = f"{draw.choice(list(INDEXES))}.{draw.choice(steps)}"
        bench.configure(snapshot_date="day")
        for name, options in INDEXES.items():
            bench.add_model(name, index(options))
        for days in (4, 5, 6):
            dated(bench, days, PERSON, "a", "b")
            bench.build(None, *SEVERAL)
        before = {name: rows_of(bench, name) for name in INDEXES}
        assert all(any(PERSON in row for row in rows) for rows in before.values())
        left = {name: [row for row in rows if PERSON not in row] for name, rows in before.items()}

        stopped = bench.operate(
            "erase", "--vars", f"{{stop_at: {stop}}}", model=MODEL, keys=[PERSON], also=list(INDEXES)
        )
        assert f"stopped at {stop}" in stopped.text
        for name in INDEXES:
            assert rows_of(bench, name) in (before[name], left[name])
        done = bench.operate("erase", model=MODEL, keys=[PERSON], also=list(INDEXES))
        assert done.ok, done.text
        assert "may have these rows" not in done.text
        assert "still have them" not in done.text
        assert {name: rows_of(bench, name) for name in INDEXES} == left
        assert_forgotten(bench)

        dated(bench, 7, "a", "b")
        bench.build(None, *SEVERAL)
        for name in INDEXES:
            reasons = [row[0] for row in bench.batches("reason", model=name)]
            assert "replace" not in reasons
            assert [row for row in rows_of(bench, name) if "2026, 1, 7" in row]
        assert_forgotten(bench)


STREAM = """
from deltawave.meshjoin import StoredRelation, join_new_rows, stream_of


def model(dbt, session):
    dbt.config(materialized="incremental", incremental_strategy="append", file_format="FORMAT")
    done = session.table(str(dbt.this)) if dbt.is_incremental else None
    landed = stream_of(dbt.source("raw", "landed"), maxFilesPerTrigger="1")
    relation = StoredRelation.alongside_tables(dbt.ref("now"), str(dbt.this), key="account_id", parts=2)
    return join_new_rows(landed, relation, str(dbt.this), done=done, on="account_id", how="left")
"""
LANDED = """
version: 2
sources:
  - name: raw
    schema: "{{ target.schema }}"
    tables: [{name: landed}]
"""


@pytest.mark.usefixtures("deltawave_package")
@pytest.mark.formats
class TestErasedStreams:
    def test_results_and_pages_go(self, bench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Of all micro-batches, of those that were set aside as well; the next run adds what is new, and no more."""
        replaced = HadoopFiles.replace

        def failing(self: HadoopFiles, source: str, target: str) -> None:
            if left_to_replace.pop():
                raise OSError("killed")
            replaced(self, source, target)

        follow(bench)
        bench.add_yml(LANDED)
        (bench.root / "models" / "added" / "sales.py").write_text(STREAM.replace("FORMAT", bench.file_format))
        landed = tmp_path / "landed"

        def land(number: int, *keys: str) -> None:
            values = ", ".join(f"('{key}', {number})" for key in keys)
            rows = bench.spark.sql(f"select * from values {values} as t(account_id, number)")
            rows.coalesce(1).write.mode("append").parquet(str(landed))

        land(1, PERSON, "a", "b")
        land(2, PERSON)
        bench.spark.sql(f"create table {bench.schema}.landed using parquet location '{landed}'")
        bench.build(select(DUMPS[0]))
        bench.build(None, "--full-refresh", "--select", "sales")
        land(3, "a", PERSON)
        bench.build(None, "--select", "sales")
        folders = [
            Path(str(path))
            for kind in ("stream_join", "mesh_join")
            for path in warehouse(bench).with_name(f"warehouse_{kind}").glob(f"*{bench.schema}.sales")
        ]
        assert len(folders) == 3
        for folder in folders:
            assert any(PERSON.encode() in content for _, content in decoded(folder))
        before = found(bench)
        left = [row for row in before if row[0] != PERSON]
        assert (len(before), len(left)) == (6, 3)

        done = bench.operate("erase", model=MODEL, keys=[PERSON], also=["sales"], dry_run=True)
        assert f"{MODEL}: 3 rows in the sales" in done.text
        left_to_replace = [True, False]
        with monkeypatch.context() as patch:
            patch.setattr(HadoopFiles, "replace", failing)
            assert not bench.operate("erase", model=MODEL, keys=[PERSON], also=["sales"]).ok
        assert (found(bench), left_to_replace) == (before, [])
        done = bench.operate("erase", model=MODEL, keys=[PERSON], also=["sales"])
        assert done.ok, done.text
        assert "still have them" not in done.text
        assert f"{MODEL}: erase: sales: 3 rows" in done.text
        assert found(bench) == left
        receipt = bench.spark.table(f"{bench.schema}.{MODEL}__removals").where("place = 'sales'").first()
        # Delta and Iceberg keep the table's older files.
        in_place = () if bench.file_format == "parquet" else ("sales",)
        assert bool(receipt.still_there) == bool(in_place)
        assert_forgotten(bench, *folders, but=in_place)

        land(4, "b")
        bench.build(select({key: name for key, name in DUMPS[0].items() if key != PERSON}))
        assert found(bench) == [("a", 1, "ann"), ("a", 3, "ann"), ("b", 1, "bob"), ("b", 4, "bob")]
        assert_forgotten(bench, *folders, but=in_place)


def found(bench: Workbench) -> list[tuple[Any, ...]]:
    bench.spark.catalog.refreshTable(f"{bench.schema}.sales")
    return sorted(map(tuple, bench.spark.sql(f"select account_id, number, name from {bench.schema}.sales").collect()))


def warehouse(bench: Workbench) -> Path:
    return Path(urlsplit(bench.spark.conf.get("spark.sql.warehouse.dir") or "").path)


def rows_of(bench: Workbench, name: str) -> list[str]:
    return sorted(map(str, bench.spark.table(f"{bench.schema}.{name}").collect()))
