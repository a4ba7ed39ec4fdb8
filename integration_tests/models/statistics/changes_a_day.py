def model(dbt, session):
    dbt.config(materialized="table")
    changes = dbt.ref("accounts_changes")
    return changes.groupBy("_batch_at").count()
