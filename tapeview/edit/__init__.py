"""Changes of a session: what is asked for, what it does to the records, and how it is undone."""
