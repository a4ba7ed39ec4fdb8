"""Figures 5 and 11 of MJ08: tuning by the cost model, and what shedding keeps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from laboratory.meshjoin.cost_model import CostFactors, MeshJoinModel
from laboratory.meshjoin.offline_shedding import optimal_loss, top_w_loss

MEGABYTE = 1 << 20
# Sample factors, as in the paper: a disk with 10 ms per access and 50 MB per second, and a processor of its time.
SAMPLE = CostFactors(
    read=lambda b: 0.01 + b * 8192 / 50e6,
    expire=1e-6,
    take=1e-6,
    add=2e-6,
    probe=lambda tuples: 1e-7 + 5e-13 * tuples,
    output=1e-6,
)
# R has 3.5 million rows of 120 bytes.
MODEL = MeshJoinModel(20, 120, 8192, 51_270, SAMPLE, selectivity=0.05)


@dataclass(frozen=True)
class Curve:
    """Values over b, the pages of an iteration, or over another variable."""

    x_label: str
    y_label: str
    x: list[float] = field(default_factory=list)
    y: list[float] = field(default_factory=list)


def figure_5a(rate: float = 6000, model: MeshJoinModel = MODEL, most: int = 400) -> Curve:
    """The memory that serves a rate, by b; where no w does, there is no point."""
    curve = Curve("pages per iteration, b", "memory, MB")
    for b in range(1, most + 1):
        if (w := model.smallest_w(rate, b)) is not None:
            curve.x.append(b)
            curve.y.append(model.memory(w, b) / MEGABYTE)
    return curve


def figure_5b(memory: float = 4 * MEGABYTE, model: MeshJoinModel = MODEL) -> Curve:
    """The rate that a memory serves, by b."""
    curve = Curve("pages per iteration, b", "tuples per second")
    for b in range(1, int(memory // model.page_bytes)):
        curve.x.append(b)
        curve.y.append(model.service_rate(model.largest_w(memory, b), b))
    return curve


# Draws the join frequencies (f_R) of the given number of a stream's tuples.
Drawn = Callable[[int, np.random.Generator], npt.NDArray[np.int64]]


@dataclass(frozen=True)
class Shed:
    """The shares of results that are made at a speed rho, the arrival rate as a multiple of the served rate."""

    speed: float
    top_w: float
    optimal: float


def figure_11(
    drawn: Drawn, speeds: Sequence[float], *, tuples: int = 20_000, w: int = 50, streams: int = 10, seed: int = 1
) -> list[Shed]:
    """The shares of results that TOPW and OPTOFFLINESHED keep, on average over streams.

    A stream has ``tuples`` for each unit of speed. Of the tuples that arrive during an iteration, w are kept.
    """
    random = np.random.default_rng(seed)
    found = []
    for speed in speeds:
        shares = []
        for _ in range(streams):
            frequencies = drawn(round(speed * tuples), random)
            # Iterations have a whole number of time units.
            loop = round(speed * w)
            total = max(1, int(frequencies.sum()))
            losses = (top_w_loss(frequencies.tolist(), w, loop), optimal_loss(frequencies.tolist(), w, loop))
            shares.append([1 - loss / total for loss in losses])
        top, optimal = np.mean(shares, axis=0)
        found.append(Shed(speed, float(top), float(optimal)))
    return found
