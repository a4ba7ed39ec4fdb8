"""The cost model of wave indexes, and the advice that follows from it."""

import re
from dataclasses import replace
from typing import Any

import pytest
from unit.wave_records import days_indexed

from deltawave.wave import SCHEMES, WaveIndex, plans
from deltawave.wave.advice import WaveNeeds, advice_lines, advise
from deltawave.wave.costs import TableCost, TableParameters, WaveCost, WaveParameters, on_spark
from deltawave.wave.materialization import advice

# Powers of ten, so that each term of a formula can be read in a sum. X = 5 and, for W = 11, Y = 5.
PLAIN = WaveParameters(
    10, packed=1, unpacked=2, build=10_000, add=100_000, delete=1_000_000, copy=1, smart_copy=100, seek=3, transfer=1
)
# A day of LINEITEM as docs/wave_costs.md measured it, in MB and seconds of a day among many.
LINEITEM = {"window": 100, "packed": 0.56, "unpacked": 0.68, "build": 0.033, "add": 0.033, "seek": 0.018}
# The case study SCAM of WI Table 12.
SCAM = WaveParameters(7, 56, 78.4, 1686, 3341, 3341, probes=10_000, scans=10, scan_indexes=1)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_most_space_is_that_of_the_planner(scheme: str) -> None:
    for window in range(2, 25):
        for n in range(2, window + 1):
            planned = plans(WaveIndex(scheme, window, n), 3 * window)
            most = max(sum(map(len, plan.state.indexes.values())) for plan in planned)
            one = WaveCost(replace(PLAIN, window=window), scheme, n)
            assert most == one.max_space / one.day_size


@pytest.mark.parametrize("scheme", SCHEMES)
def test_exact_averages_are_those_of_the_planner(scheme: str) -> None:
    least = SCHEMES[scheme].least
    given = replace(PLAIN, build=1, add=1, delete=0, copy=0, smart_copy=0)
    for window in range(least, 16):
        for n in range(least, window + 1):
            # As many days as it takes all clusters to expire.
            days = window - least + 1
            planned = list(plans(WaveIndex(scheme, window, n), window + days))[1:]
            one = WaveCost(replace(given, window=window), scheme, n)
            assert one.transition == pytest.approx(sum(days_indexed(plan.transition) for plan in planned) / days)
            assert one.precomputation == pytest.approx(sum(days_indexed(plan.preparation) for plan in planned) / days)


def test_advice_keeps_to_what_is_needed() -> None:
    found = advise(SCAM, WaveNeeds(most_transition=3400, most_space=700, techniques=("simple_shadow",)))
    assert all(one.transition <= 3400 for one in found.by_scheme)
    assert all(one.max_space + one.max_transition_space <= 700 for one in found.by_scheme)
    # W = 1 leaves DEL and the three that reindex.
    needs = WaveNeeds(most_space=10, can_delete=False, techniques=("simple_shadow",))
    with pytest.raises(ValueError, match=r"of 4 options, most_space excludes 4, can_delete excludes 1\. Ask less"):
        advise(replace(SCAM, window=1), needs)


def test_a_partitioned_table_is_advised_for_few_probes() -> None:
    few, many = (advise(on_spark({**LINEITEM, "probes": probes})) for probes in (1, 1000))
    assert few.takes_table
    assert few.table.transition == pytest.approx(0.033 + 0.25)
    assert few.table.probe == pytest.approx(0.15 + 100 * (0.56 / 500 + 0.001))
    assert not many.takes_table
    # The newest day alone, as SCAM scans it.
    assert TableCost(SCAM, TableParameters.assumed(SCAM)).scan == pytest.approx(5.6)
    assert few.table.most_space == pytest.approx(101 * 0.56)
    # What was measured of it goes first.
    slow = TableParameters(size=1, take=10, find=1, scan=1)
    assert not advise(few.table.parameters, table=slow).takes_table
    # Needs that no index meets, and those that the table does not meet either.
    only = advise(on_spark(LINEITEM), WaveNeeds(most_space=57))
    assert (only.best, only.takes_table) == (None, True)
    with pytest.raises(ValueError, match="most_space excludes"):
        advise(on_spark(LINEITEM), WaveNeeds(most_space=50))


def test_the_page_of_an_advice() -> None:
    given = on_spark({**LINEITEM, "probes": 1})
    page = "\n".join(advice_lines(advise(given)))
    assert re.search(r"^  partitioned table +[0-9.]+ +0\.28 ", page, re.MULTILINE)
    assert "Take a partitioned table: " in page
    assert "wave_index" not in page
    page = "\n".join(advice_lines(advise(replace(given, probes=1000), WaveNeeds(techniques=("packed_shadow",)))))
    assert "Take reindex with 1 constituent, packed_shadow." in page
    assert "          'scheme': 'reindex',\n          'window': 100,\n          'constituents': 1,\n" in page
    page = "\n".join(advice_lines(advise(given, WaveNeeds(most_space=57))))
    assert "Take a partitioned table: no wave index meets the needs." in page


def test_the_size_of_a_table_is_asked_for() -> None:
    """An index of an array is larger than the table, by as many entries as its rows have values."""
    given: dict[str, Any] = {"parameters": LINEITEM, "needs": {}, "tolerance": 0.05}
    with pytest.raises(ValueError, match="table_size not given: MB of a day in a table with a partition for each day"):
        advice(**given)
    # A table of a tenth of the size is read and loaded sooner.
    small, large = (advice(**given, table_size=size)[3].split() for size in (0.056, 0.56))
    assert [float(small[at]) < float(large[at]) for at in (2, 3, 4, 6)] == [True] * 4
    with pytest.raises(ValueError, match="size of a partitioned table -1: take 0 or more"):
        advice(**given, table_size=-1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"build": None}, "build not given: take figures of your data, or a model to measure"),
        ({"fixed": {"probes": 1}}, "fixed probes: take batch, write, probe, scan, file"),
        ({"fixed": {"probe": -1}}, "fixed probe -1: take 0 or more"),
    ],
)
def test_parameters_on_spark_that_cannot_be(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        on_spark({**LINEITEM, **change})
    with pytest.raises(ValueError, match="take of a partitioned table -1"):
        TableParameters(1, -1, 1, 1)


@pytest.mark.parametrize(
    ("needs", "message"),
    [
        ({"techniques": "simple_shadow"}, "techniques 'simple_shadow': take a list of in_place"),
        ({"techniques": ()}, r"techniques \(\): take a list"),
        ({"most_constituents": 0}, "most_constituents 0: take 1 or more"),
    ],
)
def test_needs_that_cannot_be(needs: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        WaveNeeds(**needs)


@pytest.mark.parametrize("tolerance", [-0.1, float("nan")])
def test_a_tolerance_that_cannot_be(tolerance: float) -> None:
    with pytest.raises(ValueError, match=r"tolerance .*: take 0 or more"):
        advise(SCAM, tolerance=tolerance)


@pytest.mark.parametrize(
    ("change", "message"),
    [({"window": 0}, "window 0"), ({"add": -1}, "add -1"), ({"scan_indexes": 0}, "scan_indexes 0")],
)
def test_parameters_that_cannot_be(change: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(SCAM, **change)  # type: ignore[arg-type]


def test_techniques_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="technique 'shadow': take one of in_place, simple_shadow, packed_shadow"):
        WaveCost(SCAM, "del", 1, "shadow")
