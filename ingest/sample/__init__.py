"""A small formulary in our own words, typeset like the real one; never for clinical use."""
