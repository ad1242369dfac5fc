"""Staff pages of the chat: the audit of a turn, the list of turns, the inbox of feedback and its export."""

from __future__ import annotations

import ast
import csv
import inspect
import io
from collections.abc import Iterable
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from django.utils.translation import gettext
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from chat import answer as answer_module
from chat.audit import audit_turn
from chat.audit_words import (
    CONTEXT_TITLES,
    DECISION_TITLES,
    FAULT_TITLES,
    GATE_TITLES,
    HARM_TITLES,
    KIND_TITLES,
    PURPOSE_TITLES,
    RELATION_TITLES,
    STAGE_TITLES,
    STATE_TITLES,
    TURN_TYPE_TITLES,
    VERSION_TITLES,
)
from chat.contract import SummaryStatus
from chat.domain import ContextAction, Decision, Reason, Relation, TurnType
from chat.gates import EXTRACTIVE_GATES, GENERATED_GATES
from chat.generation.bounds import BOUNDS
from chat.harm import Harm
from chat.inbox import InboxFilter, handle_feedback, inbox_counts, reopen_feedback, without_formula
from chat.llm.domain import Fault, Purpose, Usage
from chat.models import Conversation, Feedback, Turn, TurnState
from chat.record import JUDGE
from chat.stages import STEPS
from chat.tasks import dispatch_turn
from chat.trace import Checked, Trace, Versions, dump_trace
from chat.turns import give_feedback, start_rerun, start_turn
from chat.verify import gate_name
from duocthu_site.roles import RoleKey, give_role
from monographs.domain import PassageKind, PassageState
from tests.factories import make_answer, make_conversation, make_edition, make_turn
from tests.markup import open_page, read
from tests.sample_edition import publish_sample

pytestmark = pytest.mark.django_db
OWNER = "anon:nguoi-hoi-bi-mat"
INBOX = "/admin/chat/feedback/inbox/"
TURNS = "/admin/chat/turn/"
QUESTION = "chống chỉ định ibuprofen"


@pytest.fixture(autouse=True)
def data_dir(settings: Settings, tmp_path: Path) -> None:
    settings.DUOCTHU_DATA_DIR = tmp_path


def signed_in(client: Client, key: RoleKey) -> User:
    user = User.objects.create_user(f"{key.value}-{uuid4().hex[:6]}")
    give_role(user, key)
    client.force_login(user)
    return user


@pytest.fixture
def operator(client: Client) -> User:
    return signed_in(client, RoleKey.OPERATOR)


@pytest.fixture
def reviewer(client: Client) -> User:
    return signed_in(client, RoleKey.REVIEWER)


def asked(question: str = QUESTION, **more: str) -> Turn:
    turn = dispatch_turn(start_turn(owner=OWNER, question=question, **more))  # type: ignore[arg-type]
    turn.refresh_from_db()
    return turn


def said(useful: bool = False, *, question: str = "Liều paracetamol?", **fields: object) -> Feedback:
    turn = make_turn(make_conversation(OWNER), make_answer(Reason.UNKNOWN_DRUG), question=question)
    return Feedback.objects.create(turn=turn, useful=useful, **fields)


def listed(client: Client, query: str = "") -> set[str]:
    """The questions on the list of turns."""
    response = client.get(TURNS + query)
    assert response.status_code == 200
    return {turn.question for turn in response.context["cl"].result_list}


def stages_of_a_turn() -> list[str]:
    """Every stage that chat/answer.py goes through, as its source says."""
    calls = (node for node in ast.walk(ast.parse(inspect.getsource(answer_module))) if isinstance(node, ast.Call))
    named = (call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "stage")
    return sorted({str(ast.literal_eval(call.args[0])) for call in named})


GATES = {
    JUDGE,
    *(gate_name(gate) for gate in (*EXTRACTIVE_GATES, *GENERATED_GATES)),
    *(bound.__name__.removeprefix("check_") for bound in BOUNDS),
}


