{# Fails with the keys that have several changes in a batch of a change log, and with their kinds. Null keys count. #}
{%- test unique_change(model, unique_key) -%}
  {%- set keys = deltawave._quoted_list(deltawave._key_list(unique_key, 'unique_change')) -%}
select
    {{ keys | join(',\n    ') }},
    `_batch_id`,
    sort_array(collect_list(`_change_type`)) as `_change_types`
from {{ model }}
group by
    {{ keys | join(',\n    ') }},
    `_batch_id`
having count(*) > 1
{%- endtest -%}
