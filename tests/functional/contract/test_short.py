"""Every strategy through a short history; test_contract.py has all events."""

from typing import Any

import pytest
from draws import first_batches, short
from suite import Run, Suite

from models import VARIANTS

# A change of the code alone decides whether these pass; test_contract.py draws anew each time.
SEED = 6
# A project's own strategies have test_own_strategies.py.
OURS = [variant for variant in VARIANTS if variant not in ("not_in", "by_function")]
ON_S3 = ("auto", "hash_compressed", "row_checksum", "range_checksum", "timestamp")


@pytest.mark.core
@pytest.mark.usefixtures("interpreted")
class TestShortHistories:
    @pytest.fixture(scope="class")
    def suite(self, run_together: Run) -> Suite:
        return run_together(short, SEED)

    @pytest.mark.parametrize(
        "variant", [pytest.param(name, marks=pytest.mark.s3) if name in ON_S3 else name for name in OURS]
    )
    def test_main_events(self, suite: Suite, variant: str) -> None:
        suite.draws[variant].check()


@pytest.mark.usefixtures("interpreted")
class FirstBatches:
    """Where a run takes longer: on other table formats, and on stock dbt-spark."""

    @pytest.fixture(scope="class")
    def project_config_update(self, request: pytest.FixtureRequest) -> dict[str, Any]:
        return {"models": {"+file_format": request.config.option.table_format}}

    @pytest.fixture(scope="class")
    def suite(self, run_together: Run) -> Suite:
        return run_together(first_batches, SEED)

    @pytest.mark.parametrize("variant", ["outer_join"])
    def test_first_batches(self, suite: Suite, variant: str) -> None:
        suite.draws[variant].check()


@pytest.mark.formats
class TestFirstBatches(FirstBatches):
    pass


@pytest.mark.core
@pytest.mark.hive
class TestStockFirstBatches(FirstBatches):
    """On stock dbt-spark, which takes the session that it finds: one that other tests have warmed up."""

    @pytest.fixture(scope="class")
    def adapter_type(self) -> str:
        return "spark"
