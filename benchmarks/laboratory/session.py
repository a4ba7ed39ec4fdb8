"""Spark sessions that are measured."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from pyspark import SparkContext
from pyspark.sql import SparkSession

SETTINGS = {
    "spark.master": "local[2]",
    "spark.driver.memory": "6g",
    "spark.sql.shuffle.partitions": "4",
    # Spark does not count the bytes that Parquet's own threads read.
    "spark.hadoop.parquet.hadoop.vectored.io.enabled": "false",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # Workers import what they run.
    "spark.executorEnv.PYTHONPATH": str(Path(__file__).resolve().parents[1]),
}


def open_session(more: Mapping[str, str] | None = None) -> SparkSession:
    """A session of two cores, with ``more`` settings."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("deltawave bench")
    for name, value in {**SETTINGS, **(more or {})}.items():
        builder = builder.config(name, value)
    session: SparkSession = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def end_java(session: SparkSession) -> None:
    """End a session and its Java, so that the next one in this process starts with Java options of its own."""
    gateway = session.sparkContext._gateway
    assert gateway is not None
    session.stop()
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait()
    SparkContext._gateway = SparkContext._jvm = None
