"""In which dumps customers were seen: a stream of files that `dbt run` joins as they land (MJ08 1)."""

from deltawave.meshjoin import StoredRelation, join_new_rows, stream_of


def model(dbt, session):
    dbt.config(materialized="incremental", incremental_strategy="append")
    done = session.table(str(dbt.this)) if dbt.is_incremental else None
    landed = stream_of(dbt.source("legacy", "airports")).select("icao", "elevation", "dump_date")
    lookup = dbt.ref("customer_lookup").select("code", "customer_key")
    relation = StoredRelation.alongside_tables(lookup, str(dbt.this), key="code")
    return join_new_rows(landed, relation, str(dbt.this), done=done, on={"icao": "code"}, how="left")
