"""Names, types, keys, columns that come and go, and wave indices work on Delta and Iceberg as on Parquet."""

from __future__ import annotations

from concurrent.futures import Future

import pytest
from functional.formats import FORMATS


@pytest.mark.parametrize("name", FORMATS)
def test_names_types_and_keys(formats: dict[str, Future[None]], name: str) -> None:
    formats[name].result()
