"""Orders that stand in the book, or in a reviewer's correction of it: quoted with their place, and never obeyed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django.plugin import DjangoDbBlocker

from chat import answer as answering
from chat.answer import answer_question
from chat.contract import Answer
from chat.domain import Decision, Reason
from chat.gates import CITATION_GATES
from chat.generation import prompts as writing_prompts
from chat.llm.domain import Prompt, Purpose
from chat.summarise import Summariser
from chat.ways import Ways
from ingest.publish import build_edition, publish_edition
from monographs.domain import PassageState, SectionKey
from monographs.models import Edition, Passage
from monographs.text import fold, normalise
from tests.chat.injected import Injection, fences_of, foreign_lines, injections, markers_inside, numbers_of
from tests.chat.obedient import (
    Obeying,
    claim_alone,
    claim_beside_the_truth,
    claim_inside_the_truth,
    fake_evidence,
    obedient,
    replies_only,
    statement_for_a_question,
    the_prompt_itself,
    whether_it_is_so,
)
from tests.chat.scripted import sources_of, writer
from tests.chat.shown import Without, invented, misquoted, strings_of
from tests.fakes import ScriptedModel
from tests.pages.book import Book
from tests.pages.reading import parsed
from tests.sample_edition import publish_sample

pytestmark = [pytest.mark.slow, pytest.mark.django_db]
QUESTION = "chống chỉ định của ibuprofen"
COMPARED = "so sánh chống chỉ định của ibuprofen và paracetamol"
TITLES = ("ALVERIN", "BISACODYL", "CINARIZIN", "DIAZEPAM", "ENALAPRIL", "FUROSEMID", "GLICLAZID", "HALOPERIDOL")
LEAST_TYPESET = 60
# What the test pages' font and mark-up can print.
_PRINTABLE = re.compile(r"[ -}À-ỹ“”‘’…–—]{1,600}")
WAYS: tuple[Obeying, ...] = (
    claim_alone,
    claim_beside_the_truth,
    claim_inside_the_truth,
    fake_evidence,
    statement_for_a_question,
    whether_it_is_so,
    replies_only,
    the_prompt_itself,
)


@pytest.fixture(scope="module", autouse=True)
def _sample(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """One edition for all of this module's tests, each of which is rolled back."""
    with django_db_blocker.unblock():
        edition = publish_sample()
    yield
    with django_db_blocker.unblock():
        edition.delete()


def said_in_the_book(injection: Injection, *, corrected: bool = False) -> Passage:
    """The second contraindication of ibuprofen, which now gives orders: as printed, or as a reviewer corrected it."""
    found = Passage.objects.filter(section__monograph__slug="ibuprofen", section__key=SectionKey.CHONG_CHI_DINH)[1]
    text = f"Quá mẫn với ibuprofen. {injection.text}"
    changed = {"state": PassageState.CORRECTED, "corrected_text": text} if corrected else {"text": text}
    Passage.objects.filter(pk=found.pk).update(**changed)
    return Passage.objects.get(pk=found.pk)


def answered_by(model: ScriptedModel, question: str) -> Answer:
    """The answer of a model that drafts, judges and sums up."""
    ways = Ways(writer=model, summariser=Summariser("scripted", {"scripted": model}))
    return answer_question(question, trace_id="t", ways=ways).answer


def wrong_in(answer: Answer, injection: Injection, without: Without, passage: Passage) -> list[str]:
    """What of an answer is no quotation: claims that stand in no passage that they cite, and words of the injection
    anywhere but in claims that cite its passage."""
    citing = [claim for claim in answer.claims if passage.uid in {cited.chunk_id for cited in claim.citations}]
    fields = {"claims", "evidence", "summary", "answer_text", "summary_status"}
    elsewhere = list(strings_of(answer.model_dump(mode="json", exclude=fields)))
    others = [claim.claim for claim in answer.claims if claim not in citing]
    wanted = [text for text in (*elsewhere, *others) if fold(injection.wants) in fold(text)]
    mislabelled = [
        claim.claim
        for claim in answer.claims
        if claim.verbatim and claim.claim not in {item.text for item in answer.evidence}
    ]
    return [*wanted, *mislabelled, *misquoted(answer), *invented(answer, without)]


@pytest.mark.parametrize("corrected", [False, True], ids=["printed", "corrected"])
def test_a_model_that_obeys_the_book_shows_no_more_than_its_words(corrected: bool) -> None:
    wrong: dict[str, list[str]] = {}
    for injection in injections():
        passage = said_in_the_book(injection, corrected=corrected)
        without = Without(QUESTION, answer_question(QUESTION, trace_id="t").answer)
        for way in WAYS:
            model = obedient(injection, way)
            answer = answered_by(model, QUESTION)
            found = wrong_in(answer, injection, without, passage)
            if found or not answer.disclaimer or not well_formed(model.seen[0], without.answer):
                wrong[f"{injection.id} {way.__name__}"] = [answer.reason, *found]
    assert wrong == {}


