"""Statistics of change logs."""

from deltawave.evaluation.change_rates import column_change_rates

__all__ = ["column_change_rates"]
