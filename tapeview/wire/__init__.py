"""Between the tape and a model endpoint: the request body of a call."""
