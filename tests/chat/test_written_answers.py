"""Answers that a model words, through the whole pipeline: what is shown, what is refused, and for which reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest
from pytest_django.plugin import DjangoDbBlocker

from chat.answer import Answered, Prior, answer_question
from chat.contract import Answer
from chat.domain import Decision, Reason
from chat.llm.domain import Fault, Purpose
from chat.summarise import Summariser
from chat.trace import dump_trace, load_trace
from chat.ways import Ways
from monographs.domain import PassageState, SectionKey
from monographs.models import Passage
from tests.chat import scripted
from tests.chat.scripted import copy_all, copy_but, draft, misses, said, says_no, says_yes, writer
from tests.fakes import ScriptedModel
from tests.sample_edition import publish_sample

pytestmark = pytest.mark.django_db
CONTRAINDICATED = "chống chỉ định của ibuprofen"
ADULT_DOSE = "liều paracetamol cho người lớn đường uống"
NEVER_ASKED = pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("liều paracetamol", Reason.NEEDS_BRANCH),
        ("liều amoxicilin cho chó", Reason.NON_HUMAN_SCOPE),
        ("liều zolpixantel", Reason.UNKNOWN_DRUG),
        ("thời tiết hôm nay", Reason.OUT_OF_SCOPE),
        ("xin chào", Reason.SMALLTALK),
        ("tương kỵ của warfarin", Reason.SECTION_NOT_IN_MONOGRAPH),
    ],
)


@pytest.fixture(scope="module", autouse=True)
def _sample(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """One edition for all of this module's tests, each of which is rolled back."""
    with django_db_blocker.unblock():
        edition = publish_sample()
    yield
    with django_db_blocker.unblock():
        edition.delete()


def written(question: str, model: ScriptedModel, *, prior: Prior | None = None, seconds: float = 45.0) -> Answered:
    return answer_question(question, trace_id="t", prior=prior, ways=Ways(writer=model, seconds=seconds))


def shown(question: str, model: ScriptedModel) -> Answer:
    return written(question, model).answer


def nothing_is_shown(answer: Answer) -> bool:
    return not (answer.claims or answer.blocks or answer.summary or answer.answer_text)


# --- what is shown -----------------------------------------------------------------------------------------------


def test_claims_that_pass_every_check_are_shown_with_their_citations() -> None:
    model = writer()
    answer = shown(CONTRAINDICATED, model)
    assert (answer.decision, answer.reason) == (Decision.ANSWERABLE, Reason.VERIFIED)
    assert answer.plan.reasoning_mode == "generated"
    assert answer.claims and all(claim.citations for claim in answer.claims)
    assert model.purposes() == [Purpose.DRAFT, Purpose.JUDGE]


def test_words_of_a_model_are_told_apart_from_the_books() -> None:
    def reworded(prompt: object) -> dict[str, object]:
        payload = copy_all(prompt)  # type: ignore[arg-type]
        claims = payload["claims"]
        assert isinstance(claims, list)
        claims[0]["text"] = f"Ibuprofen: {claims[0]['text'].lower()}"
        return payload

    answer = shown(CONTRAINDICATED, writer(reworded))
    assert [claim.verbatim for claim in answer.claims][:2] == [False, True]
    assert "mô hình" in answer.message and "nguyên văn" not in answer.message.lower()


def test_the_order_is_the_evidences_whatever_a_model_put_first() -> None:
    def reversed_draft(prompt: object) -> dict[str, object]:
        claims = copy_all(prompt)["claims"]  # type: ignore[arg-type]
        assert isinstance(claims, list)
        return draft(*reversed(claims))

    plain = answer_question(CONTRAINDICATED, trace_id="t").answer
    assert [claim.claim for claim in shown(CONTRAINDICATED, writer(reversed_draft)).claims] == [
        claim.claim for claim in plain.claims
    ]


