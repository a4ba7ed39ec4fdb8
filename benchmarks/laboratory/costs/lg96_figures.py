"""The data of LG96 Figures 6 to 9 and of LG95 Tables 1 to 3; all but Table 1 come from the cost models.

The scan shows no axes: the ranges are ours, wide enough for the text's statements about the figures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from laboratory.costs import snapshot_scenarios as lg95
from laboratory.costs.checksums import single_error
from laboratory.costs.snapshot_differential import ALGORITHMS
from laboratory.costs.snapshot_pair import SnapshotPair

MB = 2**20
SMALL = SnapshotPair()
LARGE = replace(SMALL, old_bytes=1024 * MB, new_bytes=1024 * MB)


@dataclass(frozen=True)
class Figure:
    """A figure's data: ``curves`` holds blocks read and written (I/O) for each value of ``x``, by algorithm."""

    title: str
    x_label: str
    x: list[float]
    curves: dict[str, list[float]]
    is_share: bool = False


@dataclass(frozen=True)
class Table:
    """A table's data: for each algorithm the values of ``head``, which are numbers."""

    title: str
    head: list[str]
    rows: dict[str, list[float]]


def figure_6() -> Table:
    """I/O, savings against SM (0 to 1), blocks of intermediate files, and the chance that one comparison errs."""
    sort_merge = ALGORITHMS["SM"]
    rows = {}
    for name, algorithm in ALGORITHMS.items():
        costs = [algorithm.cost(pair) for pair in (SMALL, LARGE)]
        savings = [1 - algorithm.cost(pair) / sort_merge.cost(pair) for pair in (SMALL, LARGE)]
        blocks = [math.ceil(algorithm.intermediate(pair)) for pair in (SMALL, LARGE)]
        rows[name] = [*costs, *savings, *blocks, single_error(32) if algorithm.is_lossy else 0.0]
    sizes = ["256 MB", "1024 MB"]
    head = [f"{what}, {size}" for what in ("I/O", "saved", "intermediate blocks") for size in sizes]
    return Table("LG96 Figure 6", [*head, "probability of error"], rows)


def figure_7() -> Figure:
    """I/O by the size of the snapshots, up to 1,024 MB; SMC1 and SMC2 are left out, as in the paper."""
    sizes = [float(size) for size in range(16, 1025, 16)]
    pairs = [replace(SMALL, old_bytes=size * MB, new_bytes=size * MB) for size in sizes]
    return _figure("LG96 Figure 7", "size of a snapshot, MB", sizes, pairs, ("SM", "PH", "PHC1", "PHC2", "W"))


def figure_8() -> Figure:
    """I/O by the compression factor u, 1 to 30, for snapshots of 1,024 MB; one u for both formats."""
    factors = [1 + number / 4 for number in range(117)]
    pairs = [replace(LARGE, hash_factor=factor, pointer_factor=factor) for factor in factors]
    return _figure("LG96 Figure 8", "compression factor u", factors, pairs, ALGORITHMS)


def figure_9() -> Figure:
    """I/O by the share of records that were updated or inserted, 0 to 5 %, for snapshots of 1,024 MB."""
    shares = [number / 1000 for number in range(51)]
    pairs = [replace(LARGE, update_fraction=share / 2, insert_fraction=share / 2) for share in shares]
    figure = _figure("LG96 Figure 9", "updates and inserts, share of the records", shares, pairs, ALGORITHMS)
    return replace(figure, is_share=True)


@dataclass(frozen=True)
class Properties:
    """A table of properties: for each algorithm whether it has those of ``head``, and what this package runs for it."""

    title: str
    head: list[str]
    rows: dict[str, list[bool]]
    ours: dict[str, str]


def table_1() -> Properties:
    """LG95 Table 1: which algorithms find a minimal set of differences, are incremental, or may miss a difference.

    The report prints that SQL may miss one; but by 3.6 no algorithm of its section 3, such as SQL, does.
    """
    window = "window; with reconcile (the default) the set is minimal"
    rows = {
        "Nested-loop join": ([True, True, False], "nested_loop"),
        "Merge join": ([True, True, False], "sort_merge"),
        "Grace hash join": ([True, True, False], "partitioned_hash"),
        "Hybrid hash join": ([True, True, False], "hybrid_hash"),
        "Using SQL": ([True, True, False], "strategies outer_join and union"),
        "UNIX diff": ([False, False, False], "text_diff; rows it does not match are joined, so the set is minimal"),
        "PROBMerge join": ([True, True, True], "sort_merge_compressed, sort_merge_pointed"),
        "PROBHash join": ([True, True, True], "hash_compressed, partitioned_hash_pointed"),
        "Window": ([False, True, False], window),
    }
    head = ["minimal set", "incremental", "probabilistic"]
    return Properties(
        "LG95 Table 1",
        head,
        {name: has for name, (has, _) in rows.items()},
        {name: own for name, (_, own) in rows.items()},
    )


def table_2() -> Table:
    """LG95 Table 2 for two snapshots of 256 MB, 32 MB of memory and u = 10: I/O, and blocks of intermediate files.

    Compressed, F1 has 1,639 blocks and fits in memory, which saves the nested-loop and the hybrid hash join reading or
    writing again. The table prints the nested-loop join without that case; here it has both. The hybrid hash join has
    one formula, in which all N buckets then stay in memory: K = N. UNIX diff is counted without the filter of its
    output, 3 B(FOUT).
    """
    pair = replace(SMALL, hash_factor=10)
    both = pair.old_blocks + pair.new_blocks
    # Hybrid hash joins write no bucket that stays in memory.
    spilt, spilt_compressed = (
        (1 - lg95.buckets_in_memory(pair, factor) / lg95.buckets(pair)) * both / factor for factor in (1, 10)
    )
    costs: dict[str, tuple[Callable[[SnapshotPair], float], float]] = {
        "UNIX diff": (lg95.text_diff, both),
        "NL": (lg95.nested_loop, 0),
        "M": (lg95.merge_join, both),
        "GH": (lg95.grace_hash, both),
        "HH": (lg95.hybrid_hash, spilt),
        "SQL": (lg95.sql, both),
        "CP NL, as printed": (lambda each: lg95.nested_loop_compressed(replace(each, memory_bytes=1)), 0),
        "CP NL, f1 in memory": (lg95.nested_loop_compressed, 0),
        "CP M": (lg95.merge_or_grace_compressed, both / 10),
        "CP GH": (lg95.merge_or_grace_compressed, both / 10),
        "CP HH, f1 in memory (K = N)": (lg95.hybrid_hash_compressed, spilt_compressed),
    }
    rows = {name: [cost(pair), math.ceil(blocks)] for name, (cost, blocks) in costs.items()}
    return Table("LG95 Table 2", ["I/O, 256 MB", "intermediate blocks"], rows)


def table_3() -> Table:
    """LG95 Table 3 for two snapshots of 256 MB, u = 10, .5 % inserts and .5 % updates: the least I/O of a scenario."""
    pair = replace(SMALL, hash_factor=10)
    costs = {
        "growing files: HH, GH, M": lg95.growing,
        "stagnant files: HH, GH, M": lg95.stagnant,
        "shrinking files: HH, GH, M": lg95.shrinking,
        "similar dumps: W": lg95.similar,
    }
    return Table("LG95 Table 3", ["I/O, 256 MB"], {name: [cost(pair)] for name, cost in costs.items()})


def _figure(title: str, x_label: str, x: list[float], pairs: list[SnapshotPair], names: Iterable[str]) -> Figure:
    return Figure(title, x_label, x, {name: [ALGORITHMS[name].cost(pair) for pair in pairs] for name in names})
