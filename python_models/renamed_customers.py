"""Airports under a new code with the name and country of a customer (duplicate detection, MJ08 1)."""

from deltawave.meshjoin import StoredRelation, mesh_join, rows_since


def model(dbt, session):
    dbt.config(materialized="incremental", incremental_strategy="append")
    done = session.table(str(dbt.this)) if dbt.is_incremental else None
    inserts = dbt.ref("airports_changes").where("_change_type = 'insert'")
    new = rows_since(inserts, done, "_batch_id").select("icao", "name", "country", "_batch_id")
    relation = StoredRelation.alongside_tables(dbt.ref("customer_lookup"), str(dbt.this), key=["name", "country"])
    return mesh_join(new, relation, on=["name", "country"], how="inner", where="icao <> code")