@NEVER_ASKED
def test_what_is_decided_without_evidence_asks_no_model(question: str, reason: Reason) -> None:
    from monographs.models import Section

    Section.objects.filter(monograph__slug="warfarin", key=SectionKey.TUONG_KY).delete()
    model = writer()
    assert shown(question, model).reason is reason
    assert model.seen == []


def test_nothing_is_written_over_quarantined_evidence() -> None:
    Passage.objects.filter(section__key=SectionKey.CHONG_CHI_DINH, section__monograph__slug="ibuprofen").update(
        state=PassageState.QUARANTINED
    )
    model = writer()
    assert shown(CONTRAINDICATED, model).decision is Decision.VERIFY_PDF
    assert model.seen == []


def test_a_held_passage_beside_others_reaches_no_prompt() -> None:
    passage = Passage.objects.filter(section__key=SectionKey.CHONG_CHI_DINH, section__monograph__slug="ibuprofen")[1]
    Passage.objects.filter(pk=passage.pk).update(state=PassageState.QUARANTINED)
    model = writer()
    answer = shown(CONTRAINDICATED, model)
    assert answer.reason is Reason.PARTIAL_QUARANTINED
    assert all(passage.text not in prompt.user for prompt in model.seen)


def test_without_a_writer_the_book_is_quoted_as_before() -> None:
    answered = answer_question(CONTRAINDICATED, trace_id="t", ways=Ways())
    assert answered.answer.plan.reasoning_mode == "extractive"
    assert all(claim.verbatim for claim in answered.answer.claims)
    assert answered.trace.calls == () and list(answered.timings) == [
        "scope",
        "understand",
        "retrieve",
        "decide",
        "draft",
        "verify",
        "compose",
    ]


# --- refused -----------------------------------------------------------------------------------------------------

LIES = {
    "a number that is not printed": (said("Người lớn: 5 - 10 g/lần.", 1), Reason.UNGROUNDED_NUMBER),
    "a unit that is not": (said("Người lớn: 0,5 - 1 mg/lần.", 1), Reason.UNIT_MISMATCH),
    "another population": (said("Trẻ sơ sinh: 0,5 - 1 g/lần.", 1), Reason.LABEL_MISMATCH),
    "another drug": (said("Dùng cùng warfarin: 0,5 - 1 g/lần.", 1), Reason.UNSUPPORTED_DRUG),
    "a source that is not there": (said("0,5 - 1 g/lần.", 99), Reason.INVALID_CITATION),
    "a source before the first": (said("0,5 - 1 g/lần.", 0), Reason.INVALID_CITATION),
    "a negative source": (said("0,5 - 1 g/lần.", -1), Reason.INVALID_CITATION),
    "no source": (said("0,5 - 1 g/lần."), Reason.UNCITED_CLAIM),
    "text behind a marker": (said("0,5 - 1 g/lần [1] và ngừng khi hết sốt.", 1), Reason.UNCITED_CLAIM),
    "a marker of another source": (said("0,5 - 1 g/lần [7].", 1), Reason.UNCITED_CLAIM),
    "a ranking": (said("Là thuốc hàng đầu: 0,5 - 1 g/lần.", 1), Reason.UNSUPPORTED_RANKING),
    "safety": (said("Dùng an toàn 0,5 - 1 g/lần.", 1), Reason.ABSENCE_AS_SAFETY),
    "an order": (said("Hãy uống 0,5 - 1 g/lần.", 1), Reason.UNSUPPORTED_CLAIM),
    "a sign for a word": (said("0,5 - 1 g/lần ↑", 1), Reason.UNSUPPORTED_CLAIM),
    "an invented indication": (said("0,5 - 1 g/lần trị ung thư.", 1), Reason.UNSUPPORTED_CLAIM),
}  # fmt: skip


