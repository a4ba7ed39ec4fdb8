"""A fault of Spark's connector for Kafka, 4.1.1 at least: a query that resumes a micro-batch of a former run fails once
that is committed, as it reports progress that it does not know yet (SPARK-55271).
"""

from __future__ import annotations

from collections.abc import Callable

from pyspark.errors import StreamingQueryException

_SIGNS = ("KafkaV2[", '"scala.Option.get()" is null')


def past_kafka_fault(run: Callable[[], None], told: Callable[[], None] = lambda: None) -> None:
    """Run a query, and again if it fails with this fault: it then begins with a new micro-batch.

    ``told`` is called in between, as Spark reports no progress of the finished micro-batch.
    """
    try:
        run()
    except StreamingQueryException as error:
        if not all(sign in str(error) for sign in _SIGNS):
            raise
        told()
        run()
