"""Answers about several drugs as they are seen: comparisons in columns, lists, mixing; on paper and by keyboard."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from chat.conversation import ask_in_order
from chat.models import Conversation, Turn
from monographs.models import Edition
from tests.browser.checks import ask, check_in_all_looks
from tests.conftest import AccessibilityCheck
from tests.factories import make_turn
from tests.sample_edition import publish_sample

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
DRUGS = ("LOSARTAN", "ENALAPRIL", "IBUPROFEN", "PARACETAMOL", "CEFTRIAXON", "GENTAMICIN", "METRONIDAZOL", "WARFARIN")
APPENDIX = ("PHỤ LỤC 1: PHA THUỐC TIÊM TRUYỀN",)
QUESTIONS = {
    "comparison": "so sánh chống chỉ định của losartan, enalapril và xyzalol",
    "candidates": "đau đầu ở phụ nữ có thai đang uống warfarin dùng thuốc gì",
    "relation": "thuốc nào gây ho",
    "mixing": "trộn gentamicin với ceftriaxon chung bơm tiêm",
    "asked back": "so sánh losartan và enalapril",
}


@pytest.fixture
def sample(live_server: LiveServer, settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Edition:
    """Some monographs of the sample, and its appendix."""
    settings.DUOCTHU_DATA_DIR = tmp_path_factory.mktemp("data")
    return publish_sample((*DRUGS, *APPENDIX))


def answered(page: Page, question: str) -> Turn:
    """A turn with the answer of this question, added to the conversation that this browser has begun."""
    ask(page, question)
    turn = make_turn(Conversation.objects.get(), ask_in_order([question]), question=question)
    page.goto(f"/turns/{turn.pk}/")
    return turn


@pytest.mark.parametrize("kind", QUESTIONS)
def test_answers_in_all_looks(
    page: Page, sample: Edition, check_accessibility: AccessibilityCheck, subtests: pytest.Subtests, kind: str
) -> None:
    answered(page, QUESTIONS[kind])
    check_in_all_looks(page, check_accessibility, subtests)


def test_columns_stand_side_by_side_on_a_desk_and_below_one_another_on_a_phone(page: Page, sample: Edition) -> None:
    answered(page, QUESTIONS["comparison"])
    columns = page.locator(".compared-drug")
    expect(columns).to_have_count(2)
    expect(columns.first).to_contain_text("Losartan")
    expect(page.locator(".missing")).to_contain_text("xyzalol")
    page.set_viewport_size({"width": 1280, "height": 800})
    first, second = columns.nth(0).bounding_box(), columns.nth(1).bounding_box()
    assert first is not None
    assert second is not None
    assert (first["y"], first["x"] < second["x"]) == (second["y"], True)
    page.set_viewport_size({"width": 360, "height": 800})
    first, second = columns.nth(0).bounding_box(), columns.nth(1).bounding_box()
    assert first is not None
    assert second is not None
    assert first["y"] + first["height"] <= second["y"]


def test_each_drug_of_a_list_has_its_status_in_words_and_its_sources(page: Page, sample: Edition) -> None:
    answered(page, QUESTIONS["candidates"])
    entries = page.locator(".candidate")
    expect(entries).to_have_count(2)
    expect(entries.nth(0)).to_contain_text("Chống chỉ định với người bệnh này")
    expect(entries.nth(0).locator(".chip").first).to_be_visible()
    expect(page.locator(".answer-note")).to_contain_text("có thể chưa đủ")


@pytest.mark.parametrize("kind", ["comparison", "candidates"])
def test_on_paper_everything_is_there(page: Page, sample: Edition, kind: str) -> None:
    answered(page, QUESTIONS[kind])
    on_screen = page.locator(".claim-text").count()
    page.emulate_media(media="print")
    assert page.locator(".claim-text:visible").count() == on_screen
    expect(page.locator(".colophon").first).to_be_visible()


def test_sources_are_reached_by_keyboard_in_the_order_of_the_columns(page: Page, sample: Edition) -> None:
    answered(page, QUESTIONS["comparison"])
    chips = page.locator(".compared .chip")
    chips.first.focus()
    numbers = [chips.nth(place).inner_text() for place in range(chips.count())]
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.innerText") == numbers[1]


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without"])
def test_the_page_of_sections_works_with_and_without_scripts(
    browser: Browser, live_server: LiveServer, sample: Edition, scripts: bool
) -> None:
    context = browser.new_context(base_url=live_server.url, java_script_enabled=scripts)
    try:
        page = context.new_page()
        page.goto("/compare/sections/")
        page.get_by_label("Các thuốc, mỗi dòng một thuốc").fill("losartan\nenalapril")
        page.get_by_label("Mục", exact=True).select_option("chong_chi_dinh")
        page.get_by_role("button", name="Đặt cạnh nhau").click()
        expect(page.locator(".compared-drug")).to_have_count(2)
        expect(page.get_by_label("Mục", exact=True)).to_have_value("chong_chi_dinh")
        page.locator(".compared .chip").first.click()
        expect(page.locator("h1, h2").first).to_be_visible()
    finally:
        context.close()


@pytest.mark.parametrize(
    "query",
    ["", "?thuoc=losartan%0Aenalapril&muc=adr", "?thuoc=losartan&muc=adr", "?thuoc=losartan%0Axyzalol&muc=chi_dinh"],
    ids=["empty", "compared", "one alone", "one unknown"],
)
def test_the_page_of_sections_in_all_looks(
    page: Page, sample: Edition, check_accessibility: AccessibilityCheck, subtests: pytest.Subtests, query: str
) -> None:
    page.goto(f"/compare/sections/{query}")
    check_in_all_looks(page, check_accessibility, subtests)
