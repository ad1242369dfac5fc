"""From what a monograph prints to its name, its identifier and the aliases it is asked for by."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ingest.domain import ParsedBook, ParsedMonograph, ParsedPassage
from monographs.domain import AliasKind, PassageKind, SectionKey
from monographs.text import fold, normalise, slugify

_SEPARATORS = re.compile(r"[;,\n]")
_ATC = re.compile(r"\b[A-Z]\d{2}[A-Z]{2}\d{2}\b|\b[A-Z]\d{2}[A-Z]{1,2}\b")
_MAX_ALIAS = 120
_WORD = re.compile(r"\w+(?:-\w+)*")
_KEPT_UPPER = re.compile(r"[A-Z]\d*|[IVX]+|[A-Z]{2,}\d+")


@dataclass(frozen=True, slots=True)
class NewAlias:
    """An alias with the page that prints it."""

    text: str
    kind: AliasKind
    pdf_page: int
    printed_page: int | None


def name_of(monograph: ParsedMonograph) -> str:
    """The title in small letters: "CALCI GLUCONAT" gives "Calci gluconat". Single letters and numerals stay ("Vitamin
    K"), and so does a word that the monograph's own text writes with capitals inside ("HMG-CoA")."""
    words = normalise(monograph.title).split(" ")
    written = _written_forms(monograph, {word.casefold() for word in words})
    name = " ".join(w if _KEPT_UPPER.fullmatch(w) else written.get(w.casefold(), w.lower()) for w in words)
    return name[:1].upper() + name[1:]


def unique_slugs(monographs: tuple[ParsedMonograph, ...]) -> list[str]:
    """One identifier for each monograph, in order; namesakes are told apart by their subtitle, else by number."""
    titles = [slugify(monograph.title) for monograph in monographs]
    slugs: list[str] = []
    seen: dict[str, int] = {}
    for monograph, base in zip(monographs, titles, strict=True):
        slug = base or "chuyen_luan"
        if titles.count(base) > 1 and monograph.subtitle:
            slug = f"{slug}_{slugify(monograph.subtitle)}"
        slug = slug[:110]
        seen[slug] = seen.get(slug, 0) + 1
        slugs.append(slug if seen[slug] == 1 else f"{slug}_{seen[slug]}")
    return slugs


def section_text(monograph: ParsedMonograph, key: SectionKey) -> str:
    """The text of a section, "" where the monograph has none."""
    return next((section.text for section in monograph.sections if section.key is key), "")


def atc_codes(monograph: ParsedMonograph) -> list[str]:
    """The ATC codes printed, in order."""
    return list(dict.fromkeys(_ATC.findall(section_text(monograph, SectionKey.MA_ATC))))


def aliases_of(monograph: ParsedMonograph, name: str, book: ParsedBook) -> list[NewAlias]:
    """Own name, INN, synonyms, trade names and brand index lines, each text once for each kind."""
    synonyms = [*monograph.synonyms, *_without_letter(monograph.synonyms), *_forms_of(name, monograph)]
    found = [
        NewAlias(name, AliasKind.NAME, monograph.pdf_page, monograph.printed_page),
        *(NewAlias(synonym, AliasKind.SYNONYM, monograph.pdf_page, monograph.printed_page) for synonym in synonyms),
        *_listed(monograph, SectionKey.TEN_CHUNG_QUOC_TE, AliasKind.INN),
        *_listed(monograph, SectionKey.TEN_THUONG_MAI, AliasKind.TRADE_NAME),
        *_indexed(name, monograph, book),
    ]
    return list({(alias.kind, alias.text): alias for alias in found if 1 < len(alias.text) <= _MAX_ALIAS}.values())


def vocabulary_of(book: ParsedBook) -> str:
    """Every folded word of the book once, sorted, separated by spaces."""
    words = {
        word
        for monograph in book.monographs
        for section in monograph.sections
        for passage in section.passages
        if passage.kind is PassageKind.TEXT
        for word in re.findall(r"[a-z]+", fold(passage.text))
    }
    return " ".join(sorted(words))


def _without_letter(synonyms: Iterable[str]) -> Iterator[str]:
    """ "Benzathin penicilin G" is asked for as "benzathin penicilin" too; "Vitamin C" is not asked for as vitamin."""
    for synonym in synonyms:
        words = synonym.split(" ")
        if len(words) > 2 and len(words[-1]) == 1:
            yield " ".join(words[:-1])


def _forms_of(name: str, monograph: ParsedMonograph) -> Iterator[str]:
    """Words by which the doses are labelled and that begin with the drug's name: "enalaprilat" of enalapril."""
    sections = (section for section in monograph.sections if section.key is SectionKey.LIEU_DUNG)
    labels = " ".join(label for section in sections for passage in section.passages for label in passage.labels)
    own = fold(name)
    yield from dict.fromkeys(w for w in re.findall(r"\w+", labels) if fold(w).startswith(own) and fold(w) != own)


def _listed(monograph: ParsedMonograph, key: SectionKey, kind: AliasKind) -> Iterator[NewAlias]:
    for section in monograph.sections:
        if section.key is key:
            for passage in section.passages:
                yield from _split(passage, kind)


def _written_forms(monograph: ParsedMonograph, words: set[str]) -> dict[str, str]:
    """The words that the text writes with capitals after the first letter more often than in any other way."""
    text = " ".join(passage.text for section in monograph.sections for passage in section.passages)
    forms = Counter(form for form in _WORD.findall(text) if form.casefold() in words)
    commonest = {form.casefold(): form for form, _ in reversed(forms.most_common())}
    return {word: form for word, form in commonest.items() if form[1:] != form[1:].lower()}


def _own_brands(monograph: ParsedMonograph) -> set[str]:
    return {fold(alias.text) for alias in _listed(monograph, SectionKey.TEN_THUONG_MAI, AliasKind.TRADE_NAME)}


def _split(passage: ParsedPassage, kind: AliasKind) -> Iterator[NewAlias]:
    if passage.kind is PassageKind.TEXT and not passage.quarantined:
        for part in _SEPARATORS.split(passage.text):
            text = normalise(part).strip(" .")
            if any(c.isalpha() for c in text):
                yield NewAlias(text, kind, passage.pdf_page, passage.printed_page)


def _indexed(name: str, monograph: ParsedMonograph, book: ParsedBook) -> Iterator[NewAlias]:
    """The lines of the brand index for this monograph; of namesakes the one that lists the brand itself, else the
    one that starts on the line's page."""
    folded = fold(name)
    namesakes = [m for m in book.monographs if fold(m.title) == folded and m is not monograph]
    starts = {m.printed_page for m in namesakes if m.printed_page is not None} - {monograph.printed_page}
    own, theirs = _own_brands(monograph), {brand for namesake in namesakes for brand in _own_brands(namesake)}
    for line in book.brand_index:
        brand = fold(line.brand)
        another = brand not in own and (brand in theirs or line.printed_target in starts)
        if not another and any(fold(drug) == folded for drug in line.drug_names):
            yield NewAlias(line.brand, AliasKind.BRAND_INDEX, line.pdf_page, book.page_map.get(line.pdf_page))
