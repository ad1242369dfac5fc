"""A model puts the decided evidence into words; what it may not say is rejected, never mended."""
