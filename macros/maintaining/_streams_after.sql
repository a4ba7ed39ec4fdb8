{#
  Those of the models `also` that are Python models after a log and keep results of a stream, or pages of a relation,
  next to their table: [{name, relation, folders, has_key}]. key: of the log, as _key_of returns it.
#}
{%- macro _streams_after(log, key, also) -%}
  {%- set streams = [] -%}
  {%- for node in deltawave._nodes_after(log.unique_id) if node.name in also and node.language == 'python'
      and deltawave._has_session() -%}
    {%- set relation = deltawave._relation(node.schema, node.alias) -%}
    {%- set folders = deltawave._call_stream('folders', relation, {}) if deltawave._in_catalog(relation) else [] -%}
    {%- if folders -%}
      {%- do streams.append({
        'name': node.name, 'relation': relation, 'folders': folders,
        'has_key': deltawave._has_key(key, deltawave._columns_of(relation)),
      }) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(streams) }}
{%- endmacro -%}

{%- macro _call_stream(function, relation, options) -%}
  {{ return(adapter.call_library(
    'deltawave.meshjoin.erasing.' ~ function, {'dump': relation | string}, dict(options, name=relation | string)
  )) }}
{%- endmacro -%}

{# The places of a log's receipts that such models are. #}
{%- macro _places_of_streams(job, streams) -%}
  {%- set places = [] -%}
  {%- for stream in streams -%}
    {%- do places.append({
      'name': stream.name, 'job': job, 'relations': [stream.relation] if stream.has_key else [],
      'folders': stream.folders,
    }) -%}
  {%- endfor -%}
  {{ return(places) }}
{%- endmacro -%}

{#
  Erases from such models, whose pages go as a whole, and notes in their places what is not freed. Returns the names of
  those that have nothing of the subject.
#}
{%- macro _erase_from_streams(job, streams, places, subject, columns) -%}
  {%- for stream in streams -%}
    {%- set place = places[loop.index0] -%}
    {%- do deltawave._call_stream('erase', stream.relation, {
      'condition': subject if stream.has_key else 'false', 'keys': columns | map(attribute='name') | list,
    }) -%}
    {%- if place.rows -%}
      {%- do place.update(still_there=deltawave._kept_by_history(job, stream.relation)) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(streams | selectattr('has_key') | map(attribute='name') | list) }}
{%- endmacro -%}
