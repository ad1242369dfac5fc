"""A small published book with a real PDF behind it, and the sizes and themes that pages are looked at in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer
from reportlab.pdfgen.canvas import Canvas

from monographs.domain import SectionKey
from monographs.models import Edition
from tests.factories import make_edition, make_held_back, make_monograph, make_passage, make_section

LINE = [1, 50.0, 100.0, 280.0, 112.0]


@dataclass(frozen=True, slots=True)
class Look:
    """A window width and a colour scheme."""

    width: int
    scheme: str

    def __str__(self) -> str:
        return f"{self.width} {self.scheme}"

    def apply(self, page: Page) -> None:
        """Gives a page this look."""
        page.set_viewport_size({"width": self.width, "height": 800})
        page.emulate_media(color_scheme="dark" if self.scheme == "dark" else "light")


LOOKS = tuple(Look(width, scheme) for width in (360, 1280) for scheme in ("light", "dark"))


@pytest.fixture(params=[LOOKS[0], LOOKS[3]], ids=["360 light", "1280 dark"])
def look(request: pytest.FixtureRequest) -> Look:
    """A phone by day and a desk by night, for journeys; single pages are looked at in all LOOKS."""
    found: Look = request.param
    return found


@pytest.fixture
def book(live_server: LiveServer, settings: Settings, tmp_path: Path) -> Edition:
    """Two monographs; the printed line of every text passage is a black bar on the PDF's first page."""
    settings.DUOCTHU_DATA_DIR = tmp_path
    edition = make_edition(is_sample=True, title="Dược thư mẫu")
    paracetamol = make_monograph(
        edition, "Paracetamol", aliases=["Panadol"], atc_codes=["N02BE01"], inn="Paracetamol", drug_class="Giảm đau."
    )
    make_section(paracetamol, SectionKey.CHI_DINH, "Đau nhẹ và vừa; sốt.")
    make_section(paracetamol, SectionKey.CHONG_CHI_DINH, "Quá mẫn với paracetamol.", "Suy gan nặng.")
    dosage = make_section(paracetamol, SectionKey.LIEU_DUNG)
    for labels, text in (
        (["Người lớn", "Đường uống"], "Đường uống: 0,5 - 1 g/lần, cách 4 - 6 giờ một lần; tối đa 4 g/ngày."),
        (["Trẻ em", "Đường uống"], "Đường uống: 10 - 15 mg/kg/lần, tối đa 60 mg/kg/24 giờ, bảo quản ở 2 - 8 °C."),
    ):
        make_passage(dosage, text, labels=labels, boxes=[LINE])
    make_held_back(dosage)
    make_section(make_monograph(edition, "Đồng sulfat"), SectionKey.CHI_DINH, "Thiếu đồng.")
    _write_pdf(tmp_path / "editions" / f"{edition.sha256}.pdf")
    return edition


@pytest.fixture
def plain_page(browser: Browser, live_server: LiveServer) -> Iterator[Page]:
    """A page with JavaScript off."""
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    context.set_default_timeout(10_000)
    yield context.new_page()
    context.close()


def _write_pdf(path: Path) -> None:
    path.parent.mkdir(parents=True)
    canvas = Canvas(str(path), pagesize=(595, 842))
    _, x0, y0, x1, y1 = LINE
    canvas.rect(x0, 842 - y1, x1 - x0, y1 - y0, stroke=0, fill=1)
    canvas.showPage()
    canvas.save()
