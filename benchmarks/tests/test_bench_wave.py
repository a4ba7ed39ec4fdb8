"""The benchmark of wave indexes: its data, the window that it begins with, its predictions, its report, its command."""

import json
import re
from dataclasses import asdict, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import wave_indexes
import wave_published

from deltawave.wave import SCHEMES, WaveIndex
from deltawave.wave.costs import FixedCosts, WaveCost, WaveParameters
from deltawave.wave.tables import TECHNIQUES, WaveSpec
from deltawave.wave.wave_table import WaveTable
from laboratory.costs.wave_cases import TPC_D
from laboratory.wave.data import LineItem, Postings
from laboratory.wave.layout import ATTEMPT, settled, steps_of
from laboratory.wave.measuring import Result, Setting, cycle
from laboratory.wave.parameters import Measured
from laboratory.wave.prediction import Costs, Mix, predicted
from laboratory.wave.ranking import agreement
from laboratory.wave.report import PUBLISHED_METHODS, write_report

ROOT = Path(__file__).resolve().parents[2]
TABLE: Any = WaveTable(None, "bench", "kept")  # type: ignore[arg-type]
COLUMNS = (("day", "int"), ("supplier", "int"))


def spec(scheme: str, technique: str, window: int = 6, constituents: int = 3) -> WaveSpec:
    return WaveSpec(WaveIndex(scheme, window, constituents), technique, "day", "supplier", COLUMNS)


def test_batches_of_lineitem_are_of_equal_size_and_have_each_row_once(tmp_path: Path) -> None:
    tables = list(LineItem(tmp_path / "days", range(3, 10), 0.001).tables())
    counts = [len(table) for table in tables]
    # TPC-H has about 6,000,000 rows per unit of its scale.
    assert sum(counts) == pytest.approx(6_000, rel=0.02)
    assert len(counts) == 7
    assert max(counts) - min(counts) <= 1
    keys = [
        key for table in tables for key in zip(*map(list, table.select(["l_orderkey", "l_linenumber"])), strict=True)
    ]
    assert len(set(keys)) == sum(counts)
    assert list(tmp_path.iterdir()) == []


def test_words_of_postings_are_skewed(tmp_path: Path) -> None:
    tables = list(Postings(tmp_path, range(2), 0.01).tables())
    assert [len(table) for table in tables] == [700, 700]
    words = [word for row in tables[0]["words"].to_pylist() for word in row]
    assert len(words) == 700 * 20
    most = max(words.count(word) for word in set(words))
    # One in H(20,000), about 10.5.
    assert most / len(words) == pytest.approx(1 / 10.5, rel=0.2)
    assert tables[0]["article"][-1].as_py() + 1 == tables[1]["article"][0].as_py()


@pytest.mark.parametrize("technique", TECHNIQUES)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_window_that_has_gone_by(scheme: str, technique: str) -> None:
    chosen = spec(scheme, technique)
    record = settled(chosen, 12, TABLE)
    days = {day for table in record.constituents for day in table.days}
    assert days == set(range(7, 13)) if SCHEMES[scheme].is_hard else days >= set(range(7, 13))
    assert days <= set(record.days)
    assert not record.pending
    assert not record.replaced
    written_at_first = [
        part for table in record.tables.values() for part in table.parts if part.name.split("_")[1] == ATTEMPT
    ]
    # WATA* may still have day W, which is built alone, as the first day of each constituent is.
    assert all(part.days == {6} for part in written_at_first)


@pytest.mark.parametrize("technique", TECHNIQUES)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_a_scheme_writes(scheme: str, technique: str) -> None:
    """The average inserts and batches of the cost model are those of the statements, over a whole window."""
    least = SCHEMES[scheme].least
    for window, constituents in ((4, 4), (6, 3), (7, 4), (8, 2), (9, 2), (5, least)):
        chosen = spec(scheme, technique, window, constituents)
        days = window - least + 1
        steps = steps_of(settled(chosen, 2 * window, TABLE), range(2 * window + 1, 2 * window + 1 + days), TABLE)
        inserts = {True: 0, False: 0}
        newest = 2 * window
        for step in steps:
            inserts[step.record.state_day > newest] += sum(text.startswith("insert") for text in step.statements)
            newest = step.record.state_day
        daily = WaveCost(WaveParameters(window, 1, 1, 1, 1, 1), scheme, constituents, technique).daily
        assert (daily.preparing_batches, daily.preparing_inserts, daily.inserts) == pytest.approx(
            ((len(steps) - days) / days, inserts[False] / days, inserts[True] / days)
        )


def test_cycles() -> None:
    assert cycle("del", 100, 10, 11) == 10
    assert cycle("wata", 100, 10, 11) == 11
    assert cycle("rata", 7, 4, 7) == 6
    assert cycle("reindex", 7, 4, 7) == 7
    assert cycle("wata", 35, 5, 9) == 9


def test_order_of_pairs() -> None:
    measured = {"a": 1.0, "b": 1.05, "c": 2.0, "d": 4.0}
    assert agreement(measured, measured).tau == 1
    assert agreement(measured, measured).pairs == 5
    found = agreement({"a": 3.0, "b": 0.0, "c": 2.0, "d": 2.0}, measured)
    assert found.wrong == (("a", "d"), ("a", "c"))
    assert (found.pairs, found.tied) == (5, 1)
    assert found.tau == pytest.approx((5 - 1 - 4) / 5)
    assert agreement({"a": 1.0}, {"a": 5.0}).tau == 1


FIXED = FixedCosts(batch=5.0, write=2.0, probe=0.5, scan=0.25, file=0.125)


