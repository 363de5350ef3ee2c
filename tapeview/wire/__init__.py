"""Between the tape and a model endpoint: what goes over the line, and how two of it compare."""
