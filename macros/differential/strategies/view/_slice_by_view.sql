{#
  VBD (CH98 4): the change log of a join, from the change logs of its relations. A changed row tells by its mapped columns which rows of
  the view it may touch, as it was and as it is. The rows of their anchors (the root's mapped columns) are selected again and
  compared with those that were kept. So an unmatched row of a left join goes when a partner comes, and comes back when it goes.
#}
{%- macro _slice_by_view(job, batch, last) -%}
  {%- set seen = deltawave._last_progress(job, last) -%}
  {%- do deltawave._require_own_relations(job, batch) -%}
  {%- set between = deltawave._nodes_between(job) -%}
  {%- set relations = deltawave._joined_relations(job, batch, seen, between) -%}
  {%- set progress = deltawave._view_progress(job, between, relations) -%}
  {%- do deltawave._require_fresh(job, batch, between, relations, seen, progress) -%}
  {%- do batch.update(progress=progress) -%}
  {%- if batch.is_first or not deltawave._can_go_on(job, between, seen, progress) -%}
    {%- do deltawave._land_whole_view(job, batch, last) -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set moved = [] -%}
  {%- for relation in relations -%}
    {%- do deltawave._require_not_behind(job, batch, relation, seen.batches[relation.name]) -%}
    {%- if relation.last_batch > seen.batches[relation.name] -%}
      {%- do moved.append(dict(relation, seen=seen.batches[relation.name])) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- set is_idle = not moved and batch.kept_side == last.kept -%}
  {%- if not is_idle -%}
    {%- do deltawave._create_anchors(job, batch, last, relations[0], moved) -%}
    {%- do deltawave._land_anchored_rows(job, batch, last, relations[0]) -%}
  {%- endif -%}
  {%- do batch.update(is_idle=is_idle) -%}
{%- endmacro -%}

{# What a run has seen: the select with its mapping, the code of what lies between, the last batch of each log, and whose it was. #}
{%- macro _view_progress(job, between, relations) -%}
  {%- set progress = {'select': local_md5(job.sql ~ tojson(job.settings.relations)), 'code': {}, 'batches': {}, 'attempts': {}} -%}
  {%- for node in between -%}{%- do progress.code.update({node.unique_id: node.code}) -%}{%- endfor -%}
  {%- for relation in relations -%}
    {%- do progress.batches.update({relation.name: relation.last_batch}) -%}
    {%- do progress.attempts.update({relation.name: relation.last_attempt}) -%}
  {%- endfor -%}
  {{ return(progress) }}
{%- endmacro -%}

{#
  Does what was kept tell of the rest of the view? Not after another strategy, another select or mapping, edited code between, a log that
  was empty. Nor where --full-refresh has built stored rows anew, which needs no batch of a log. Then the whole view is compared.
#}
{%- macro _can_go_on(job, between, seen, progress) -%}
  {%- set is_rebuilt = flags.FULL_REFRESH and between | selectattr('is_stored') | list -%}
  {{ return(
    not deltawave._is_accepted(job) and not is_rebuilt and seen.select == progress.select and seen.code == progress.code
    and 0 not in seen.batches.values()
  ) }}
{%- endmacro -%}

{%- macro _land_whole_view(job, batch, last) -%}
  {%- do deltawave._create_slice(job, batch, 'select ' ~ deltawave._dump_names(batch) | join(', ') ~ ' from (\n' ~ job.sql ~ '\n)') -%}
  {%- do deltawave._require_anchors(job, batch, batch.landed) -%}
  {%- if not batch.is_first -%}
    {%- do batch.update(old=deltawave._kept_slice(job, batch, last)) -%}
  {%- endif -%}
{%- endmacro -%}

{# The view's rows of the anchors that changes touched, and the kept ones. The anchors lie in the key, so both sides can be searched. #}
{%- macro _land_anchored_rows(job, batch, last, root) -%}
  {%- set anchors = deltawave._attempt_relation(job, batch.anchors) -%}
  {%- set condition = deltawave._few_values(job, anchors, root.view_columns) -%}
  {%- set on_anchor = deltawave._equal_columns(root.anchors, 'touched', root.anchors, 'anchors') -%}
  {%- set select -%}
select
    {{ deltawave._dump_names(batch, 'touched') | join(',\n    ') }}
from (
    {{ deltawave._indented(deltawave._rows_with_values(job, anchors, root.view_columns)) }}
) as touched
left semi join {{ anchors }} as anchors
    on {{ on_anchor }}
where {{ condition }}
  {%- endset -%}
  {%- do deltawave._create_slice(job, batch, select) -%}
  {%- set old -%}
(
    select touched.*
    from {{ deltawave._indented(deltawave._kept_slice(job, batch, last, condition)) }} as touched
    left semi join {{ anchors }} as anchors
        on {{ on_anchor }}
)
  {%- endset -%}
  {%- do batch.update(old=old) -%}
{%- endmacro -%}
