"""A drug and a word, without a section: the drug's own passages that speak of it."""

from __future__ import annotations

import pytest

from chat.branches import is_manner_path
from chat.domain import EvidenceBlock, Term
from chat.overview import MOST_SHOWN, search_passages
from chat.terms import question_terms, terms_of
from chat.understand import understand
from monographs.domain import PassageKind, SectionKey
from monographs.text import fold, folded_words
from tests.sample_corpus import sample_corpus
from tests.sample_evidence import sample_evidence


def _search(question: str) -> tuple[EvidenceBlock, ...]:
    frame = understand(question, sample_corpus())
    blocks = [block for block in sample_evidence() if block.drug == _shown(frame.drugs[0].drug_id)]
    return search_passages(blocks, terms_of(frame))


def _terms(text: str) -> tuple[Term, ...]:
    return question_terms(text, sample_corpus().vocabulary)


def _shown(drug_id: str) -> object:
    return next(block.drug for block in sample_evidence() if block.drug.drug_id == drug_id)


FOUND = [
    ("paracetamol glutathion", "glutathion"),
    ("metformin toan lactic", "nhiễm toan lactic"),
    ("aspirin hội chứng Reye", "hội chứng Reye"),
    ("gentamicin điếc", "điếc"),
    ("warfarin INR", "INR"),
    ("omeprazol gãy xương", "gãy xương"),
    ("digoxin rung nhĩ", "rung nhĩ"),
    ("insulin loạn dưỡng mỡ", "loạn dưỡng mỡ"),
    ("levothyroxin suy tim", "suy tim"),
]


@pytest.mark.parametrize(("question", "text"), FOUND, ids=[question for question, _ in FOUND])
def test_passages_that_speak_of_it_are_found(question: str, text: str) -> None:
    found = _search(question)
    assert found and text.lower() in " ".join((*found[0].labels, found[0].text)).lower()
    assert _search(fold(question)) == found


@pytest.mark.parametrize(
    "question", ["paracetamol xyzxyz", "levothyroxin qwerty zxcv", "metformin Reye", "nystatin glutathion"]
)
def test_what_no_passage_says_finds_nothing(question: str) -> None:
    assert _search(question) == ()


def test_an_accented_word_is_not_met_by_another_one() -> None:
    assert all("nghiện" in " ".join((*block.labels, block.text)).lower() for block in _search("morphin nghiện"))


@pytest.mark.parametrize("question", [question for question, _ in FOUND])
def test_few_passages_of_the_drug_itself_and_no_bare_labels(question: str) -> None:
    found = _search(question)
    texts = [block for block in found if block.kind is PassageKind.TEXT]
    assert len(texts) <= MOST_SHOWN and len(set(found)) == len(found)
    assert len({block.drug for block in found}) == 1 and not any(block.is_label for block in found)


def test_tables_under_the_labels_that_answer_come_with_them() -> None:
    blocks = sample_evidence()
    tables = [b for b in blocks if b.kind is PassageKind.TABLE and b.labels]
    checked = 0
    for table in tables:
        beside = next((b for b in blocks if b.drug == table.drug and b.labels == table.labels and b.text), None)
        if beside is None or beside.is_label or beside.section is not table.section:
            continue
        if table.section is SectionKey.LIEU_DUNG and not is_manner_path(table.labels):
            # A dose of one branch is never shown for words alone.
            assert table not in search_passages([b for b in blocks if b.drug == table.drug], _terms(beside.text))
            continue
        own = [block for block in blocks if block.drug == table.drug]
        found = search_passages(own, question_terms(beside.text, frozenset(folded_words(beside.text))))
        assert beside in found and table in found
        checked += 1
    assert checked


def test_the_rarer_word_decides_the_order() -> None:
    blocks = [block for block in sample_evidence() if block.drug.drug_id == "warfarin"]
    found = search_passages(blocks, _terms("inr chay mau"))
    assert found and "INR" in found[0].text


def test_nothing_to_search_in_finds_nothing() -> None:
    assert search_passages([], _terms("glutathion")) == ()