@pytest.mark.parametrize(("claim", "reason"), LIES.values(), ids=LIES)
def test_a_lie_beside_the_whole_truth_stops_the_answer(claim: dict[str, object], reason: Reason) -> None:
    def lying(prompt: object) -> dict[str, object]:
        claims = copy_all(prompt)["claims"]  # type: ignore[arg-type]
        assert isinstance(claims, list)
        return draft(*claims, claim)

    model = writer(lying)
    answer = shown(ADULT_DOSE, model)
    assert (answer.decision, answer.reason) == (Decision.ABSTAIN, reason)
    assert nothing_is_shown(answer)
    assert model.purposes() == [Purpose.DRAFT], "a draft that fails a gate is neither judged nor repaired"


def test_markers_that_only_repeat_the_citations_are_taken_off() -> None:
    def marked(prompt: object) -> dict[str, object]:
        claims = copy_all(prompt)["claims"]  # type: ignore[arg-type]
        assert isinstance(claims, list)
        return draft(*({**claim, "text": f"{claim['text']} [{claim['citations'][0]}]"} for claim in claims))

    answer = shown(CONTRAINDICATED, writer(marked))
    assert answer.reason is Reason.VERIFIED
    assert not any("[" in claim.claim for claim in answer.claims)


def test_a_judge_that_says_no_is_an_unsupported_claim() -> None:
    model = writer(judge=says_no)
    answered = written(CONTRAINDICATED, model)
    assert answered.answer.reason is Reason.UNSUPPORTED_CLAIM and nothing_is_shown(answered.answer)
    assert {claim.gate for claim in answered.trace.claims} == {"judge"}
    assert model.purposes() == [Purpose.DRAFT, Purpose.JUDGE]


def test_what_fails_offers_the_sections_that_it_would_have_come_from() -> None:
    answer = shown(CONTRAINDICATED, writer(judge=says_no))
    assert answer.related_sections[0].label == "Ibuprofen – Chống chỉ định"
    pair = shown("tương tác warfarin và ibuprofen", writer(judge=says_no))
    assert {link.label.split(" – ")[0] for link in pair.related_sections} == {"Warfarin", "Ibuprofen"}


# --- faults ------------------------------------------------------------------------------------------------------

_REASONS = {
    Fault.TIMEOUT: Reason.PROVIDER_UNAVAILABLE,
    Fault.THROTTLED: Reason.PROVIDER_UNAVAILABLE,
    Fault.REFUSED: Reason.PROVIDER_UNAVAILABLE,
    Fault.SERVER_ERROR: Reason.PROVIDER_UNAVAILABLE,
    Fault.UNREACHABLE: Reason.PROVIDER_UNAVAILABLE,
    Fault.MALFORMED: Reason.MALFORMED_OUTPUT,
    Fault.TRUNCATED: Reason.MALFORMED_OUTPUT,
    Fault.WRONG_SCHEMA: Reason.MALFORMED_OUTPUT,
    Fault.EMPTY: Reason.MALFORMED_OUTPUT,
    Fault.GUARDRAIL: Reason.PROVIDER_UNAVAILABLE,
    Fault.BREAKER_OPEN: Reason.PROVIDER_UNAVAILABLE,
    Fault.BUDGET: Reason.REQUEST_BUDGET_EXHAUSTED,
}
_INSUFFICIENT = draft(sufficient=False)
_SCRIPTS: dict[Purpose, Callable[[Fault], ScriptedModel]] = {
    Purpose.DRAFT: writer,
    Purpose.RETRY: lambda trouble: writer(_INSUFFICIENT, retry=trouble),
    Purpose.JUDGE: lambda trouble: writer(judge=trouble),
    Purpose.REPAIR: lambda trouble: writer(copy_but(1), repair=trouble),
}


@pytest.mark.parametrize("fault", list(Fault))
@pytest.mark.parametrize("purpose", list(_SCRIPTS))
def test_every_fault_of_every_call_ends_in_its_reason(purpose: Purpose, fault: Fault) -> None:
    answered = written(CONTRAINDICATED, _SCRIPTS[purpose](fault))
    assert answered.answer.reason is _REASONS[fault] and nothing_is_shown(answered.answer)
    assert answered.answer.related_sections and answered.answer.disclaimer
    last = answered.trace.calls[-1]
    assert (last.purpose, last.fault, last.prompt != "") == (purpose, fault, True)


