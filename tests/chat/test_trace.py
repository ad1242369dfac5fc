"""What is kept of a turn for audit: every passage considered, every gate's verdict, the versions; and nothing more."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from chat import answer as pipeline
from chat.contract import Answer
from chat.domain import DraftClaim, EvidenceBlock, Reason
from chat.gates import EXTRACTIVE_GATES
from chat.models import Turn
from chat.tasks import dispatch_turn
from chat.trace import Checked, Considered, Trace, Versions, checked, considered, dump_trace, load_trace
from chat.turns import Chosen, start_reading, start_turn
from chat.verify import Check, gate_name, verify_claims
from chat.versions import rules_digest
from monographs.domain import PassageKind, PassageState, SectionKey
from monographs.models import Passage, Section
from tests.sample_edition import publish_sample, publish_sample_pdf
from tests.sample_evidence import sample_evidence

OWNER = "anon:me"
NAMES = tuple(gate_name(gate) for gate in EXTRACTIVE_GATES)


def traced(question: str) -> tuple[Turn, Trace]:
    turn = dispatch_turn(start_turn(owner=OWNER, question=question))
    turn.refresh_from_db()
    trace = load_trace(turn.trace)
    assert trace is not None
    return turn, trace


def item(passage_id: int = 1, **values: Any) -> Considered:
    given: dict[str, Any] = {
        "uid": "u" * 32,
        "section": SectionKey.LIEU_DUNG,
        "labels": ("Người lớn", "Đường uống"),
        "kind": PassageKind.TEXT,
        "state": PassageState.SERVED,
        "printed_page": 7,
        "chosen": False,
    }
    return Considered(passage_id, **given | values)


TRACES = {
    "empty": Trace(),
    "whole": Trace(
        "verify",
        (item(1, chosen=True), item(2, labels=()), item(3, state=PassageState.QUARANTINED, printed_page=None)),
        NAMES,
        (Checked((1,)), Checked((2,), "wording", Reason.UNIT_MISMATCH, "5 g"), Checked((), not_run=True)),
        Versions(app="1", rules="abc", corpus="3.1"),
    ),
}


@pytest.mark.parametrize("trace", TRACES.values(), ids=TRACES)
def test_a_trace_reads_back_as_it_was(trace: Trace) -> None:
    assert load_trace(json.loads(json.dumps(dump_trace(trace)))) == trace


@pytest.mark.parametrize(
    "stored",
    [
        {},
        {"evidence": [[1, "u", "no_such_section", 0, "text", "served", 7, True]], "labels": [[]]},
        {"evidence": [[1, "u", "lieu_dung", 4, "text", "served", 7, True]], "labels": [[]]},
        {"claims": [{"reason": "no_such_reason"}]},
    ],
    ids=["none", "another section", "a label that is not there", "another reason"],
)
def test_what_is_not_understood_any_more_is_no_trace(stored: dict[str, object]) -> None:
    assert load_trace(stored) is None


def test_what_a_later_version_adds_is_passed_over() -> None:
    stored = dump_trace(TRACES["whole"]) | {"judge": {"passed": True}}
    assert load_trace(stored) == TRACES["whole"]


def test_a_label_path_is_kept_once() -> None:
    stored = dump_trace(Trace(evidence=tuple(item(number) for number in range(50))))
    assert stored["labels"] == [["Người lớn", "Đường uống"]]
    assert len(json.dumps(stored)) < 50 * 100


def test_the_gates_are_told_claim_by_claim_up_to_the_one_that_is_rejected() -> None:
    evidence = sample_evidence()[:3]
    good = DraftClaim(evidence[0].text, (0,), evidence[0].drug.drug_id)
    bad, last = DraftClaim("Uống 7 thùng.", (1, 9)), DraftClaim(evidence[2].text, (2,))
    told: list[Check] = []
    outcome = verify_claims([good, bad, last], evidence, told=told.append)
    assert getattr(outcome, "reason", None) is Reason.INVALID_CITATION
    assert told == [Check(good), Check(bad, "citations", Reason.INVALID_CITATION)]
    assert checked(3, told, evidence) == (
        Checked((evidence[0].passage_id,)),
        Checked((evidence[1].passage_id,), "citations", Reason.INVALID_CITATION, "Uống 7 thùng."),
        Checked((), not_run=True),
    )


def test_chosen_passages_are_marked_among_the_considered() -> None:
    evidence = sample_evidence()[:4]
    found = considered(evidence, evidence[1:2])
    assert [each.passage_id for each in found] == [block.passage_id for block in evidence]
    assert [each.chosen for each in found] == [False, True, False, False]


@pytest.mark.django_db
class TestStored:
    """With a turn, in the database."""

    def test_an_answer_keeps_every_passage_of_the_drug_and_which_were_chosen(self) -> None:
        publish_sample()
        turn, trace = traced("chống chỉ định ibuprofen")
        passages = Passage.objects.filter(section__monograph__slug="ibuprofen").order_by("section__order", "order")
        assert [each.passage_id for each in trace.evidence] == [passage.pk for passage in passages]
        answer = Answer.model_validate(turn.contract)
        cited = {citation.passage_id for claim in answer.claims for citation in claim.citations}
        assert {each.passage_id for each in trace.evidence if each.chosen} == cited
        assert {each.section for each in trace.evidence if each.chosen} == {SectionKey.CHONG_CHI_DINH}
        assert trace.ended_in == "verify"

    def test_an_answer_keeps_what_each_gate_said_of_each_claim(self) -> None:
        publish_sample()
        turn, trace = traced("chống chỉ định ibuprofen")
        claims = turn.contract["claims"]
        assert trace.gates == NAMES and len(trace.claims) == len(claims) > 1
        assert [each.passages for each in trace.claims] == [
            tuple(citation["passage_id"] for citation in claim["citations"]) for claim in claims
        ]
        assert not any(each.gate or each.not_run or each.text for each in trace.claims)

    def test_a_rejected_answer_keeps_the_claim_and_the_gate_that_rejected_it(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        publish_sample()

        def invented(evidence: Sequence[EvidenceBlock]) -> tuple[DraftClaim, ...]:
            return (DraftClaim(evidence[0].text, (0,)), DraftClaim("Uống 7 thùng.", (1,)), DraftClaim("x", (0,)))

        monkeypatch.setattr(pipeline, "draft_extractive", invented)
        turn, trace = traced("chống chỉ định ibuprofen")
        assert turn.reason == Reason.UNSUPPORTED_CLAIM
        first, second, third = trace.claims
        assert (second.gate, second.reason, second.text) == ("verbatim", Reason.UNSUPPORTED_CLAIM, "Uống 7 thùng.")
        assert not first.gate and third.not_run

    @pytest.mark.parametrize(
        ("question", "ended_in", "retrieved"),
        [
            ("liều cho chó", "scope", False),
            ("liều aspirinol", "understand", False),
            ("liều paracetamol", "decide", True),
        ],
    )
    def test_a_stop_keeps_where_it_was_and_what_it_had(self, question: str, ended_in: str, retrieved: bool) -> None:
        publish_sample()
        _, trace = traced(question)
        assert (trace.ended_in, bool(trace.evidence)) == (ended_in, retrieved)
        assert trace.gates == () and trace.claims == ()

    def test_a_table_shown_as_a_picture_is_among_the_chosen(self) -> None:
        publish_sample_pdf()
        turn, trace = traced("gentamicin suy thận clcr 30")
        held = {each.passage_id for each in trace.evidence if each.chosen and not each.state.shows_text}
        shown = {each["citation"]["passage_id"] for each in turn.contract["evidence"] if not each["text"]}
        assert held == shown != set()

    def test_a_section_read_whole_has_a_trace_too(self) -> None:
        publish_sample()
        section = Section.objects.get(monograph__slug="ibuprofen", key=SectionKey.CHONG_CHI_DINH)
        chosen = Chosen("ibuprofen", section.anchor)
        turn = dispatch_turn(start_reading(owner=OWNER, chosen=chosen, called=("Ibuprofen", "Chống chỉ định")))
        trace = load_trace(turn.trace)
        assert trace is not None and trace.evidence and all(each.chosen for each in trace.evidence)
        assert (len(trace.claims), trace.gates) == (len(turn.contract["claims"]), NAMES)

    def test_versions_name_what_took_part(self, settings: Settings) -> None:
        edition = publish_sample()
        _, exact = traced("chống chỉ định ibuprofen")
        assert exact.versions == Versions(
            app=settings.APP_VERSION,
            rules=rules_digest(),
            provider="disabled",
            parser="sources",
            corpus=edition.corpus_version,
        )
        _, ranked = traced("ibuprofen có gây buồn ngủ không")
        assert ranked.versions.accents == f"edition-{edition.pk}"

    def test_without_an_edition_the_versions_are_still_kept(self) -> None:
        _, trace = traced("liều paracetamol")
        assert trace.versions.app and not trace.versions.corpus and trace.evidence == ()

    def test_a_fault_keeps_the_versions_it_happened_in(self, monkeypatch: pytest.MonkeyPatch) -> None:
        publish_sample()
        monkeypatch.setattr(pipeline, "understand", lambda *_: 1 / 0)
        turn, trace = traced("liều paracetamol")
        assert turn.state == "failed" and trace.versions.rules == rules_digest()

    def test_it_holds_no_more_of_the_asker_than_the_masked_question(self) -> None:
        publish_sample()
        turn, _ = traced("BN Nguyễn Văn An 0912345678 chống chỉ định ibuprofen")
        stored = json.dumps(turn.trace, ensure_ascii=False)
        assert "0912345678" not in stored and "Nguyễn" not in stored and OWNER not in stored

    def test_the_asker_is_not_shown_it(self, client: Any) -> None:
        publish_sample()
        client.post("/ask/", {"question": "chống chỉ định ibuprofen"})
        turn = Turn.objects.get()
        page = client.get(f"/turns/{turn.pk}/").content.decode()
        assert turn.trace["versions"]["rules"] not in page
        assert "trace" not in turn.contract and "ended_in" not in turn.contract

    def test_it_stays_small(self) -> None:
        publish_sample_pdf()
        for question in ("liều paracetamol người lớn đường uống", "toàn bộ liều gentamicin", "tương tác warfarin"):
            turn, trace = traced(question)
            assert trace.evidence
            assert len(json.dumps(turn.trace, ensure_ascii=False).encode()) < 20_000
