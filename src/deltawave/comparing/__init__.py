"""What differs between two tables, for people: counts, columns, samples, and where the differences concentrate."""

from deltawave.comparing.compare import compare
from deltawave.comparing.comparison import Change, Comparison, Concentration

__all__ = ["Change", "Comparison", "Concentration", "compare"]
