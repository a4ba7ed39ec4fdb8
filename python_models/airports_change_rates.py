"""How often each column of the airports changes, dump by dump."""

from deltawave.change_rates import column_change_rates


def model(dbt, session):
    dbt.config(materialized="table")
    return column_change_rates(dbt.ref("airports_changes"))
