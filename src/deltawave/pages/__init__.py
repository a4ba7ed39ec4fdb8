"""Tables and charts for people: as text for a terminal, and as HTML pages that need no other file."""
