"""Rows in Arrow's columns, as differencing and MESHJOIN share them: read from Parquet files in place, and hashed."""

from deltawave.quick_tasks import quicken_worker

# A worker imports this when it gets its first task.
quicken_worker(lambda: None)
