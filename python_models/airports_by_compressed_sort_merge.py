"""What changed between the last two dumps of the airports, by the compressed sort-merge join (LG96 3.1, SMC1)."""

from deltawave.differencing import snapshot_differential


def model(dbt, session):
    dbt.config(materialized="table")
    old, new = dbt.ref("stg_airports_before"), dbt.ref("stg_airports_after")
    return snapshot_differential(old, new, unique_key="icao", algorithm="sort_merge_compressed")
