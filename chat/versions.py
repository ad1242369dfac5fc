"""In which versions a turn is answered: read once per process, but for what each turn uses."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from django.conf import settings

from chat.domain import QueryFrame, TurnType
from chat.trace import Versions
from monographs.embedder import current_embedder
from monographs.models import Edition

_TABLES = Path(__file__).parent / "data"


def versions_of(edition: Edition | None, frame: QueryFrame | None) -> Versions:
    """The versions that took part. Vectors and the model of accents do so only where passages were ranked."""
    ranked = frame is not None and frame.turn_type is TurnType.DRUG_OVERVIEW
    embedder = current_embedder() if ranked else None
    return Versions(
        app=settings.APP_VERSION,
        rules=rules_digest(),
        provider=settings.ANSWER_PROVIDER,
        parser=edition.parser_version if edition else "",
        embedder=embedder.space if embedder else "",
        accents=f"edition-{edition.pk}" if edition and ranked else "",
        corpus=edition.corpus_version if edition else "",
    )


@cache
def rules_digest() -> str:
    """Twelve hexadecimal digits that change with any table of cues, topics, abbreviations or gate words."""
    found = hashlib.sha256()
    for path in sorted(_TABLES.glob("*.toml")):
        found.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()[:12]
