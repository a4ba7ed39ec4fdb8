"""What changed between the last two dumps of the airports, by the hash outer join with compression (LG96 3.1, PHC1)."""

from deltawave.differencing import snapshot_differential


def model(dbt, session):
    dbt.config(materialized="table")
    old, new = dbt.ref("stg_airports_before"), dbt.ref("stg_airports_after")
    return snapshot_differential(old, new, unique_key="icao", algorithm="hash_compressed")
