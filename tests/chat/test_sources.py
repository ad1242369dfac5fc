"""A source as a stored answer cites it: its own lines and words, whatever became of the passage since."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings
from reportlab.pdfgen.canvas import Canvas

from chat.models import Turn, TurnState
from monographs.domain import PassageKind, PassageState, SectionKey
from monographs.models import Edition, EditionState, Passage, Section
from tests.factories import (
    PAGE_SIZE,
    make_answer,
    make_edition,
    make_held_back,
    make_monograph,
    make_passage,
    make_section,
    make_turn,
)
from tests.markup import check_policy, open_page, read

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
QUESTION = "Chống chỉ định của paracetamol?"
XSS = "<img src=x onerror=alert(1)>"
WORDS = "Suy gan nặng, dùng quá 4 g/ngày."
NO_SOURCE = "Không tìm thấy nguồn này trong câu trả lời."
CORRECTED = "Đoạn này đã được sửa khi duyệt sau câu trả lời. Nay là:"
FILE_MISSING = "Tệp PDF của ấn bản không có trên máy chủ"
NO_PLACE = "Không xác định được vị trí của đoạn này trên trang"


@pytest.fixture(autouse=True)
def data_dir(settings: Settings, tmp_path: Path) -> Path:
    settings.DUOCTHU_DATA_DIR = tmp_path
    return tmp_path


@pytest.fixture
def edition(data_dir: Path) -> Edition:
    """An edition with its PDF of four pages."""
    made = make_edition(is_sample=True, title="Dược thư mẫu")
    path = data_dir / "editions" / f"{made.sha256}.pdf"
    path.parent.mkdir()
    canvas = Canvas(str(path), pagesize=PAGE_SIZE)
    for page in range(4):
        canvas.drawString(50, 735, f"Paracetamol {page}")
        canvas.showPage()
    canvas.save()
    return made


@pytest.fixture
def section(edition: Edition) -> Section:
    made = make_section(make_monograph(edition), SectionKey.CHONG_CHI_DINH, heading="Chống chỉ định:")
    make_passage(made, WORDS, boxes=[[2, 50.0, 100.0, 280.0, 112.0], [2, 50.0, 113.0, 200.0, 125.0]], pdf_page=2)
    return made


@pytest.fixture
def asked(client: Client, section: Section) -> Turn:
    """A question answered from the section."""
    return ask(client)


def ask(client: Client, question: str = QUESTION) -> Turn:
    client.post("/ask/", {"question": question})
    return Turn.objects.latest("created_at")


def keep(asked: Turn, *passages: Passage) -> Turn:
    """A further turn of the asker's, answered from these passages."""
    return make_turn(asked.conversation, make_answer(passages=passages))


def source(turn: Turn, number: int = 1, view: str = "") -> str:
    return reverse("turn-source", args=[turn.pk, number]) + view


def correct(text: str = "Suy gan nặng, dùng quá 3 g/ngày.", **fields: object) -> str:
    Passage.objects.filter(text=WORDS).update(state=PassageState.CORRECTED, corrected_text=text, **fields)
    Edition.objects.update(revision=1)
    return text


def marks(html: str) -> list[tuple[str, ...]]:
    """The rectangles drawn: x, y, width, height."""
    return re.findall(r'<rect x="([^"]+)" y="([^"]+)" width="([^"]+)" height="([^"]+)"', html)


def pictures(html: str) -> list[str]:
    return [found.replace("&amp;", "&") for found in re.findall(r'<img src="([^"]+)"', html)]


def flat(text: str) -> str:
    """The text with its line breaks and no-break spaces as spaces."""
    return re.sub(r"\s+", " ", text)


def test_chip_opens_the_lines_and_the_words_that_were_cited(client: Client, asked: Turn) -> None:
    page = open_page(client, f"/c/{asked.conversation_id}/")
    (href,) = [href for href in page.hrefs if "/sources/" in href]
    assert href == source(asked)
    opened = open_page(client, href)
    text = flat(opened.text)
    passage = Passage.objects.get()
    for said in ("Trang 101 Paracetamol", "Chống chỉ định", "Nguyên văn lúc trả lời", WORDS, "Dược thư mẫu (2026)"):
        assert said in text
    assert CORRECTED not in text
    assert f"/monographs/paracetamol/chong-chi-dinh/?edition={asked.edition_id}#d-{passage.pk}" in opened.hrefs
    assert f"/turns/{asked.pk}/" in opened.hrefs
    html = client.get(href).content.decode()
    assert pictures(html) == [f"/passages/{passage.pk}/crop.png?page=2&part=0"]
    assert len(marks(html)) == 2
    assert '<details class="source-text">' in html
    assert "<figcaption>" not in html
    for url in (pictures(html)[0], *(href for href in opened.hrefs if href.startswith("/monographs/paracetamol"))):
        assert client.get(url).status_code == 200


