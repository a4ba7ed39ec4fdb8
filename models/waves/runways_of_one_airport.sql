-- A probe: it reads one airport's bucket of each constituent. For another airport: --vars '{deltawave_airport: KJFK}'.
{{ config(materialized='table') }}

{{ deltawave.index_probe(ref('recent_runways'), var('deltawave_airport', 'K0042')) }}
