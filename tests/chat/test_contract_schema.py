"""The published JSON schema: as the code has it, and true of every answer that can be stored."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from jsonschema import Draft202012Validator
from pytest_django.fixtures import Settings

from chat.compose import TurnContext, compose_answer, compose_stop
from chat.contract import Answer, SummarySentence, SummaryStatus
from chat.contract_schema import as_text, contract_schema
from chat.domain import (
    Calculation,
    Candidate,
    CandidateStatus,
    Decision,
    Pair,
    PairSide,
    PairStatus,
    QueryFrame,
    Reason,
    Stop,
    TurnType,
)
from chat.draft import draft_extractive
from chat.models import Turn, TurnState
from chat.outcomes import OUTCOMES
from chat.selection import Selection
from chat.tasks import dispatch_turn
from chat.turns import Chosen, start_reading, start_turn
from chat.verify import verify_claims
from monographs.models import Edition
from tests.paths import ROOT
from tests.sample_edition import publish_sample_pdf
from tests.sample_evidence import sample_evidence

PUBLISHED = ROOT / "docs" / "contract.schema.json"
EDITION = Edition(pk=1, title="Dược thư mẫu", year=2026, is_sample=True)
TEXT = next(block for block in sample_evidence() if not block.is_held and not block.is_label)
HELD = next(block for block in sample_evidence() if block.is_held)
# Real questions, at least one for each route and each decision.
ASKED = {
    "liều paracetamol người lớn đường uống": Decision.ANSWERABLE,
    "liều paracetamol": Decision.CLARIFY,
    "gentamicin suy thận clcr 30": Decision.ANSWERABLE,
    "cipro uống NL clcr 40 liều": Decision.VERIFY_PDF,
    "liều aspirinol": Decision.CLARIFY,
    "liều paracetamol cho chó": Decision.ABSTAIN,
    "thời tiết hôm nay": Decision.ABSTAIN,
    "xin chào": Decision.ANSWERABLE,
    "warfarin với aspirin": Decision.ANSWERABLE,
    "so sánh chống chỉ định của losartan và enalapril": Decision.ANSWERABLE,
    "thuốc nào trị tăng huyết áp": Decision.ANSWERABLE,
    "thuốc nào gây ho khan": Decision.ANSWERABLE,
    "tính liều paracetamol cho trẻ 8 kg uống": Decision.ANSWERABLE,
    "uống nhầm cả lọ paracetamol": Decision.ANSWERABLE,
}


def validator() -> Draft202012Validator:
    return Draft202012Validator(json.loads(PUBLISHED.read_text("utf-8")))


def faults_of(stored: dict[str, Any]) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in validator().iter_errors(stored)]


def stored(answer: Answer) -> dict[str, Any]:
    """As the database keeps it."""
    values: dict[str, Any] = json.loads(json.dumps(answer.model_dump(mode="json")))
    return values


def composed(reason: Reason, edition: Edition | None) -> Iterator[Answer]:
    """The answers that a reason can come with: of a stop, and, where it is one of an answer, of claims."""
    context = TurnContext(edition, "trace", "HIS-7", "Gọi 115.")
    frame = QueryFrame(TurnType.DRUG_ATTRIBUTE, drugs=(TEXT.drug,), unknown_drugs=("xyz",))
    side = PairSide(TEXT.drug, "Warfarin", PairStatus.NAMED, (TEXT,), ("Thận trọng",), ("warfarin",))
    pairs = (Pair(TEXT.drug.name, "Warfarin", (side,)),)
    stop = Stop(reason, {"drug": "A", "terms": "b"}, ("Một", "Hai"), (TEXT, HELD), pairs, "Lưu ý.")
    sections = [(TEXT.drug, TEXT.section_heading, TEXT.section_anchor)]
    yield compose_stop(context, None, Stop(reason))
    yield compose_stop(context, frame, stop, sections)
    if OUTCOMES[reason].decision is Decision.ANSWERABLE:
        calculation = Calculation((("Cân nặng", "8 kg"),), ("a",), "80 mg", "4 g", True, "làm tròn", (TEXT,))
        candidates = (Candidate(TEXT.drug, CandidateStatus.INDICATED, (TEXT,)),)
        asks = Stop(Reason.NEEDS_BRANCH, {}, ("Người lớn",))
        whole = Selection((TEXT, HELD), ("liều",), asks, ("xyz",), pairs, candidates, calculation, "Lưu ý.", stop)
        for selection in (Selection((TEXT,)), whole):
            drafts = draft_extractive(selection.evidence)
            claims = verify_claims(drafts, selection.evidence)
            assert not isinstance(claims, Stop)
            yield compose_answer(context, frame, claims=claims, selection=selection)


def test_the_published_schema_is_the_one_of_the_code() -> None:
    assert PUBLISHED.read_text("utf-8") == as_text(), "run: make contract"


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(contract_schema())


@pytest.mark.parametrize("reason", list(Reason))
def test_it_holds_for_every_reason(reason: Reason) -> None:
    for edition in (EDITION, None):
        for answer in composed(reason, edition):
            values = stored(answer)
            assert faults_of(values) == []
            assert Answer.model_validate(values) == answer
            assert values["disclaimer"]


@pytest.mark.parametrize(
    "status",
    [
        SummaryStatus(provider="bedrock", used=True, sentences=(SummarySentence(text="x", chunk_ids=("a",)),)),
        SummaryStatus(provider="bedrock", used=False, fallback_reason="empty_summary"),
    ],
)
def test_it_holds_with_a_summary_and_without_one(status: SummaryStatus) -> None:
    answer = compose_stop(TurnContext(None, "t"), None, Stop(Reason.SMALLTALK))
    assert faults_of(stored(answer.model_copy(update={"summary_status": status}))) == []


def a_whole_contract() -> dict[str, Any]:
    return stored(list(composed(Reason.PARTIAL_COMPARISON, EDITION))[-1])


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in a_whole_contract().items() if key != name}


@pytest.mark.parametrize(
    "wrong",
    [
        without("disclaimer"),
        without("claims"),
        without("trace_id"),
        a_whole_contract() | {"disclaimer": ""},
        a_whole_contract() | {"schema_version": 3},
        a_whole_contract() | {"decision": "maybe"},
        a_whole_contract() | {"status": "nearly"},
        a_whole_contract() | {"claims": [a_whole_contract()["claims"][0] | {"citations": []}]},
    ],
    ids=["no disclaimer", "no claims", "no trace", "empty disclaimer", "version", "decision", "status", "uncited"],
)
def test_it_can_fail(wrong: dict[str, Any]) -> None:
    assert faults_of(a_whole_contract()) == []
    assert faults_of(wrong)


def test_what_a_later_version_adds_breaks_nobody() -> None:
    assert faults_of(a_whole_contract() | {"added_later": 1}) == []


@pytest.mark.django_db
class TestStored:
    """What turns really keep."""

    @pytest.fixture(autouse=True)
    def data_dir(self, settings: Settings, tmp_path: Path) -> None:
        settings.DUOCTHU_DATA_DIR = tmp_path

    def test_it_holds_for_real_turns_of_every_decision(self) -> None:
        publish_sample_pdf()
        for question, decision in ASKED.items():
            dispatch_turn(start_turn(owner="anon:me", question=question, correlation_id="HIS-7"))
            turn = Turn.objects.latest("created_at")
            assert turn.decision == decision, (question, turn.reason)
            assert faults_of(turn.contract) == [], question
        assert {decision.value for decision in Decision} == set(Turn.objects.values_list("decision", flat=True))

    def test_it_holds_for_a_section_that_is_read(self) -> None:
        publish_sample_pdf()
        chosen = Chosen("gentamicin", "lieu-luong-va-cach-dung")
        turn = dispatch_turn(start_reading(owner="anon:me", chosen=chosen, called=("Gentamicin", "Liều dùng")))
        assert faults_of(turn.contract) == []

    def test_it_holds_for_a_turn_that_failed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("chat.turns.answer_question", lambda *_, **__: 1 / 0)
        turn = dispatch_turn(start_turn(owner="anon:me", question="liều paracetamol"))
        assert turn.state == TurnState.FAILED and faults_of(turn.contract) == []


class TestCommand:
    """manage.py contract_schema."""

    def test_it_prints_the_schema(self) -> None:
        out = io.StringIO()
        call_command("contract_schema", stdout=out)
        assert json.loads(out.getvalue()) == contract_schema()

    def test_it_writes_the_file(self, tmp_path: Path) -> None:
        call_command("contract_schema", write=tmp_path / "a.json")
        assert (tmp_path / "a.json").read_text("utf-8") == as_text()

    def test_a_file_that_cannot_be_written_is_told(self, tmp_path: Path) -> None:
        with pytest.raises(CommandError, match="Không ghi được"):
            call_command("contract_schema", write=tmp_path / "none" / "a.json")
