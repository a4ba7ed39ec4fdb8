"""The suites of dbt-tests-adapter for models, seeds and tests, as far as Parquet tables support them."""
# ruff: noqa: F401

import pytest
from dbt.tests.adapter.basic.test_base import BaseSimpleMaterializations as TestSimpleMaterializations
from dbt.tests.adapter.basic.test_ephemeral import BaseEphemeral as TestEphemeral
from dbt.tests.adapter.basic.test_generic_tests import BaseGenericTests as TestGenericTests
from dbt.tests.adapter.basic.test_incremental import BaseIncremental as TestIncremental
from dbt.tests.adapter.basic.test_singular_tests import BaseSingularTests as TestSingularTests
from dbt.tests.adapter.python_model.test_python_model import BasePythonModelTests as TestPythonModel

pytestmark = [pytest.mark.core, pytest.mark.hive]
