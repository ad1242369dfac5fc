"""What a passage is found by: its search tokens and the hash under which its vector is kept."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from django.contrib.postgres.fields import ArrayField
from django.db import connection
from django.db.models import Func, QuerySet, TextField, Value

from monographs.domain import SECTION_FACTS, PassageKind
from monographs.embedder import Embedder
from monographs.models import Alias, Embedding, Monograph, Passage, Section
from monographs.text import normalise, search_tokens

EMBEDDED_SECTIONS = tuple(key for key, facts in SECTION_FACTS.items() if facts.embedded)


def index_passage(passage: Passage) -> None:
    """Sets tokens and hash from what the passage now says; the caller saves it."""
    text = searched_text(passage.labels, passage.shown_text)
    passage.text_hash = hashlib.sha256(text.encode()).hexdigest()[:32]
    tokens = Value(list(search_tokens(text)), output_field=ArrayField(TextField()))
    passage.tokens = Func(tokens, function="array_to_tsvector")


def searched_text(labels: Sequence[str], text: str) -> str:
    """What is searched of a passage: its labels and its text."""
    return normalise("\n".join([*labels, text]))


def refresh_statistics() -> None:
    """Tells the planner how many rows there are now: a book arrives at once, and its own turn may come much later."""
    models = (Monograph, Section, Passage, Alias, Embedding)
    tables = [model._meta.db_table for model in models]  # noqa: SLF001 - the documented way to a table's name
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {', '.join(map(connection.ops.quote_name, tables))}")


def index_missing(edition_id: int, *, limit: int) -> int:
    """Indexes passages whose text changed since, at most limit of them; how many there were."""
    waiting = list(Passage.objects.filter(section__monograph__edition_id=edition_id, text_hash="")[:limit])
    for passage in waiting:
        index_passage(passage)
    Passage.objects.bulk_update(waiting, ["tokens", "text_hash"])
    return len(waiting)


def embed_missing(edition_id: int, embedder: Embedder, *, limit: int) -> int:
    """Embeds texts that have no vector in the embedder's space yet, at most limit; how many there were.

    Two processes doing so at once waste work, and change nothing.
    """
    waiting = list(_to_embed(edition_id, embedder.space)[:limit])
    texts = {passage.text_hash: searched_text(passage.labels, passage.shown_text) for passage in waiting}
    vectors = embedder.embed_passages(list(texts.values())) if texts else []
    Embedding.objects.bulk_create(
        (Embedding(text_hash=key, space=embedder.space, vector=v) for key, v in zip(texts, vectors, strict=True)),
        ignore_conflicts=True,
    )
    return len(texts)


def _to_embed(edition_id: int, space: str) -> QuerySet[Passage]:
    done = Embedding.objects.filter(space=space).values("text_hash")
    return (
        Passage.objects.filter(
            section__monograph__edition_id=edition_id, section__key__in=EMBEDDED_SECTIONS, kind=PassageKind.TEXT
        )
        .exclude(text_hash="")
        .exclude(text_hash__in=done)
        .order_by("text_hash")
        .distinct("text_hash")
    )
