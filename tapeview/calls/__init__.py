"""Model calls: a tape that answers as a model, and calls that are made again."""
