"""What a conversation is: values and pure functions over records, messages, links and turns."""