def parameters() -> Measured:
    given = replace(TPC_D, copy=125.4, smart_copy=120.0)
    return Measured(given, replace(given, fixed=FIXED))


def test_predictions() -> None:
    index = WaveIndex("reindex_plus_plus", 100, 10)
    printed, fixed = (
        predicted(each, index, "simple_shadow") for each in (parameters().of_one_day, parameters().per_day)
    )
    assert printed.transition == TPC_D.add
    assert printed.scan_newest == pytest.approx(printed.scan / 10)
    # REINDEX++ prepares each day, with 2 (X - 1) inserts in X days.
    assert fixed.transition - printed.transition == pytest.approx(5 + 2)
    assert fixed.preparation - printed.preparation == pytest.approx(5 + 2 * 1.8)
    # Its ten constituents have up to nine further files in a bucket, one for each day.
    assert fixed.probe - printed.probe == pytest.approx(0.5 + 90 * 0.125)
    assert fixed.scan_newest - printed.scan_newest == pytest.approx(0.25 + 8 * 9 * 0.125)
    assert fixed.space == printed.space
    packed = [predicted(each, index, "packed_shadow") for each in (parameters().per_day, parameters().of_one_day)]
    assert packed[0].probe - packed[1].probe == pytest.approx(0.5)


PUBLISHED = """\
| method | transition | preparation | probe | Q1 of all days | MB |
|---|---:|---:|---:|---:|---:|
| `wata/in_place` | 2.00 | 1.00 | 0.25 | 2.00 | 10 |
| `del/in_place` | 3.00 | 1.00 | 0.25 | 2.00 | 10 |
| `del/packed_shadow` | 9.00 | 1.00 | 0.25 | 2.00 | 10 |
| one Delta table, delete and insert | 2.50 |  | 0.25 | 2.00 | 10 |

| query mix | model | tau | with fixed costs | tau |
|---|---:|---:|---:|---:|
| TPC-D | 1 of 3 | 0.33 | 0 of 3 | 1.00 |
| no queries | 1 of 3 | 0.33 | 0 of 3 | 1.00 |
"""


def test_the_published_tables_are_those_of_the_documentation() -> None:
    reported = (ROOT / "docs" / "wave_costs.md").read_text()
    runs = re.findall(r"benchmarks/wave_indexes.py (--data .*) --out results", reported)
    assert runs == list(wave_published.RUNS.values())
    heads = [line for line in PUBLISHED.splitlines() if line.startswith(("| method", "| query mix"))]
    assert all(f"{head}\n" in reported for head in heads)
    methods = re.findall(r"^\| (`[a-z_]+/[a-z_]+`|one [^|]*) \|", reported, re.MULTILINE)
    assert methods == [label or f"`{name}`" for name, label in PUBLISHED_METHODS.items()] * 2


def costs(transition: float) -> Costs:
    return Costs(transition, 1.0, 0.25, 2.0, 0.5, 10.0, 11.0, 1.0, 2.0)


def test_total_work() -> None:
    assert costs(3.0).total_work(Mix(probes=8, scans=2)) == 3 + 1 + 8 * 0.25 + 2 * 2.0
    assert costs(3.0).total_work(Mix(scans=2, newest=True)) == 3 + 1 + 2 * 0.5


def test_the_report(tmp_path: Path) -> None:
    def result(method: str, measured: float, predicted: float | None) -> dict[str, Any]:
        made = Result(method, "lineitem", 100, 10, 11, costs(measured))
        work = {"measured": measured}
        if predicted:
            made.predicted = made.predicted_with_fixed = costs(predicted)
            work |= {"predicted": predicted, "predicted_with_fixed": measured}
        made.total_work = {kind: dict.fromkeys(("TPC-D", "no queries"), value) for kind, value in work.items()}
        return asdict(made)

    results = [
        result("wata/in_place", 2.0, 5.0),
        result("del/in_place", 3.0, 4.0),
        result("del/packed_shadow", 9.0, 9.0),
        result("delta", 2.5, None),
    ]
    write_report(results, asdict(parameters()), tmp_path)
    reported = (tmp_path / "results.md").read_text()
    assert "| `wata/in_place` | 2.00 (5.00, 5.00) |" in reported
    assert "| `delta` | 2.50 | 1.00 |" in reported
    assert "| model | all | 3 | 1 | 0.33 | `wata/in_place` < `del/in_place` |" in reported
    assert "| model | in_place | 1 | 1 | -1.00 | `wata/in_place` < `del/in_place` |" in reported
    assert "| with fixed costs | all | 3 | 0 | 1.00 |  |" in reported
    assert reported.index("| `delta` | 2.50 |  |  |") > reported.index("Total work, TPC-D")
    assert (tmp_path / "published.md").read_text() == PUBLISHED
    assert json.loads((tmp_path / "results.json").read_text())[0]["method"] == "wata/in_place"
    for name in ("work_tpc_d.svg", "model_tpc_d.svg", "work_no_queries.svg", "model_no_queries.svg"):
        assert (tmp_path / name).read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--constituents", "5", "--window", "4"], "constituents 5: del takes 1 to 4"),
        (["--days", "0"], "--days has to be 1 or more"),
        (["--scale", "0"], "--scale has to be more than 0"),
    ],
)
def test_what_cannot_be_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    assert wave_indexes.main([*options, "--out", str(tmp_path)]) == 1
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_batches_reach_back_as_far_as_a_soft_window() -> None:
    setting = Setting("lineitem", 100, 10, 11, 1.0)
    # W + Y - 1 days until day 200, and eleven more.
    assert setting.batches == range(91, 212)
    assert Fraction(99, 9) == 11
