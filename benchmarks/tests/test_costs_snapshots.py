"""The cost models of LG95 and LG96 against the numbers that the papers themselves work out."""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laboratory.costs import snapshot_differential as lg96
from laboratory.costs import snapshot_scenarios as lg95
from laboratory.costs.snapshot_differential import ALGORITHMS
from laboratory.costs.snapshot_pair import SnapshotPair

MB = 2**20
PAIR = SnapshotPair()
LARGE = replace(PAIR, old_bytes=1024 * MB, new_bytes=1024 * MB)
# LG95 takes one factor for all compressed forms.
TEN = replace(PAIR, hash_factor=10)

COSTS: list[Callable[[SnapshotPair], float]] = [
    *(algorithm.cost for algorithm in ALGORITHMS.values()),
    lg95.nested_loop,
    lg95.merge_join,
    lg95.grace_hash,
    lg95.merge_or_grace_compressed,
    lg95.nested_loop_compressed,
    lg95.sql,
    lg95.text_diff,
    lg95.growing,
    lg95.stagnant,
    lg95.stagnant_by_blocks,
    lg95.shrinking,
    lg95.similar,
]


class TestFigure6:
    """Figures are printed without their fractions."""

    @pytest.mark.parametrize(
        ("name", "small", "large"),
        [
            ("SM", 81_920, 327_680),
            ("SMC1", 51_336, 205_346),
            ("SMC2", 40_833, 163_333),
            ("PH", 65_536, 262_144),
            ("PHC1", 18_568, 205_346),
            ("PHC2", 19_660, 156_779),
            ("W", 32_768, 131_072),
        ],
    )
    def test_io(self, name: str, small: int, large: int) -> None:
        cost = ALGORITHMS[name].cost
        assert (int(cost(PAIR)), int(cost(LARGE))) == (small, large)

    @pytest.mark.parametrize(
        ("name", "small", "large"),
        [
            *((name, 16_384, 65_536) for name in ("SM", "SMC1", "PH", "PHC1")),
            *((name, 1639, 6554) for name in ("SMC2", "PHC2")),
            ("W", 0, 0),
        ],
    )
    def test_blocks_of_intermediate_files(self, name: str, small: int, large: int) -> None:
        """The columns are headed MB, and hold blocks."""
        intermediate = ALGORITHMS[name].intermediate
        assert (math.ceil(intermediate(PAIR)), math.ceil(intermediate(LARGE))) == (small, large)

    @pytest.mark.parametrize(
        ("name", "small", "large"),
        [("SMC1", 37, 37), ("SMC2", 50, 50), ("PH", 20, 20), ("PHC1", 77, 37), ("PHC2", 76, 52), ("W", 60, 60)],
    )
    def test_savings(self, name: str, small: int, large: int) -> None:
        saved = [100 * (1 - ALGORITHMS[name].cost(pair) / ALGORITHMS["SM"].cost(pair)) for pair in (PAIR, LARGE)]
        assert saved == pytest.approx([small, large], abs=0.5)

    def test_checksums_alone_can_miss_a_change(self) -> None:
        assert [name for name, algorithm in ALGORITHMS.items() if algorithm.is_lossy] == [
            "SMC1",
            "SMC2",
            "PHC1",
            "PHC2",
        ]

    def test_records(self) -> None:
        assert (int(PAIR.new_records), int(LARGE.new_records)) == (1_789_569, 7_158_278)


