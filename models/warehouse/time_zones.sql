{{ deltawave.current_state(ref('time_zones_changes'), 'tz') }}
