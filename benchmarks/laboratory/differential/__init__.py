"""Differences of two snapshots: ways to find them, measured."""