class TestThresholds:
    @pytest.mark.parametrize(("factor", "size"), [(15, 480), (10, 320)])
    def test_a_compressed_file_fits_in_memory_up_to(self, factor: float, size: int) -> None:
        """Figure 7's jumps; the text rounds the first one to 500 MB."""
        assert lg96.fits_in_memory(replace(PAIR, old_bytes=size * MB), factor)
        assert not lg96.fits_in_memory(replace(PAIR, old_bytes=(size + 1) * MB), factor)

    @pytest.mark.parametrize(
        ("plain", "pointed", "share"),
        [
            (lg96.partitioned_hash_hashed, lg96.partitioned_hash_pointed, 0.0168),
            (lg96.sort_merge_hashed, lg96.sort_merge_pointed, 0.0159),
        ],
    )
    def test_pointers_pay_up_to_a_share_of_changes(
        self, plain: Callable[[SnapshotPair], float], pointed: Callable[[SnapshotPair], float], share: float
    ) -> None:
        """Figure 9; the text gives 1.7 %, where PHC1 meets PHC2."""

        def gain(changes: float) -> float:
            pair = replace(LARGE, insert_fraction=0, update_fraction=changes)
            return plain(pair) - pointed(pair)

        assert gain(share - 0.0001) > 0 > gain(share + 0.0001)

    def test_without_much_compression_the_plain_algorithms_are_better(self) -> None:
        """Figure 8."""
        loose = replace(LARGE, hash_factor=1.2, pointer_factor=1.2)
        plain = ALGORITHMS["SM"].cost(loose)
        assert ALGORITHMS["PH"].cost(loose) < min(ALGORITHMS[name].cost(loose) for name in ("PHC1", "PHC2"))
        # The text says so of SMC1 too, but by its formula SMC1 costs no more than SM, whatever the factor.
        assert plain < ALGORITHMS["SMC2"].cost(loose)
        assert ALGORITHMS["SMC1"].cost(replace(LARGE, hash_factor=1)) == plain
        tight = [ALGORITHMS["SMC1"].cost(replace(LARGE, hash_factor=factor)) for factor in (1, 10, 1000)]
        assert tight[0] - tight[1] > 8 * (tight[1] - tight[2])


class TestScenarios:
    def test_savings_by_a_factor_of_ten(self) -> None:
        """4.1: 3.2 B(F), 20 % below the grace hash join, and never 25 %."""
        assert lg95.merge_or_grace_compressed(TEN) == pytest.approx(3.2 * TEN.new_blocks)
        assert lg95.merge_or_grace_compressed(TEN) == pytest.approx(0.8 * lg95.grace_hash(TEN))
        assert lg95.merge_or_grace_compressed(replace(TEN, hash_factor=1e9)) > 0.75 * lg95.grace_hash(TEN)
        assert lg95.nested_loop_compressed(replace(TEN, memory_bytes=MB)) == pytest.approx(
            0.1 * lg95.nested_loop(TEN), rel=1e-3
        )

    def test_growing_shrinking_and_stagnant_files(self) -> None:
        """4.2 and 4.3: 67.5 % below the grace hash join where changes are few, at most 75 %."""
        few = replace(TEN, insert_fraction=0, update_fraction=0)
        for cost in (lg95.growing, lg95.shrinking, lg95.stagnant):
            assert cost(few) == pytest.approx(0.325 * lg95.grace_hash(few))
        best = replace(few, pointer_factor=1e9)
        assert lg95.stagnant(best) == pytest.approx(0.25 * lg95.grace_hash(best))
        assert lg95.stagnant(PAIR) - lg95.growing(PAIR) == pytest.approx(PAIR.updates)

    def test_checksums_of_blocks(self) -> None:
        few = replace(TEN, insert_fraction=0, update_fraction=1e-6)
        assert few.new_blocks < lg95.stagnant_by_blocks(few) < lg95.stagnant(few)
        # Each update makes k blocks be read.
        by_ten = lg95.stagnant_by_blocks(replace(TEN, update_fraction=0.01), 10)
        assert by_ten - lg95.stagnant_by_blocks(replace(TEN, update_fraction=0), 10) == pytest.approx(
            10 * 0.01 * TEN.new_records
        )

    def test_similar_dumps(self) -> None:
        """4.5 and Table 3: 2 B(F)/u + B(F)."""
        assert lg95.similar(TEN) == pytest.approx(1.2 * TEN.new_blocks)
        assert lg96.window(PAIR) == 0.5 * lg95.grace_hash(PAIR)

    def test_the_window_over_hashes_is_a_hash_join_in_memory(self) -> None:
        assert lg95.similar(PAIR) == lg96.partitioned_hash_hashed(PAIR)

    def test_text_diff(self) -> None:
        pair = replace(PAIR, old_bytes=64 * 2**14, new_bytes=64 * 2**14)
        assert lg95.text_diff(pair, result_blocks=10) == 2 * 128 * 7 + 30
        assert lg95.sql(pair) == 64 * 64


