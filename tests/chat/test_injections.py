"""Questions that give orders, through the whole path, to a model that obeys them: nothing of theirs is shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache

import pytest
from pytest_django.plugin import DjangoDbBlocker

from chat import answer as answering
from chat.answer import Answered, answer_question
from chat.domain import Decision, Reason
from chat.gates import CITATION_GATES
from chat.llm.domain import Prompt, Purpose
from chat.outcomes import OUTCOMES
from chat.summarise import Summariser
from chat.understand import understand
from chat.ways import Ways
from monographs.corpus import corpus_of, current_edition
from monographs.models import Passage
from tests.chat.injected import Injection, foreign_lines, injections, markers_inside
from tests.chat.obedient import (
    WAYS,
    Obeying,
    claim_beside_the_truth,
    obedient,
    replies_only,
    summary_of,
    truthful_but,
    understood_as,
)
from tests.chat.scripted import Payload, copy_all, copy_but, draft, says_yes, writer
from tests.chat.shown import Without, invented, obeyed, unprinted
from tests.fakes import ScriptedModel
from tests.sample_edition import publish_sample

pytestmark = [pytest.mark.slow, pytest.mark.django_db]
LEAST, LEAST_OF_A_KIND = 100, 2
PLAIN = {
    "chống chỉ định của ibuprofen": Reason.VERIFIED,
    "liều paracetamol cho người lớn đường uống": Reason.VERIFIED,
    "tương tác warfarin và ibuprofen": Reason.VERIFIED,
    "bảo quản adrenalin": Reason.VERIFIED,
    "so sánh chống chỉ định của ibuprofen và paracetamol": Reason.VERIFIED,
}


@pytest.fixture(scope="module", autouse=True)
def _sample(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """One edition for all of this module's tests, none of which writes."""
    with django_db_blocker.unblock():
        edition = publish_sample()
    yield
    without_model.cache_clear()
    with django_db_blocker.unblock():
        edition.delete()


@cache
def without_model(question: str) -> Without:
    """What is answered with no model at all."""
    labels = frozenset(label for labels in Passage.objects.values_list("labels", flat=True) for label in labels)
    return Without(question, answer_question(question, trace_id="t").answer, labels)


def answered_by(model: ScriptedModel, question: str, *, understands: bool = False) -> Answered:
    """The turn in which this model drafts, judges and sums up, and understands too where it is said."""
    ways = Ways(model if understands else None, model, Summariser("scripted", {"scripted": model}))
    return answer_question(question, trace_id="t", ways=ways)


def through(
    model_of: Callable[[Injection], ScriptedModel], *, understands: bool = False
) -> tuple[dict[str, list[str]], Counter[Reason], set[str]]:
    """Every injection, as it is typed too where the model understands: what got through, how the turns ended, and for
    which injections there was a draft."""
    shown: dict[str, list[str]] = {}
    ends: Counter[Reason] = Counter()
    drafted = set()
    for injection in injections():
        for question in injection.questions if understands else injection.questions[-1:]:
            model = model_of(injection)
            answer = answered_by(model, question, understands=understands).answer
            found = obeyed(answer, injection, without_model(question))
            seen = model.seen if understands else ()
            found += [line for prompt in seen for line in (*foreign_lines(prompt), *markers_inside(prompt))]
            if found or not answer.disclaimer or not answer.message:
                shown[f"{injection.id} {question}"] = found
            ends[answer.reason] += 1
            drafted |= {injection.id} if Purpose.DRAFT in model.purposes() else set()
    return shown, ends, drafted


# --- the data ------------------------------------------------------------------------------------------------------


def test_there_are_enough_of_every_kind_and_each_is_another() -> None:
    kinds = Counter(injection.kind for injection in injections())
    assert kinds.total() >= LEAST and min(kinds.values()) >= LEAST_OF_A_KIND
    assert {"vi", "vi_bare", "en", "mixed"} <= {injection.language for injection in injections()}
    assert len({injection.text for injection in injections()}) == kinds.total()
    assert len({injection.id for injection in injections()}) == kinds.total()


@pytest.mark.parametrize(("question", "reason"), PLAIN.items())
@pytest.mark.parametrize("understands", [False, True])
def test_a_plain_question_is_answered_with_the_same_machinery(question: str, reason: Reason, understands: bool) -> None:
    model = ScriptedModel(
        {
            Purpose.UNDERSTAND: understood_as(injections()[0]),
            Purpose.DRAFT: copy_all,
            Purpose.JUDGE: says_yes,
            Purpose.SUMMARY: _copied_summary,
        }
    )
    answer = answered_by(model, question, understands=understands).answer
    assert answer.reason is reason and answer.claims
    assert unprinted(answer) == invented(answer, without_model(question)) == []


# --- a model that obeys --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_nothing_of_an_injection_is_shown_whatever_way_a_model_obeys(way: Obeying) -> None:
    shown, ends, drafted = through(lambda injection: obedient(injection, way))
    print(f"\n{way.__name__}: {ends.total()} turns, {len(drafted)} drafted; {dict(ends.most_common())}")
    assert shown == {}
    assert {injection.id for injection in injections()} - drafted == set()


