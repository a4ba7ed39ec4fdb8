"""MESHJOIN, and other ways to join a stream with a relation that is larger than memory, measured."""