MALFORMED = {
    "no object of its kind": {"unexpected": True},
    "a claim that is no object": draft() | {"claims": ["0,5 g"]},
    "a text that is none": draft() | {"claims": [{"text": 5, "citations": [1], "drug_id": None}]},
    "an empty text": draft(said("  ", 1)),
    "nothing but a marker": draft(said("[1]", 1)),
    "characters that nobody sees": draft(said("0,5\u200b - 1 g/lần", 1)),
    "text turned round": draft(said("\u202e0,5 - 1 g/lần", 1)),
    "a citation in quotes": draft() | {"claims": [{"text": "x", "citations": ["1"], "drug_id": None}]},
    "a citation that is true": draft() | {"claims": [{"text": "x", "citations": [True], "drug_id": None}]},
    "a citation that is no whole number": draft() | {"claims": [{"text": "x", "citations": [1.0], "drug_id": None}]},
    "citations that are no list": draft() | {"claims": [{"text": "x", "citations": 1, "drug_id": None}]},
    "a claim without its drug's key": draft() | {"claims": [{"text": "x", "citations": [1]}]},
    "a key too many": draft() | {"claims": [{**said("x", 1), "confidence": 0.9}]},
    "claims that are none": draft() | {"claims": None},
    "sufficient in words": draft() | {"evidence_sufficient": "true"},
    "one bad claim among good ones": draft(said("x", 1)) | {"claims": [said("x", 1), {"text": "y"}]},
    "five quick replies": draft(sufficient=False, ask="Dạng nào?", replies=["a", "b", "c", "d", "e"]),
    "a long quick reply": draft(sufficient=False, ask="Dạng nào?", replies=["x" * 41]),
    "quick replies alike": draft(sufficient=False, ask="Dạng nào?", replies=["Uống", "uong"]),
    "an empty question": draft(sufficient=False, ask=" "),
}


@pytest.mark.parametrize("payload", MALFORMED.values(), ids=MALFORMED)
def test_one_malformed_entry_rejects_the_whole_draft(payload: dict[str, object]) -> None:
    model = writer(payload)
    answer = shown(ADULT_DOSE, model)
    assert answer.reason is Reason.MALFORMED_OUTPUT and nothing_is_shown(answer)
    assert model.purposes() == [Purpose.DRAFT]


def _verdicts(*pairs: tuple[object, object], missing: Sequence[object] = ()) -> dict[str, object]:
    return {"verdicts": [{"claim": c, "entailed": e} for c, e in pairs], "missing": list(missing)}


@pytest.mark.parametrize(
    "payload",
    [
        _verdicts(),
        _verdicts((1, True), (1, True)),
        _verdicts((2, True)),
        _verdicts((1, True), (99, True)),
        _verdicts((1, "yes")),
        _verdicts(("1", True)),
        {"verdicts": [{"claim": 1}], "missing": []},
        _verdicts((1, True)) | {"missing": None},
        _verdicts((1, True), missing=["thiếu liều"]),
        _verdicts((1, True), missing=[{"evidence_quote": "x"}]),
        {"complete": True},
    ],
    ids=[
        "none",
        "twice",
        "another",
        "one too many",
        "a word",
        "quoted",
        "half",
        "no list",
        "text",
        "no description",
        "",
    ],
)
def test_verdicts_that_do_not_cover_every_claim_once_are_malformed(payload: dict[str, object]) -> None:
    answer = shown("bảo quản adrenalin", writer(judge=payload))
    assert answer.reason is Reason.MALFORMED_OUTPUT and nothing_is_shown(answer)


