"""Reading without a network, in a real browser: what stays and says what it is, what never stays, what is forgotten."""

from __future__ import annotations

import re
import threading
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models import F
from django.http import HttpResponse
from playwright.sync_api import Page, expect
from pytest_django.fixtures import Settings

from monographs import offline, reading, views
from monographs.domain import SectionKey
from monographs.models import Edition, EditionState
from tests.browser.checks import ask, check, check_in_all_looks
from tests.browser.conftest import Look
from tests.conftest import AccessibilityCheck
from tests.factories import make_edition, make_monograph, make_section
from tests.site.waiting import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PARACETAMOL = "/monographs/paracetamol/"
NOTICE = "Bản lưu trên máy này"
KEPT = """async () => {
  const names = (await caches.keys()).filter(name => name.startsWith('duocthu-kept-'));
  const found = await Promise.all(names.map(async name => (await (await caches.open(name)).keys()).map(
    request => new URL(request.url).pathname)));
  return found.flat();
}"""
EVERYTHING = """async () => {
  const texts = [];
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const request of await cache.keys()) texts.push(request.url + ' ' + await (await cache.match(request)).text());
  }
  return texts;
}"""
CONTROLLED = "() => navigator.serviceWorker.controller !== null"


@pytest.fixture(autouse=True)
def keeping(settings: Settings, book: Edition) -> Edition:
    settings.OFFLINE_MONOGRAPHS = 3
    return book


def kept(page: Page) -> list[str]:
    found: list[str] = page.evaluate(KEPT)
    return found


def monographs_kept(page: Page) -> list[str]:
    """In the order in which they were read."""
    return [path for path in kept(page) if path.startswith("/monographs/")]


def read(page: Page, path: str = PARACETAMOL) -> None:
    """Opens a monograph, until the device has it."""
    page.goto(path)
    slug = path.split("/")[2]
    wait_until(lambda: monographs_kept(page)[-1:] == [f"/monographs/{slug}/"] and page.evaluate(CONTROLLED))


def cut(page: Page) -> None:
    page.context.set_offline(True)


def sign_in(page: Page) -> None:
    page.goto("/sign-in/")
    page.get_by_label("Tên đăng nhập").fill("admin")
    page.get_by_label("Mật khẩu").fill("password")
    page.get_by_role("button", name="Đăng nhập").click()
    expect(page.get_by_role("button", name="Đăng xuất")).to_be_visible()


def test_a_monograph_read_before_opens_without_a_network_and_says_what_it_is(
    page: Page, book: Edition, look: Look, check_accessibility: AccessibilityCheck
) -> None:
    look.apply(page)
    read(page)
    expect(page.get_by_role("region", name=NOTICE)).to_have_count(0)
    cut(page)
    page.reload()
    notice = page.get_by_role("region", name=NOTICE)
    expect(notice).to_be_in_viewport()
    expect(notice).to_contain_text(
        re.compile(rf"Ấn bản: Dược thư mẫu · {book.year}\. Đã lưu lúc \d\d:\d\d \d\d/\d\d/\d{{4}}\.")
    )
    expect(page.locator("#lieu-dung")).to_be_attached()
    expect(page.get_by_text("0,5 - 1 g/lần")).to_be_visible()
    check(page, check_accessibility)


def test_a_section_read_before_brings_its_whole_monograph(page: Page, book: Edition) -> None:
    read(page, "/monographs/paracetamol/chong-chi-dinh/")
    cut(page)
    page.goto("/monographs/paracetamol/chong-chi-dinh/")
    expect(page).to_have_url(f"{PARACETAMOL}#chong-chi-dinh")
    expect(page.locator("#chong-chi-dinh")).to_be_in_viewport()
    expect(page.get_by_role("region", name=NOTICE)).to_be_attached()
    page.goto("/monographs/paracetamol/lieu-dung/")
    expect(page).to_have_url(f"{PARACETAMOL}#lieu-dung")


