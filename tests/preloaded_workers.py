"""Spark's daemon of Python workers, which imports once what each worker that it forks needs: a second of each."""

import runpy

import pandas  # noqa: F401
import pyarrow.parquet  # noqa: F401
import pyspark.sql.functions  # noqa: F401

# deltawave is left to the workers, which it makes quick when it is imported there.
runpy.run_module("pyspark.daemon", run_name="__main__", alter_sys=True)