def test_every_chip_opens(client: Client, section: Section) -> None:
    for number in range(3):
        make_passage(section, f"Đoạn {number}.")
    make_held_back(section)
    turn = ask(client)
    hrefs = [href for href in open_page(client, f"/turns/{turn.pk}/").hrefs if "/sources/" in href]
    assert hrefs == [source(turn, number) for number in range(1, 6)]
    for href in hrefs:
        open_page(client, href)
        open_page(client, f"{href}?view=page")


# --- what became of it since -----------------------------------------------------------------------------------


@pytest.mark.parametrize("view", ["", "?view=page"], ids=["lines", "page"])
def test_own_words_survive_a_later_correction_which_is_told(client: Client, asked: Turn, view: str) -> None:
    before = client.get(source(asked, view=view)).content.decode()
    assert '<details class="source-text">' in before
    corrected = correct()
    html = client.get(source(asked, view=view)).content.decode()
    text = flat(open_page(client, source(asked, view=view)).text)
    assert text.index(WORDS) < text.index(CORRECTED) < text.index(corrected)
    assert '<details class="source-text" open>' in html
    assert (marks(html), pictures(html)) == (marks(before), pictures(before))
    assert WORDS in flat(open_page(client, f"/turns/{asked.pk}/").text)


@pytest.mark.parametrize("view", ["", "?view=page"], ids=["lines", "page"])
def test_own_lines_survive_other_boxes_of_the_passage(client: Client, asked: Turn, view: str) -> None:
    before = marks(client.get(source(asked, view=view)).content.decode())
    correct(boxes=[[2, 300.0, 500.0, 500.0, 512.0]])
    html = client.get(source(asked, view=view)).content.decode()
    assert marks(html) == before
    assert len(before) == 2


def test_correction_that_came_before_the_answer_is_its_own_words(client: Client, section: Section) -> None:
    corrected = correct()
    text = flat(open_page(client, source(ask(client))).text)
    assert corrected in text
    assert WORDS not in text
    assert CORRECTED not in text


@pytest.mark.parametrize(
    "state",
    [
        PassageState.CORRECTED,
        PassageState.QUARANTINED,
        PassageState.REJECTED,
    ],
)
def test_review_that_changed_what_may_be_quoted_is_told(client: Client, asked: Turn, state: PassageState) -> None:
    before = open_page(client, source(asked)).text
    Passage.objects.update(state=state, corrected_text="Suy gan.")
    Edition.objects.update(revision=1)
    after = open_page(client, source(asked)).text
    assert WORDS in flat(after)
    assert after != before


def test_correction_is_never_markup(client: Client, asked: Turn) -> None:
    correct(XSS)
    assert XSS in flat(open_page(client, source(asked)).text)
    assert "<img src=x" not in client.get(source(asked)).content.decode()


def test_words_of_the_book_are_never_markup(client: Client, asked: Turn, edition: Edition) -> None:
    odd = make_section(make_monograph(edition, XSS, slug="xss"), SectionKey.CHI_DINH, heading=XSS)
    turn = keep(asked, make_passage(odd, XSS, labels=[XSS]))
    for headers in ({}, HTMX):
        assert "<img src=x" not in client.get(source(turn), headers=headers).content.decode()
    assert XSS in flat(open_page(client, source(turn)).text)


def test_another_edition_does_not_take_the_place_of_the_one_cited(client: Client, asked: Turn) -> None:
    before = client.get(source(asked)).content.decode()
    Edition.objects.update(state=EditionState.SUPERSEDED)
    now = make_edition(title="Dược thư mới")
    make_section(make_monograph(now), SectionKey.CHONG_CHI_DINH, "Lời mới.")
    html = client.get(source(asked)).content.decode()
    page = open_page(client, source(asked))
    assert (marks(html), pictures(html)) == (marks(before), pictures(before))
    assert WORDS in flat(page.text)
    assert "Dược thư mẫu (2026)" in page.text
    assert "Lời mới." not in page.text
    (link,) = [href for href in page.hrefs if "/chong-chi-dinh/" in href]
    assert WORDS in flat(open_page(client, link).text)
    assert client.get(pictures(html)[0]).status_code == 200


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        ("published", False),
        ("superseded", True),
    ],
)
def test_edition_that_was_replaced_is_told(client: Client, asked: Turn, state: str, sentence: bool) -> None:
    Edition.objects.update(state=state)
    assert ("đã được thay thế" in open_page(client, source(asked)).text) == sentence