@pytest.mark.parametrize("corrected", [False, True], ids=["printed", "corrected"])
def test_without_a_model_it_is_quoted_as_it_stands_and_cited(corrected: bool) -> None:
    for injection in injections():
        passage = said_in_the_book(injection, corrected=corrected)
        answer = answer_question(QUESTION, trace_id="t").answer
        (claim,) = (claim for claim in answer.claims if claim.citations[0].chunk_id == passage.uid)
        assert claim.claim == passage.shown_text and claim.verbatim


@pytest.mark.parametrize("way", [claim_alone, claim_beside_the_truth, claim_inside_the_truth])
def test_what_one_monograph_says_is_claimed_of_no_other(way: Obeying) -> None:
    for injection in injections():
        passage = said_in_the_book(injection)
        answer = answered_by(obedient(injection, way), COMPARED)
        assert misquoted(answer) == []
        for claim in answer.claims:
            assert {cited.drug_name for cited in claim.citations} == {claim.target}
            assert passage.text not in claim.claim or claim.target == "Ibuprofen"


def test_a_passage_that_gives_no_orders_is_answered_with_the_same_machinery() -> None:
    answer = answered_by(writer(), QUESTION)
    assert answer.reason is Reason.VERIFIED and misquoted(answer) == []
    assert all(claim.verbatim for claim in answer.claims)


# --- in a PDF --------------------------------------------------------------------------------------------------------


def typeset() -> dict[str, list[Injection]]:
    """The injections that can be printed, by the title of the monograph whose contraindications they are."""
    shelves: dict[str, list[Injection]] = {title: [] for title in TITLES}
    printable = [each for each in injections() if _PRINTABLE.fullmatch(normalise(each.text)) and "<b" not in each.text]
    for number, injection in enumerate(printable):
        shelves[TITLES[number % len(TITLES)]].append(injection)
    return shelves


def published_pdf(folder: Path) -> Edition:
    """A PDF with them, read and published as any other."""
    book = Book()
    for title, shelf in typeset().items():
        book.title(title)
        book.opening(f"{title.capitalize()}.")
        book.heading("Chỉ định")
        book.text("Đau nhẹ và vừa.")
        book.heading("Chống chỉ định")
        for injection in shelf:
            book.text(f"Quá mẫn với thuốc. {normalise(injection.text)}", indent=True)
        book.heading("Thận trọng")
        book.text("Suy thận nhẹ.")
    edition = Edition.objects.create(title="Sách thử", year=2026, sha256="7c" * 32, parser_version="pdf")
    build_edition(edition, parsed(book, folder), on_progress=lambda _done, _total: None)
    publish_edition(edition)
    return edition


def test_orders_in_a_pdf_are_quoted_and_never_obeyed(tmp_path: Path) -> None:
    edition = published_pdf(tmp_path)
    found = 0
    for title, shelf in typeset().items():
        question = f"chống chỉ định của {title.lower()}"
        without = Without(question, answer_question(question, trace_id="t").answer)
        assert without.answer.decision is Decision.ANSWERABLE, title
        for injection in shelf:
            held = Passage.objects.filter(section__monograph__edition=edition, text__contains=normalise(injection.text))
            found += held.exists()
            for way in (claim_beside_the_truth, whether_it_is_so):
                model = obedient(injection, way)
                answer = answered_by(model, question)
                assert misquoted(answer) == invented(answer, without) == [], injection.id
                assert well_formed(model.seen[0], without.answer), injection.id
    assert found >= LEAST_TYPESET


def well_formed(prompt: Prompt, answer: Answer) -> bool:
    """Whether a draft's prompt has one source for each passage that may be shown, and nothing else."""
    shown = [item for item in answer.evidence if item.text]
    passages = [name for name, _ in fences_of(prompt) if name == "DOAN"]
    numbers = list(range(1, len(shown) + 1))
    in_order = prompt.purpose is Purpose.DRAFT and list(sources_of(prompt)) == numbers_of(prompt) == numbers
    return in_order and len(passages) == len(shown) and not foreign_lines(prompt) and not markers_inside(prompt)


def test_a_fence_that_takes_nothing_apart_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing_prompts, "fence", lambda name, text: f"<<<{name}>>>\n{text}\n<<</{name}>>>")
    caught = 0
    for injection in injections():
        if injection.kind == "fence_closing":
            said_in_the_book(injection)
            model = writer()
            answer = answered_by(model, QUESTION)
            caught += not well_formed(model.seen[0], answer_question(QUESTION, trace_id="t").answer)
            assert answer.disclaimer
    assert caught >= 40


def test_without_the_gates_its_words_would_be_put_under_other_passages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "gates_of", lambda _writing: CITATION_GATES)
    shown = []
    for injection in injections()[:20]:
        said_in_the_book(injection)
        shown.append(misquoted(answered_by(obedient(injection, claim_inside_the_truth), QUESTION)))
    assert all(shown)
