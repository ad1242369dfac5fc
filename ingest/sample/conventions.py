"""The conventions of the sample's text, checked over every source."""
from ingest.sample.source import Monograph


def broken_conventions(monograph: Monograph) -> list[str]:
    return []
