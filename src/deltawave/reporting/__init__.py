"""What a change log holds, for people: a page about all of it, and the history of one row."""
