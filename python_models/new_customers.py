"""Airports that are no customers yet, each with the next surrogate key (detection of newly inserted tuples, MJ08 1)."""

from deltawave.meshjoin import new_keys, rows_since


def model(dbt, session):
    dbt.config(materialized="incremental", incremental_strategy="append")
    known = session.table(str(dbt.this)) if dbt.is_incremental else None
    inserts = dbt.ref("airports_changes").where("_change_type = 'insert'")
    new = rows_since(inserts, known, "_batch_id").select("icao", "name", "country", "_batch_id")
    customers = dbt.ref("customers")
    natural = {"icao": "code"}
    return new_keys(new, customers, known, on=natural, key="customer_key", order="_batch_id", name=str(dbt.this))
