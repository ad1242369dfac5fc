"""Staff pages of the chat in a browser: usable at every width, in both themes, by keyboard and without scripts."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from chat.models import Feedback, Turn
from chat.tasks import dispatch_turn
from chat.turns import give_feedback, start_rerun, start_turn
from duocthu_site.roles import RoleKey, give_role
from monographs.models import Edition
from tests.browser.checks import OVERFLOW, check_in_all_looks
from tests.browser.conftest import LOOKS
from tests.conftest import AccessibilityCheck

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
OWNER = "anon:me"
INBOX = "/admin/chat/feedback/inbox/"


def sign_in(page: Page, live_server: LiveServer, key: RoleKey) -> User:
    user, _ = User.objects.get_or_create(username=key.value)
    give_role(user, key)
    client = Client()
    client.force_login(user)
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}])
    return user


@pytest.fixture
def turn(book: Edition) -> Turn:
    """An answer that was said to be wrong, and asked for again."""
    asked = dispatch_turn(start_turn(owner=OWNER, question="Liều paracetamol cho người lớn đường uống?"))
    give_feedback(OWNER, asked.pk, useful=False, reason="incomplete", comment="Thiếu liều tối đa")
    dispatch_turn(start_rerun(OWNER, asked.pk))
    return asked


def test_every_staff_page_of_the_chat_in_all_looks(
    page: Page,
    live_server: LiveServer,
    turn: Turn,
    check_accessibility: AccessibilityCheck,
    subtests: pytest.Subtests,
) -> None:
    sign_in(page, live_server, RoleKey.ADMIN)
    for path in (INBOX, f"{INBOX}?xu-ly=xong", f"/admin/chat/turn/{turn.pk}/change/"):
        page.goto(path)
        check_in_all_looks(page, check_accessibility, subtests)


@pytest.mark.parametrize("path", ["/admin/", "/admin/chat/turn/", "/admin/chat/turn/?q=khong-co"])
def test_the_stock_pages_in_our_frame(
    page: Page,
    live_server: LiveServer,
    turn: Turn,
    check_accessibility: AccessibilityCheck,
    subtests: pytest.Subtests,
    path: str,
) -> None:
    sign_in(page, live_server, RoleKey.OPERATOR)
    page.goto(path)
    for look in LOOKS:
        with subtests.test(look=str(look)):
            look.apply(page)
            check_accessibility(page)
            assert page.evaluate(OVERFLOW) == 0


def test_the_sign_in_page(
    page: Page, book: Edition, check_accessibility: AccessibilityCheck, subtests: pytest.Subtests
) -> None:
    page.goto("/admin/")
    expect(page.get_by_label("Tên đăng nhập")).to_be_focused()
    expect(page.get_by_text("BẢN MẪU – không dùng cho lâm sàng")).to_be_visible()
    expect(page.get_by_role("navigation", name="Việc của người quản trị")).to_have_count(0)
    check_in_all_looks(page, check_accessibility, subtests)


def test_from_the_list_to_the_audit_and_back_to_the_book(page: Page, live_server: LiveServer, turn: Turn) -> None:
    sign_in(page, live_server, RoleKey.OPERATOR)
    page.goto("/admin/")
    page.get_by_role("navigation", name="Việc của người quản trị").get_by_role("link", name="Lượt hỏi").click()
    page.get_by_label("Tìm").fill(str(turn.pk))
    page.keyboard.press("Enter")
    page.wait_for_url("**/?q=*")
    page.get_by_role("link", name=turn.question).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(turn.question)
    gates = page.get_by_role("region", name="Các cổng đối chiếu")
    expect(gates.get_by_role("columnheader")).to_have_text(
        ["Nội dung", "Trích dẫn", "Trang in", "Cách ly", "Thuốc", "Nguyên văn", "Lời văn"]
    )
    expect(gates.get_by_role("cell")).to_have_text(["✓ đạt"] * 6)
    page.get_by_role("listitem").filter(has_text="Được tra lại ở").get_by_role("link").click()
    expect(page.get_by_text("Tra lại của")).to_be_visible()
    page.get_by_role("link", name="[1] tr. 101").click()
    expect(page).to_have_title("Trang 101: Paracetamol – Dược thư mẫu")


def test_a_reviewer_handles_and_reopens_by_keyboard(page: Page, live_server: LiveServer, turn: Turn) -> None:
    reviewer = sign_in(page, live_server, RoleKey.REVIEWER)
    page.goto(INBOX)
    expect(page.get_by_role("article", name="Báo sai: Thiếu nội dung sách có")).to_contain_text("Thiếu liều tối đa")
    page.get_by_label("Ghi chú (không bắt buộc)").focus()
    page.keyboard.type("Đã xem lại đoạn")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Đã ghi là đã xử lý.")).to_be_visible()
    expect(page.get_by_text("Không có phản hồi nào khớp với bộ lọc.")).to_be_visible()
    page.get_by_label("Trạng thái").select_option("Đã xử lý")
    page.get_by_role("button", name="Lọc").press("Enter")
    expect(page.get_by_role("article")).to_contain_text(f"bởi {reviewer.username}")
    expect(page.get_by_role("article")).to_contain_text("Đã xem lại đoạn")
    page.get_by_role("button", name="Mở lại").press("Enter")
    expect(page.get_by_text("Đã mở lại phản hồi.")).to_be_visible()
    assert Feedback.objects.get().handled_at is None
    expect(page).to_have_url(f"{live_server.url}{INBOX}?xu-ly=xong")


def test_the_inbox_works_without_scripts(plain_page: Page, live_server: LiveServer, turn: Turn) -> None:
    sign_in(plain_page, live_server, RoleKey.REVIEWER)
    plain_page.goto(INBOX)
    plain_page.get_by_role("button", name="Đã xử lý").click()
    expect(plain_page.get_by_text("Đã ghi là đã xử lý.")).to_be_visible()
    assert Feedback.objects.get().handled_at is not None
