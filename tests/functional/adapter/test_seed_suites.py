"""The suites of dbt-tests-adapter for seeds, with Spark's names of types where they name types.

Two of their expectations do not hold on Spark: a dropped table takes no views with it, and the name of a table, which
dbt-spark does not quote, has no dots.
"""

import re
from pathlib import Path

import pytest
from dbt.tests.adapter.simple_seed import fixtures, seeds, test_seed
from dbt.tests.adapter.simple_seed.test_seed_type_override import BaseSimpleSeedColumnOverride

TYPES = {"TEXT": "string", "INTEGER": "bigint", "TIMESTAMP WITHOUT TIME ZONE": "timestamp"}


def in_spark(text: str) -> str:
    """The text with Spark's names of types."""
    return re.sub("|".join(TYPES), lambda found: TYPES[found[0].upper()], text, flags=re.IGNORECASE)


TABLE, ROWS, _ = in_spark(seeds.seeds__expected_sql).split(";")
ROWS = re.sub(r"('[-0-9]+ [:0-9]+')", r"timestamp \1", ROWS).replace('"', "`")


class Expected:
    """Makes the table that seeds are compared with."""

    @pytest.fixture(scope="class", autouse=True)
    def setUp(self, project):
        project.run_sql(TABLE)
        project.run_sql(ROWS)


class NoCascade:
    def _check_relation_end_state(self, run_result, project, exists):
        super()._check_relation_end_state(run_result, project, exists=True)


class TestBasicSeed(NoCascade, Expected, test_seed.BaseBasicSeedTests):
    pass


class TestFullRefreshOn(NoCascade, Expected, test_seed.BaseSeedConfigFullRefreshOn):
    pass


class TestFullRefreshOff(Expected, test_seed.BaseSeedConfigFullRefreshOff):
    pass


class TestCustomSchema(Expected, test_seed.BaseSeedCustomSchema):
    pass


class TestUniqueDelimiter(Expected, test_seed.BaseSeedWithUniqueDelimiter):
    pass


class TestWrongDelimiter(Expected, test_seed.BaseSeedWithWrongDelimiter):
    pass


class TestEmptyDelimiter(Expected, test_seed.BaseSeedWithEmptyDelimiter):
    pass


class TestEnabledViaConfig(test_seed.BaseSimpleSeedEnabledViaConfig):
    pass


class TestSpecificFormats(test_seed.BaseSeedSpecificFormats):
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"seeds": {"quote_columns": False, "test": {"seed.with.dots": {"alias": "seed_with_dots"}}}}


class TestEmptySeed(test_seed.BaseTestEmptySeed):
    pass


class TestParsing(Expected, test_seed.BaseSeedParsing):
    pass


class TestByteOrderMark(Expected, test_seed.BaseSimpleSeedWithBOM):
    @pytest.fixture(scope="class", autouse=True)
    def seeds(self):
        folder = Path(test_seed.__file__).parent
        return {"seed_bom.csv": (folder / "seed_bom.csv").read_text(encoding="utf-8")}


class TestColumnOverride(BaseSimpleSeedColumnOverride):
    @pytest.fixture(scope="class")
    def models(self):
        return {"schema.yml": in_spark(fixtures.properties__schema_yml)}

    @staticmethod
    def seed_enabled_types():
        return {"seed_id": "string", "birthday": "date"}

    @staticmethod
    def seed_tricky_types():
        return {"seed_id_str": "string", "looks_like_a_bool": "string", "looks_like_a_date": "string"}
