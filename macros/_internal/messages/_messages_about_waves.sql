{# Messages about wave indices, by what has to be corrected. #}
{%- macro _messages_about_waves() -%}
{%- set texts -%}
{% raw %}
Configuration:
  not_measured: >-
    {macro}: {value} is not in the warehouse yet, so its days cannot be measured. Build it first, or give packed, build
    and add.
  wave_adapter: >-
    {model}: materialized: wave_index plans in Python, and needs a profile of type: deltawave with method: session; the
    adapter of this profile runs no Python.
  wave_in_a_view: >-
    {model} is a view, and would read tables of {relation} that are deleted with the next day. Give it materialized:
    table.
  soft_window: >-
    {model}: with clip: false, readers see {window} to {most} days, since scheme: {scheme} drops expired days only with
    their whole constituent. Without clip: false they see the last {window}.
  dropped_parts: >-
    The wave index has dropped parts that this query names, since it has made two more transitions: make the query
    again.
  unsteady_days: >-
    {model}, batch {batch}: the values of day(s) {days} differ each time they are read. The days are indexed, and
    indexed again by each run whose select returns them. Round sums of floating-point numbers, sort what collect_set and
    collect_list give, and leave out columns like current_timestamp().
  long_text: >-
    {model}: when the window has all {window} days, the commit record has about {length} characters, but a metastore in
    Derby stores at most 32,700 of a view's text. Use fewer days or constituents, update_technique: packed_shadow, or a
    metastore in another database; if it is in another database, ignore this warning.
  late_days: "{model}: day(s) {days} came after later ones, and were skipped. {advice}"
  late_wrong: >-
    {wrong}, the newest day of the index, is still in the future. If it is wrong, correct it at the source, and run once
    with --vars '{deltawave_drop_days: {{model}: [{dropped}]}}'.
  late_skip: >-
    With gaps: skip, days without a batch have no place in the index. Set gaps: empty, and a day that comes late can be
    loaded as long as it is in the window.
  late_text: "A day_column of texts leaves no place for missing days; one of dates does."
  late_before: >-
    The index begins later: only --full-refresh loads them, and the index then has only the days that the select
    delivers.
  late_passed: "Their places in the window were passed over before."
Data:
  changed_days: >-
    {model}, batch {batch}: the select's rows of day(s) {days} changed while they were read, or differ each time they
    are read. Nothing was changed. Run again; which rows a day has must not depend on when it is read.
  refused_days: >-
    {model}: {refused} {done} Correct the days at the source, or leave them out of the select; if they are right, run
    once with --vars '{deltawave_accept: [{model}]}'.{warnings}
State:
  damaged_days: >-
    {model}, batch {batch}: the rows of {days} in the index are not those that were recorded: files were changed or
    lost. Nothing was changed. Restore them; or set full_refresh: true and run once with --full-refresh, which builds
    the index from the days that the select has.
Usage:
  not_a_wave_index: "{relation} is no model of materialized: wave_index, or was not built yet."
  wave_sample: >-
    {model}: --sample would index a part of a day as the whole day. Nothing was changed. Run without it, or with
    --empty.
  day_of_range: "{option} {value!r}: take {kind}, as in day_column '{column}'."
  days_to_drop: >-
    deltawave_drop_days can't be {value!r}: name the model and its days, as in --vars '{deltawave_drop_days: {{model}:
    [2026-01-31]}}'.
  no_days: >-
    {model}: --full-refresh would leave no day, since the select is empty. Nothing was changed. Run again when it has
    rows, or without --full-refresh.
  days_of_no_model: "deltawave_drop_days names {name!r}, but there is no model of this name. Correct the name."
  unknown_day: "{model} has no day {day} to drop: was it dropped before, or is it misspelt?"
{% endraw %}
{%- endset -%}
{{ return(fromyaml(texts)) }}
{%- endmacro -%}
