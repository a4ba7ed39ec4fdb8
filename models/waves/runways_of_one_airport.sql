-- A probe: of each constituent it reads the bucket of one airport. Another one: --vars '{deltawave_airport: KJFK}'.
{{ config(materialized='table') }}

{{ deltawave.index_probe(ref('recent_runways'), var('deltawave_airport', 'K0042')) }}