def test_tables_stay_readable_as_the_pictures_they_are(page: Page, book: Edition) -> None:
    read(page)
    wait_until(lambda: any(path.endswith("/crop.png") for path in kept(page)))
    cut(page)
    page.reload()
    picture = page.locator(".held-back img").first
    picture.scroll_into_view_if_needed()
    expect(page.locator(".held-back .crop-ready").first).to_be_visible()
    assert picture.evaluate("e => e.naturalWidth") > 0


def test_a_kept_page_looks_and_is_guarded_as_on_the_server(page: Page, book: Edition) -> None:
    read(page)
    font = "document.fonts.ready.then(() => document.fonts.check('16px \"Be Vietnam Pro\"', 'ỄẬỚ'))"
    colour = "getComputedStyle(document.querySelector('.sample-band')).backgroundColor"
    before = page.evaluate(colour)
    cut(page)
    response = page.reload()
    assert response is not None and response.from_service_worker
    policy = response.header_value("Content-Security-Policy") or ""
    assert "default-src 'self'" in policy and "unsafe" not in policy
    assert page.evaluate(colour) == before and page.evaluate(font)


@pytest.mark.parametrize("path", ["/", "/monographs/", "/monographs/?q=para", "/monographs/dong-sulfat/", "/compare/"])
def test_everything_else_is_said_to_need_the_network(
    page: Page, book: Edition, check_accessibility: AccessibilityCheck, subtests: pytest.Subtests, path: str
) -> None:
    read(page)
    cut(page)
    page.goto(path)
    expect(page.get_by_role("heading", level=1)).to_have_text("Không nối được với máy chủ")
    item = page.get_by_role("listitem").filter(has_text="Paracetamol")
    expect(item).to_contain_text(f"Dược thư mẫu · {book.year}, đã lưu lúc ")
    if path == "/":
        check_in_all_looks(page, check_accessibility, subtests)
    page.get_by_role("link", name="Paracetamol").click()
    expect(page.get_by_role("region", name=NOTICE)).to_be_visible()


def test_an_edition_that_is_not_served_is_not_passed_off_as_the_one_that_is(page: Page, book: Edition) -> None:
    read(page)
    cut(page)
    page.goto(f"{PARACETAMOL}?edition=999")
    expect(page.get_by_role("heading", level=1)).to_have_text("Không nối được với máy chủ")


def test_with_nothing_kept_the_page_says_so(page: Page, book: Edition) -> None:
    page.goto("/")
    wait_until(lambda: page.evaluate(CONTROLLED))
    cut(page)
    page.goto("/compare/")
    expect(page.get_by_text("Chưa có chuyên luận nào được lưu")).to_be_visible()
    expect(page.get_by_role("heading", name="Chuyên luận đã lưu")).to_be_hidden()


def test_back_on_the_network_the_page_is_the_servers_and_forms_work(page: Page, book: Edition) -> None:
    read(page)
    cut(page)
    page.reload()
    expect(page.get_by_role("region", name=NOTICE)).to_be_visible()
    page.context.set_offline(False)
    page.get_by_role("link", name="Thử lại").click()
    expect(page.get_by_role("region", name=NOTICE)).to_have_count(0)
    ask(page)
    expect(page.locator(".block-dosage")).to_contain_text("0,5 - 1 g/lần")


def test_answers_and_staff_pages_are_never_kept(page: Page, book: Edition, admin_user: User) -> None:
    read(page)
    ask(page)
    page.locator(".chip").first.click()
    expect(page.locator("#source-panel .crop-ready").first).to_be_visible()
    for path in ("/monographs/", "/help/", "/admin/login/", page.url):
        page.goto(path)
    stored = page.evaluate(EVERYTHING)
    addresses = [text.partition(" ")[0] for text in stored]
    assert any(address.endswith(PARACETAMOL) for address in addresses)
    for address in addresses:
        path = "/" + address.split("/", 3)[3]
        assert path.startswith(("/static/", "/passages/")) or path in {PARACETAMOL, "/offline/"}, path
    assert not any("Liều paracetamol cho người lớn" in text for text in stored)
    cut(page)
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("Không nối được với máy chủ")
    expect(page.get_by_text("0,5 - 1 g/lần")).to_have_count(0)


