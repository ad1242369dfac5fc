"""Signing in, a new password and signing out, as people see them; and what they see when told to wait."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.fixtures import Settings

from duocthu_site.environ import Rate
from monographs.models import Edition
from tests.browser.checks import QUESTION, check_in_all_looks
from tests.conftest import AccessibilityCheck

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
NAME, PASSWORD, NEW = "duoc-si-khoa-noi-tru-ten-rat-dai-de-xem-co-vo-trang-khong", "mat-khau-dai-1", "mat-khau-moi-2"


def sign_in(page: Page, password: str = PASSWORD) -> None:
    page.get_by_label("Tên đăng nhập").fill(NAME)
    page.get_by_label("Mật khẩu", exact=True).fill(password)
    page.get_by_role("button", name="Đăng nhập").click()


def test_a_closed_site_asks_first_and_shows_what_was_wanted(
    page: Page, book: Edition, settings: Settings, check_accessibility: AccessibilityCheck, subtests: pytest.Subtests
) -> None:
    settings.LOGIN_REQUIRED = True
    User.objects.create_user(NAME, password=PASSWORD)
    page.goto("/monographs/?q=panadol")
    expect(page.get_by_role("heading", name="Đăng nhập")).to_be_visible()
    check_in_all_looks(page, check_accessibility, subtests)
    sign_in(page, "sai")
    expect(page.get_by_role("alert")).to_contain_text("không đúng")
    check_in_all_looks(page, check_accessibility, subtests)
    sign_in(page)
    expect(page).to_have_url(page.url.split("/sign-in")[0])
    expect(page.locator(".account")).to_contain_text(NAME)
    assert page.url.endswith("/monographs/?q=panadol")
    check_in_all_looks(page, check_accessibility, subtests)


def test_a_new_password_and_out(
    page: Page, book: Edition, check_accessibility: AccessibilityCheck, subtests: pytest.Subtests
) -> None:
    User.objects.create_user(NAME, password=PASSWORD)
    page.goto("/")
    page.get_by_role("link", name="Đăng nhập").click()
    sign_in(page)
    page.get_by_role("link", name="Đổi mật khẩu").click()
    page.get_by_label("Mật khẩu đang dùng").fill(PASSWORD)
    page.get_by_label("Mật khẩu mới", exact=True).fill(NEW)
    page.get_by_label("Mật khẩu mới, gõ lại").fill("khac")
    page.get_by_role("button", name="Đổi mật khẩu").click()
    expect(page.get_by_role("alert").first).to_be_visible()
    check_in_all_looks(page, check_accessibility, subtests)
    page.get_by_label("Mật khẩu đang dùng").fill(PASSWORD)
    page.get_by_label("Mật khẩu mới", exact=True).fill(NEW)
    page.get_by_label("Mật khẩu mới, gõ lại").fill(NEW)
    page.get_by_role("button", name="Đổi mật khẩu").click()
    expect(page.get_by_role("heading", name="Đã đổi mật khẩu")).to_be_visible()
    check_in_all_looks(page, check_accessibility, subtests)
    page.get_by_role("button", name="Đăng xuất").click()
    expect(page.get_by_role("link", name="Đăng nhập")).to_be_visible()


def test_too_many_questions_leave_the_typed_one_in_the_box(
    page: Page, book: Edition, settings: Settings, check_accessibility: AccessibilityCheck, subtests: pytest.Subtests
) -> None:
    page.goto("/")
    page.locator("#composer textarea").fill(QUESTION)
    page.keyboard.press("Enter")
    expect(page.locator(".block-dosage")).to_be_visible()
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"questions": Rate(1, 3600)}
    for typed in ("Còn trẻ em?", "Còn người cao tuổi?"):
        page.locator("#composer textarea").fill(typed)
        page.keyboard.press("Enter")
        page.wait_for_load_state("networkidle")
    expect(page.locator("#connection-notice")).to_contain_text("Quá nhiều yêu cầu")
    expect(page.locator("#composer textarea")).to_have_value("Còn người cao tuổi?")


def test_a_page_that_is_refused_says_how_long_to_wait(
    page: Page, book: Edition, settings: Settings, check_accessibility: AccessibilityCheck, subtests: pytest.Subtests
) -> None:
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"searches": Rate(1, 60)}
    page.goto("/monographs/?q=panadol")
    page.goto("/monographs/?q=panadol")
    expect(page.get_by_role("heading", name="Quá nhiều yêu cầu")).to_be_visible()
    check_in_all_looks(page, check_accessibility, subtests)
