"""The contract suite takes ten minutes, with a Spark of its own on the core that other tests leave idle."""

from __future__ import annotations

from concurrent.futures import Future


def test_every_strategy_keeps_the_contract(contract: Future[None]) -> None:
    contract.result()