class TestHybridHash:
    def test_buckets(self) -> None:
        assert lg95.buckets(PAIR) == 128
        # (2048 - 129) / (16384 / 128 - 1)
        assert lg95.buckets_in_memory(PAIR) == pytest.approx(1919 / 127)
        assert lg95.buckets_in_memory(PAIR, 10) == 128

    def test_cost_between_grace_hash_and_one_scan(self) -> None:
        share = 1919 / 127 / 128
        grace = lg95.grace_hash(PAIR)
        # Table 2: (GH) - k B(F1)/N - 2 k B(F2)/N.
        assert lg95.hybrid_hash(PAIR) == pytest.approx(grace - 3 * share * PAIR.old_blocks)
        # 3.3: matched rows leave room for as many buckets again.
        assert lg95.hybrid_hash(PAIR, reuses_buckets=True) == pytest.approx(grace - 5 * share * PAIR.old_blocks)
        assert lg95.hybrid_hash(replace(PAIR, memory_bytes=PAIR.block_bytes)) == grace
        assert lg95.hybrid_hash(replace(PAIR, memory_bytes=2**40)) == PAIR.new_blocks

    def test_compression_keeps_more_buckets(self) -> None:
        assert lg95.buckets_in_memory(LARGE, 10) > lg95.buckets_in_memory(LARGE)
        assert lg95.hybrid_hash_compressed(LARGE) < lg95.hybrid_hash(LARGE)
        assert lg95.hybrid_hash_compressed(PAIR) == pytest.approx(PAIR.new_blocks * (1 + 1 / 15))


sizes = st.floats(0, 1e13)
pairs = st.builds(
    SnapshotPair,
    old_bytes=sizes,
    new_bytes=sizes,
    record_bytes=st.floats(1, 1e5),
    memory_bytes=st.floats(1e4, 1e12),
    hash_factor=st.floats(1, 1e3),
    pointer_factor=st.floats(1, 1e3),
    insert_fraction=st.floats(0, 0.5),
    update_fraction=st.floats(0, 0.5),
)


@pytest.mark.parametrize("cost", COSTS, ids=lambda cost: cost.__name__)
@given(pair=pairs, more=st.floats(1, 10))
def test_more_of_anything_is_never_cheaper(
    cost: Callable[[SnapshotPair], float], pair: SnapshotPair, more: float
) -> None:
    assert cost(replace(pair, new_bytes=pair.new_bytes * more)) >= cost(pair)
    assert cost(replace(pair, old_bytes=pair.old_bytes * more)) >= cost(pair)
    assert cost(replace(pair, memory_bytes=pair.memory_bytes * more)) <= cost(pair)
    for field in ("insert_fraction", "update_fraction"):
        assert cost(replace(pair, **{field: 0.5})) >= cost(pair)


@given(pair=pairs)
def test_a_hybrid_hash_join_is_never_worse_than_grace(pair: SnapshotPair) -> None:
    assert lg95.hybrid_hash(pair, reuses_buckets=True) <= lg95.hybrid_hash(pair) <= lg95.grace_hash(pair) * (1 + 1e-12)
    assert lg95.hybrid_hash(pair, reuses_buckets=True) >= pair.new_blocks
    assert lg95.hybrid_hash_compressed(pair) <= lg95.merge_or_grace_compressed(pair) * (1 + 1e-12)


@pytest.mark.parametrize(
    ("size", "message"),
    [
        ({"new_bytes": -1}, "new_bytes can't be -1; it takes a number from 0"),
        ({"memory_bytes": 0}, "memory_bytes can't be 0; it takes a number above 0"),
        ({"memory_bytes": float("nan")}, "memory_bytes can't be nan"),
        ({"insert_fraction": 0.9, "update_fraction": 0.9}, "more records are inserted and updated than there are"),
        ({"hash_factor": 0.5}, "hash_factor can't be 0.5; it takes a number from 1"),
        ({"update_fraction": 20}, "update_fraction can't be 20; it takes a number from 0 to 1"),
    ],
)
def test_what_can_t_be_a_size_is_refused(size: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SnapshotPair(**size)
