"""Random orders that need no memory."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

_ROUNDS = 4


class Permutation:
    """A random order of the numbers from 0 to ``size`` - 1: calling it gives each number's place.

    A Feistel network on the halves of each number's bits is a bijection of a power of four; a result beyond ``size``
    goes through it again until it is within (cycle walking). So any part of the order can be computed alone.
    """

    def __init__(self, size: int, seed: int) -> None:
        self.size = size
        self._half = np.uint64(max(1, math.ceil(max(1, (size - 1).bit_length()) / 2)))
        self._mask = np.uint64((1 << int(self._half)) - 1)
        chance = np.random.default_rng([seed, 4])
        self._keys = chance.integers(0, 2**63, _ROUNDS, dtype=np.uint64)

    def __call__(self, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The places of ``numbers``, each from 0 to ``size`` - 1."""
        places = self._network(numbers.astype(np.uint64))
        while (beyond := np.flatnonzero(places >= self.size)).size:
            places[beyond] = self._network(places[beyond])
        return places.astype(np.int64)

    def _network(self, numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
        left, right = numbers >> self._half, numbers & self._mask
        for key in self._keys:
            left, right = right, left ^ (self._mixed(right, key) & self._mask)
        joined: npt.NDArray[np.uint64] = (left << self._half) | right
        return joined

    @staticmethod
    def _mixed(values: npt.NDArray[np.uint64], key: np.uint64) -> npt.NDArray[np.uint64]:
        mixed = (values + key) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        result: npt.NDArray[np.uint64] = mixed ^ (mixed >> np.uint64(31))
        return result
