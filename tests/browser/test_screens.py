"""Every screen at phone and desk width, light and dark: usable, reachable, and free of axe violations."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from chat.domain import Reason
from chat.models import Conversation, Turn, TurnState
from monographs.models import Edition, Passage
from tests.browser.checks import QUESTION, ask, assert_mark_covers_the_ink, check, check_in_all_looks, finish
from tests.browser.conftest import Look
from tests.conftest import AccessibilityCheck
from tests.factories import make_answer, make_turn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PAGES = [
    "/",
    "/monographs/",
    "/monographs/?atc=",
    "/monographs/?atc=N02",
    "/monographs/?q=panadol",
    "/monographs/?q=paracetmol",
    "/monographs/?q=zzzzzz",
    "/monographs/paracetamol/",
    "/monographs/paracetamol/lieu-dung/",
    "/monographs/khong-co/",
]


def conversation_with(page: Page, *, state: str = TurnState.DONE, reason: Reason | None = None) -> Turn:
    """A turn added to the conversation that this browser has begun."""
    ask(page)
    conversation = Conversation.objects.get()
    answer = (
        make_answer(reason, list(Passage.objects.filter(state="quarantined")), quick_replies=("Người lớn", "Trẻ em"))
        if reason
        else None
    )
    return make_turn(conversation, answer, state=state)


@pytest.mark.parametrize("path", PAGES)
def test_pages(
    page: Page, book: Edition, check_accessibility: AccessibilityCheck, subtests: pytest.Subtests, path: str
) -> None:
    page.goto(path)
    check_in_all_looks(page, check_accessibility, subtests)


@pytest.mark.parametrize("reason", [Reason.NEEDS_BRANCH, Reason.SOURCE_QUARANTINED, Reason.UNKNOWN_DRUG])
def test_outcomes(
    page: Page, book: Edition, check_accessibility: AccessibilityCheck, subtests: pytest.Subtests, reason: Reason
) -> None:
    conversation_with(page, reason=reason)
    page.reload()
    check_in_all_looks(page, check_accessibility, subtests)


def test_from_question_to_printed_line(
    page: Page, book: Edition, look: Look, check_accessibility: AccessibilityCheck
) -> None:
    look.apply(page)
    ask(page)
    expect(page.locator(".block-dosage")).to_contain_text("0,5 - 1 g/lần")
    expect(page.locator(".block-dosage .label-path")).to_have_text("Người lớn")
    check(page, check_accessibility)
    chip = page.locator(".chip").first
    chip.click()
    heading = page.locator("#source-title")
    expect(heading).to_be_focused()
    expect(page.locator("#source-panel .crop-ready .crop-marks rect")).to_have_count(1)
    check(page, check_accessibility)
    assert_mark_covers_the_ink(page, page.locator("#source-panel"))
    page.keyboard.press("Escape")
    expect(page.locator("#source-panel")).to_be_empty()
    expect(chip).to_be_focused()


def test_margin_mark_opens_the_source_beside_the_text(page: Page, book: Edition, look: Look) -> None:
    look.apply(page)
    page.goto("/monographs/paracetamol/lieu-dung/")
    page.locator(".page-mark").first.click()
    expect(page.locator("#source-panel")).to_contain_text("Trang 101")
    page.get_by_role("button", name="Đóng nguồn").click()
    expect(page.locator("#source-panel")).to_be_empty()


def test_passage_is_marked_where_its_link_leads(page: Page, book: Edition) -> None:
    passage = Passage.objects.get(text__startswith="Suy gan")
    page.goto(f"/passages/{passage.pk}/source/")
    page.get_by_role("link", name="Mở trong chuyên luận").click()
    expect(page.locator(f"#d-{passage.pk}:target")).to_have_text("Suy gan nặng.")
    expect(page.locator(f"#d-{passage.pk}")).to_be_in_viewport()


def test_keys_of_the_question_box(page: Page, book: Edition) -> None:
    page.goto("/")
    box = page.get_by_label("Câu hỏi")
    expect(box).to_be_focused()
    page.keyboard.type("Liều")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("paracetamol")
    expect(box).to_have_value("Liều\nparacetamol")
    box.dispatch_event("keydown", {"key": "Enter", "isComposing": True, "bubbles": True})
    assert not Turn.objects.exists()
    page.keyboard.press("Enter")
    page.wait_for_url("**/c/**")
    assert Turn.objects.count() == 1


def test_next_question_appears_below_and_the_box_is_empty(page: Page, book: Edition) -> None:
    ask(page)
    page.get_by_label("Hỏi tiếp").fill("Chống chỉ định của paracetamol?")
    page.keyboard.press("Enter")
    expect(page.locator(".turn")).to_have_count(2)
    expect(page.locator(".block-warning")).to_contain_text("Quá mẫn với paracetamol.")
    expect(page.get_by_label("Hỏi tiếp")).to_have_value("")
    expect(page.locator("#announcer")).to_have_text("Đã có trả lời.")
    page.reload()
    expect(page.locator(".turn")).to_have_count(2)


def test_refused_question_keeps_what_was_typed(page: Page, book: Edition) -> None:
    ask(page)
    page.get_by_label("Hỏi tiếp").fill("?!")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Chưa có câu hỏi")
    expect(page.get_by_label("Hỏi tiếp")).to_have_value("?!")
    expect(page.get_by_label("Hỏi tiếp")).to_be_focused()
    expect(page.locator(".hint")).to_contain_text("Enter để gửi")
    expect(page.locator(".turn")).to_have_count(1)


def test_quick_reply_asks_in_the_same_conversation(page: Page, book: Edition) -> None:
    conversation_with(page, reason=Reason.NEEDS_BRANCH)
    page.reload()
    page.get_by_role("button", name="Trẻ em").click()
    expect(page.locator(".turn")).to_have_count(3)
    assert Conversation.objects.count() == 1


def test_pending_turn_turns_into_its_answer_in_place(
    page: Page, book: Edition, look: Look, check_accessibility: AccessibilityCheck
) -> None:
    look.apply(page)
    turn = conversation_with(page, state=TurnState.PENDING)
    page.reload()
    pending = page.locator(f"#luot-{turn.pk}")
    expect(pending).to_contain_text("Đang chờ đến lượt")
    check_accessibility(page)
    finish(turn)
    expect(pending.locator(".block")).to_contain_text("Quá mẫn với paracetamol.")
    expect(page.locator("#announcer")).to_have_text("Đã có trả lời.")
    assert pending.get_attribute("hx-trigger") is None


def test_pending_turn_can_be_given_up(page: Page, book: Edition) -> None:
    turn = conversation_with(page, state=TurnState.PENDING)
    page.reload()
    page.get_by_role("button", name="Thôi, không tra nữa").click()
    expect(page.locator(f"#luot-{turn.pk}")).to_contain_text("đã huỷ")
    turn.refresh_from_db()
    assert turn.state == TurnState.CANCELLED


def test_theme_is_remembered(page: Page, book: Edition) -> None:
    page.emulate_media(color_scheme="light")
    page.goto("/")
    toggle = page.get_by_role("button", name="Giao diện")
    toggle.click()
    toggle.click()
    expect(toggle).to_have_text("Giao diện: tối")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.goto("/monographs/")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark
    page.emulate_media(color_scheme="dark")
    page.evaluate("localStorage.clear()")
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark


def test_stacked_accents_have_room(page: Page, book: Edition) -> None:
    page.goto("/monographs/paracetamol/")
    loaded = page.evaluate("document.fonts.ready.then(() => document.fonts.check('16px \"Be Vietnam Pro\"', 'ỄẬỚ'))")
    assert loaded
    ratio = "e => parseFloat(getComputedStyle(e).lineHeight) / parseFloat(getComputedStyle(e).fontSize)"
    assert page.locator(".verbatim").first.evaluate(ratio) >= 1.55
    assert page.locator("body").evaluate(ratio) >= 1.55
    assert page.locator("h1").evaluate(ratio) >= 1.3


def test_lost_connection_is_said_and_nothing_typed_is_lost(page: Page, book: Edition) -> None:
    ask(page)
    page.route("**/ask/", lambda route: route.abort())
    page.get_by_label("Hỏi tiếp").fill("Bảo quản paracetamol?")
    page.keyboard.press("Enter")
    expect(page.locator("#connection-notice")).to_contain_text("Không nối được với máy chủ")
    expect(page.get_by_label("Hỏi tiếp")).to_have_value("Bảo quản paracetamol?")
    page.unroute("**/ask/")
    page.get_by_role("button", name="Tra", exact=True).click()
    expect(page.locator(".turn")).to_have_count(2)
    expect(page.locator("#connection-notice")).to_be_hidden()


def test_expired_session_is_told_from_a_lost_connection(page: Page, book: Edition) -> None:
    ask(page)
    page.context.clear_cookies()
    page.get_by_label("Hỏi tiếp").fill("Bảo quản paracetamol?")
    page.keyboard.press("Enter")
    expect(page.locator("#connection-notice")).to_contain_text("Phiên làm việc đã hết hạn")
    expect(page.get_by_label("Hỏi tiếp")).to_have_value("Bảo quản paracetamol?")


def test_print_leaves_out_what_paper_cannot_use(page: Page, book: Edition) -> None:
    ask(page)
    page.emulate_media(media="print")
    expect(page.locator(".main-nav")).to_be_hidden()
    expect(page.locator("#composer")).to_be_hidden()
    expect(page.locator(".block-dosage")).to_be_visible()
    expect(page.locator(".turn .colophon")).to_contain_text("Mã tra cứu")


class TestWithoutJavaScript:
    """The same journeys as plain pages."""

    def test_ask_read_and_open_the_source(self, plain_page: Page, book: Edition) -> None:
        page = plain_page
        page.goto("/")
        page.get_by_label("Câu hỏi").fill(QUESTION)
        page.get_by_role("button", name="Tra", exact=True).click()
        expect(page.locator(".block-dosage")).to_contain_text("0,5 - 1 g/lần")
        page.locator(".chip").first.click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("Trang 101")
        expect(page.locator(".crop-marks")).to_be_visible()
        page.get_by_role("link", name="Mở trong chuyên luận").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("Liều lượng và cách dùng")

    def test_example_and_quick_reply_are_forms(self, plain_page: Page, book: Edition) -> None:
        page = plain_page
        page.goto("/")
        page.locator("button.example").first.click()
        expect(page.locator(".turn")).to_have_count(1)
        make_turn(Conversation.objects.get(), make_answer(Reason.NEEDS_BRANCH, quick_replies=("Người lớn",)))
        page.reload()
        page.get_by_role("button", name="Người lớn").click()
        expect(page.locator(".turn")).to_have_count(3)

    def test_pending_page_refreshes_itself(self, plain_page: Page, book: Edition) -> None:
        page = plain_page
        page.goto("/")
        page.locator("button.example").first.click()
        expect(page.locator(".turn")).to_have_count(1)
        turn = make_turn(Conversation.objects.get())
        page.reload()
        expect(page.locator(".pending noscript")).to_be_visible()
        finish(turn)
        expect(page.locator(".block-warning")).to_contain_text("Quá mẫn với paracetamol.")

    def test_search_and_contents(self, plain_page: Page, book: Edition) -> None:
        page = plain_page
        page.goto("/monographs/")
        page.get_by_label("Tìm chuyên luận").fill("panadol")
        page.get_by_role("button", name="Tìm").click()
        page.get_by_role("link", name="Paracetamol").first.click()
        page.get_by_text("Các mục của chuyên luận").click()
        page.get_by_role("link", name="Liều lượng và cách dùng").first.click()
        expect(page.locator("h2#lieu-dung")).to_be_in_viewport()


def test_owner_is_the_browser(page: Page, book: Edition, live_server: LiveServer) -> None:
    ask(page)
    address = page.url
    assert page.context.browser is not None
    other = page.context.browser.new_context()
    stranger = other.new_page()
    response = stranger.goto(address)
    assert response is not None
    assert response.status == 404
    other.close()