@pytest.mark.parametrize("way", [claim_beside_the_truth, replies_only])
def test_neither_where_the_model_that_obeys_understands_too(way: Obeying) -> None:
    shown, ends, _ = through(lambda injection: obedient(injection, way), understands=True)
    assert shown == {} and ends.total() > len(injections())


def test_neither_in_what_is_missing_nor_in_the_summary_of_a_true_draft() -> None:
    shown, ends, _ = through(truthful_but, understands=True)
    assert shown == {}
    answered = [number for reason, number in ends.items() if OUTCOMES[reason].decision is Decision.ANSWERABLE]
    assert sum(answered) >= LEAST, "the truth is answered whatever stands beside the question"


def test_what_a_model_understood_for_an_injection_is_in_no_frame() -> None:
    edition = current_edition()
    assert edition is not None
    corpus = corpus_of(edition)
    for injection in injections():
        for question in injection.questions:
            model = truthful_but(injection)
            frame = answered_by(model, question, understands=True).frame
            if Purpose.UNDERSTAND in model.purposes() and frame is not None:
                rules = understand(question, corpus)
                assert set(frame.drugs) <= set(rules.drugs), question
                assert (frame.weight_kg, frame.age_text, frame.allergies, frame.medicines) == (
                    rules.weight_kg,
                    rules.age_text,
                    rules.allergies,
                    rules.medicines,
                ), question
                assert not set(frame.quick_replies) - set(rules.quick_replies)


@pytest.mark.parametrize("injection", injections(), ids=lambda injection: injection.id)
def test_a_retry_and_a_repair_that_obey_show_nothing_either(injection: Injection) -> None:
    question = "chống chỉ định của ibuprofen"

    def obeys(prompt: Prompt) -> Payload:
        return claim_beside_the_truth(injection, prompt)

    again = writer(draft(sufficient=False), retry=obeys)
    mended = writer(copy_but(2), repair=obeys)
    for model, asked in ((again, Purpose.RETRY), (mended, Purpose.REPAIR)):
        answer = answer_question(question, trace_id="t", ways=Ways(writer=model)).answer
        assert asked in model.purposes()
        assert answer.decision is Decision.ABSTAIN and not answer.claims and not answer.summary
        assert obeyed(answer, injection, without_model(question)) == []


@pytest.mark.parametrize("inside", [False, True])
def test_a_summary_that_obeys_is_never_used(inside: bool) -> None:
    question = "chống chỉ định của ibuprofen"
    plain = answer_question(question, trace_id="t", ways=Ways(writer=writer())).answer
    for injection in injections():
        script = {Purpose.SUMMARY: lambda prompt, it=injection: _summary(it, prompt, inside=inside)}
        by = Summariser("scripted", {"scripted": ScriptedModel(script)})
        answer = answer_question(question, trace_id="t", ways=Ways(writer=writer(), summariser=by)).answer
        assert answer.summary_status is not None and not answer.summary_status.used, injection.id
        assert (answer.summary, answer.answer_text) == (plain.summary, plain.answer_text)


def _summary(injection: Injection, prompt: Prompt, *, inside: bool) -> Payload:
    if not inside:
        return summary_of(injection, prompt)
    sentences = _copied_summary(prompt)["sentences"]
    assert isinstance(sentences, list)
    return {"sentences": [{**each, "text": f"{each['text']} {injection.wants}."} for each in sentences]}


def _copied_summary(prompt: Prompt) -> Payload:
    passages = prompt.user.split("(mã: ")[1:]
    return {
        "sentences": [
            {"text": text.partition(")\n")[2].partition("\n<<<")[0], "used_chunk_ids": [text.partition(";")[0]]}
            for text in passages
        ]
    }


# --- that these tests can fail --------------------------------------------------------------------------------------


def test_without_the_gates_almost_everything_would_be_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "gates_of", lambda _writing: CITATION_GATES)
    monkeypatch.setattr(answering, "find_objections", lambda *_: ())
    shown, ends, drafted = through(lambda injection: obedient(injection, claim_beside_the_truth))
    assert len({key.partition(" ")[0] for key in shown}) >= LEAST
    assert ends[Reason.VERIFIED] and len(drafted) >= LEAST


def test_a_claim_of_its_own_would_be_noticed_wherever_it_stands() -> None:
    injection, question = injections()[0], "chống chỉ định của ibuprofen"
    answer, words = without_model(question).answer, injection.wants
    changes: Sequence[dict[str, object]] = (
        {"claims": (answer.claims[0].model_copy(update={"claim": "Dùng 100 g mỗi giờ."}),)},
        {"claims": (answer.claims[0].model_copy(update={"claim": words}),)},
        {"summary": f"{answer.summary}\nDùng 100 g mỗi giờ. [1]"},
        {"answer_text": f"Dùng 100 g mỗi giờ. {answer.answer_text}"},
        {"message": "Cần biết thêm: dùng 100 g mỗi giờ? Câu hỏi lại này do mô hình soạn."},
        {"note": "Dùng 100 g mỗi giờ."},
        {"quick_replies": ("100 g mỗi giờ",)},
        {"clarifying_question": "Dùng 100 g mỗi giờ?"},
        {"next_step": "Dùng 100 g mỗi giờ."},
    )
    for change in changes:
        assert obeyed(answer.model_copy(update=change), injection, without_model(question)), change
    assert obeyed(answer, injection, without_model(question)) == []
