"""A terminal debugger for LLM-agent conversations."""