def test_a_turn_without_time_left_asks_nothing() -> None:
    model = writer()
    answered = written(CONTRAINDICATED, model, seconds=0.0)
    assert answered.answer.reason is Reason.REQUEST_BUDGET_EXHAUSTED
    assert model.seen == []
    assert [call.fault for call in answered.trace.calls] == [Fault.BUDGET]


# --- insufficient ------------------------------------------------------------------------------------------------


def test_an_insufficient_draft_is_asked_for_once_more_with_the_identical_prompt() -> None:
    model = writer(_INSUFFICIENT)
    assert shown(CONTRAINDICATED, model).reason is Reason.VERIFIED
    first, second = model.seen[:2]
    assert [first.purpose, second.purpose] == [Purpose.DRAFT, Purpose.RETRY]
    assert (first.system, first.user, first.schema) == (second.system, second.user, second.schema)


@pytest.mark.parametrize(
    "payload",
    [_INSUFFICIENT, draft(), draft(said("0,5 - 1 g/lần.", 1), sufficient=False)],
    ids=["said", "empty", "both"],
)
def test_a_second_insufficient_draft_abstains(payload: dict[str, object]) -> None:
    model = writer(payload, retry=payload)
    answer = shown(ADULT_DOSE, model)
    assert answer.reason is Reason.INSUFFICIENT_EVIDENCE and nothing_is_shown(answer)
    assert model.purposes() == [Purpose.DRAFT, Purpose.RETRY]
    assert "không nêu" not in answer.message, "what a model found too little is no silence of the book"


# --- completeness ------------------------------------------------------------------------------------------------


def test_a_contraindication_left_out_is_written_once_more() -> None:
    model = writer(copy_but(2))
    answered = written(CONTRAINDICATED, model)
    assert answered.answer.reason is Reason.VERIFIED
    assert model.purposes() == [Purpose.DRAFT, Purpose.JUDGE, Purpose.REPAIR, Purpose.JUDGE]
    left_out = answered.trace.left_out[0]
    assert (
        left_out in model.seen[2].user.partition("CON_THIEU")[2]
        and left_out not in model.seen[0].user.partition("CAU_HOI")[2]
    )
    assert list(answered.timings)[-4:] == ["verify", "judge", "complete", "compose"]


REPAIRS = {
    "still incomplete": copy_but(2),
    "a lie": draft(said("Không có chống chỉ định.", 1)),
    "insufficient now": _INSUFFICIENT,
    "a question now": draft(sufficient=False, ask="Người bệnh bao nhiêu tuổi?"),
}


@pytest.mark.parametrize("repair", REPAIRS.values(), ids=REPAIRS)
def test_a_repair_that_fails_leaves_the_answer_incomplete(repair: dict[str, object]) -> None:
    model = writer(copy_but(2), repair=repair)
    answer = shown(CONTRAINDICATED, model)
    assert answer.reason is Reason.INCOMPLETE_ANSWER and nothing_is_shown(answer)
    assert model.purposes().count(Purpose.REPAIR) == 1


def test_a_repair_that_the_judge_refuses_is_incomplete() -> None:
    model = writer(copy_but(2), judge=[says_yes, says_no])
    assert shown(CONTRAINDICATED, model).reason is Reason.INCOMPLETE_ANSWER


def test_an_objection_of_the_judge_that_holds_is_repaired() -> None:
    text = Passage.objects.filter(section__key=SectionKey.BAO_QUAN, section__monograph__slug="adrenalin")[0].text
    model = writer(draft(said(text.split(",")[0] + ".", 1)), judge=[misses((text, text)), says_yes])
    answer = shown("bảo quản adrenalin", model)
    assert model.purposes() == [Purpose.DRAFT, Purpose.JUDGE, Purpose.REPAIR, Purpose.JUDGE]
    assert answer.reason is Reason.VERIFIED and answer.claims[0].claim == text


