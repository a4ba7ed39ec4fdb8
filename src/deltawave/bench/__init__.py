"""Benchmarks: deltawave's algorithms compared with others, in one run. Needs the extra `bench`."""