# --- the words ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("titles", "members"),
    [
        (DECISION_TITLES, Decision),
        (TURN_TYPE_TITLES, TurnType),
        (RELATION_TITLES, Relation),
        (CONTEXT_TITLES, ContextAction),
        (HARM_TITLES, Harm),
        (KIND_TITLES, PassageKind),
        (STATE_TITLES, PassageState),
        (GATE_TITLES, GATES),
        (VERSION_TITLES, Versions.__dataclass_fields__),
        (PURPOSE_TITLES, Purpose),
        (FAULT_TITLES, Fault),
        (STAGE_TITLES, stages_of_a_turn()),
    ],
    ids=[
        "decision",
        "turn type",
        "relation",
        "context",
        "harm",
        "kind",
        "state",
        "gate",
        "version",
        "purpose",
        "fault",
        "stage",
    ],
)
def test_everything_a_trace_can_hold_has_its_words(titles: dict[str, str], members: Iterable[str]) -> None:
    assert set(titles) == set(members)


def test_every_stage_is_of_one_step_that_whoever_waits_is_told() -> None:
    told = [stage for stages in STEPS.values() for stage in stages]
    assert sorted(told) == sorted(stages_of_a_turn())
    longest = Turn._meta.get_field("stage").max_length
    assert longest is not None and all(len(stage) <= longest for stage in told)


# --- the audit of a turn -----------------------------------------------------------------------------------------


def test_an_audit_shows_the_whole_trace(client: Client, operator: User) -> None:
    publish_sample()
    turn = asked(correlation_id="HIS-77")
    page = open_page(client, f"{TURNS}{turn.pk}/change/")
    answer = audit_turn(turn).shown
    assert answer is not None
    for words in (
        turn.question,
        "Trích nguyên văn, đã đối chiếu với nguồn.",
        "một mục của thuốc",
        *(claim["claim"] for claim in turn.contract["claims"]),
        *(GATE_TITLES[gate_name(gate)] for gate in EXTRACTIVE_GATES),
        *(STAGE_TITLES[stage] for stage in turn.timings),
        "Không gian vectơ",
        "sources",
        "HIS-77",
        str(turn.pk),
        answer.answer.disclaimer,
        '"ended_in": "verify"',
    ):
        assert words in page.text, words
    chosen = [each.item.passage_id for group in audit_turn(turn).evidence for each in group.rows if each.item.chosen]
    assert chosen and all(f"/passages/{passage_id}/source/" in page.hrefs for passage_id in chosen)


def test_an_audit_shows_every_call_of_a_model_and_what_they_cost_together(client: Client, operator: User) -> None:
    calls = (
        Usage(Purpose.DRAFT, "mô-hình-a", 1200, 80, 950.5, 1, Decimal("0.0042"), prompt="abc123def456"),
        Usage(Purpose.JUDGE, "mô-hình-b", 900, 0, 20_000.0, 3, Decimal("0.0001"), Fault.TIMEOUT, "0f0f0f0f0f0f"),
        Usage(Purpose.SUMMARY, "mô-hình-c", 10, 1, 5.0),
        Usage(Purpose.REPAIR, "", attempts=0, fault=Fault.BUDGET),
    )
    turn = make_turn(make_conversation(OWNER), make_answer(), trace=dump_trace(Trace(calls=calls)))
    page = open_page(client, f"{TURNS}{turn.pk}/change/")
    for words in (
        *("mô-hình-a", "mô-hình-b", "abc123def456", "0f0f0f0f0f0f"),
        *("0,004200 US$", "0,000100 US$", "0,004300 US$"),
        *(PURPOSE_TITLES[call.purpose] for call in calls),
        FAULT_TITLES[Fault.TIMEOUT],
        FAULT_TITLES[Fault.BUDGET],
        "chưa đặt giá",
        "tổng chi phí là phần tính được",
    ):
        assert words in page.text, words
    found = audit_turn(turn).calls
    assert (found.input_tokens, found.output_tokens, found.ms, found.unpriced) == (2110, 81, 20_955.5, 1)


def test_an_audit_without_calls_says_nothing_of_them(client: Client, operator: User) -> None:
    publish_sample()
    assert "Lượt gọi mô hình" not in open_page(client, f"{TURNS}{asked().pk}/change/").text


def test_an_audit_says_why_a_summary_was_not_used(client: Client, operator: User) -> None:
    status = SummaryStatus(provider="bedrock", used=False, fallback_reason="chunks_outside_claims:abc")
    turn = make_turn(make_conversation(OWNER), make_answer(summary_status=status))
    page = open_page(client, f"{TURNS}{turn.pk}/change/")
    assert "chunks_outside_claims:abc" in page.text


