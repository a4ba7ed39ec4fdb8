select * from ({{ deltawave.diff(ref('first_accounts'), ref('last_accounts'), unique_key='account_id') }})
