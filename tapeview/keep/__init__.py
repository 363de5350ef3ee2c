"""Keeping what was edited: the journal, the file itself, the first original."""