def test_whose_a_turn_is_stands_nowhere(client: Client, operator: User) -> None:
    publish_sample()
    turn = asked()
    give_feedback(OWNER, turn.pk, useful=False, reason="other")
    for path in (f"{TURNS}{turn.pk}/change/", TURNS, INBOX, f"/admin/chat/conversation/{turn.conversation_id}/change/"):
        assert OWNER not in client.get(path).content.decode()
    assert OWNER not in b"".join(client.get(f"{INBOX}export.csv")).decode()


def test_an_audit_takes_few_queries(
    client: Client, operator: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    publish_sample()
    turn = asked()
    give_feedback(OWNER, turn.pk, useful=True)
    start_rerun(OWNER, turn.pk)
    client.get(f"{TURNS}{turn.pk}/change/")
    with django_assert_max_num_queries(10):
        client.get(f"{TURNS}{turn.pk}/change/")


def test_a_turn_of_the_time_before_traces_is_still_shown(client: Client, operator: User) -> None:
    turn = make_turn(make_conversation(OWNER), make_answer(Reason.UNKNOWN_DRUG))
    page = open_page(client, f"{TURNS}{turn.pk}/change/")
    assert "trước khi chương trình lưu dấu vết" in page.text
    assert "Không tìm thấy “aspirinol”" in page.text


@pytest.mark.parametrize("state", [TurnState.PENDING, TurnState.CANCELLED])
def test_a_turn_without_an_answer_is_shown(client: Client, operator: User, state: str) -> None:
    turn = make_turn(make_conversation(OWNER), state=state)
    assert "Không có câu trả lời" in open_page(client, f"{TURNS}{turn.pk}/change/").text


def test_what_no_longer_reads_costs_only_itself(client: Client, operator: User) -> None:
    turn = make_turn(make_conversation(OWNER), state=TurnState.DONE, reason="gone_reason", decision="gone")
    Turn.objects.update(contract={"a": 1}, frame={"turn_type": "gone"}, trace={"labels": 3})
    page = open_page(client, f"{TURNS}{turn.pk}/change/")
    assert "không còn đọc được" in page.text and "không có khung hiểu" in page.text


def test_a_rejected_claim_is_shown_with_its_gate(client: Client, operator: User) -> None:
    turn = make_turn(make_conversation(OWNER), make_answer(Reason.UNIT_MISMATCH))
    claims = (Checked((1,)), Checked((2,), "wording", Reason.UNIT_MISMATCH, "Uống 5 kg."), Checked((), not_run=True))
    trace = Trace("verify", (), ("citations", "wording"), claims)
    Turn.objects.update(trace=dump_trace(trace))
    turn.refresh_from_db()
    states = [[cell.state for cell in row.cells] for row in audit_turn(turn).claims]
    assert states == [["passed", "passed"], ["passed", "rejected"], ["skipped", "skipped"]]
    page = open_page(client, f"{TURNS}{turn.pk}/change/")
    assert "Uống 5 kg." in page.text and "Có con số đi với đơn vị khác nguồn." in page.text


def test_reruns_are_shown_from_both_ends(client: Client, operator: User) -> None:
    publish_sample()
    first = asked()
    second = dispatch_turn(start_rerun(OWNER, first.pk))
    second.refresh_from_db()
    before, after = audit_turn(second).before, audit_turn(first).after
    assert before is not None and before.turn == first and before.changes is not None and before.changes.none
    assert [neighbour.turn for neighbour in after] == [second]
    assert f"{TURNS}{first.pk}/change/" in open_page(client, f"{TURNS}{second.pk}/change/").hrefs
    assert f"{TURNS}{second.pk}/change/" in open_page(client, f"{TURNS}{first.pk}/change/").hrefs


def test_what_was_typed_is_escaped(client: Client, operator: User) -> None:
    said(reason="other", question="<img src=x onerror=alert(1)>", comment="<script>alert(1)</script>")
    for path in (f"{TURNS}{Turn.objects.get().pk}/change/", INBOX):
        read(client.get(path))


@pytest.mark.parametrize("turn_id", ["khong-phai-ma", str(uuid4())])
def test_a_turn_that_does_not_exist_is_not_found(client: Client, operator: User, turn_id: str) -> None:
    assert client.get(f"{TURNS}{turn_id}/change/").status_code == 404


# --- the list of turns -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("chong chi dinh", {"Chống chỉ định của ibuprofen?"}),
        ("IBUPROFEN", {"Chống chỉ định của ibuprofen?", "liều ibuprofen"}),
        ("ibuprofen liều", {"liều ibuprofen"}),
        ("đường", {"Đường uống"}),
        ("duong", {"Đường uống"}),
        ("HIS-5", {"liều ibuprofen"}),
        ("HIS", set()),
        ("100%", set()),
    ],
)
def test_turns_are_found_by_words_without_accents_and_by_the_callers_id(
    client: Client, operator: User, query: str, found: set[str]
) -> None:
    conversation = make_conversation(OWNER)
    for question in ("Chống chỉ định của ibuprofen?", "Đường uống"):
        make_turn(conversation, question=question)
    make_turn(conversation, question="liều ibuprofen", correlation_id="HIS-5")
    response = client.get(TURNS, {"q": query})
    assert {turn.question for turn in response.context["cl"].result_list} == found