def test_an_objection_that_the_evidence_does_not_bear_is_ignored() -> None:
    model = writer(judge=misses(("độ ẩm dưới 70 %", "thiếu độ ẩm")))
    assert shown("bảo quản adrenalin", model).reason is Reason.VERIFIED
    assert model.purposes() == [Purpose.DRAFT, Purpose.JUDGE]


# --- a question back ---------------------------------------------------------------------------------------------


def test_a_question_back_ends_as_one_and_says_who_wrote_it() -> None:
    asked = draft(sufficient=False, ask="Người bệnh bao nhiêu tuổi?")
    answer = shown(CONTRAINDICATED, writer(asked))
    assert (answer.decision, answer.reason) == (Decision.CLARIFY, Reason.NEEDS_DETAIL)
    assert "Người bệnh bao nhiêu tuổi?" in answer.message and "mô hình" in answer.message
    assert answer.clarifying_question == answer.message and nothing_is_shown(answer)


def test_a_question_for_everything_is_not_narrowed() -> None:
    asked = draft(sufficient=False, ask="Người bệnh thuộc trường hợp nào?", replies=["Người lớn", "Trẻ em"])
    model = writer(asked)
    assert shown("toàn bộ liều paracetamol", model).decision is Decision.ANSWERABLE
    assert model.purposes() == [Purpose.DRAFT, Purpose.RETRY, Purpose.JUDGE]
    assert shown("toàn bộ liều paracetamol", writer(asked, retry=asked)).reason is Reason.INSUFFICIENT_EVIDENCE


def test_asking_back_does_not_go_on_for_ever() -> None:
    asked = draft(sufficient=False, ask="Người bệnh bao nhiêu tuổi?")
    answered = written(CONTRAINDICATED, writer(asked), prior=Prior(clarify_streak=3))
    assert answered.answer.reason is Reason.CLARIFY_NOT_CONVERGING


# --- what is kept ------------------------------------------------------------------------------------------------


def test_every_call_is_kept_with_its_prompt_and_the_trace_reads_back() -> None:
    answered = written(CONTRAINDICATED, writer(copy_but(2)))
    calls = answered.trace.calls
    assert [call.purpose for call in calls] == [Purpose.DRAFT, Purpose.JUDGE, Purpose.REPAIR, Purpose.JUDGE]
    assert all(call.prompt and call.input_tokens for call in calls)
    assert calls[0].prompt != calls[2].prompt and calls[1].prompt == calls[3].prompt
    assert answered.trace.versions.prompt
    assert load_trace(dump_trace(answered.trace)) == answered.trace
    assert answered.trace.gates[-1] == "judge"


def test_each_stage_is_told_as_it_begins() -> None:
    told: list[str] = []
    answer_question(CONTRAINDICATED, trace_id="t", ways=Ways(writer=writer(copy_but(2))), on_stage=told.append)
    assert told == [
        *("scope", "understand", "retrieve", "decide", "draft", "verify", "judge", "complete"),
        *("repair", "verify", "judge", "complete", "compose"),
    ]


def test_a_turn_that_is_cancelled_asks_no_further_model() -> None:
    model = writer()

    def cancel(name: str) -> None:
        if name == "judge":
            raise InterruptedError

    with pytest.raises(InterruptedError):
        answer_question(CONTRAINDICATED, trace_id="t", ways=Ways(writer=model), on_stage=cancel)
    assert model.purposes() == [Purpose.DRAFT]


# --- lists of drugs ----------------------------------------------------------------------------------------------

COMPARED = "so sánh chống chỉ định của ibuprofen và paracetamol"


def test_in_a_comparison_every_claim_is_of_its_own_drug() -> None:
    answer = shown(COMPARED, writer())
    assert answer.decision is Decision.ANSWERABLE
    assert all({c.drug_name for c in claim.citations} == {claim.target} for claim in answer.claims)