def test_passage_that_is_gone_keeps_its_words(client: Client, asked: Turn) -> None:
    Passage.objects.all().delete()
    for view in ("", "?view=page"):
        html = client.get(source(asked, view=view)).content.decode()
        assert WORDS in flat(open_page(client, source(asked, view=view)).text)
        assert "<dt>Trang in</dt><dd>101</dd>" in html
        assert "<dt>Trang PDF</dt><dd>2</dd>" in html
        assert pictures(html) == []


@pytest.mark.parametrize("kept", ["text", "file"])
def test_file_is_called_missing_only_where_it_is(client: Client, asked: Turn, kept: str) -> None:
    if kept == "file":
        Passage.objects.all().delete()
    assert FILE_MISSING not in open_page(client, source(asked)).text


# --- pictures --------------------------------------------------------------------------------------------------


def test_whole_page_leads_there_and_back(client: Client, asked: Turn) -> None:
    lines, page = (client.get(source(asked, view=view)).content.decode() for view in ("", "?view=page"))
    assert f'<a href="{source(asked)}?view=page">Xem cả trang</a>' in lines
    assert f'<a href="{source(asked)}">Chỉ xem vùng trích</a>' in page
    assert "Xem cả trang" not in page
    assert pictures(page) == [f"/passages/{Passage.objects.get().pk}/crop.png?page=2&view=page"]
    assert len(marks(page)) == len(marks(lines)) == 2
    assert client.get(pictures(page)[0]).status_code == 200
    assert client.get(source(asked, view="?view=other")).content.decode().count("Xem cả trang") == 1


def test_passage_on_two_pages_is_shown_on_both(client: Client, asked: Turn, section: Section) -> None:
    boxes = [[2, 50.0, 700.0, 280.0, 712.0], [3, 50.0, 60.0, 280.0, 72.0]]
    passage = make_passage(section, "Chạy sang trang.", boxes=boxes, pdf_page=2, printed_page_last=102)
    turn = ask(client)
    number = 2
    page = open_page(client, source(turn, number))
    assert "Trang 101–102" in page.text
    html = client.get(source(turn, number)).content.decode()
    assert [f"page={at}" in url for at, url in zip((2, 3), pictures(html), strict=True)] == [True, True]
    assert re.findall(r"<figcaption>(.*?)</figcaption>", html) == ["Trang PDF 2", "Trang PDF 3"]
    whole = client.get(source(turn, number, "?view=page")).content.decode()
    assert pictures(whole) == [f"/passages/{passage.pk}/crop.png?page={at}&view=page" for at in (2, 3)]
    assert len(marks(whole)) == 2


@pytest.mark.parametrize(
    ("kind", "tag"),
    [
        (PassageKind.TABLE, "Bảng: ảnh trang in."),
        (PassageKind.FORMULA, "Công thức: ảnh trang in."),
        (PassageKind.FIGURE, "Hình: ảnh trang in."),
        (PassageKind.TEXT, "Đoạn chờ duyệt: ảnh trang in."),
    ],
)
def test_what_was_held_back_is_shown_as_its_picture_alone(
    client: Client, section: Section, kind: PassageKind, tag: str
) -> None:
    held = make_held_back(section, kind=kind)
    turn = ask(client)
    for change in ({}, {"state": PassageState.SERVED}, {"state": PassageState.CORRECTED, "corrected_text": "Lời sửa"}):
        Passage.objects.filter(pk=held.pk).update(**change)
        html = client.get(source(turn, 2)).content.decode()
        assert f"{tag} Chữ không được trích lại từ vùng này." in html
        assert held.text not in html
        assert "Lời sửa" not in html
        assert "Nguyên văn lúc trả lời" not in html
        assert pictures(html) == [f"/passages/{held.pk}/crop.png?page=1&part=0"]
        assert "crop-marks-outline" in html


