"""Recording what goes between a client and a model: a proxy, a hook in the Python SDK, the file."""
