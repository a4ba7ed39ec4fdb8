{{ deltawave.current_state(ref('airports_changes'), 'icao') }}
