"""Template tags of the staff pages."""
