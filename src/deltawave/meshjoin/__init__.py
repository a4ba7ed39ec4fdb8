"""MESHJOIN: fast update streams against big relations, under a memory budget (MJ08)."""

from typing import TYPE_CHECKING

from deltawave.lazily import from_modules
from deltawave.quick_tasks import quicken_worker

if TYPE_CHECKING:
    from deltawave.meshjoin.conditions import Between, Equal, Near, Where
    from deltawave.meshjoin.join import mesh_join
    from deltawave.meshjoin.micro_batches import stream_join
    from deltawave.meshjoin.new_rows import join_new_rows, new_keys, rows_since
    from deltawave.meshjoin.sources import json_rows, stream_of
    from deltawave.meshjoin.stored_relation import StoredRelation

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

if not TYPE_CHECKING:
    __getattr__ = from_modules(
        __name__,
        {
            "conditions": ["Between", "Equal", "Near", "Where"],
            "join": ["mesh_join"],
            "micro_batches": ["stream_join"],
            "new_rows": ["join_new_rows", "new_keys", "rows_since"],
            "sources": ["json_rows", "stream_of"],
            "stored_relation": ["StoredRelation"],
        },
    )
    # A worker imports this when it gets its first task.
    quicken_worker(lambda: __getattr__("mesh_join"))
