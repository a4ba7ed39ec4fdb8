{{ deltawave.current_state(ref('accounts_changes'), 'account_id') }}
