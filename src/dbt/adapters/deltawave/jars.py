"""Jars of another Spark, reported before Spark starts."""

from __future__ import annotations

from collections.abc import Mapping

import pyspark
from dbt.adapters.events.logging import AdapterLogger
from dbt_common.exceptions import DbtRuntimeError

from deltawave import jars

logger = AdapterLogger("Spark")


def check(settings: Mapping[str, str]) -> None:
    """Refuse jars of ``settings`` that cannot work with the installed pyspark, warn of those that may not."""
    found = [wrong for jar in jars.jars(settings) if (wrong := jars.misfit(jar, pyspark.__version__))]
    for doubt in found:
        if not doubt.certain:
            logger.warning(f"{doubt.why}\n{jars.REMEDY}")
    if refused := [wrong.why for wrong in found if wrong.certain]:
        raise DbtRuntimeError("\n".join((*refused, jars.REMEDY)))