def test_a_turn_is_found_by_its_trace_id(client: Client, operator: User) -> None:
    wanted = make_turn(make_conversation(OWNER), question="liều ibuprofen")
    make_turn(make_conversation(OWNER))
    assert listed(client, f"?q={wanted.pk}") == {"liều ibuprofen"}
    assert listed(client, f"?q={uuid4()}") == set()


def test_turns_are_filtered(client: Client, operator: User) -> None:
    conversation = make_conversation(OWNER)
    useful = make_turn(conversation, make_answer(Reason.SMALLTALK), question="hữu ích")
    wrong = make_turn(conversation, make_answer(Reason.UNKNOWN_DRUG), question="sai")
    make_turn(conversation, question="chờ")
    Feedback.objects.create(turn=useful, useful=True)
    Feedback.objects.create(turn=wrong, useful=False)
    Turn.objects.filter(pk=wrong.pk).update(finished_at=wrong.created_at + timedelta(seconds=3))
    Turn.objects.filter(pk=useful.pk).update(finished_at=useful.created_at + timedelta(milliseconds=30))
    everything = {"hữu ích", "sai", "chờ"}
    for query, found in {
        "": everything,
        "?decision=abstain": {"sai"},
        "?reason=smalltalk": {"hữu ích"},
        "?state__exact=pending": {"chờ"},
        "?said=useful": {"hữu ích"},
        "?said=wrong": {"sai"},
        "?said=any": {"hữu ích", "sai"},
        "?said=none": {"chờ"},
        "?slow=1": {"sai"},
    }.items():
        assert listed(client, query) == found, query


def test_reasons_to_filter_by_follow_the_decision(client: Client, operator: User) -> None:
    page = open_page(client, f"{TURNS}?decision=clarify")
    assert "hỏi lại: needs_branch" in page.text and "không trả lời: no_edition" not in page.text


