"""dbt adapter ``type: deltawave``: dbt-spark with Python models on open-source Spark."""

from dbt.adapters.base import AdapterPlugin

from dbt.adapters.deltawave.connections import DeltawaveConnectionManager
from dbt.adapters.deltawave.credentials import DeltawaveCredentials
from dbt.adapters.deltawave.impl import DeltawaveAdapter
from dbt.include import deltawave

Plugin = AdapterPlugin(
    adapter=DeltawaveAdapter,  # type: ignore[arg-type]
    credentials=DeltawaveCredentials,
    include_path=deltawave.PACKAGE_PATH,
    dependencies=["spark"],
)

__all__ = ["DeltawaveAdapter", "DeltawaveConnectionManager", "DeltawaveCredentials", "Plugin"]
