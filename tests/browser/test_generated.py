"""Answers that a model put into words, as they are seen: labelled, cited, with a way to the book where they fail."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from chat.llm.domain import Fault, Purpose
from chat.llm.local_server import LocalBedrock
from chat.model_text import MODEL_TAG, SUMMARY_TAG
from chat.models import Conversation, Turn, TurnState
from monographs.models import Edition
from tests.browser.checks import ask, check_in_all_looks, finish
from tests.browser.conftest import Look
from tests.conftest import AccessibilityCheck
from tests.factories import make_turn
from tests.sample_edition import publish_sample

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
QUESTION = "chống chỉ định ibuprofen"


@pytest.fixture
def bedrock(live_server: LiveServer, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalBedrock]:
    """A provider that copies, or says what it is told to; both the answer and its summary come from it."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "local")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")
    with LocalBedrock() as server:
        settings.ANSWER_PROVIDER = settings.SUMMARY_PROVIDER = "bedrock"
        settings.BEDROCK_ENDPOINT_URL, settings.BEDROCK_REGION = server.url, "ap-southeast-1"
        for part in ("ANSWER", "JUDGE", "SUMMARY", "UNDERSTANDING"):
            setattr(settings, f"BEDROCK_{part}_MODEL", "no-model")
        yield server


@pytest.fixture
def sample(live_server: LiveServer, settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Edition:
    settings.DUOCTHU_DATA_DIR = tmp_path_factory.mktemp("data")
    return publish_sample()


def test_an_answer_and_its_summary_are_labelled_in_all_looks(
    page: Page,
    sample: Edition,
    bedrock: LocalBedrock,
    check_accessibility: AccessibilityCheck,
    subtests: pytest.Subtests,
) -> None:
    ask(page, QUESTION)
    expect(page.locator(".verdict")).to_contain_text("do mô hình soạn")
    expect(page.locator(".summary .tag-model")).to_have_text(SUMMARY_TAG)
    expect(page.locator(".summary .chip").first).to_be_visible()
    for tag in page.locator(".block-head .tag").all():
        expect(tag).to_have_text(MODEL_TAG)
    expect(page.get_by_text("Nguyên văn", exact=True)).to_have_count(0)
    above, below = page.locator(".summary").bounding_box(), page.locator(".block").first.bounding_box()
    assert above is not None and below is not None and above["y"] < below["y"]
    check_in_all_looks(page, check_accessibility, subtests)


def test_labels_are_printed(page: Page, sample: Edition, bedrock: LocalBedrock) -> None:
    ask(page, QUESTION)
    page.emulate_media(media="print")
    for tag in page.locator(".tag-model").all():
        assert tag.is_visible()
    expect(page.locator(".summary-note")).to_be_visible()
    expect(page.locator(".colophon").first).to_be_visible()


def test_a_source_of_a_summary_opens_beside_it(page: Page, sample: Edition, bedrock: LocalBedrock) -> None:
    ask(page, QUESTION)
    page.locator(".summary .chip").first.click()
    expect(page.locator("#source-title")).to_be_focused()


def test_a_summary_that_is_not_used_leaves_no_trace(page: Page, sample: Edition, bedrock: LocalBedrock) -> None:
    bedrock.script(Purpose.SUMMARY, Fault.MALFORMED)
    ask(page, QUESTION)
    expect(page.locator(".block").first).to_be_visible()
    expect(page.locator(".summary")).to_have_count(0)


@pytest.mark.parametrize("question", [QUESTION, "so sánh chống chỉ định của ibuprofen và warfarin"])
def test_where_the_provider_fails_the_section_is_one_click_away(
    page: Page,
    sample: Edition,
    bedrock: LocalBedrock,
    check_accessibility: AccessibilityCheck,
    subtests: pytest.Subtests,
    question: str,
) -> None:
    bedrock.script(Purpose.DRAFT, Fault.SERVER_ERROR)
    ask(page, question)
    expect(page.locator(".verdict-abstain")).to_contain_text("không hoạt động")
    check_in_all_looks(page, check_accessibility, subtests)
    page.locator(".related a", has_text="Chống chỉ định").first.click()
    expect(page.locator("h1")).to_contain_text("Ibuprofen")
    assert "/monographs/ibuprofen/chong" in page.url


@pytest.mark.parametrize("stage", ["understand", "judge", "summary"])
def test_a_page_without_scripts_refreshes_itself_until_there_is_an_answer(
    browser: Browser, plain_page: Page, sample: Edition, look: Look, stage: str
) -> None:
    look.apply(plain_page)
    ask(plain_page, QUESTION)
    turn = make_turn(Conversation.objects.get(), state=TurnState.RUNNING, stage=stage, question="Câu sau")
    plain_page.goto(f"/turns/{turn.pk}/")
    expect(plain_page.locator(".step-now")).to_have_count(1)
    assert plain_page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    finish(Turn.objects.get(pk=turn.pk), "")
    expect(plain_page.locator(".block").first).to_be_visible(timeout=15_000)
    expect(plain_page.locator(".step")).to_have_count(0)