def test_the_list_takes_few_queries_and_fetches_no_contract(
    client: Client, operator: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    conversation = make_conversation(OWNER)
    for _ in range(60):
        Feedback.objects.create(turn=make_turn(conversation, make_answer(Reason.SMALLTALK)), useful=True)
    with django_assert_max_num_queries(8) as captured:
        client.get(TURNS)
    assert not [query for query in captured.captured_queries if '"contract"' in query["sql"]]


# --- the inbox ---------------------------------------------------------------------------------------------------


def test_the_inbox_shows_what_was_said_beside_the_answer(client: Client, reviewer: User) -> None:
    publish_sample()
    turn = asked()
    give_feedback(OWNER, turn.pk, useful=False, reason="incomplete", comment="Thiếu loét dạ dày")
    page = open_page(client, INBOX)
    for words in (
        "Báo sai: Thiếu nội dung sách có",
        "Thiếu loét dạ dày",
        QUESTION,
        turn.contract["claims"][0]["claim"],
    ):
        assert words in page.text
    assert f"{TURNS}{turn.pk}/change/" not in page.hrefs, "a reviewer may not open the audit"


def test_the_newest_comes_first_and_what_waits_is_shown(client: Client, reviewer: User) -> None:
    old, new, done = said(comment="cũ"), said(comment="mới"), said(comment="xong rồi")
    Feedback.objects.filter(pk=done.pk).update(handled_at=timezone.now())
    Feedback.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(days=2))
    shown = [item.feedback for item in client.get(INBOX).context["shown"]]
    assert shown == [new, old]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", {"hữu ích", "sai thuốc", "khác"}),
        ("danh-gia=huu-ich", {"hữu ích"}),
        ("danh-gia=sai", {"sai thuốc", "khác"}),
        ("ly-do=wrong_drug", {"sai thuốc"}),
        ("xu-ly=xong", {"đã xong"}),
        ("xu-ly=tat-ca", {"hữu ích", "sai thuốc", "khác", "đã xong"}),
        ("xu-ly=tat-ca&danh-gia=sai&ly-do=other", {"khác"}),
        ("danh-gia=bay-ba&ly-do=x&xu-ly=y", {"hữu ích", "sai thuốc", "khác"}),
    ],
)
def test_the_inbox_and_its_export_are_filtered_alike(
    client: Client, reviewer: User, query: str, found: set[str]
) -> None:
    said(True, comment="hữu ích")
    said(reason="wrong_drug", comment="sai thuốc")
    said(reason="other", comment="khác")
    said(True, comment="đã xong", handled_at=timezone.now())
    response = client.get(f"{INBOX}?{query}")
    assert {item.feedback.comment for item in response.context["shown"]} == found
    assert {row["Nhận xét"] for row in exported(client, query)} == found


def test_handling_says_by_whom_when_and_why(client: Client, reviewer: User) -> None:
    feedback = said(comment="sai liều")
    at = feedback.created_at
    response = client.post(
        f"/admin/chat/feedback/{feedback.pk}/handle/", {"note": " Đã báo BN 0912345678 ", "loc": "danh-gia=sai&x=1"}
    )
    assert response.headers["Location"] == f"{INBOX}?danh-gia=sai"
    feedback.refresh_from_db()
    assert feedback.handled_by == reviewer and feedback.handled_at is not None and feedback.created_at == at
    assert feedback.handled_note.startswith("Đã báo") and "0912345678" not in feedback.handled_note
    assert inbox_counts() == {"waiting": 0, "wrong": 0, "done": 1}
    assert reviewer.username in open_page(client, f"{INBOX}?xu-ly=xong").text


def test_what_someone_else_has_handled_stays_theirs(client: Client, reviewer: User) -> None:
    feedback, other = said(), User.objects.create_user("khac")
    assert handle_feedback(feedback.pk, other, "trước")
    page = client.post(f"/admin/chat/feedback/{feedback.pk}/handle/", {"note": "sau"}, follow=True)
    assert "đã có người xử lý trước" in page.content.decode()
    feedback.refresh_from_db()
    assert (feedback.handled_by, feedback.handled_note) == (other, "trước")


def test_reopening_keeps_the_note(client: Client, reviewer: User) -> None:
    feedback = said()
    handle_feedback(feedback.pk, reviewer, "đã sửa đoạn")
    client.post(f"/admin/chat/feedback/{feedback.pk}/reopen/")
    feedback.refresh_from_db()
    assert (feedback.handled_at, feedback.handled_by) == (None, None)
    assert "Ghi chú lần trước: đã sửa đoạn" in open_page(client, INBOX).text
    assert reopen_feedback(feedback.pk) is False


def test_what_is_said_anew_is_open_again() -> None:
    feedback = said()
    handle_feedback(feedback.pk, User.objects.create_user("a"), "xong")
    give_feedback(OWNER, feedback.turn_id, useful=False, reason="other", comment="vẫn sai")
    assert inbox_counts() == {"waiting": 1, "wrong": 1, "done": 0}


def test_a_note_that_is_too_long_is_refused(client: Client, reviewer: User) -> None:
    feedback = said()
    page = client.post(f"/admin/chat/feedback/{feedback.pk}/handle/", {"note": "x" * 501}, follow=True)
    assert "dài quá 500 ký tự" in page.content.decode()
    assert not Feedback.objects.exclude(handled_at=None).exists()


