"""What templates of the chat say beside the answer."""
