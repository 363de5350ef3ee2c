"""What a session looks like, as values and words: for the screens and the command line alike."""
