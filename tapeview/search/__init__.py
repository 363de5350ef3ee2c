"""Looking for text and for kinds of rows, in all tapes of a session."""
