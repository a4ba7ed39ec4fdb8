"""Snapshot differentials of LG95 and LG96 that no strategy runs, and other ways to use those of the library."""
