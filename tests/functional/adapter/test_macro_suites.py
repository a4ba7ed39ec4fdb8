"""The suites of dbt-tests-adapter of the macros that an adapter has, and of rarer commands and options."""
# ruff: noqa: F401

import pytest
from dbt.tests.adapter.basic.test_adapter_methods import BaseAdapterMethod as TestAdapterMethod
from dbt.tests.adapter.basic.test_singular_tests_ephemeral import (
    BaseSingularTestsEphemeral as TestSingularTestsEphemeral,
)
from dbt.tests.adapter.basic.test_validate_connection import BaseValidateConnection as TestValidateConnection
from dbt.tests.adapter.dbt_show.test_dbt_show import BaseShowLimit as TestShowLimit
from dbt.tests.adapter.empty.test_empty import BaseTestEmpty as TestEmpty
from dbt.tests.adapter.python_model.test_python_model import BasePythonMetaGetTests as TestPythonMetaGet
from dbt.tests.adapter.relations.test_changing_relation_type import (
    BaseChangeRelationTypeValidator as TestChangingRelationType,
)
from dbt.tests.adapter.utils.test_concat import BaseConcat as TestConcat
from dbt.tests.adapter.utils.test_date_trunc import BaseDateTrunc as TestDateTrunc
from dbt.tests.adapter.utils.test_dateadd import BaseDateAdd
from dbt.tests.adapter.utils.test_hash import BaseHash as TestHash
from dbt.tests.adapter.utils.test_safe_cast import BaseSafeCast as TestSafeCast
from dbt.tests.adapter.utils.test_string_literal import BaseStringLiteral as TestStringLiteral


class TestDateAdd(BaseDateAdd):
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {
            "name": "test",
            "seeds": {"test": {"data_dateadd": {"+column_types": {"from_time": "timestamp", "result": "timestamp"}}}},
        }
