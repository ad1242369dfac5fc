"""Drugs side by side in a real browser: both widths, both themes, with and without scripts, on paper, by keyboard."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from monographs.domain import SectionKey
from monographs.models import Edition
from tests.browser.checks import check_in_all_looks
from tests.browser.conftest import Look
from tests.conftest import AccessibilityCheck
from tests.factories import make_monograph, make_section

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PAGE = "/compare/interactions/"
THREE = PAGE + "?" + urlencode({"thuoc": "1. Alphadin 5mg\n2. Betadinol 10 mg\n3. Panadol 500mg\n4. Xyzabol"})
TWO = PAGE + "?" + urlencode({"thuoc": "Alphadin\nBetadinol"})


@pytest.fixture
def pairs(book: Edition) -> Edition:
    """Beside paracetamol two drugs of which the first names the second."""
    for name, said in (("Alphadin", "Betadinol: tránh phối hợp."), ("Betadinol", "Theo dõi.")):
        monograph = make_monograph(book, name)
        make_section(monograph, SectionKey.LOAI_THUOC, "Thuốc thử.")
        for key in (SectionKey.CHONG_CHI_DINH, SectionKey.THAN_TRONG, SectionKey.LIEU_DUNG):
            make_section(monograph, key, "Theo dõi.")
        make_section(monograph, SectionKey.TUONG_TAC, said)
    return book


@pytest.mark.parametrize(
    "path", ["/compare/", PAGE, PAGE + "?thuoc=Alphadin", TWO, THREE], ids=["root", "empty", "one", "two", "many"]
)
def test_pages(
    page: Page, pairs: Edition, check_accessibility: AccessibilityCheck, subtests: pytest.Subtests, path: str
) -> None:
    page.goto(path)
    check_in_all_looks(page, check_accessibility, subtests)


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_list_is_typed_added_to_and_read(
    page: Page, plain_page: Page, pairs: Edition, look: Look, *, scripts: bool
) -> None:
    shown = page if scripts else plain_page
    look.apply(shown)
    shown.goto("/compare/")
    shown.get_by_role("link", name="Đối chiếu tương tác").click()
    shown.get_by_label("Các thuốc, mỗi dòng một thuốc").fill("Alphadin")
    shown.get_by_label("Thêm một thuốc").fill("Betadinol")
    shown.get_by_role("button", name="Thêm", exact=True).click()
    expect(shown.get_by_label("Các thuốc, mỗi dòng một thuốc")).to_have_value("Alphadin\nBetadinol")
    shown.get_by_role("link", name="Có nêu").click()
    expect(shown.locator(".claim:target")).to_contain_text("tránh phối hợp")
    shown.locator(".claim:target .chip").click()
    expect(shown.get_by_role("heading", level=1)).to_contain_text("Alphadin")


def test_cells_tell_their_column_where_the_table_is_stacked(page: Page, pairs: Edition) -> None:
    page.goto(THREE)
    for width, stacked in ((360, True), (1280, False)):
        page.set_viewport_size({"width": width, "height": 800})
        expect(page.locator(".pair-about").first).to_be_visible(visible=stacked)
        expect(page.get_by_role("cell").filter(has_text="Có nêu").first).to_be_visible()


def test_paper_has_the_grid_and_the_quotes_and_not_the_form(page: Page, pairs: Edition) -> None:
    page.goto(THREE)
    page.emulate_media(media="print")
    expect(page.locator(".drug-list")).to_be_hidden()
    expect(page.locator(".pair-grid")).to_be_visible()
    expect(page.locator(".claim").first).to_be_visible()
    expect(page.locator(".compare-result .colophon")).to_be_visible()


def test_cells_are_reached_and_followed_by_keyboard(page: Page, pairs: Edition) -> None:
    page.goto(THREE)
    link = page.get_by_role("link", name="Có nêu").first
    link.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".claim:target")).to_be_in_viewport()


def test_keys_lead_to_the_page(page: Page, pairs: Edition) -> None:
    page.goto("/")
    page.locator("h1").click()
    page.keyboard.press("g")
    page.keyboard.press("s")
    page.wait_for_url("**/compare/")
