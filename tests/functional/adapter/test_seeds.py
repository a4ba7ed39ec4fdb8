"""Seeds keep their values."""

import datetime as dt

import pytest
from dbt.tests.util import run_dbt

pytestmark = [pytest.mark.core, pytest.mark.hive]

VALUES = r"""id,big,name,day,at,exact_at,ok,amount
1,9007199254740993,O'Hara,2020-02-29,2020-01-01 10:11:12,2020-01-01 10:11:12.123456,true,1.5
2,-9223372036854775808,a\b\'c,0999-12-31,1970-01-01 00:00:00,,false,-0.1
3,,,,,,,
4,0,Zoë 東京 🌊,2020-01-01,2020-01-01 00:00:00,,true,1e3
5,1,"two
lines, ""quoted"" 100%s",2020-01-01,2020-01-01 00:00:00,,true,0
"""

FORMATTED = """
    select date_format(at, 'yyyy-MM-dd HH:mm:ss.SSSSSS'),
        date_format(exact_at, 'yyyy-MM-dd HH:mm:ss.SSSSSS')
    from {}.everything
    order by id
"""


class TestSeed:
    @pytest.fixture(scope="class")
    def seeds(self):
        return {"everything.csv": VALUES, "texts.csv": "id,name\n1,None\n2,\n3,null\n"}

    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"seeds": {"test": {"everything": {"+column_types": {"exact_at": "timestamp"}}}}}

    @pytest.fixture(scope="class", autouse=True)
    def seeded(self, project):
        run_dbt(["seed"])

    def test_values(self, project, spark):
        frame = spark.table(f"{project.test_schema}.everything").orderBy("id")
        assert dict(frame.dtypes) == {
            "id": "bigint",
            "big": "bigint",
            "name": "string",
            "day": "date",
            "at": "timestamp",
            "exact_at": "timestamp",
            "ok": "boolean",
            "amount": "double",
        }
        rows = [tuple(row) for row in frame.collect()]
        assert [row[:4] for row in rows] == [
            (1, 9007199254740993, "O'Hara", dt.date(2020, 2, 29)),
            (2, -9223372036854775808, "a\\b\\'c", dt.date(999, 12, 31)),
            (3, None, None, None),
            (4, 0, "Zoë 東京 🌊", dt.date(2020, 1, 1)),
            (5, 1, 'two\nlines, "quoted" 100%s', dt.date(2020, 1, 1)),
        ]
        assert [row[6:] for row in rows] == [(True, 1.5), (False, -0.1), (None, None), (True, 1000.0), (True, 0.0)]
        times = spark.sql(FORMATTED.format(project.test_schema)).collect()
        assert [tuple(row) for row in times] == [
            ("2020-01-01 10:11:12.000000", "2020-01-01 10:11:12.123456"),
            ("1970-01-01 00:00:00.000000", None),
            (None, None),
            ("2020-01-01 00:00:00.000000", None),
            ("2020-01-01 00:00:00.000000", None),
        ]

    def test_null_is_no_text(self, project, spark):
        rows = spark.table(f"{project.test_schema}.texts").orderBy("id").collect()
        assert [row.name for row in rows] == ["None", None, None]
