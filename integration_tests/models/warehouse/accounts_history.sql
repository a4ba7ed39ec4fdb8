{{ deltawave.scd2(ref('accounts_changes'), 'account_id', track_columns=['city']) }}
