"""What a pharmacist does, from the question to the printed line and back, with and without JavaScript."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from chat.contract import Answer
from chat.domain import Reason
from chat.export_text import answer_text
from chat.models import Conversation, Feedback, FeedbackReason, Turn, TurnState
from chat.policy import EMERGENCY_NOTICE
from monographs.domain import PassageState, SectionKey
from monographs.models import Edition, Monograph, Passage
from tests.browser.checks import (
    QUESTION,
    ask,
    assert_mark_covers_the_ink,
    check,
    check_in_all_looks,
    covered,
    finish,
    send,
)
from tests.browser.conftest import Look
from tests.conftest import AccessibilityCheck
from tests.factories import make_answer, make_held_back, make_section, make_turn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
REFUSED = "Chống chỉ định của paracetamol?"
ADULT_DOSE, CHILD_DOSE = "0,5 - 1 g/lần", "10 - 15 mg/kg/lần"
MOST_SHIFT = 0.01
WATCH_SHIFTS = """window.shifts = [];
const what = e => e.sources.map(s => s.node && (s.node.outerHTML || s.node.data || '').slice(0, 80));
new PerformanceObserver(list => {
  for (const e of list.getEntries()) if (!e.hadRecentInput) window.shifts.push({ value: e.value, what: what(e) });
}).observe({ type: "layout-shift", buffered: true });"""
START_AT_THE_TOP = "document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex')"
NOTHING_FOCUSED = "() => document.activeElement === document.body"


@pytest.fixture(params=["page", "plain_page"], ids=["scripts", "no scripts"])
def any_page(request: pytest.FixtureRequest, look: Look) -> Page:
    """A page with JavaScript, then one without, in this look."""
    found: Page = request.getfixturevalue(request.param)
    look.apply(found)
    return found


@pytest.fixture
def looked_at(page: Page, look: Look) -> Page:
    """A page with JavaScript in this look."""
    look.apply(page)
    return page


@pytest.fixture
def full_book(book: Edition) -> Edition:
    """The book with a section that is a picture, and one on too much of the drug."""
    drug = Monograph.objects.get(name="Paracetamol")
    make_held_back(make_section(drug, SectionKey.TUONG_KY))
    make_section(drug, SectionKey.QUA_LIEU, "Gây nôn, rửa dạ dày; dùng N-acetylcystein.")
    return book


def last_turn(page: Page) -> Locator:
    return page.locator(".turn").last


def ask_next(page: Page, question: str) -> None:
    turns = page.locator(".turn").count()
    page.get_by_label("Hỏi tiếp").fill(question)
    send(page)
    expect(page.locator(".turn")).to_have_count(turns + 1)


def owned_turn(page: Page, answer: Answer | None = None, **fields: Any) -> Turn:
    """A turn added to the only conversation, shown."""
    turn = make_turn(Conversation.objects.get(), answer, **fields)
    page.reload()
    return turn


class TestAnswer:
    """Ask, read, and go down to the printed line."""

    def test_chip_opens_the_printed_line_and_leads_on_to_the_monograph(
        self, looked_at: Page, book: Edition, check_accessibility: AccessibilityCheck
    ) -> None:
        page, panel = looked_at, looked_at.locator("#source-panel")
        ask(page)
        expect(page.locator(".block-dosage .claim-text")).to_contain_text(ADULT_DOSE)
        expect(page.locator(".block-dosage .tag")).to_have_text("Nguyên văn")
        page.locator(".block-dosage .chip").click()
        expect(panel.get_by_role("heading", name="Trang 101 Paracetamol")).to_be_focused()
        expect(panel.locator(".crop-ready .crop-marks rect")).to_have_count(1)
        assert_mark_covers_the_ink(page, panel)
        panel.get_by_role("link", name="Xem cả trang").click()
        self.check_whole_page(page)
        check(page, check_accessibility)
        page.go_back()
        expect(page.locator(".block-dosage .claim-text")).to_contain_text(ADULT_DOSE)
        page.locator(".block-dosage .chip").click()
        panel.get_by_role("link", name="Mở trong chuyên luận").click()
        self.check_passage_is_shown(page)

    def test_chip_leads_to_the_printed_line_without_scripts(
        self, plain_page: Page, book: Edition, look: Look, check_accessibility: AccessibilityCheck
    ) -> None:
        page = plain_page
        look.apply(page)
        ask(page)
        expect(page.locator(".block-dosage .claim-text")).to_contain_text(ADULT_DOSE)
        page.locator(".block-dosage .chip").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Trang 101 Paracetamol")
        assert_mark_covers_the_ink(page, page.locator(".source"))
        page.get_by_role("link", name="Xem cả trang").click()
        self.check_whole_page(page)
        page.get_by_role("link", name="Chỉ xem vùng trích").click()
        expect(page.locator(".crop-whole")).to_have_count(0)
        page.get_by_role("link", name="Về câu trả lời").click()
        expect(page.locator(".block-dosage .claim-text")).to_contain_text(ADULT_DOSE)
        page.locator(".block-dosage .chip").click()
        page.get_by_role("link", name="Mở trong chuyên luận").click()
        self.check_passage_is_shown(page)

    def check_whole_page(self, page: Page) -> None:
        page.wait_for_url("**/sources/1/?view=page")
        expect(page.locator(".crop-whole .crop-marks rect")).to_have_count(1)
        expect(page.locator(".crop-whole .crop-marks")).to_be_visible()
        assert_mark_covers_the_ink(page, page.locator(".source"))

    def check_passage_is_shown(self, page: Page) -> None:
        passage = Passage.objects.get(text__contains=ADULT_DOSE)
        page.wait_for_url(re.compile(rf"/monographs/paracetamol/lieu-dung/\?edition=\d+#d-{passage.pk}$"))
        target = page.locator(f"#d-{passage.pk}:target")
        expect(target).to_contain_text(ADULT_DOSE)
        expect(target).to_be_in_viewport()
        assert covered(target) == ""

    def test_clarification_is_answered_by_one_of_its_replies(self, any_page: Page, book: Edition) -> None:
        page = any_page
        ask(page, "Liều paracetamol?")
        expect(page.locator(".verdict-clarify")).to_contain_text("Cần trường hợp nào?")
        expect(page.locator(".block")).to_have_count(0)
        page.get_by_role("button", name="Trẻ em").click()
        expect(page.locator(".turn")).to_have_count(2)
        expect(last_turn(page).locator(".block-dosage")).to_contain_text(CHILD_DOSE)
        expect(last_turn(page)).not_to_contain_text(ADULT_DOSE)
        expect(last_turn(page).locator(".question")).to_be_in_viewport()
        assert Conversation.objects.count() == 1

    def test_picture_is_shown_in_place_of_text_that_may_not_be(
        self, looked_at: Page, full_book: Edition, check_accessibility: AccessibilityCheck
    ) -> None:
        page = looked_at
        ask(page, "Tương kỵ của paracetamol?")
        expect(page.locator(".verdict-verify")).to_contain_text("chỉ hiển thị ảnh trang in")
        expect(page.locator(".next-step")).to_have_text("Đối chiếu trực tiếp trên ảnh trang in.")
        shown = page.locator(".block-held-back")
        shown.scroll_into_view_if_needed()
        expect(shown.locator(".tag")).to_have_text("Bảng: ảnh trang in")
        expect(shown.locator(".crop-ready .crop-marks rect")).to_have_count(1)
        assert shown.locator("img").evaluate("e => e.naturalWidth") > 100
        expect(page.locator("body")).not_to_contain_text("Độ thanh thải")
        check(page, check_accessibility)
        shown.locator(".chip").click()
        expect(page.locator("#source-panel")).to_contain_text("Chữ không được trích lại từ vùng này.")

    def test_emergency_notice_comes_first(
        self, looked_at: Page, full_book: Edition, check_accessibility: AccessibilityCheck
    ) -> None:
        page = looked_at
        ask(page, "Bé 3 tuổi uống cả vỉ paracetamol, xử trí thế nào?")
        notice = page.get_by_role("alert")
        expect(notice).to_have_text(EMERGENCY_NOTICE)
        expect(notice).to_be_in_viewport()
        expect(page.locator(".turn > .question + .emergency")).to_have_count(1)
        expect(page.locator(".block")).to_contain_text("N-acetylcystein")
        check(page, check_accessibility)

    def test_abstention_says_why_and_what_next(
        self, looked_at: Page, book: Edition, check_accessibility: AccessibilityCheck
    ) -> None:
        page = looked_at
        ask(page, "Bảo quản paracetamol?")
        expect(page.locator(".verdict-abstain")).to_contain_text("không có mục Độ ổn định và bảo quản")
        expect(page.locator(".next-step")).to_have_text("Xem các mục hiện có của chuyên luận.")
        expect(page.locator(".block")).to_have_count(0)
        check(page, check_accessibility)
        page.locator(".related").get_by_role("link", name="Chống chỉ định").click()
        page.wait_for_url(re.compile("/monographs/paracetamol/chong-chi-dinh/"))
        expect(page.locator("#noi-dung")).to_contain_text("Suy gan nặng.")

    def test_unknown_drug_leads_to_the_index(self, looked_at: Page, book: Edition) -> None:
        page = looked_at
        ask(page, "Liều abcxyzol?")
        expect(page.locator(".verdict-abstain")).to_contain_text("abcxyzol")
        expect(page.locator(".next-step")).to_contain_text("Kiểm tra cách viết")
        page.get_by_role("link", name="Mở danh mục chuyên luận").click()
        page.wait_for_url("**/monographs/")


def test_section_is_chosen_and_read_whole(any_page: Page, book: Edition) -> None:
    page = any_page
    page.goto("/")
    page.get_by_role("link", name="Đọc nguyên văn").click()
    page.get_by_label("Thuốc", exact=True).fill("panadol")
    page.get_by_role("button", name="Tìm").click()
    page.get_by_role("link", name="Paracetamol").click()
    expect(page.get_by_role("heading", name="Paracetamol")).to_be_visible()
    expect(page.locator(".section-buttons button")).to_have_count(3)
    page.get_by_role("button", name="Liều lượng và cách dùng").click()
    page.wait_for_url("**/c/**")
    turn = last_turn(page)
    expect(turn.locator(".question")).to_contain_text("Paracetamol – Liều lượng và cách dùng")
    expect(turn.locator(".block-dosage .tag")).to_have_text("Nguyên văn")
    for text in (ADULT_DOSE, CHILD_DOSE):
        expect(turn.locator(".block-dosage")).to_contain_text(text)
    expect(turn.locator(".block-held-back img")).to_have_count(1)
    expect(turn.locator(".block-held-back .tag")).to_have_text("Bảng: ảnh trang in")
    ask_next(page, REFUSED)
    expect(last_turn(page)).to_contain_text("Quá mẫn với paracetamol.")


class TestHistory:
    """What was asked stays with this browser until it is deleted."""

    ASKED = (QUESTION, REFUSED, "Chỉ định của đồng sulfat?")

    @pytest.fixture
    def asked(self, any_page: Page, book: Edition) -> Page:
        for question in self.ASKED:
            ask(any_page, question)
        return any_page

    def titles(self, page: Page) -> Locator:
        return page.locator(".history-title")

    def menu(self, page: Page, title: str, entry: str) -> None:
        item = page.locator(".history-item", has_text=title)
        item.locator("summary").click()
        item.get_by_role("link", name=entry).click()

    def test_search_needs_no_accents(self, asked: Page) -> None:
        page = asked
        expect(self.titles(page)).to_have_text(list(reversed(self.ASKED)))
        page.get_by_label("Tìm trong các câu đã hỏi").fill("chong chi dinh")
        page.keyboard.press("Enter")
        page.wait_for_url("**/history/?tim=*")
        expect(self.titles(page)).to_have_text([REFUSED])
        page.get_by_role("link", name=REFUSED).click()
        expect(page.locator(".turn")).to_contain_text("Quá mẫn với paracetamol.")

    def test_search_that_finds_nothing_says_so(self, asked: Page) -> None:
        page = asked
        page.goto("/history/")
        page.get_by_label("Tìm trong các câu đã hỏi").fill("warfarin")
        page.get_by_role("button", name="Tìm").click()
        expect(page.locator(".empty")).to_have_text("Không có câu nào đã hỏi khớp với “warfarin”.")

    def test_list_follows_what_is_typed(self, looked_at: Page, book: Edition) -> None:
        page = looked_at
        for question in self.ASKED:
            ask(page, question)
        box = page.get_by_label("Tìm trong các câu đã hỏi")
        box.press_sequentially("dong sulfat")
        expect(self.titles(page)).to_have_text([self.ASKED[2]])
        expect(box).to_be_focused()
        box.fill("")
        expect(self.titles(page)).to_have_count(3)

    def test_conversation_is_renamed(self, asked: Page) -> None:
        page = asked
        self.menu(page, REFUSED, "Đổi tên")
        box = page.get_by_label("Tên mới")
        expect(box).to_have_value(REFUSED)
        box.fill(" ")
        page.get_by_role("button", name="Lưu").click()
        expect(page.get_by_role("alert")).to_have_text("Tên không được để trống.")
        box.fill("Ca suy gan")
        page.get_by_role("button", name="Lưu").click()
        page.wait_for_url("**/c/**")
        expect(self.titles(page).filter(has_text="Ca suy gan")).to_have_count(1)
        expect(page.locator(".question-text")).to_have_text(REFUSED)

    def test_deleting_asks_first(self, asked: Page) -> None:
        page = asked
        self.menu(page, REFUSED, "Xoá")
        expect(page.get_by_role("heading", name="Xoá cuộc hỏi này?")).to_be_visible()
        expect(page.locator(".lead")).to_contain_text(REFUSED)
        assert Conversation.objects.count() == 3
        page.get_by_role("link", name="Giữ lại").click()
        expect(page.locator(".turn")).to_contain_text("Quá mẫn với paracetamol.")
        self.menu(page, REFUSED, "Xoá")
        page.get_by_role("button", name="Xoá hẳn").click()
        expect(self.titles(page)).to_have_text([self.ASKED[2], self.ASKED[0]])
        assert Conversation.objects.count() == Turn.objects.count() == 2

    def test_history_is_the_browsers_and_nobody_elses(
        self, asked: Page, browser: Browser, live_server: LiveServer
    ) -> None:
        page = asked
        address = page.url
        page.reload()
        expect(self.titles(page)).to_have_count(3)
        tab = page.context.new_page()
        tab.goto("/")
        expect(self.titles(tab)).to_have_text(list(reversed(self.ASKED)))
        other = browser.new_context(base_url=live_server.url)
        stranger = other.new_page()
        stranger.goto("/")
        expect(stranger.locator(".history .empty")).to_be_visible()
        expect(self.titles(stranger)).to_have_count(0)
        for path in (address, f"{address.split('#')[0]}delete/", f"/turns/{Turn.objects.all()[0].pk}/answer.txt"):
            response = stranger.goto(path)
            assert response is not None
            assert response.status == 404
        other.close()


class TestAskedAgain:
    """The same question of the book as it is now."""

    def again(self, page: Page) -> Locator:
        turns = page.locator(".turn").count()
        last_turn(page).get_by_role("button", name="Tra lại").click()
        expect(page.locator(".turn")).to_have_count(turns + 1)
        return last_turn(page).get_by_role("region", name="So với lần trước")

    def test_unchanged_answer_is_said_to_be_so(self, any_page: Page, book: Edition) -> None:
        ask(any_page, REFUSED)
        changes = self.again(any_page)
        expect(changes).to_contain_text("câu trả lời không đổi so với lần hỏi")
        expect(last_turn(any_page).locator(".question-mark")).to_have_text("Tra lại")
        expect(last_turn(any_page)).to_contain_text("Suy gan nặng.")

    def test_what_is_new_and_what_is_gone_is_listed(self, any_page: Page, book: Edition) -> None:
        page = any_page
        ask(page, REFUSED)
        passage = Passage.objects.filter(text="Suy gan nặng.")
        passage.update(corrected_text="Suy gan nặng; nghiện rượu.", state=PassageState.CORRECTED)
        changes = self.again(page)
        expect(changes.locator("ins")).to_have_text(["Suy gan nặng; nghiện rượu."])
        expect(changes.locator("del")).to_have_text(["Suy gan nặng."])
        expect(page.locator(".turn").first.locator(".claim-text").last).to_have_text("Suy gan nặng.")
        passage.update(state=PassageState.QUARANTINED)
        changes = self.again(page)
        expect(changes.locator("ins")).to_have_count(0)
        expect(changes.locator("del")).to_have_text(["Suy gan nặng; nghiện rượu."])
        changes.get_by_role("link").click()
        page.wait_for_url("**/turns/*/")
        expect(page.locator(".turn .claim-text").last).to_have_text("Suy gan nặng; nghiện rượu. Đã sửa khi duyệt")

    def test_source_of_the_earlier_answer_keeps_its_words(self, any_page: Page, book: Edition) -> None:
        page = any_page
        ask(page, REFUSED)
        Passage.objects.filter(text="Suy gan nặng.").update(
            corrected_text="Suy gan nặng; nghiện rượu.", state=PassageState.CORRECTED
        )
        page.locator(".chip").last.click()
        source = page.locator(".source")
        expect(source.get_by_text("Suy gan nặng.", exact=True)).to_be_visible()
        expect(source.locator(".notice")).to_contain_text("đã được sửa khi duyệt")
        expect(source.locator(".notice blockquote")).to_have_text("Suy gan nặng; nghiện rượu.")


class TestFeedback:
    """What the asker thought of an answer."""

    def test_useful(self, any_page: Page, book: Edition) -> None:
        page = any_page
        ask(page)
        page.get_by_role("button", name="Hữu ích").click()
        expect(page.locator(".tool-said")).to_have_text("Đã ghi: hữu ích. Cảm ơn.")
        expect(page.get_by_role("button", name="Hữu ích")).to_have_attribute("aria-pressed", "true")
        assert Feedback.objects.get().useful

    def test_wrong_with_a_reason_takes_the_place_of_useful(self, any_page: Page, book: Edition) -> None:
        page = any_page
        ask(page)
        page.get_by_role("button", name="Hữu ích").click()
        expect(page.locator(".tool-said")).to_have_count(1)
        page.get_by_text("Báo sai").click()
        page.get_by_label("Sai ở đâu").select_option("Sai đối tượng hoặc liều")
        page.get_by_label("Ghi thêm").fill("Người già thì khác; gọi 0912345678.")
        page.get_by_role("button", name="Gửi").click()
        expect(page.locator(".tool-said")).to_have_text("Đã ghi: sai – Sai đối tượng hoặc liều. Cảm ơn.")
        expect(page.get_by_role("button", name="Hữu ích")).not_to_have_attribute("aria-pressed", "true")
        said = Feedback.objects.get()
        assert not said.useful
        assert said.reason == FeedbackReason.WRONG_PATIENT
        assert "Người già" in said.comment
        assert "0912345678" not in said.comment
        page.reload()
        expect(page.locator(".tool-said")).to_contain_text("Đã ghi: sai")

    def test_as_much_as_fits_the_box_is_taken(self, any_page: Page, book: Edition) -> None:
        page = any_page
        ask(page)
        page.get_by_text("Báo sai").click()
        box = page.get_by_label("Ghi thêm")
        box.click()
        page.keyboard.insert_text("a\n" * 1000)
        kept = box.input_value()
        assert len(kept) >= 500
        page.get_by_role("button", name="Gửi").click()
        expect(page.locator(".tool-said")).to_contain_text("Đã ghi: sai")
        assert Feedback.objects.get().comment.replace("\r", "").strip() == kept.strip()

    def test_what_was_said_is_announced_and_the_keyboard_stays(self, looked_at: Page, book: Edition) -> None:
        page = looked_at
        ask(page)
        page.get_by_role("button", name="Hữu ích").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#announcer")).to_have_text("Đã ghi: hữu ích. Cảm ơn.")
        expect(page.locator(".turn .tools :focus")).to_have_count(1)
        page.locator(".tool-details summary").press("Enter")
        page.get_by_label("Ghi thêm").press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator("#announcer")).to_have_text("Đã ghi: sai – Sai thuốc. Cảm ơn.")
        expect(page.locator(".turn .tools :focus")).to_have_count(1)


class TestTakenAlong:
    """The answer with its sources, for a report."""

    def text(self) -> str:
        turn = Turn.objects.get()
        answer = Answer.model_validate(turn.contract)
        return answer_text(question=turn.question, asked_at=turn.created_at, answer=answer)

    def test_copy_puts_the_answer_with_its_sources_on_the_clipboard(self, looked_at: Page, book: Edition) -> None:
        page = looked_at
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        ask(page)
        page.get_by_role("link", name="Chép kèm nguồn").click()
        expect(page.get_by_role("link", name="Đã chép")).to_be_visible()
        expect(page.locator("#announcer")).to_have_text("Đã chép câu trả lời kèm nguồn.")
        assert page.evaluate("navigator.clipboard.readText()") == self.text()
        assert "[1] Dược thư mẫu (2026), Paracetamol" in self.text()

    def test_where_nothing_may_be_copied_the_text_is_shown(self, looked_at: Page, book: Edition) -> None:
        page = looked_at
        ask(page)
        page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }")
        page.get_by_role("link", name="Chép kèm nguồn").click()
        page.wait_for_url("**/answer.txt")
        assert page.locator("body").inner_text().strip() == self.text().strip()

    def test_link_shows_the_text_without_scripts(self, plain_page: Page, book: Edition, look: Look) -> None:
        page = plain_page
        look.apply(page)
        ask(page)
        page.get_by_role("link", name="Chép kèm nguồn").click()
        page.wait_for_url("**/answer.txt")
        assert page.locator("body").inner_text().strip() == self.text().strip()

    def test_pdf_is_a_pdf(self, any_page: Page, book: Edition) -> None:
        page = any_page
        ask(page)
        address = page.get_by_role("link", name="Bản in PDF").get_attribute("href")
        assert address is not None
        response = page.request.get(address)
        assert response.status == 200
        assert response.headers["content-type"] == "application/pdf"
        assert response.body().startswith(b"%PDF-")


class TestKeyboard:
    """Nothing here touches the mouse."""

    def leave_the_box(self, page: Page) -> None:
        """Onto the conversation, where keys are keys."""
        page.locator("#noi-dung").focus()

    def test_question_is_asked_and_its_source_opened(self, looked_at: Page, book: Edition) -> None:
        page, panel = looked_at, looked_at.locator("#source-panel")
        page.goto("/monographs/")
        self.leave_the_box(page)
        page.keyboard.press("/")
        expect(page.get_by_label("Tìm chuyên luận")).to_be_focused()
        expect(page.get_by_label("Tìm chuyên luận")).to_have_value("")
        page.goto("/")
        self.leave_the_box(page)
        page.keyboard.press("/")
        expect(page.get_by_label("Câu hỏi", exact=True)).to_be_focused()
        page.keyboard.type(QUESTION)
        page.keyboard.press("Enter")
        expect(page.locator(".block-dosage")).to_contain_text(ADULT_DOSE)
        self.leave_the_box(page)
        page.keyboard.press("o")
        expect(panel.locator("#source-title")).to_be_focused()
        page.keyboard.press("Escape")
        expect(panel).to_be_empty()
        expect(page.locator(".chip").first).to_be_focused()

    def test_turns_are_walked_through(self, looked_at: Page, book: Edition) -> None:
        page, panel = looked_at, looked_at.locator("#source-panel")
        ask(page)
        for question in (REFUSED, "Chỉ định của đồng sulfat?"):
            ask_next(page, question)
        page.reload()
        self.leave_the_box(page)
        questions = page.locator(".question")
        page.evaluate("scrollTo(0, 0)")
        for key, at in (("j", 1), ("j", 2), ("j", 2), ("k", 1), ("k", 0), ("k", 0), ("j", 1)):
            page.keyboard.press(key)
            expect(questions.nth(at)).to_be_focused()
            expect(questions.nth(at)).to_be_in_viewport()
            assert covered(questions.nth(at)) == ""
        page.keyboard.press("o")
        expect(panel.locator(".source-place")).to_contain_text("Chống chỉ định")
        page.keyboard.press("Escape")
        expect(page.locator(".turn").nth(1).locator(".chip").first).to_be_focused()
        page.keyboard.press("j")
        page.keyboard.press("o")
        expect(panel.locator("#source-title")).to_contain_text("Đồng sulfat")

    def test_help_opens_over_the_page_and_closes(self, looked_at: Page, book: Edition) -> None:
        page = looked_at
        ask(page)
        chip = page.locator(".block-dosage .chip")
        chip.focus()
        page.keyboard.press("o")
        expect(page.locator("#source-title")).to_be_focused()
        page.keyboard.press("?")
        sheet = page.get_by_role("dialog", name="Trợ giúp")
        expect(sheet).to_be_visible()
        expect(page.locator("#help-title")).to_be_focused()
        expect(sheet.locator("kbd")).to_contain_text(["/", "Enter", "n", "j", "k", "o", "c", "p", "g", "h", "g", "c"])
        page.keyboard.press("Escape")
        expect(sheet).to_be_hidden()
        expect(page.locator("#source-title")).to_be_visible()
        expect(page.locator("#source-title")).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator("#source-panel")).to_be_empty()
        expect(chip).to_be_focused()

    def test_keys_lead_to_the_other_pages(self, looked_at: Page, book: Edition) -> None:
        page = looked_at
        ask(page)
        self.leave_the_box(page)
        page.keyboard.press("g")
        page.keyboard.press("j")
        page.keyboard.press("g")
        page.keyboard.press("c")
        page.wait_for_url("**/monographs/")
        self.leave_the_box(page)
        page.keyboard.press("g")
        page.keyboard.press("h")
        page.wait_for_url(re.compile(r":\d+/$"))
        page.goto("/monographs/")
        self.leave_the_box(page)
        page.keyboard.press("n")
        page.wait_for_url(re.compile(r":\d+/$"))

    @pytest.mark.parametrize("box", ["Hỏi tiếp", "Tìm trong các câu đã hỏi", "Ghi thêm"])
    def test_no_key_acts_while_something_is_typed(self, looked_at: Page, book: Edition, box: str) -> None:
        page = looked_at
        ask(page)
        address = page.url
        page.evaluate("() => { window.print = () => { document.title = 'printed'; }; }")
        page.locator(".tool-details summary").press("Enter")
        page.get_by_label(box).focus()
        page.keyboard.type("gcghnjkocp?/")
        expect(page.get_by_label(box)).to_have_value("gcghnjkocp?/")
        expect(page.get_by_label(box)).to_be_focused()
        expect(page.locator("#help-sheet")).to_be_hidden()
        expect(page.locator("#source-panel")).to_be_empty()
        assert page.url == address
        assert page.title() != "printed"

    def test_with_other_modifiers_a_key_is_the_browsers(self, looked_at: Page, book: Edition) -> None:
        page = looked_at
        ask(page)
        self.leave_the_box(page)
        for key in ("Control+o", "Alt+o", "Meta+o"):
            page.keyboard.press(key)
        expect(page.locator("#source-panel")).to_be_empty()

    def test_reply_and_second_asking_bring_the_reader_to_the_new_turn(self, looked_at: Page, book: Edition) -> None:
        page = looked_at
        ask(page, "Liều paracetamol?")
        for number, name in enumerate(("Trẻ em", "Tra lại"), start=2):
            button = last_turn(page).get_by_role("button", name=name)
            button.focus()
            page.keyboard.press("Enter")
            expect(page.locator(".turn")).to_have_count(number)
            expect(last_turn(page).locator(".question")).to_be_focused()
            expect(last_turn(page).locator(".question")).to_be_in_viewport()

    def test_keys_can_be_switched_off(self, looked_at: Page, book: Edition) -> None:
        page = looked_at
        ask(page)
        self.leave_the_box(page)
        page.keyboard.press("?")
        page.get_by_role("dialog").get_by_role("button", name="đang bật").press("Enter")
        expect(page.get_by_role("dialog").get_by_role("button", name="đang tắt")).to_be_focused()
        page.keyboard.press("Escape")
        page.reload()
        self.leave_the_box(page)
        page.keyboard.type("ojgc?")
        expect(page.locator("#source-panel")).to_be_empty()
        expect(page.locator("#help-sheet")).to_be_hidden()
        page.goto("/help/")
        page.get_by_role("button", name="đang tắt").press("Enter")
        self.leave_the_box(page)
        page.keyboard.type("gc")
        page.wait_for_url("**/monographs/")

    @pytest.mark.parametrize("written", ["", "Câu dài\n" * 30], ids=["empty box", "full box"])
    def test_everything_focused_can_be_seen(self, looked_at: Page, book: Edition, written: str) -> None:
        page = looked_at
        ask(page, "Liều paracetamol?")
        for question in (QUESTION, REFUSED, "Bảo quản paracetamol?"):
            ask_next(page, question)
        page.reload()
        page.evaluate("document.querySelectorAll('details').forEach(e => { e.open = true; })")
        page.get_by_label("Hỏi tiếp").fill(written)
        page.evaluate(START_AT_THE_TOP)
        for key in ("Tab", "Shift+Tab"):
            seen, hidden = self.tab_through(page, key)
            assert hidden == []
            assert seen > 40

    def tab_through(self, page: Page, key: str) -> tuple[int, list[str]]:
        """How many elements took the focus, and those that something lay over."""
        hidden: list[str] = []
        for seen in range(200):
            page.keyboard.press(key)
            if page.evaluate(NOTHING_FOCUSED):
                return seen, hidden
            over = covered(page.locator(":focus"))
            hidden += [over] if over else []
        raise AssertionError("the focus never leaves the page")


class TestPending:
    """A turn that a worker has not answered yet."""

    def watch(self, page: Page) -> None:
        page.add_init_script(WATCH_SHIFTS)

    def assert_nothing_moved(self, page: Page) -> None:
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        shifts = page.evaluate("window.shifts")
        assert sum(shift["value"] for shift in shifts) < MOST_SHIFT, shifts

    @pytest.mark.parametrize("beginning", ["Quá mẫn", ""], ids=["short", "long"])
    @pytest.mark.parametrize("place", ["alone", "after another", "on its own page"])
    def test_answer_takes_its_place_without_moving_anything(
        self, looked_at: Page, book: Edition, place: str, beginning: str
    ) -> None:
        page = looked_at
        ask(page)
        turn = owned_turn(page)
        if place == "alone":
            Turn.objects.exclude(pk=turn.pk).delete()
        self.watch(page)
        page.goto(f"/turns/{turn.pk}/" if place == "on its own page" else f"/c/{turn.conversation_id}/")
        page.evaluate(f"document.getElementById('luot-{turn.pk}').scrollIntoView()")
        pending = page.locator(f"#luot-{turn.pk}")
        expect(pending).to_contain_text("Đang chờ đến lượt")
        Turn.objects.filter(pk=turn.pk).update(state=TurnState.RUNNING, stage="retrieve")
        expect(pending.locator("[aria-current=step]")).to_have_text("Tìm nguồn")
        Turn.objects.filter(pk=turn.pk).update(stage="verify")
        expect(pending.locator("[aria-current=step]")).to_have_text("Đối chiếu nguồn")
        finish(turn, beginning)
        expect(pending.locator(".block").first).to_be_visible()
        self.assert_nothing_moved(page)

    def test_keyboard_stays_while_it_polls(self, looked_at: Page, book: Edition) -> None:
        page = looked_at
        ask(page)
        turn = owned_turn(page)
        button = page.get_by_role("button", name="Thôi, không tra nữa")
        button.evaluate("e => { e.focus(); e.dataset.same = 'yes'; }")
        for _ in range(2):
            with page.expect_response(f"**/turns/{turn.pk}/"):
                pass
        expect(button).to_be_focused()
        expect(button).to_have_attribute("data-same", "yes")
        Turn.objects.filter(pk=turn.pk).update(state=TurnState.RUNNING, stage="draft")
        expect(page.locator("#announcer")).to_have_text("Soạn câu trả lời")
        expect(button).to_be_focused()
        finish(turn)
        expect(page.locator(f"#luot-{turn.pk} .block")).to_be_visible()
        expect(page.locator(f"#hoi-{turn.pk}")).to_be_focused()

    def test_page_without_scripts_looks_again_until_it_is_done(
        self, plain_page: Page, book: Edition, look: Look
    ) -> None:
        page = plain_page
        look.apply(page)
        ask(page)
        turn = owned_turn(page)
        pending = page.locator(f"#luot-{turn.pk}")
        expect(pending.locator("noscript")).to_be_visible()
        expect(page.locator("meta[http-equiv=refresh]")).to_have_count(1)
        Turn.objects.filter(pk=turn.pk).update(state=TurnState.RUNNING, stage="retrieve")
        expect(pending.locator("[aria-current=step]")).to_have_text("Tìm nguồn")
        finish(turn)
        expect(pending.locator(".block")).to_contain_text("Quá mẫn với paracetamol.")
        expect(pending.locator(".pending")).to_have_count(0)
        expect(page.locator("meta[http-equiv=refresh]")).to_have_count(0)


def test_page_stays_where_it_is_read_while_the_next_question_is_written(looked_at: Page, book: Edition) -> None:
    page = looked_at
    ask(page)
    where, box = page.evaluate("scrollY"), page.get_by_label("Hỏi tiếp")
    place = box.bounding_box()
    assert place is not None
    page.mouse.click(place["x"] + 20, place["y"] + 20)
    page.keyboard.type("Thế còn")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("trẻ em?")
    expect(box).to_have_value("Thế còn\ntrẻ em?")
    assert page.evaluate("scrollY") == where
    page.locator("#noi-dung").evaluate("e => e.focus({ preventScroll: true })")
    page.keyboard.press("/")
    expect(box).to_be_focused()
    assert page.evaluate("scrollY") == where


def test_refused_question_leaves_no_trace_once_it_is_put_right(looked_at: Page, book: Edition) -> None:
    page = looked_at
    ask(page)
    box = page.get_by_label("Hỏi tiếp")
    box.fill("?!")
    box.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Chưa có câu hỏi")
    box.fill(REFUSED)
    box.press("Enter")
    expect(page.locator(".turn")).to_have_count(2)
    expect(box).to_have_value("")
    expect(page.locator(".field-error")).to_have_count(0)
    expect(box).not_to_have_attribute("aria-invalid", "true")


class TestScreens:
    """Every state of the screens of the chat, at both widths and in both themes."""

    def test_answer(
        self, page: Page, full_book: Edition, check_accessibility: AccessibilityCheck, subtests: pytest.Subtests
    ) -> None:
        ask(page, "Bé 3 tuổi uống cả vỉ paracetamol, xử trí thế nào?")
        ask_next(page, QUESTION)
        check_in_all_looks(page, check_accessibility, subtests)

    def test_pending_steps(
        self, page: Page, book: Edition, check_accessibility: AccessibilityCheck, subtests: pytest.Subtests
    ) -> None:
        ask(page)
        owned_turn(page, state=TurnState.RUNNING, stage="retrieve")
        expect(page.locator("[aria-current=step]")).to_have_text("Tìm nguồn")
        check_in_all_looks(page, check_accessibility, subtests)

    def test_changes(
        self, page: Page, book: Edition, check_accessibility: AccessibilityCheck, subtests: pytest.Subtests
    ) -> None:
        ask(page, REFUSED)
        first = Turn.objects.get()
        answer = make_answer(passages=list(Passage.objects.filter(text__startswith="Đau nhẹ")))
        owned_turn(page, answer, rerun_of=first)
        expect(page.locator(".changes ins")).to_have_count(1)
        expect(page.locator(".changes del")).to_have_count(2)
        check_in_all_looks(page, check_accessibility, subtests)

    def test_feedback_form(
        self, page: Page, book: Edition, check_accessibility: AccessibilityCheck, subtests: pytest.Subtests
    ) -> None:
        ask(page)
        page.get_by_role("button", name="Hữu ích").click()
        expect(page.locator(".tool-said")).to_have_count(1)
        page.get_by_text("Báo sai").click()
        expect(page.get_by_label("Sai ở đâu")).to_be_visible()
        check_in_all_looks(page, check_accessibility, subtests)

    @pytest.mark.parametrize("path", ["/", "/history/"])
    def test_history_menu(
        self,
        page: Page,
        book: Edition,
        check_accessibility: AccessibilityCheck,
        subtests: pytest.Subtests,
        path: str,
    ) -> None:
        for question in (QUESTION, REFUSED):
            ask(page, question)
        page.goto(path)
        page.locator(".history-menu summary").first.click()
        expect(page.get_by_role("link", name="Đổi tên")).to_be_visible()
        check_in_all_looks(page, check_accessibility, subtests)

    @pytest.mark.parametrize("ending", ["rename/", "delete/"])
    def test_rename_and_delete(
        self,
        page: Page,
        book: Edition,
        check_accessibility: AccessibilityCheck,
        subtests: pytest.Subtests,
        ending: str,
    ) -> None:
        ask(page)
        page.goto(f"/c/{Conversation.objects.get().pk}/{ending}")
        check_in_all_looks(page, check_accessibility, subtests)

    def test_refused_name(
        self, page: Page, book: Edition, check_accessibility: AccessibilityCheck, subtests: pytest.Subtests
    ) -> None:
        ask(page)
        page.goto(f"/c/{Conversation.objects.get().pk}/rename/")
        page.get_by_label("Tên mới").fill(" ")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_be_visible()
        check_in_all_looks(page, check_accessibility, subtests)

    @pytest.mark.parametrize(
        "path",
        [
            "/read/",
            "/read/?q=para",
            "/read/?q=paracetmol",
            "/read/?q=zzzzzz",
            "/read/?drug=paracetamol",
            "/history/",
            "/history/?tim=khong+co",
            "/help/",
        ],
    )
    def test_page(
        self,
        page: Page,
        book: Edition,
        check_accessibility: AccessibilityCheck,
        subtests: pytest.Subtests,
        path: str,
    ) -> None:
        page.goto(path)
        check_in_all_looks(page, check_accessibility, subtests)

    def test_help_sheet(
        self, page: Page, book: Edition, check_accessibility: AccessibilityCheck, subtests: pytest.Subtests
    ) -> None:
        ask(page)
        page.get_by_role("link", name="Trợ giúp và phím tắt").click()
        expect(page.get_by_role("dialog", name="Trợ giúp")).to_be_visible()
        check_in_all_looks(page, check_accessibility, subtests)

    @pytest.mark.parametrize("ending", ["", "?view=page"])
    def test_source_page(
        self,
        page: Page,
        book: Edition,
        check_accessibility: AccessibilityCheck,
        subtests: pytest.Subtests,
        ending: str,
    ) -> None:
        ask(page)
        page.goto(f"/turns/{Turn.objects.get().pk}/sources/1/{ending}")
        check_in_all_looks(page, check_accessibility, subtests)


def test_paper_has_the_answer_and_nothing_else(looked_at: Page, book: Edition) -> None:
    page = looked_at
    ask(page)
    page.emulate_media(media="print")
    for tool in (".main-nav", ".tools", "#composer", ".history", ".foot-links", "[data-theme-toggle]", ".skip"):
        for found in page.locator(tool).all():
            expect(found).to_be_hidden()
    turn = Turn.objects.get()
    expect(page.locator(".sample-band")).to_be_visible()
    expect(page.locator(".block-dosage .claim-text")).to_contain_text(ADULT_DOSE)
    expect(page.locator(".block-dosage .chip")).to_be_visible()
    expect(page.locator(".block-dosage .chip")).to_contain_text("[1] tr. 101")
    colophon = page.locator(".turn .colophon")
    expect(colophon).to_be_visible()
    for black in (page.locator(".block-dosage .claim-text"), page.locator(".question-text"), page.locator("h3").first):
        expect(black).to_have_css("color", "rgb(0, 0, 0)")
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"
    for text in (turn.contract["disclaimer"], "Dược thư mẫu, 2026", str(turn.pk)):
        expect(colophon).to_contain_text(text)
    owned_turn(page, make_answer(Reason.NEEDS_BRANCH, quick_replies=("Người lớn",)))
    expect(page.get_by_role("button", name="Người lớn")).to_be_hidden()
    page.goto(f"/turns/{turn.pk}/")
    expect(page.locator(".whole-conversation")).to_be_hidden()
    expect(page.locator(".turn .colophon")).to_be_visible()
    assert page.locator(".turn").evaluate("e => getComputedStyle(e).minHeight") == "0px"
