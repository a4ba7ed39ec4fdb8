{{ deltawave.batches(ref('accounts_changes')) }}
