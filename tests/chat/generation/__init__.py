"""The model side of an answer: what it is told, what it may return, what is checked of it."""
