"""MESHJOIN: fast update streams against big relations, under a memory budget (MJ08)."""

from deltawave.meshjoin.conditions import Between, Equal, Near, Where
from deltawave.meshjoin.mesh_join import mesh_join
from deltawave.meshjoin.new_rows import join_new_rows, new_keys, rows_since
from deltawave.meshjoin.sources import json_rows, stream_of
from deltawave.meshjoin.stored_relation import StoredRelation
from deltawave.meshjoin.stream_join import stream_join

__all__ = [
    "Between",
    "Equal",
    "Near",
    "StoredRelation",
    "Where",
    "join_new_rows",
    "json_rows",
    "mesh_join",
    "new_keys",
    "rows_since",
    "stream_join",
    "stream_of",
]
