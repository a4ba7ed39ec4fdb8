{#
  --full-refresh starts a new generation only if the model allows it: the dumps that made the log may be deleted. Without full_refresh in its config, a
  run that selects the model by its name is refused;
  any other continues the log and warns, so that what reads the log is rebuilt. A table that follows
  a log is built from that log (see _reason_to_build).
#}
{%- macro _starts_generation(job, record) -%}
  {%- if not flags.FULL_REFRESH or record is none or job.settings.full_refresh is false or job.follows -%}
    {{ return(false) }}
  {%- elif job.settings.full_refresh -%}
    {{ return(true) }}
  {%- elif deltawave._is_selected_by_name(job) -%}
    {%- do deltawave._fail('full_refresh', {'model': job.name, 'batch': record.batch_id}) -%}
  {%- endif -%}
  {%- do exceptions.warn(deltawave._message('not_refreshed', {'model': job.name, 'batch': record.batch_id})) -%}
  {{ return(false) }}
{%- endmacro -%}

{# Does --select name this model, with or without what lies around it (+x, x+1, @x)? #}
{%- macro _is_selected_by_name(job) -%}
  {%- set selected = invocation_args_dict.get('select') or [] -%}
  {%- set words = (selected if selected is string else selected | join(' ')).replace(',', ' ').split() -%}
  {%- set name = modules.re.escape(job.name) -%}
  {%- set named = '((fqn|file):)?([^:/]*\\.)?' ~ name ~ '|((file|path):)?([^:]*/)?' ~ name ~ '\\.sql' -%}
  {%- for word in words if modules.re.fullmatch('(@|\\d*\\+)?(' ~ named ~ ')(\\+\\d*)?', word) -%}{{ return(true) }}{%- endfor -%}
  {{ return(false) }}
{%- endmacro -%}
