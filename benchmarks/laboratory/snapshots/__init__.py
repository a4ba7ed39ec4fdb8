"""Generated snapshots: rows, changes, and orders of the later snapshot."""
