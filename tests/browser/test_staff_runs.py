"""What an operator does: send a book in, watch it, stop it, compare it, publish it, put it back."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site_settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from ingest.library import bundled_sample
from ingest.models import Finding, IngestRun, RunState, WorkerHeartbeat
from monographs.corpus import current_edition
from monographs.domain import SectionKey
from monographs.models import Edition, EditionState
from tests.browser.checks import OVERFLOW
from tests.browser.conftest import LOOKS, Look
from tests.conftest import AccessibilityCheck, wait_until
from tests.factories import make_edition, make_held_back, make_monograph, make_section

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SMALL_TARGETS = """() => [...document.querySelectorAll('.staff-runs a, .staff-runs button, .staff-runs summary,'
  + ' .staff-runs input, .staff-runs select')].filter(e => {
    const box = e.getBoundingClientRect();
    if (!e.checkVisibility() || (e.tagName === 'A' && e.closest('p, dd, h2, li'))) return false;
    return box.width > 1 && (box.width < 24 || box.height < 24);
  }).map(e => e.outerHTML.slice(0, 120))"""
WATCH_SHIFTS = """window.shifts = [];
const what = e => e.sources.map(s => s.node && (s.node.outerHTML || s.node.data || '').slice(0, 80));
new PerformanceObserver(list => {
  for (const e of list.getEntries()) if (!e.hadRecentInput) window.shifts.push({ value: e.value, what: what(e) });
}).observe({ type: "layout-shift", buffered: true });"""
MOST_SHIFT = 0.01
# The admin's links take a moment to change their colour with the theme.
SETTLE = "() => Promise.allSettled(document.getAnimations().map(a => a.finished))"
LOADS = "performance.timeOrigin"


@pytest.fixture(autouse=True)
def data_dir(settings: Settings, tmp_path: Path) -> Path:
    settings.DUOCTHU_DATA_DIR = tmp_path
    return tmp_path


@pytest.fixture
def operator(live_server: LiveServer) -> dict[str, Any]:
    """The cookie of an operator who has signed in."""
    user = User.objects.create_superuser("vanhanh", password="không dùng tới")
    client = Client()
    client.force_login(user)
    value = client.cookies[site_settings.SESSION_COOKIE_NAME].value
    return {"name": site_settings.SESSION_COOKIE_NAME, "value": value, "url": live_server.url}


@pytest.fixture
def staff_page(page: Page, operator: dict[str, Any]) -> Page:
    """A page with JavaScript, signed in."""
    page.context.add_cookies([operator])  # type: ignore[list-item]
    return page


@pytest.fixture
def plain_staff_page(browser: Browser, live_server: LiveServer, operator: dict[str, Any]) -> Iterator[Page]:
    """A page without JavaScript, signed in."""
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    context.add_cookies([operator])  # type: ignore[list-item]
    yield context.new_page()
    context.close()


@pytest.fixture
def pair() -> tuple[Edition, Edition]:
    """The edition being served, and one that waits with another dose."""
    served, ready = make_edition(title="Bản đang dùng"), make_edition(state=EditionState.READY, title="Bản chờ")
    for edition, dose in ((served, "500"), (ready, "50")):
        drug = make_monograph(edition, "Paracetamol")
        make_section(drug, SectionKey.LIEU_DUNG, f"Người lớn: uống {dose} mg mỗi 4 - 6 giờ.")
        make_held_back(make_section(drug, SectionKey.TUONG_KY))
    make_section(make_monograph(served, "Amoxicilin"), SectionKey.CHI_DINH, "Nhiễm khuẩn.")
    table = served.monographs.get(name="Paracetamol").sections.get(key=SectionKey.TUONG_KY).passages.get()
    Finding.objects.create(edition=served, passage=table, kind="table", quarantines=True, pdf_page=1)
    WorkerHeartbeat.objects.create(name="celery@một-tên-máy-rất-dài.benhvien.example.vn")
    return served, ready


def make_run(**fields: Any) -> IngestRun:
    values: dict[str, Any] = {"file_name": "duoc-thu.pdf", "sha256": "ab" * 32, "title": "Bản thử", "year": 2027}
    return IngestRun.objects.create(**values | fields)


def make_running(**fields: Any) -> IngestRun:
    now = timezone.now()
    values: dict[str, Any] = {
        "state": RunState.RUNNING,
        "attempts": 1,
        "heartbeat_at": now,
        "lease_until": now + timedelta(minutes=5),
        "stage": "pages",
        "progress": {"done": 16, "total": 1600},
        "timings": {"open": 0.4},
    }
    return make_run(**values | fields)


def check(page: Page, check_accessibility: AccessibilityCheck) -> None:
    page.evaluate(SETTLE)
    check_accessibility(page)
    assert page.evaluate(OVERFLOW) == 0
    assert page.evaluate(SMALL_TARGETS) == []


def path_of(name: str, *arguments: object) -> str:
    return reverse(f"admin:ingest_{name}", args=arguments)


def test_every_page_is_fit_for_everyone(
    staff_page: Page,
    pair: tuple[Edition, Edition],
    check_accessibility: AccessibilityCheck,
    subtests: pytest.Subtests,
) -> None:
    served, ready = pair
    runs = {
        "running": make_running(),
        "failed": make_run(state=RunState.FAILED, error="Tệp PDF bị hỏng.", error_code="damaged"),
        "built": make_run(state=RunState.BUILT, edition=ready, counts={"monographs": 2, "passages": 4}),
        "abandoned": make_running(lease_until=timezone.now() - timedelta(minutes=2)),
    }
    addresses = {
        "dashboard": path_of("dashboard"),
        "upload": path_of("run_upload"),
        "runs": path_of("ingestrun_changelist"),
        "editions": path_of("editions"),
        "edition": path_of("edition", ready.pk),
        "publish": path_of("edition_publish", ready.pk),
        "discard": path_of("edition_discard", ready.pk),
        "compare": f"{path_of('compare')}?old={served.pk}&new={ready.pk}",
        "coverage": path_of("coverage"),
        **{name: path_of("run", run.pk) for name, run in runs.items()},
    }
    for name, address in addresses.items():
        staff_page.goto(address)
        for look in LOOKS:
            with subtests.test(page=name, look=str(look)):
                look.apply(staff_page)
                check(staff_page, check_accessibility)


def test_a_book_is_sent_in_watched_to_its_end_compared_and_published(
    staff_page: Page, look: Look, pair: tuple[Edition, Edition]
) -> None:
    page = staff_page
    look.apply(page)
    page.goto(path_of("dashboard"))
    page.get_by_label("Nạp dược thư").get_by_role("link", name="Nạp tệp PDF").first.click()
    page.get_by_label("Tên ấn bản").fill("Dược thư mới")
    page.get_by_label("Năm").fill("2031")
    page.get_by_label("Tệp PDF").set_input_files(bundled_sample())
    page.set_default_timeout(120_000)
    page.get_by_role("button", name="Tải lên và nạp").click()
    page.wait_for_url("**/ingestrun/*/")
    expect(page.get_by_role("heading", name="Đã dựng, chờ công bố")).to_be_visible()
    assert current_edition() == pair[0], "the old edition is served until someone decides"
    page.get_by_role("link", name="Công bố…").click()
    expect(page.get_by_role("region", name="Đang phục vụ")).to_contain_text("Bản đang dùng")
    expect(page.get_by_role("region", name="Sẽ phục vụ")).to_contain_text("Dược thư mới")
    page.get_by_role("button", name="Công bố ấn bản này").click()
    expect(page.get_by_text("Đang phục vụ Dược thư mới (2031).")).to_be_visible()
    served = current_edition()
    assert served is not None and served.year == 2031
    page.goto(path_of("edition", pair[0].pk))
    page.get_by_role("link", name="Chuyển về ấn bản này…").click()
    page.get_by_role("button", name="Chuyển về ấn bản này").click()
    expect(page.get_by_text("Đang phục vụ Bản đang dùng")).to_be_visible()
    assert current_edition() == pair[0]


def test_progress_moves_without_a_reload_and_without_shifting_the_page(staff_page: Page, look: Look) -> None:
    page, run = staff_page, make_running()
    look.apply(page)
    page.goto(path_of("run", run.pk))
    page.evaluate(WATCH_SHIFTS)
    loaded = page.evaluate(LOADS)
    for stage, done in (("pages", 800), ("monographs", 1200), ("store", 300)):
        timings = {"open": 0.4, "pages": 61.2}
        IngestRun.objects.update(stage=stage, progress={"done": done, "total": 1600}, timings=timings)
        expect(page.get_by_text(f"{done}/1600")).to_be_visible()
    IngestRun.objects.update(state=RunState.FAILED, error="Tệp PDF bị hỏng, không mở được.", error_code="damaged")
    expect(page.get_by_role("heading", name="Thất bại")).to_be_visible()
    expect(page.get_by_text("Tệp PDF bị hỏng, không mở được.")).to_be_visible()
    assert page.evaluate(LOADS) == loaded
    assert page.locator("#run-progress").get_attribute("hx-trigger") is None
    before_the_end = [shift for shift in page.evaluate("window.shifts") if "Thông tin" not in str(shift["what"])]
    assert sum(shift["value"] for shift in before_the_end) < MOST_SHIFT, before_the_end


def test_the_end_is_told_to_who_cannot_see_it(staff_page: Page) -> None:
    run = make_running()
    staff_page.goto(path_of("run", run.pk))
    IngestRun.objects.update(state=RunState.CANCELLED)
    expect(staff_page.locator("#run-told")).to_have_text("Lượt nạp đã huỷ.")


def test_a_run_is_cancelled_from_the_keyboard_while_it_is_polled(staff_page: Page) -> None:
    page, run = staff_page, make_running()
    page.goto(path_of("run", run.pk))
    page.get_by_role("button", name="Huỷ").focus()
    IngestRun.objects.update(progress={"done": 777, "total": 1600})
    expect(page.get_by_text("777/1600")).to_be_visible()
    expect(page.get_by_role("button", name="Huỷ")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Đang huỷ…")).to_be_visible()
    assert IngestRun.objects.get().cancel_requested
    expect(page.get_by_role("button", name="Huỷ")).to_have_count(0)


def test_without_scripts_the_page_follows_the_run_by_itself(plain_staff_page: Page) -> None:
    page, run = plain_staff_page, make_running()
    page.goto(path_of("run", run.pk))
    expect(page.get_by_text("16/1600, 1 %")).to_be_visible()
    IngestRun.objects.update(progress={"done": 900, "total": 1600})
    expect(page.get_by_text("900/1600")).to_be_visible(timeout=15_000)
    page.get_by_role("button", name="Huỷ").click()
    expect(page.get_by_role("heading", name="Đang huỷ…")).to_be_visible()
    wait_until(lambda: IngestRun.objects.get().cancel_requested)


def test_without_scripts_a_file_that_is_no_pdf_is_refused_beside_its_field(
    plain_staff_page: Page, tmp_path: Path
) -> None:
    page, file = plain_staff_page, tmp_path / "thu.pdf"
    file.write_bytes(b"xin chao " * 10_000)
    page.goto(path_of("run_upload"))
    page.get_by_label("Tên ấn bản").fill("Bản gõ tay")
    page.get_by_label("Tệp PDF").set_input_files(file)
    page.get_by_role("button", name="Tải lên và nạp").click()
    expect(page.get_by_text("Tệp không phải là PDF.")).to_be_visible()
    expect(page.get_by_label("Tên ấn bản")).to_have_value("Bản gõ tay")
    assert not IngestRun.objects.exists()


def test_a_changed_dose_can_be_told_at_a_glance(staff_page: Page, look: Look, pair: tuple[Edition, Edition]) -> None:
    page = staff_page
    look.apply(page)
    page.goto(f"{path_of('compare')}?old={pair[0].pk}&new={pair[1].pk}")
    change = page.get_by_role("article", name="Paracetamol – Liều lượng và cách dùng")
    removed, added = change.locator("del.compare-dose"), change.locator("ins.compare-dose")
    expect(removed).to_contain_text("500")
    expect(added).to_contain_text("50")
    assert removed.evaluate("e => getComputedStyle(e).textDecorationLine") == "line-through"
    assert removed.evaluate("e => getComputedStyle(e).outlineStyle") == "solid"


def test_the_names_stay_in_sight_while_the_matrix_is_moved(
    staff_page: Page, look: Look, pair: tuple[Edition, Edition]
) -> None:
    page = staff_page
    look.apply(page)
    for number in range(80):
        make_monograph(pair[0], f"Thuốc {number:02}")
    page.goto(path_of("coverage"))
    region = page.get_by_role("region", name="Chuyên luận và các mục")
    region.evaluate("e => e.scrollTo(e.scrollWidth, e.scrollHeight)")
    name = region.get_by_role("rowheader").last.bounding_box()
    head = region.get_by_role("columnheader").last.bounding_box()
    frame = region.bounding_box()
    assert name is not None and head is not None and frame is not None
    assert abs(name["x"] - frame["x"]) < 3, "the column of names is still there"
    assert abs(head["y"] - frame["y"]) < 3, "the heads are still there"
