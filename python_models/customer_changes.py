"""The changes of the airports under the customers' surrogate keys (surrogate key assignment, MJ08 1)."""

from deltawave.meshjoin import StoredRelation, mesh_join, rows_since


def model(dbt, session):
    dbt.config(materialized="incremental", incremental_strategy="append")
    done = session.table(str(dbt.this)) if dbt.is_incremental else None
    changes = rows_since(dbt.ref("airports_changes"), done, "_batch_id")
    new = changes.select("icao", "_change_type", "_batch_id", "_batch_at", "elevation", "lat", "lon")
    lookup = dbt.ref("customer_lookup").select("code", "customer_key")
    relation = StoredRelation.alongside_tables(lookup, str(dbt.this), key="code")
    return mesh_join(new, relation, on={"icao": "code"}, how="left")
