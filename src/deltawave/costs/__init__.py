"""Cost models of the papers: pages read, and the chance that a checksum misses a change. Pure Python, without Spark."""

from deltawave.costs.checksums import comparisons_before_error, missed_change_probability, single_error
from deltawave.costs.snapshot_pair import SnapshotPair
from deltawave.costs.source_table import SourceTable

__all__ = ["SnapshotPair", "SourceTable", "comparisons_before_error", "missed_change_probability", "single_error"]
