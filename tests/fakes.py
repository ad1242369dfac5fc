"""Hand-written stand-ins, passed as arguments."""

from __future__ import annotations

from collections.abc import Sequence


class CountingEmbedder:
    """An embedder that remembers which texts it was given; a vector is the length of its text."""

    def __init__(self, space: str = "counting") -> None:
        self.space = space
        self.seen: list[str] = []

    def embed_query(self, text: str) -> list[float]:
        """One dimension."""
        return [float(len(text))]

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """One dimension for each."""
        self.seen += texts
        return [self.embed_query(text) for text in texts]
