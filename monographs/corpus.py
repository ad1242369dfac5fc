"""The edition being served, and what a process keeps of it in memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from monographs.domain import AliasKind, DrugRef, MonographKind, PassageKind, SectionKey
from monographs.models import Alias, Edition, EditionState, Passage
from monographs.names import NAMING_SECTIONS, AliasEntry, AliasIndex, Corpus, naming_text
from monographs.restoring import AccentModel
from monographs.text import fold, folded_words

# What no page shows of an edition and no query should fetch.
BULK = ("page_map", "page_sizes", "vocabulary", "accents")


def current_edition() -> Edition | None:
    """The published edition, or None before the first one."""
    return Edition.objects.defer(*BULK).filter(state=EditionState.PUBLISHED).first()


def corpus_of(edition: Edition) -> Corpus:
    """What the process keeps of an edition, read at first use; another value whenever its content changes."""
    return _of_version(edition.pk, edition.corpus_version)


# Names and words come from the parser and stay what they are when a review changes a passage: they are kept by edition,
# since reading them again after each decision would cost a whole formulary's readers a second or more every time.
@lru_cache(maxsize=2)
def _of_version(edition_id: int, version: str) -> Corpus:
    return replace(_of_edition(edition_id), version=version)


@lru_cache(maxsize=2)
def _of_edition(edition_id: int) -> Corpus:
    aliases = Alias.objects.filter(edition_id=edition_id, monograph__kind=MonographKind.DRUG).select_related(
        "monograph"
    )
    drugs: dict[str, DrugRef] = {}
    classes: dict[str, frozenset[str]] = {}
    entries = []
    for alias in aliases.order_by("monograph__order", "pk"):
        monograph = alias.monograph
        drug = drugs.setdefault(
            monograph.slug,
            DrugRef(monograph.slug, monograph.display_name, monograph.pk, monograph.pdf_page, monograph.printed_page),
        )
        classes.setdefault(monograph.slug, frozenset(folded_words(monograph.drug_class)))
        entries.append(AliasEntry(alias.text, AliasKind(alias.kind), drug))
    vocabulary, accents = Edition.objects.values_list("vocabulary", "accents").get(pk=edition_id)
    words = frozenset(vocabulary.split())
    printed = _printed(edition_id)
    index = AliasIndex(entries, _ordinary_words(printed[SectionKey.CHI_DINH]))
    return Corpus(edition_id, "", index, drugs, words, classes, AccentModel.loads(accents), printed)


def _ordinary_words(texts: Iterable[str]) -> frozenset[str]:
    """The folded words that are printed in small letters: a brand is not."""
    return frozenset(fold(word) for text in texts for word in text.split() if word.islower() and word.isalpha())


def _printed(edition_id: int) -> dict[SectionKey, tuple[str, ...]]:
    rows = Passage.objects.filter(
        section__monograph__edition_id=edition_id, section__key__in=NAMING_SECTIONS, kind=PassageKind.TEXT
    )
    found: dict[SectionKey, list[str]] = {section: [] for section in NAMING_SECTIONS}
    for key, labels, text in rows.order_by("pk").values_list("section__key", "labels", "text").iterator():
        section = SectionKey(key)
        found[section].append(naming_text(section, labels, text))
    return {section: tuple(texts) for section, texts in found.items()}
