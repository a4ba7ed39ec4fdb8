"""MESHJOIN: fast update streams against big relations, under a memory budget (MJ08)."""
