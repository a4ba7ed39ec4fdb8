"""What differs between two tables, for people: counts, columns, samples, and where the differences concentrate."""

from deltawave.comparing.compare import compare
from deltawave.comparing.comparison import Change, ColumnDifferences, Comparison, Concentration, TypeDifference

__all__ = ["Change", "ColumnDifferences", "Comparison", "Concentration", "TypeDifference", "compare"]
