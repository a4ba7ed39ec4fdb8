"""A dbt package and an adapter of different versions are reported."""

from types import SimpleNamespace
from typing import Any

import pytest

from dbt.adapters.deltawave import impl
from dbt.adapters.deltawave.__version__ import version
from dbt.adapters.deltawave.impl import PACKAGE, DeltawaveAdapter


@pytest.mark.parametrize(("installed", "warns"), [(version, False), ("0.9.0", True), (None, False)])
def test_another_version_of_the_package_is_named(
    installed: str | None, warns: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    warnings: list[str] = []
    monkeypatch.setattr(impl.logger, "warning", warnings.append)
    packages = {PACKAGE: SimpleNamespace(version=installed)} if installed else {}
    adapter: Any = SimpleNamespace(config=SimpleNamespace(dependencies=packages))
    DeltawaveAdapter._check_version(adapter)
    assert [f"has version 0.9.0, this adapter {version};" in each for each in warnings] == [True] * warns