def test_passage_of_unknown_place_has_no_box_rather_than_a_wrong_one(
    client: Client, asked: Turn, section: Section
) -> None:
    turn = keep(asked, make_passage(section, "Không rõ ở đâu.", boxes=[]))
    for view in ("", "?view=page"):
        html = client.get(source(turn, view=view)).content.decode()
        assert NO_PLACE in html
        assert not marks(html)
        assert not pictures(html)
        assert "Xem cả trang" not in html
        assert '<details class="source-text" open>' in html


def test_missing_file_is_told_and_the_words_lie_open(client: Client, asked: Turn, data_dir: Path) -> None:
    (data_dir / "editions" / f"{Edition.objects.get().sha256}.pdf").unlink()
    for view in ("", "?view=page"):
        html = client.get(source(asked, view=view)).content.decode()
        assert FILE_MISSING in html
        assert "Trang in 101, trang PDF 2." in html
        assert pictures(html) == []
        assert "Xem cả trang" not in html
        assert '<details class="source-text" open>' in html
        open_page(client, source(asked, view=view))


@pytest.mark.parametrize("is_sample", [True, False])
def test_sample_says_that_it_is_one(client: Client, section: Section, is_sample: bool) -> None:
    Edition.objects.update(is_sample=is_sample)
    html = client.get(source(ask(client)), headers=HTMX).content.decode()
    assert ("Bản mẫu – không dùng cho lâm sàng" in html) == is_sample


# --- which and whose -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["plain", "htmx"])
@pytest.mark.parametrize("number", ["0", "2", "99", "1" * 40])
def test_number_that_the_answer_has_not_is_not_found(
    client: Client, asked: Turn, number: str, headers: dict[str, str]
) -> None:
    response = client.get(f"/turns/{asked.pk}/sources/{number}/", headers=headers)
    assert response.status_code == 404
    assert NO_SOURCE in read(response).text


@pytest.mark.parametrize("number", ["-1", "a", "1.5", "", "１"])
def test_what_is_no_number_is_no_address(client: Client, asked: Turn, number: str) -> None:
    open_page(client, f"/turns/{asked.pk}/sources/{number}/", status=404)


@pytest.mark.parametrize(
    ("state", "contract"),
    [
        (TurnState.PENDING, {}),
        (TurnState.RUNNING, {}),
        (TurnState.CANCELLED, {}),
        (TurnState.FAILED, {}),
        (TurnState.DONE, {"schema_version": 1}),
    ],
)
def test_turn_without_an_answer_has_no_source(
    client: Client, asked: Turn, state: str, contract: dict[str, object]
) -> None:
    turn = make_turn(asked.conversation, state=state, contract=contract)
    assert NO_SOURCE in open_page(client, source(turn), status=404).text


def test_answer_without_sources_has_none(client: Client, section: Section) -> None:
    turn = ask(client, "xin chào")
    assert turn.contract["decision"] == "answerable"
    assert NO_SOURCE in open_page(client, source(turn), status=404).text


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["plain", "htmx"])
@pytest.mark.parametrize("view", ["", "?view=page"], ids=["lines", "page"])
def test_source_is_its_askers(asked: Turn, view: str, headers: dict[str, str]) -> None:
    stranger = Client()
    for number in (1, 99):
        response = stranger.get(source(asked, number, view), headers=headers)
        assert response.status_code == 404
        assert "thuộc về người khác" in read(response).text
        assert WORDS not in response.content.decode()


def test_htmx_gets_the_panel_alone(client: Client, asked: Turn) -> None:
    response = client.get(source(asked), headers=HTMX)
    html = response.content.decode()
    check_policy(response)
    assert "<html" not in html
    assert "data-close-panel" in html
    assert '<h2 id="source-title" tabindex="-1">' in html
    assert WORDS in flat(read(response).text)
    assert "HX-Request" in response.headers["Vary"]
    assert "no-store" in response.headers["Cache-Control"]
    whole = client.get(source(asked)).content.decode()
    assert "data-close-panel" not in whole
    assert (marks(html), pictures(html)) == (marks(whole), pictures(whole))


def test_source_takes_few_queries(
    client: Client, section: Section, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(30):
        make_passage(section, f"Đoạn {number}.")
        make_held_back(section)
    turn = ask(client)
    with django_assert_max_num_queries(5):
        assert client.get(source(turn, 7)).status_code == 200
