"""What a running agent does, as it does it: files that grow, calls that pass by, the recording."""
