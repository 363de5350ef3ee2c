"""The terminal interface: pixels and keys, no decisions."""
