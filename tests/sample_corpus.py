"""The names and words of the whole sample as a process keeps them, straight from its sources, without a database."""

from __future__ import annotations

from functools import cache

from ingest.naming import aliases_of, name_of, unique_slugs, vocabulary_of
from monographs.domain import DrugRef, MonographKind
from monographs.names import NAMING_SECTIONS, AliasEntry, AliasIndex, Corpus, naming_text
from monographs.restoring import AccentModel
from tests.sample_book import sample_book


@cache
def sample_corpus() -> Corpus:
    """The drugs have the identifiers of sample_evidence(); namesakes are shown with what tells them apart."""
    book = sample_book()
    drugs: dict[str, DrugRef] = {}
    entries: list[AliasEntry] = []
    for number, (monograph, slug) in enumerate(zip(book.monographs, unique_slugs(book.monographs), strict=True)):
        if monograph.kind is MonographKind.DRUG:
            name = name_of(monograph)
            shown = f"{name} ({monograph.subtitle})" if monograph.subtitle else name
            drugs[slug] = DrugRef(slug, shown, number, monograph.pdf_page, monograph.printed_page)
            entries += [AliasEntry(alias.text, alias.kind, drugs[slug]) for alias in aliases_of(monograph, name, book)]
    passages = (passage for one in book.monographs for section in one.sections for passage in section.passages)
    accents = AccentModel.train(passage.text for passage in passages)
    words = frozenset(vocabulary_of(book).split())
    printed = {
        key: tuple(
            naming_text(key, passage.labels, passage.text)
            for one in book.monographs
            for section in one.sections
            if section.key is key
            for passage in section.passages
        )
        for key in NAMING_SECTIONS
    }
    return Corpus(1, "sample", AliasIndex(entries), drugs, words, accents=accents, printed=printed)