def test_only_the_last_are_kept_and_reading_again_counts(page: Page, book: Edition) -> None:
    for name in ("Aspirin", "Cefalexin", "Digoxin"):
        make_section(make_monograph(book, name), SectionKey.CHI_DINH, f"{name}: chỉ định.")
    for slug in ("paracetamol", "aspirin", "cefalexin", "paracetamol"):
        read(page, f"/monographs/{slug}/")
    read(page, "/monographs/digoxin/")
    wait_until(lambda: "/monographs/aspirin/" not in kept(page))
    assert monographs_kept(page) == ["/monographs/cefalexin/", PARACETAMOL, "/monographs/digoxin/"]


class TestForgetting:
    """What was kept goes away by itself."""

    def test_at_signing_out_before_the_server_answers(self, page: Page, book: Edition, admin_user: User) -> None:
        sign_in(page)
        read(page)
        cut(page)
        page.reload()
        page.get_by_role("button", name="Đăng xuất").click()
        page.wait_for_url("chrome-error://**")
        page.goto(PARACETAMOL)
        expect(page.get_by_role("heading", level=1)).to_have_text("Không nối được với máy chủ")
        assert kept(page) == []

    def test_when_somebody_else_signs_in(self, page: Page, book: Edition, admin_user: User, settings: Settings) -> None:
        settings.LOGIN_REQUIRED = True
        sign_in(page)
        read(page)
        page.context.clear_cookies()
        page.goto("/")
        expect(page.get_by_label("Tên đăng nhập")).to_be_visible()
        wait_until(lambda: not kept(page))
        cut(page)
        page.goto(PARACETAMOL)
        expect(page.get_by_role("heading", level=1)).to_have_text("Không nối được với máy chủ")

    @pytest.mark.parametrize("change", ["switched", "withdrawn", "corrected"])
    def test_when_the_book_changes(self, page: Page, book: Edition, change: str) -> None:
        read(page)
        if change == "corrected":
            Edition.objects.update(revision=F("revision") + 1)
        else:
            Edition.objects.update(state=EditionState.SUPERSEDED)
        if change == "switched":
            make_edition(title="Dược thư mới")
        page.goto("/help/")
        wait_until(lambda: not kept(page))
        cut(page)
        page.goto(PARACETAMOL)
        expect(page.get_by_role("heading", level=1)).to_have_text("Không nối được với máy chủ")

    def test_when_keeping_is_switched_off(self, page: Page, book: Edition, settings: Settings) -> None:
        read(page)
        settings.OFFLINE_MONOGRAPHS = 0
        page.goto("/help/")
        page.evaluate("navigator.serviceWorker.getRegistration().then(found => found && found.update())")
        wait_until(lambda: page.evaluate("caches.keys()") == [])
        wait_until(lambda: not page.evaluate("navigator.serviceWorker.getRegistration().then(Boolean)"))


def test_a_server_that_does_not_answer_counts_as_none(
    page: Page, book: Edition, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offline, "WAIT_SECONDS", 1)
    read(page)
    silent = threading.Event()
    read_monograph = reading.read_monograph

    def never(*arguments: Any) -> object:
        silent.wait(30)
        return read_monograph(*arguments)

    monkeypatch.setattr(reading, "read_monograph", never)
    try:
        page.goto(PARACETAMOL)
        expect(page.get_by_role("region", name=NOTICE)).to_be_visible()
    finally:
        silent.set()


def test_a_server_behind_a_proxy_that_cannot_reach_it_counts_as_none(
    page: Page, book: Edition, monkeypatch: pytest.MonkeyPatch
) -> None:
    read(page)
    monkeypatch.setattr(views, "render", lambda *_arguments: HttpResponse("Bad gateway", status=502))
    page.goto(PARACETAMOL)
    expect(page.get_by_role("region", name=NOTICE)).to_be_visible()


def test_without_javascript_the_book_reads_as_before(plain_page: Page, book: Edition) -> None:
    plain_page.goto(PARACETAMOL)
    expect(plain_page.get_by_text("0,5 - 1 g/lần")).to_be_visible()
    plain_page.goto("/offline/")
    expect(plain_page.get_by_role("heading", level=1)).to_have_text("Không nối được với máy chủ")
