"""Benchmarks: deltawave's algorithms beside their opponents, in one run. Needs the extra `bench`."""
