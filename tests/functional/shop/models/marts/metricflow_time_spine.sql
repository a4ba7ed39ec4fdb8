{{ calendar.days_between(var('first_day'), var('last_day')) }}