def test_an_operator_reads_the_inbox_and_handles_nothing(client: Client, operator: User) -> None:
    feedback = said()
    page = open_page(client, INBOX)
    assert f"{TURNS}{feedback.turn_id}/change/" in page.hrefs
    assert "/handle/" not in client.get(INBOX).content.decode()
    assert client.post(f"/admin/chat/feedback/{feedback.pk}/handle/").status_code == 403


def test_the_inbox_goes_on_page_by_page_with_its_filter(
    client: Client, reviewer: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(25):
        said(reason="other")
    with django_assert_max_num_queries(9):
        page = open_page(client, f"{INBOX}?danh-gia=sai")
    assert "?danh-gia=sai&trang=2" in page.hrefs
    assert len(client.get(f"{INBOX}?danh-gia=sai&trang=2").context["shown"]) == 5


# --- the export --------------------------------------------------------------------------------------------------


def exported(client: Client, query: str = "") -> list[dict[str, str]]:
    response = client.get(f"{INBOX}export.csv?{query}")
    text = b"".join(response).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def test_the_export_holds_what_the_inbox_shows(client: Client, reviewer: User) -> None:
    feedback = said(reason="wrong_drug", comment='một dòng,\n"hai" dòng')
    handle_feedback(feedback.pk, reviewer, "đã xem")
    (row,) = exported(client, "xu-ly=tat-ca")
    assert row["Nhận xét"] == 'một dòng,\n"hai" dòng'
    assert (row["Đánh giá"], row["Lý do"], row["Quyết định"]) == ("sai", "Sai thuốc", "không trả lời")
    assert (row["Người xử lý"], row["Ghi chú"]) == (reviewer.username, "đã xem")
    assert row["Mã tra cứu"] == str(feedback.turn_id)


@pytest.mark.parametrize("cell", ["=1+1", "+84", "-2", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1"])
def test_no_cell_is_taken_for_a_formula(client: Client, reviewer: User, cell: str) -> None:
    said(comment=cell, question=cell)
    (row,) = exported(client)
    assert row["Nhận xét"] == row["Câu hỏi"] == f"'{cell}"


@pytest.mark.parametrize("cell", ["", "liều 1-2 g", "a=b", "5 mg"])
def test_other_cells_are_left_alone(cell: str) -> None:
    assert without_formula(cell) == cell


def test_the_export_takes_one_query_however_long_it_is(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    from chat.inbox import export_rows

    for _ in range(30):
        said()
    with django_assert_max_num_queries(1):
        assert len(list(export_rows(InboxFilter().rows()))) == 31


# --- the frame ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "seen", "unseen"),
    [
        (RoleKey.REVIEWER, {INBOX}, {TURNS}),
        (RoleKey.OPERATOR, {INBOX, TURNS}, set()),
        (RoleKey.ADMIN, {INBOX, TURNS}, set()),
    ],
)
def test_the_frame_links_to_what_one_may_open(client: Client, key: RoleKey, seen: set[str], unseen: set[str]) -> None:
    signed_in(client, key)
    hrefs = set(open_page(client, "/admin/password_change/").hrefs)
    assert seen <= hrefs and not unseen & hrefs


def test_staff_are_told_that_a_sample_is_served(client: Client, operator: User) -> None:
    assert "BẢN MẪU" not in open_page(client, "/admin/password_change/").text
    make_edition(is_sample=True)
    assert "BẢN MẪU – không dùng cho lâm sàng" in open_page(client, "/admin/password_change/").text


def test_the_sign_in_page_speaks_vietnamese_and_shows_no_staff_links(client: Client) -> None:
    page = open_page(client, "/admin/login/")
    assert "Dược thư – quản trị" in page.text and "Tên đăng nhập" in page.text
    assert INBOX not in page.hrefs


def test_signing_out_is_a_form(client: Client, operator: User) -> None:
    client.post("/admin/logout/")
    assert client.get("/admin/").status_code == 302


def test_a_conversation_goes_with_its_turns_and_their_feedback() -> None:
    said()
    Conversation.objects.get().delete()
    assert not Feedback.objects.exists()


@pytest.mark.parametrize(
    "english",
    ["Skip to main content", "Toggle theme (current theme: dark)", "Sidebar", "Set password", "Show counts"],
)
def test_the_stock_admin_has_no_english_left(english: str) -> None:
    assert gettext(english) != english
