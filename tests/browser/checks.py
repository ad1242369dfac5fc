"""What holds on every screen, and the steps that journeys share."""

from __future__ import annotations

import io

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page

from chat.models import Turn, TurnState
from monographs.models import Passage
from tests.browser.conftest import LOOKS
from tests.conftest import AccessibilityCheck
from tests.factories import make_answer

QUESTION = "Liều paracetamol cho người lớn đường uống?"
SMALL_TARGETS = """() => [...document.querySelectorAll('a, button, summary, input, textarea, select')].filter(e => {
  const box = e.getBoundingClientRect();
  const inText = e.tagName === 'A' && e.closest('p, dd, h2') && !e.matches('.chip');
  if (!e.checkVisibility() || inText || e.matches('.skip')) return false;
  return box.width > 1 && (box.width < 24 || box.height < 24);
}).map(e => e.outerHTML.slice(0, 120))"""
BROKEN_GROUPS = "() => [...document.querySelectorAll('.nowrap')].filter(e => e.getClientRects().length > 1).length"
OVERFLOW = """() => [document.documentElement, ...document.querySelectorAll('dialog[open]')].filter(
  e => e.scrollWidth > e.clientWidth).length"""
COVERED = """e => {
  const box = e.getClientRects()[0];
  const found = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return e.contains(found) ? '' : `${e.outerHTML.slice(0, 120)} under ${found ? found.outerHTML.slice(0, 120) : '-'}`;
}"""


def check(page: Page, check_accessibility: AccessibilityCheck) -> None:
    """What holds on every screen."""
    check_accessibility(page)
    assert page.evaluate(OVERFLOW) == 0
    small = page.evaluate(SMALL_TARGETS)
    assert not small, (page.url, small)
    assert page.evaluate(BROKEN_GROUPS) == 0


def check_in_all_looks(page: Page, check_accessibility: AccessibilityCheck, subtests: pytest.Subtests) -> None:
    """The page as it is, at both widths and in both themes."""
    page.wait_for_load_state("load")
    for look in LOOKS:
        with subtests.test(look=str(look)):
            look.apply(page)
            check(page, check_accessibility)


def covered(element: Locator) -> str:
    """What lies over the middle of an element; "" where nothing does."""
    found: str = element.evaluate(COVERED)
    return found


def assert_mark_covers_the_ink(page: Page, shown_in: Locator) -> None:
    """The picture's black bar, found in its own pixels, lies inside the drawn box."""
    picture = shown_in.locator(".crop img")
    address = picture.get_attribute("src")
    assert address is not None
    image = Image.open(io.BytesIO(page.request.get(address).body())).convert("L")
    ink = image.point(lambda value: 255 if value < 128 else 0).getbbox()
    shown, mark = picture.bounding_box(), shown_in.locator(".crop-marks rect").bounding_box()
    assert ink is not None
    assert shown is not None
    assert mark is not None
    scale = shown["width"] / image.width
    left, top = shown["x"] + ink[0] * scale, shown["y"] + ink[1] * scale
    right, bottom = shown["x"] + ink[2] * scale, shown["y"] + ink[3] * scale
    assert mark["x"] - 1 <= left < right <= mark["x"] + mark["width"] + 1
    assert mark["y"] - 1 <= top < bottom <= mark["y"] + mark["height"] + 1
    assert mark["height"] < (bottom - top) * 2


def ask(page: Page, question: str = QUESTION) -> None:
    """A new conversation."""
    page.goto("/")
    page.get_by_label("Câu hỏi", exact=True).fill(question)
    send(page)
    page.wait_for_url("**/c/**")


def send(page: Page) -> None:
    """The button beside the question box."""
    page.get_by_role("button", name="Tra", exact=True).click()


def finish(turn: Turn, beginning: str = "Quá mẫn") -> None:
    """Gives a turn that waits its answer, as a worker would: the passages that begin so."""
    answer = make_answer(passages=list(Passage.objects.filter(text__startswith=beginning)))
    Turn.objects.filter(pk=turn.pk).update(state=TurnState.DONE, contract=answer.model_dump(mode="json"))
