"""MESHJOIN: fast update streams against big relations, under a memory budget (MJ08)."""

from deltawave.differencing.quick_tasks import quicken_worker
from deltawave.meshjoin.conditions import Equal
from deltawave.meshjoin.increments import arrived_since, new_keys
from deltawave.meshjoin.join_arriving import join_arriving
from deltawave.meshjoin.mesh_join import mesh_join
from deltawave.meshjoin.messages import json_rows
from deltawave.meshjoin.stored_relation import StoredRelation
from deltawave.meshjoin.stream_join import stream_join
from deltawave.meshjoin.table_stream import stream_of
from deltawave.meshjoin.theta import Between, Near, Where

# A worker imports this when it gets its first task.
quicken_worker()

__all__ = [
    "Between",
    "Equal",
    "Near",
    "StoredRelation",
    "Where",
    "arrived_since",
    "join_arriving",
    "json_rows",
    "mesh_join",
    "new_keys",
    "stream_join",
    "stream_of",
]
