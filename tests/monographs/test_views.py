"""Pages of the book: what opens, what does not, what is escaped, and at what cost."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings
from reportlab.pdfgen.canvas import Canvas

from monographs.domain import PassageState, SectionKey
from monographs.models import Edition, EditionState, Passage
from tests.factories import make_edition, make_held_back, make_monograph, make_passage, make_section
from tests.markup import open_page

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
XSS = '<script>alert(1)</script> "500 mg" & <img src=x onerror=alert(1)>'


@pytest.fixture(autouse=True)
def data_dir(settings: Settings, tmp_path: Path) -> Path:
    settings.DUOCTHU_DATA_DIR = tmp_path
    return tmp_path


@pytest.fixture
def book() -> Edition:
    edition = make_edition(is_sample=True)
    monograph = make_monograph(edition, "Paracetamol", aliases=["Panadol"], atc_codes=["N02BE01"], inn="Paracetamol")
    make_section(monograph, SectionKey.CHI_DINH, "Đau và sốt.")
    section = make_section(monograph, SectionKey.LIEU_DUNG)
    make_passage(section, "Người lớn: uống 500 mg - 1 g.", labels=["Người lớn"])
    make_held_back(section)
    return edition


def put_pdf(edition: Edition, data_dir: Path) -> None:
    path = data_dir / "editions" / f"{edition.sha256}.pdf"
    path.parent.mkdir(exist_ok=True)
    canvas = Canvas(str(path), pagesize=(595, 842))
    canvas.drawString(50, 735, "Paracetamol 500 mg")
    canvas.showPage()
    canvas.save()


@pytest.mark.parametrize(
    ("url", "shows"),
    [
        ("/monographs/", "Paracetamol"),
        ("/monographs/?q=panadol", "Panadol"),
        ("/monographs/?q=paracetmol", "gần giống"),
        ("/monographs/?q=zzzzzz", "Không có tên nào khớp"),
        ("/monographs/?atc=", "Hệ thần kinh"),
        ("/monographs/?atc=N02", "N02B"),
        ("/monographs/?atc=Z", "Không có chuyên luận nào"),
        ("/monographs/paracetamol/", "Đau và sốt."),
        ("/monographs/paracetamol/lieu-dung/", "Người lớn: uống 500 mg - 1 g."),
    ],
)
def test_page_opens(client: Client, book: Edition, url: str, shows: str) -> None:
    page = open_page(client, url)
    assert shows in page.text
    assert "BẢN MẪU – không dùng cho lâm sàng" in page.text


@pytest.fixture
def lookalikes(book: Edition) -> Edition:
    make_monograph(book, "Dobutamin", atc_codes=["C01CA07"])
    make_monograph(book, "Dopamin", atc_codes=["C01CA04"])
    return book


def test_suggestions_show_what_differs_and_say_the_plain_name(client: Client, lookalikes: Edition) -> None:
    page = open_page(client, "/monographs/?q=dobutamon")
    html = client.get("/monographs/?q=dobutamon").content.decode()
    for plain, marked, code in (
        ("Dobutamin", 'Do<mark class="differs">but</mark>amin', "C01CA07"),
        ("Dopamin", 'Do<mark class="differs">p</mark>amin', "C01CA04"),
    ):
        assert f'<span class="visually-hidden">{plain}</span><span aria-hidden="true">{marked}</span>' in html
        assert f'<span class="hit-atc"><span class="visually-hidden">Mã ATC: </span>{code}</span>' in html
        assert page.text.count(code) == 1
    assert "Chữ được đánh dấu" in page.text


def test_nothing_marked_is_not_spoken_of(client: Client, book: Edition) -> None:
    make_monograph(book, "Natri hydrocarbonat", atc_codes=["B05CB04"])
    page = open_page(client, "/monographs/?q=hydrocarbonic")
    assert "B05CB04" in page.text
    assert "Chữ được đánh dấu" not in page.text
    assert b"<mark" not in client.get("/monographs/?q=hydrocarbonic").content


def test_one_of_a_lookalike_pair_is_shown_with_a_notice(client: Client, lookalikes: Edition) -> None:
    page = open_page(client, "/monographs/?q=dobutamin")
    assert "Dễ nhầm với: Dopamin (C01CA04)" in page.text
    assert page.hrefs.count("/monographs/dopamin/") == 1
    for query in ("amin", "paracetamol"):
        assert "nhầm với" not in open_page(client, f"/monographs/?q={query}").text


def test_notice_beside_other_hits_says_whose_it_is(client: Client, lookalikes: Edition) -> None:
    make_monograph(lookalikes, "Thuốc phối hợp dobutamin", slug="phoi_hop")
    text = open_page(client, "/monographs/?q=dobutamin").text
    assert "Dobutamin dễ nhầm với: Dopamin (C01CA04)" in text


def test_marked_names_are_escaped(client: Client, book: Edition) -> None:
    for slug, name in (("a", "<b>&nbsp;</b>amin"), ("b", "<b>&nbsp;</b>omin")):
        make_monograph(book, name, slug=slug)
    html = client.get("/monographs/", {"q": "<b>&nbsp;</b>emin"}).content.decode()
    assert '&lt;b&gt;&amp;nbsp;&lt;/b&gt;<mark class="differs">a</mark>min' in html
    assert "<b>&nbsp;" not in html


@pytest.mark.parametrize("url", ["/monographs/", "/monographs/?q=a", "/monographs/?atc="])
def test_list_before_the_first_edition(client: Client, url: str) -> None:
    assert "Chưa có ấn bản" in open_page(client, url).text


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("/monographs/zzz/", "Không có chuyên luận này"),
        ("/monographs/paracetamol/tuong-ky/", "không có mục này"),
        ("/monographs/paracetamol/?edition=0", "chưa được công bố"),
        ("/monographs/paracetamol/?edition=abc", "chưa được công bố"),
        ("/monographs/paracetamol/?edition=999999999999999999999", "chưa được công bố"),
        ("/monographs/?atc=<script>", "Mã ATC không đúng dạng"),
        ("/passages/999999/source/", "Đoạn này không còn"),
        ("/passages/999999/crop.png", "Đoạn này không còn"),
        ("/khong-co/", "Địa chỉ này không có nội dung"),
    ],
)
def test_what_is_not_there_is_said_in_a_sentence(client: Client, book: Edition, url: str, says: str) -> None:
    assert says in open_page(client, url, status=404).text


@pytest.mark.parametrize("state", [EditionState.BUILDING, EditionState.READY, EditionState.DISCARDED])
def test_unpublished_edition_cannot_be_opened(client: Client, book: Edition, state: str) -> None:
    hidden = make_edition(state=state)
    passage = make_passage(make_section(make_monograph(hidden, "Bí mật"), SectionKey.CHI_DINH), "Chưa công bố")
    for url in (
        f"/monographs/bi_mat/?edition={hidden.pk}",
        f"/monographs/bi_mat/chi-dinh/?edition={hidden.pk}",
        f"/passages/{passage.pk}/source/",
        f"/passages/{passage.pk}/crop.png",
    ):
        page = open_page(client, url, status=404)
        assert "chưa được công bố" in page.text
        assert "Chưa công bố" not in page.text


def test_superseded_edition_is_readable_and_says_so(client: Client, book: Edition) -> None:
    old = make_edition(state=EditionState.SUPERSEDED, title="Dược thư cũ")
    section = make_section(make_monograph(old, "Paracetamol"), SectionKey.CHI_DINH, "Lời cũ.")
    for url in ("/monographs/paracetamol/", "/monographs/paracetamol/chi-dinh/"):
        page = open_page(client, f"{url}?edition={old.pk}")
        assert "Lời cũ." in page.text
        assert "Đang xem ấn bản cũ: Dược thư cũ" in page.text
    passage = section.passages.get()
    source = open_page(client, reverse("passage-source", args=[passage.pk]))
    assert "ấn bản cũ, đã được thay thế" in source.text
    assert f"/monographs/paracetamol/chi-dinh/?edition={old.pk}#d-{passage.pk}" in source.hrefs


def test_links_stay_within_the_edition_being_read(client: Client, book: Edition) -> None:
    old = make_edition(state=EditionState.SUPERSEDED)
    monograph = make_monograph(old, "Paracetamol")
    make_section(monograph, SectionKey.CHI_DINH, "a")
    make_section(monograph, SectionKey.LIEU_DUNG, "b")
    page = open_page(client, f"/monographs/paracetamol/chi-dinh/?edition={old.pk}")
    inside = [href for href in page.hrefs if "lieu-dung" in href]
    assert inside
    assert all(f"edition={old.pk}" in href for href in inside)


def test_text_of_a_passage_is_escaped_everywhere(client: Client, book: Edition) -> None:
    monograph = make_monograph(book, XSS, slug="xss", inn=XSS, drug_class=XSS, aliases=[XSS])
    section = make_section(monograph, SectionKey.CHI_DINH, heading=XSS)
    passage = make_passage(section, XSS, labels=["<script>alert(1)</script>"])
    for url in (
        "/monographs/",
        "/monographs/?q=alert",
        "/monographs/xss/",
        "/monographs/xss/chi-dinh/",
        f"/passages/{passage.pk}/source/",
    ):
        page = open_page(client, url)
        assert "<script>alert(1)</script>" in page.text


def test_query_is_escaped_and_kept(client: Client, book: Edition) -> None:
    page = open_page(client, "/monographs/?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E%00")
    assert "<script>alert(1)</script>" in page.text


def test_labels_are_set_and_numbers_kept_together(client: Client, book: Edition) -> None:
    html = client.get("/monographs/paracetamol/lieu-dung/").content.decode()
    assert '<span class="run-in">Người lớn:</span> uống <span class="nowrap">500 mg</span>' in html


def test_held_back_text_is_never_sent(client: Client, book: Edition, data_dir: Path) -> None:
    put_pdf(book, data_dir)
    passage = Passage.objects.get(state=PassageState.QUARANTINED)
    for url in ("/monographs/paracetamol/", "/monographs/paracetamol/lieu-dung/", f"/passages/{passage.pk}/source/"):
        page = open_page(client, url)
        assert "Bảng: xem ảnh trang in" in page.text
        assert "Độ thanh thải" not in page.text
        assert f"/passages/{passage.pk}/crop.png" in client.get(url).content.decode()


def test_missing_pdf_is_told_where_the_picture_would_be(client: Client, book: Edition) -> None:
    passage = Passage.objects.get(state=PassageState.QUARANTINED)
    for url in ("/monographs/paracetamol/", "/monographs/paracetamol/lieu-dung/", f"/passages/{passage.pk}/source/"):
        assert "Tệp PDF của ấn bản không có trên máy chủ" in open_page(client, url).text
    assert "Tệp PDF" in open_page(client, f"/passages/{passage.pk}/crop.png", status=404).text


def test_source_is_a_fragment_for_htmx_and_a_page_without(client: Client, book: Edition, data_dir: Path) -> None:
    put_pdf(book, data_dir)
    passage = Passage.objects.get(text__startswith="Người lớn")
    url = reverse("passage-source", args=[passage.pk])
    fragment, whole = client.get(url, headers=HTMX), client.get(url)
    assert b"<html" not in fragment.content
    assert b"<html" in whole.content
    for response in (fragment, whole):
        assert "HX-Request" in response.headers["Vary"]
        assert b"crop-marks" in response.content
        assert "Trang in" in response.content.decode()
    missing = client.get("/passages/999999/source/", headers=HTMX)
    assert missing.status_code == 404
    assert b"<html" not in missing.content


def test_passage_over_two_pages_names_both(client: Client, book: Edition, data_dir: Path) -> None:
    put_pdf(book, data_dir)
    section = Passage.objects.get(text__startswith="Người lớn").section
    boxes = [[1, 306.0, 780.0, 553.0, 792.0], [2, 42.0, 60.0, 289.0, 72.0]]
    passage = make_passage(section, "Qua trang.", printed_page_last=102, boxes=boxes)
    text = open_page(client, f"/passages/{passage.pk}/source/").text
    assert "Trang 101–102" in text
    assert "Trang PDF 2" in text


def test_source_page_can_show_the_whole_page(client: Client, book: Edition, data_dir: Path) -> None:
    put_pdf(book, data_dir)
    passage = Passage.objects.get(text__startswith="Người lớn")
    html = client.get(f"/passages/{passage.pk}/source/?view=page").content.decode()
    assert "view=page" in html
    assert 'viewBox="0 0 595.0 842.0"' in html


@pytest.mark.parametrize("query", ["", "?page=1", "?page=1&part=0", "?page=1&view=page"])
def test_crop_is_a_picture_that_browsers_may_keep(client: Client, book: Edition, data_dir: Path, query: str) -> None:
    put_pdf(book, data_dir)
    passage = Passage.objects.get(text__startswith="Người lớn")
    url = f"/passages/{passage.pk}/crop.png{query}"
    response = client.get(url)
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "image/png"
    assert response.content.startswith(b"\x89PNG")
    again = client.get(url, headers={"If-None-Match": response.headers["ETag"]})
    assert again.status_code == 304


@pytest.mark.parametrize("query", ["?page=2", "?part=7", "?page=x&part=3", "?page=99&view=page"])
def test_crop_of_another_place_is_not_found(client: Client, book: Edition, data_dir: Path, query: str) -> None:
    put_pdf(book, data_dir)
    passage = Passage.objects.get(text__startswith="Người lớn")
    assert client.get(f"/passages/{passage.pk}/crop.png{query}").status_code == 404


def test_damaged_pdf_is_an_error_of_its_own(client: Client, book: Edition, data_dir: Path) -> None:
    put_pdf(book, data_dir)
    (data_dir / "editions" / f"{book.sha256}.pdf").write_bytes(b"not a PDF")
    passage = Passage.objects.get(text__startswith="Người lớn")
    response = client.get(f"/passages/{passage.pk}/crop.png")
    assert response.status_code == 503
    assert "ETag" not in response.headers
    shutil.rmtree(data_dir / "editions")
    assert client.get(f"/passages/{passage.pk}/crop.png").status_code == 404


@pytest.mark.parametrize("method", ["post", "put", "delete", "patch"])
@pytest.mark.parametrize("path", ["/monographs/", "/monographs/paracetamol/", "/monographs/paracetamol/lieu-dung/"])
def test_books_are_only_read(client: Client, book: Edition, path: str, method: str) -> None:
    assert getattr(client, method)(path).status_code == 405


@pytest.mark.parametrize(
    ("url", "most"),
    [
        ("/monographs/", 2),
        ("/monographs/?q=para", 3),
        ("/monographs/?q=paracetmol", 4),
        ("/monographs/?q=dobutamin", 5),
        ("/monographs/?q=dobutamon", 4),
        ("/monographs/?atc=N", 2),
        ("/monographs/paracetamol/", 5),
        ("/monographs/paracetamol/lieu-dung/", 5),
    ],
)
def test_pages_take_few_queries(
    client: Client, lookalikes: Edition, django_assert_max_num_queries: DjangoAssertNumQueries, url: str, most: int
) -> None:
    for number in range(20):
        monograph = make_monograph(lookalikes, f"Thuốc {number}", slug=f"thuoc_{number}")
        make_section(monograph, SectionKey.CHI_DINH, "a", "b")
    with django_assert_max_num_queries(most):
        assert client.get(url).status_code == 200


def test_admin_shows_the_book_and_changes_nothing(client: Client, book: Edition) -> None:
    client.force_login(User.objects.create_superuser("quan-tri"))
    passage = Passage.objects.first()
    assert passage is not None
    for name in ("edition", "monograph", "section", "passage", "alias"):
        assert client.get(reverse(f"admin:monographs_{name}_changelist")).status_code == 200
        assert client.get(reverse(f"admin:monographs_{name}_add")).status_code == 403
    detail = client.get(reverse("admin:monographs_passage_change", args=[passage.pk]))
    assert detail.status_code == 200
    assert client.post(reverse("admin:monographs_passage_change", args=[passage.pk]), {"text": "x"}).status_code == 403


def test_staff_without_permission_sees_nothing_in_the_admin(client: Client, book: Edition) -> None:
    client.force_login(User.objects.create_user("nhan-vien", is_staff=True))
    assert client.get(reverse("admin:monographs_passage_changelist")).status_code == 403
