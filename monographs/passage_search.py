"""Passages ranked by how well they fit a question: by words, by meaning, and by both together.

A rank is an order and nothing else: it never decides whether there is an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Flag, auto

from django.db import connection

from monographs.domain import PassageKind, SectionKey
from monographs.embedder import current_embedder, question_vector
from monographs.names import Corpus
from monographs.text import search_tokens


class Parts(Flag):
    """What a ranking goes by."""

    WORDS = auto()
    MEANING = auto()
    BOTH = WORDS | MEANING


# Okapi BM25 with a passage's words counted once: how soon length counts, and how much (Robertson and Zaragoza 2009).
_K1, _B = 1.2, 0.75
# Both scores as z-scores over the passages searched, and their sum (docs/decisions/0008).
_RANKING = """
WITH searched AS MATERIALIZED (
    SELECT passage.id, passage.tokens, length(passage.tokens) AS length, passage.text_hash
    FROM monographs_passage passage
    JOIN monographs_section section ON section.id = passage.section_id
    JOIN monographs_monograph monograph ON monograph.id = section.monograph_id
    WHERE monograph.edition_id = %(edition)s AND section.key = ANY(%(sections)s) AND passage.kind = %(kind)s
      AND (%(monograph)s::bigint IS NULL OR monograph.id = %(monograph)s)
), asked AS MATERIALIZED (
    SELECT word, word::tsquery AS query FROM unnest(%(words)s::text[]) AS word
), weighed AS MATERIALIZED (
    SELECT asked.query,
        ln(1 + ((SELECT count(*) FROM searched) - count(searched.id) + 0.5) / (count(searched.id) + 0.5)) AS weight
    FROM asked LEFT JOIN searched ON searched.tokens @@ asked.query GROUP BY asked.query
), scored AS MATERIALIZED (
    SELECT searched.id,
        coalesce((SELECT sum(weight) FROM weighed WHERE searched.tokens @@ weighed.query), 0)
            / (1 + %(k1)s * (1 - %(b)s + %(b)s * length / (SELECT avg(length) FROM searched))) AS words,
        1 - (embedding.vector <=> %(vector)s::vector) AS meaning
    FROM searched
    LEFT JOIN monographs_embedding embedding
        ON embedding.text_hash = searched.text_hash AND embedding.space = %(space)s
)
SELECT id
FROM (
    SELECT id,
        coalesce((words - avg(words) OVER ()) / nullif(stddev_pop(words) OVER (), 0), 0) AS by_words,
        coalesce((meaning - avg(meaning) OVER ()) / nullif(stddev_pop(meaning) OVER (), 0), 0) AS by_meaning
    FROM scored
) AS ranked
ORDER BY %(of_words)s * by_words + %(of_meaning)s * by_meaning DESC, id
LIMIT %(limit)s
"""


def rank_passages(
    question: str,
    corpus: Corpus,
    *,
    sections: Sequence[SectionKey],
    monograph_id: int | None = None,
    limit: int = 50,
    parts: Parts = Parts.BOTH,
) -> tuple[int, ...]:
    """Ids of text passages of the edition, or of one monograph, best first. One query.

    Accents are put back on a question without any. Where no embedder is at hand, or it fails, or a passage has
    no vector yet, it ranks by words alone.
    """
    restored = corpus.accents.restore(question)
    tokens = dict.fromkeys([*search_tokens(question), *search_tokens(restored)])
    embedder = current_embedder() if Parts.MEANING in parts else None
    vector = question_vector(embedder, restored) if embedder else None
    values: dict[str, str | int | float | list[str] | None] = {
        "edition": corpus.edition_id,
        "sections": [section.value for section in sections],
        "kind": PassageKind.TEXT,
        "monograph": monograph_id,
        "words": [f"'{token}'" for token in tokens],
        "k1": _K1,
        "b": _B,
        "space": embedder.space if embedder and vector else "",
        "vector": str(vector) if vector else None,
        "of_words": float(Parts.WORDS in parts),
        "of_meaning": float(Parts.MEANING in parts),
        "limit": limit,
    }
    with connection.cursor() as cursor:
        cursor.execute(_RANKING, values)
        return tuple(row[0] for row in cursor.fetchall())
