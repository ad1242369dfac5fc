"""Template tags of the book."""
