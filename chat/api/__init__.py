"""The JSON API: what the pages offer, for programs."""
