"""What a person sees, in a real browser."""
