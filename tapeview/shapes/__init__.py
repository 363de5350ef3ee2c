"""Ways to spell a message: each reads the bytes of one message into a role and blocks."""
