{{ deltawave.changes(ref('accounts_changes'), 'account_id') }}
