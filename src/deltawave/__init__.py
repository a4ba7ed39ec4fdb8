"""Snapshot differentials, MESHJOIN and wave indices on Apache Spark."""