def _with_drugs(change: dict[str, str | None]) -> object:
    def drafted(prompt: object) -> dict[str, object]:
        claims = copy_all(prompt)["claims"]  # type: ignore[arg-type]
        assert isinstance(claims, list)
        return draft(*({**claim, "drug_id": change.get(claim["drug_id"], claim["drug_id"])} for claim in claims))

    return drafted


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"ibuprofen": "paracetamol"}, Reason.UNSUPPORTED_DRUG),
        ({"ibuprofen": "warfarin"}, Reason.UNSUPPORTED_DRUG),
        ({"ibuprofen": "thuoc_bia"}, Reason.UNSUPPORTED_DRUG),
        ({"ibuprofen": None}, Reason.MALFORMED_OUTPUT),
    ],
    ids=["the other one", "one of the book", "one of no book", "none"],
)
def test_in_a_list_a_claim_of_another_drug_is_refused(change: dict[str, str | None], reason: Reason) -> None:
    answer = shown(COMPARED, writer(_with_drugs(change)))  # type: ignore[arg-type]
    assert answer.reason is reason and nothing_is_shown(answer)


def test_a_drug_of_the_list_that_is_left_out_is_an_objection() -> None:
    def only_first(prompt: object) -> dict[str, object]:
        claims = copy_all(prompt)["claims"]  # type: ignore[arg-type]
        assert isinstance(claims, list)
        return draft(*(claim for claim in claims if claim["drug_id"] == claims[0]["drug_id"]))

    model = writer(only_first, repair=only_first)
    assert shown(COMPARED, model).reason is Reason.INCOMPLETE_ANSWER
    assert scripted.sources_of(model.seen[0])


# --- the other models of a turn ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (Fault.TIMEOUT, Reason.UNDERSTANDING_PROVIDER_UNAVAILABLE),
        (Fault.GUARDRAIL, Reason.UNDERSTANDING_PROVIDER_UNAVAILABLE),
        (Fault.EMPTY, Reason.UNDERSTANDING_MALFORMED_OUTPUT),
        (Fault.BUDGET, Reason.REQUEST_BUDGET_EXHAUSTED),
    ],
)
def test_a_question_that_no_model_understood_ends_there(fault: Fault, reason: Reason) -> None:
    model = ScriptedModel({Purpose.UNDERSTAND: fault})
    answered = answer_question(CONTRAINDICATED, trace_id="t", ways=Ways(understander=model, writer=model))
    assert answered.answer.reason is reason and nothing_is_shown(answered.answer)
    assert answered.answer.decision is Decision.ABSTAIN and answered.answer.quick_replies == ()
    assert [(call.purpose, call.fault) for call in answered.trace.calls] == [(Purpose.UNDERSTAND, fault)]


def test_a_summary_changes_no_claim_and_its_faults_cost_nothing() -> None:
    plain = shown(CONTRAINDICATED, writer())
    useless: list[Fault | dict[str, object]] = [Fault.TIMEOUT, {"sentences": []}, {"unexpected": 1}]
    for said_of_it in useless:
        summariser = Summariser("bedrock", {"bedrock": ScriptedModel({Purpose.SUMMARY: said_of_it})})
        answered = answer_question(CONTRAINDICATED, trace_id="t", ways=Ways(writer=writer(), summariser=summariser))
        answer = answered.answer
        assert (answer.claims, answer.blocks, answer.answer_text) == (plain.claims, plain.blocks, plain.answer_text)
        assert answer.summary_status is not None and answer.summary_status.fallback_reason
        assert answered.trace.calls[-1].purpose is Purpose.SUMMARY and "summary" in answered.timings


def test_a_summary_is_asked_for_of_no_answer_that_is_none() -> None:
    summariser = Summariser("bedrock", {"bedrock": ScriptedModel({})})
    answered = answer_question(
        CONTRAINDICATED, trace_id="t", ways=Ways(writer=writer(judge=says_no), summariser=summariser)
    )
    assert answered.answer.reason is Reason.UNSUPPORTED_CLAIM and answered.answer.summary_status is None
