"""The review as a reviewer does it: by keyboard only, two at once, everything undone, and kept over a new ingest."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

import pytest
from django.test import Client
from playwright.sync_api import Browser, Page, expect
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer
from reportlab.pdfgen.canvas import Canvas

from ingest.domain import ParsedPassage
from ingest.models import Review, ReviewClaim
from monographs.domain import PassageKind, PassageState
from monographs.models import Edition, Passage
from tests.browser.checks import BROKEN_GROUPS, OVERFLOW, SMALL_TARGETS
from tests.browser.conftest import LOOKS
from tests.conftest import AccessibilityCheck, wait_until
from tests.ingest.reviewing import PDF, build, doubtful, make_reviewer, passages_in, sure

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
QUEUE = "/admin/ingest/review/queue/"
WAITING = 20
# What stands around a page is the admin's own.
OWN_TARGETS = SMALL_TARGETS.replace("document.querySelectorAll(", "document.querySelector('.review').querySelectorAll(")


class Opening(Protocol):
    """opened("lan"): a browser in which this reviewer is logged in, at the queue."""

    def __call__(self, name: str, *, scripts: bool = True) -> AbstractContextManager[Page]: ...


def parsed() -> list[ParsedPassage]:
    """Twenty passages that wait, four of them tables, on two pages of the PDF; and one that is served."""
    waiting = [
        doubtful(
            f"Đoạn {n}: uống 1 {n:02} mg.",
            y=60.0 + 60 * (n % 10),
            page=1 + n // 10,
            kind=PassageKind.TABLE if n % 5 == 4 else PassageKind.TEXT,
        )
        for n in range(WAITING)
    ]
    return [*waiting, sure("Đã rõ.", y=700)]


@pytest.fixture
def edition(live_server: LiveServer, settings: Settings, tmp_path: Path) -> Edition:
    settings.DUOCTHU_DATA_DIR = tmp_path
    path = tmp_path / "editions" / f"{PDF}.pdf"
    path.parent.mkdir()
    canvas = Canvas(str(path), pagesize=(595, 842))
    for page in (1, 2):
        for passage in parsed():
            if passage.pdf_page == page:
                canvas.drawString(50, 842 - passage.boxes[0].y1 + 3, f"p. {page}")
        canvas.showPage()
    canvas.save()
    return build(parsed(), publish=True)


@pytest.fixture
def opened(browser: Browser, live_server: LiveServer) -> Opening:
    """Browsers for several people at once, each of which breaks no script and no content policy."""

    @contextmanager
    def enter(name: str, *, scripts: bool = True) -> Iterator[Page]:
        client = Client()
        client.force_login(make_reviewer(name))
        context = browser.new_context(base_url=live_server.url, locale="vi-VN", java_script_enabled=scripts)
        context.set_default_timeout(10_000)
        cookie = client.cookies["sessionid"].value
        context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
        page, troubles = context.new_page(), list[str]()
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("console", lambda said: troubles.append(said.text) if "Content Security" in said.text else None)
        page.goto(QUEUE)
        yield page
        context.close()
        assert troubles == []

    return enter


def check(page: Page, check_accessibility: AccessibilityCheck) -> None:
    """What holds on every page of the review."""
    check_accessibility(page)
    assert page.evaluate(OVERFLOW) == 0
    assert page.evaluate(OWN_TARGETS) == []
    assert page.evaluate(BROKEN_GROUPS) == 0


def check_in_all_looks(page: Page, check_accessibility: AccessibilityCheck, subtests: pytest.Subtests) -> None:
    """The page as it is, at both widths and in both themes."""
    page.wait_for_load_state("load")
    for look in LOOKS:
        with subtests.test(look=str(look)):
            look.apply(page)
            check(page, check_accessibility)


def at(page: Page) -> int:
    """The passage that is open."""
    return int(page.url.partition("/passage/")[2].partition("/")[0])


def press(page: Page, key: str) -> None:
    """A key that leads to another page."""
    with page.expect_navigation():
        page.keyboard.press(key)


def clear_one(page: Page, turn: int) -> None:
    """Decides on the open passage, each way in turn, with the keyboard alone."""
    if turn % 4 == 0:
        press(page, "a")
    elif turn % 4 == 1:
        page.keyboard.press("e")
        page.keyboard.type(" Đã sửa, phím a r h n p ?")
        press(page, "Control+Enter")
    else:
        page.keyboard.press("r" if turn % 4 == 2 else "h")
        page.keyboard.type("Sai so với trang in: a n p")
        press(page, "Enter")


def test_reviewer_clears_twenty_by_keyboard_undoes_each_and_an_ingest_keeps_them(
    opened: Opening, edition: Edition
) -> None:
    untouched = list(Passage.objects.order_by("pk").values())
    with opened("lan") as page:
        press(page, "n")
        order = []
        for turn in range(WAITING):
            order.append(at(page))
            expect(page.locator(".review-progress")).to_contain_text(f"Còn {WAITING - turn}")
            clear_one(page, turn)
        expect(page.get_by_text("Không còn đoạn nào trống theo bộ lọc này.")).to_be_visible()
        assert order == [passage.pk for passage in passages_in(edition)[:WAITING]]
        decided = [(passage.state, passage.corrected_text) for passage in passages_in(edition)]
        states = [PassageState.SERVED, PassageState.CORRECTED, PassageState.REJECTED, PassageState.QUARANTINED]
        assert [state for state, _ in decided[:WAITING]] == states * (WAITING // 4)
        assert all(text.endswith(" Đã sửa, phím a r h n p ?") for state, text in decided if state == "corrected")
        assert Review.objects.count() == WAITING

        again = build(parsed(), parser_version="2")
        assert [(passage.state, passage.corrected_text) for passage in passages_in(again)] == decided
        again.delete()

        for turn in range(WAITING):
            press(page, "u")
            expect(page.get_by_text("Đã hoàn tác:")).to_be_visible()
            assert at(page) == order[-1 - turn]
    assert list(Passage.objects.order_by("pk").values()) == untouched
    assert not Review.objects.filter(undone_at=None).exists() and Review.objects.count() == WAITING


def test_two_reviewers_never_meet(opened: Opening, edition: Edition) -> None:
    seen: dict[str, list[int]] = {"lan": [], "minh": []}
    with opened("lan") as lan, opened("minh") as minh:
        pages = {"lan": lan, "minh": minh}
        for page in pages.values():
            press(page, "n")
        while any("/passage/" in page.url for page in pages.values()):
            for name, page in pages.items():
                if "/passage/" in page.url:
                    assert at(lan) != at(minh) if all("/passage/" in p.url for p in pages.values()) else True
                    seen[name].append(at(page))
                    press(page, "a")
    assert set(seen["lan"]).isdisjoint(seen["minh"])
    assert sorted(seen["lan"] + seen["minh"]) == [passage.pk for passage in passages_in(edition)[:WAITING]]
    assert Review.objects.count() == WAITING


def test_passage_that_another_holds_is_read_only_until_it_is_left(opened: Opening, edition: Edition) -> None:
    first = passages_in(edition)[0]
    with opened("lan") as lan, opened("minh") as minh:
        lan.get_by_role("link", name="Paracetamol").first.click()
        expect(lan.get_by_text("Bạn đang giữ đoạn này đến")).to_be_visible()
        minh.goto(f"/admin/ingest/review/passage/{first.pk}/")
        expect(minh.get_by_text("lan đang duyệt đoạn này đến")).to_be_visible()
        expect(minh.locator("form[data-decide]")).to_have_count(0)
        lan.goto(QUEUE)
        wait_until(lambda: not ReviewClaim.objects.exists(), timeout=10)
        minh.reload()
        expect(minh.get_by_text("Bạn đang giữ đoạn này đến")).to_be_visible()
        expect(minh.locator("form[data-decide]")).to_be_visible()


def test_refusal_keeps_what_was_typed(opened: Opening, edition: Edition) -> None:
    with opened("lan") as page:
        press(page, "n")
        page.keyboard.press("r")
        press(page, "Enter")
        expect(page.get_by_role("alert")).to_have_text("Cần ghi lý do khi loại hoặc giữ lại một đoạn.")
        page.keyboard.press("e")
        page.keyboard.type(" thêm\u200b")
        press(page, "Control+Enter")
        expect(page.get_by_role("alert")).to_contain_text("ký tự ẩn (U+200B")
        expect(page.get_by_label("Bản sửa")).to_have_value("Đoạn 0: uống 1 00 mg. thêm\u200b")
        press(page, "a")
        expect(page.get_by_role("alert")).to_contain_text("lại chọn duyệt nguyên văn")
        expect(page.get_by_label("Bản sửa")).to_have_value("Đoạn 0: uống 1 00 mg. thêm\u200b")
    assert not Review.objects.exists()


def test_keys_rest_in_boxes_and_in_the_help_sheet_and_can_be_switched_off(opened: Opening, edition: Edition) -> None:
    with opened("lan") as page:
        press(page, "n")
        here = page.url
        page.get_by_label("Lý do").focus()
        page.keyboard.type("a n p u ?")
        page.keyboard.press("Enter")
        expect(page.get_by_label("Lý do")).to_have_value("a n p u ?\n")
        page.keyboard.press("Escape")
        page.keyboard.press("?")
        sheet = page.get_by_role("dialog", name="Phím tắt")
        expect(sheet).to_be_visible()
        page.keyboard.press("a")
        sheet.get_by_role("button", name="Bật/tắt phím tắt").click()
        expect(sheet).to_contain_text("đang tắt")
        page.keyboard.press("Escape")
        expect(sheet).not_to_be_visible()
        page.keyboard.press("a")
        page.keyboard.press("n")
        page.get_by_role("button", name="Phím tắt").click()
        expect(sheet).to_be_visible()
        assert page.url == here and not Review.objects.exists()
        sheet.get_by_role("button", name="Bật/tắt phím tắt").click()
        sheet.get_by_role("button", name="Đóng").click()
        press(page, "j")
        press(page, "k")
        assert page.url == here


def test_key_held_down_decides_once(opened: Opening, edition: Edition) -> None:
    second = passages_in(edition)[1].pk
    with opened("lan") as page:
        press(page, "n")
        page.evaluate(
            """() => ["a", "a", "a"].forEach(key =>
              document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })))"""
        )
        page.wait_for_url(f"**/passage/{second}/**")
    assert Review.objects.count() == 1


def test_it_works_without_scripts(opened: Opening, edition: Edition) -> None:
    with opened("lan", scripts=False) as page:
        page.get_by_role("button", name="Bắt đầu duyệt").click()
        page.get_by_role("button", name="Duyệt nguyên văn a").click()
        page.get_by_label("Lý do (bắt buộc").fill("Sai.")
        page.get_by_role("button", name="Loại r").click()
        page.get_by_role("button", name="Hoàn tác u").click()
        expect(page.get_by_text("Đã hoàn tác: loại.")).to_be_visible()
        page.get_by_role("button", name="Bỏ qua").click()
        assert at(page) == passages_in(edition)[2].pk
    assert [p.state for p in passages_in(edition)[:2]] == [PassageState.SERVED, PassageState.QUARANTINED]


@pytest.mark.parametrize("state", ["waiting", "decided", "all"])
def test_queue_looks(
    opened: Opening,
    edition: Edition,
    check_accessibility: AccessibilityCheck,
    subtests: pytest.Subtests,
    state: str,
) -> None:
    with opened("lan") as page:
        press(page, "n")
        press(page, "a")
        page.goto(f"{QUEUE}?state={state}")
        check_in_all_looks(page, check_accessibility, subtests)


def test_item_looks(
    opened: Opening, edition: Edition, check_accessibility: AccessibilityCheck, subtests: pytest.Subtests
) -> None:
    with opened("lan") as page:
        press(page, "n")
        press(page, "a")
        expect(page.locator(".crop-ready")).to_have_count(1)
        expect(page.locator(".crop-marks rect")).to_have_count(1)
        check_in_all_looks(page, check_accessibility, subtests)
        press(page, "u")
        check_in_all_looks(page, check_accessibility, subtests)
        page.keyboard.press("r")
        press(page, "Enter")
        check(page, check_accessibility)
        page.get_by_role("button", name="Phím tắt").click()
        check_in_all_looks(page, check_accessibility, subtests)


def test_words_that_changed_look(
    opened: Opening, edition: Edition, check_accessibility: AccessibilityCheck, subtests: pytest.Subtests
) -> None:
    with opened("lan") as page:
        press(page, "n")
        clear_one(page, 1)
        changed = parsed()
        build([sure("Chữ mới.", y=62), *changed[1:]], publish=True, parser_version="2")
        page.goto(f"{QUEUE}?state=changed")
        expect(page.get_by_text("Chữ đã đổi: trước đây lan đã sửa")).to_be_visible()
        check_in_all_looks(page, check_accessibility, subtests)
        page.get_by_role("link", name="Paracetamol").click()
        expect(page.get_by_label("Bản sửa")).to_have_value("Đoạn 0: uống 1 00 mg. Đã sửa, phím a r h n p ?")
        check_in_all_looks(page, check_accessibility, subtests)
