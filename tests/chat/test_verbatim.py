"""Reading instead of asking: a drug is chosen, then a section of it, and the whole section is the turn."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from chat.contract import Answer
from chat.domain import Decision, Reason
from chat.models import Conversation, Turn, TurnState
from monographs.domain import MonographKind, PassageKind, PassageState, SectionKey
from monographs.models import Edition, EditionState, Monograph, Passage, Section
from tests.factories import make_edition, make_held_back, make_monograph, make_passage, make_section
from tests.markup import open_page, read
from tests.sample_edition import publish_sample

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
XSS = "<img src=x onerror=alert(1)>"
NO_SUCH_SECTION = "Ấn bản đang phục vụ không có mục này."
DOSES = ["Cách dùng: uống sau ăn.", "Người lớn: 500 mg - 1 g/lần.", "Trẻ em: 10 - 15 mg/kg/lần."]


@pytest.fixture(autouse=True)
def data_dir(settings: Settings, tmp_path: Path) -> Path:
    settings.DUOCTHU_DATA_DIR = tmp_path
    return tmp_path


@pytest.fixture
def edition() -> Edition:
    return make_edition(is_sample=True, title="Dược thư mẫu")


@pytest.fixture
def monograph(edition: Edition) -> Monograph:
    """Its sections stand in an order of their own; one of them is none of the nineteen."""
    made = make_monograph(edition, "Paracetamol", aliases=["Panadol"])
    make_section(made, SectionKey.LIEU_DUNG, *DOSES, heading="Liều lượng và cách dùng:", order=2)
    make_section(made, SectionKey.CHI_DINH, "Đau và sốt.", order=1)
    make_passage(Section.objects.create(**section_fields(made, "Ghi chú của nhà in", "muc-9")), "Lời nhà in.")
    return made


@pytest.fixture
def dosage(monograph: Monograph) -> Section:
    return monograph.sections.get(key=SectionKey.LIEU_DUNG)


def section_fields(monograph: Monograph, heading: str, anchor: str) -> dict[str, object]:
    """A section without a key."""
    return {"monograph": monograph, "key": "", "heading": heading, "anchor": anchor, "order": 9, "pdf_page": 1}


def choose(client: Client, section: str = "lieu-dung", drug: str = "paracetamol", **more: str) -> Turn:
    """Chooses a section as the form does; the new turn."""
    response = client.post("/read/section/", {"drug": drug, "section": section, **more})
    assert response.status_code == 302, response.content.decode()
    turn = Turn.objects.latest("created_at")
    assert response.headers["Location"] == f"/c/{turn.conversation_id}/#luot-{turn.pk}"
    return turn


def again(client: Client, turn: Turn) -> Turn:
    assert client.post(f"/turns/{turn.pk}/again/").status_code == 302
    return Turn.objects.latest("created_at")


def serve_without(section: Section, gone: str) -> None:
    """Another edition is served, which lacks the section, or its drug altogether."""
    Edition.objects.update(state=EditionState.SUPERSEDED)
    now = make_edition(title="Dược thư mới")
    if gone == "section":
        make_section(make_monograph(now, section.monograph.name), SectionKey.BAO_QUAN, "Nơi khô.")


def answer_of(turn: Turn) -> Answer:
    return Answer.model_validate(turn.contract)


def flat(text: str) -> str:
    """The text with its line breaks and no-break spaces as spaces."""
    return re.sub(r"\s+", " ", text)


# --- choosing --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", ["paracetamol", "PARACETAMOL", "para", "Panadol", "panado", " Paracetamol  "])
def test_drug_is_found_by_any_of_its_names(client: Client, monograph: Monograph, query: str) -> None:
    page = open_page(client, f"/read/?q={query}")
    assert "/read/?drug=paracetamol" in page.hrefs
    assert "Chọn thuốc" in page.text


def test_name_that_is_not_there_is_answered_with_those_written_like_it(client: Client, monograph: Monograph) -> None:
    page = open_page(client, "/read/?q=paracetamon")
    assert "Không có tên nào khớp với “paracetamon”" in page.text
    assert "Tên gần giống có thể là thuốc khác hẳn" in page.text
    assert "/read/?drug=paracetamol" in page.hrefs
    assert "Kiểm tra cách viết" in open_page(client, "/read/?q=zzzzzzzz").text


@pytest.mark.parametrize("kind", [MonographKind.CHAPTER, MonographKind.APPENDIX])
@pytest.mark.parametrize(
    "query",
    [
        "paracetamol",
        "ke don thuoc",
        "kee đơn thuốc",
    ],
)
def test_only_drugs_are_offered(client: Client, monograph: Monograph, query: str, kind: MonographKind) -> None:
    make_monograph(monograph.edition, "Kê đơn thuốc", kind=kind, aliases=["Dùng paracetamol"])
    page = open_page(client, f"/read/?q={query}")
    assert [href for href in page.hrefs if href == "/read/?drug=ke_don_thuoc"] == []


def test_chosen_drug_shows_its_sections_in_the_books_order(client: Client, monograph: Monograph) -> None:
    response = client.get("/read/?drug=paracetamol")
    html = response.content.decode()
    assert "Paracetamol" in read(response).text
    forms = re.findall(r'name="drug" value="([^"]+)">\s*<input type="hidden" name="section" value="([^"]+)">', html)
    assert forms == [("paracetamol", "chi-dinh"), ("paracetamol", "lieu-dung")]
    assert html.count('action="/read/section/" method="post"') == 2
    assert "Ghi chú của nhà in" not in html
    assert "Đau và sốt." not in html


@pytest.mark.parametrize("url", ["/read/", "/read/?q=paracetamol", "/read/?drug=paracetamol", "/read/?q=%20"])
def test_choosing_before_the_first_edition(client: Client, url: str) -> None:
    page = open_page(client, url)
    assert "Chưa có ấn bản" in page.text
    assert not Turn.objects.exists()


@pytest.mark.parametrize("name", ["chat", "verbatim"])
def test_asking_and_reading_lead_to_one_another(client: Client, monograph: Monograph, name: str) -> None:
    html = client.get(reverse(name)).content.decode()
    assert '<a href="/read/"' in html
    assert f'<a href="{reverse(name)}" aria-current="page">' in html


@pytest.mark.parametrize(
    "query",
    [
        f"q={XSS}",
        f"drug={XSS}",
        "q=" + "a" * 5000,
        "drug=" + "a" * 5000,
        "drug=../../etc",
        "q='%20OR%201=1",
        "q=para%00cetamol",
        "drug=%00",
    ],
)
def test_anything_may_stand_in_the_address(client: Client, monograph: Monograph, query: str) -> None:
    client.raise_request_exception = False
    response = client.get(f"/read/?{query}")
    assert response.status_code in {200, 404}
    assert "<img src=x" not in response.content.decode()
    read(response)


@pytest.mark.parametrize(
    "drug",
    [
        "khong_co",
        "ke_don_thuoc",
    ],
)
def test_drug_that_cannot_be_read_is_told(client: Client, monograph: Monograph, drug: str) -> None:
    make_monograph(monograph.edition, "Kê đơn thuốc", kind=MonographKind.CHAPTER)
    empty = open_page(client, "/read/").text
    response = client.get(f"/read/?drug={drug}")
    assert "chosen-drug" not in response.content.decode()
    assert read(response).text != empty


# --- the turn --------------------------------------------------------------------------------------------------


def test_whole_section_is_the_turn_and_every_passage_is_quoted_in_order(client: Client, dosage: Section) -> None:
    turn = choose(client)
    answer = answer_of(turn)
    assert (turn.state, turn.decision, turn.reason) == (
        TurnState.DONE,
        Decision.ANSWERABLE,
        Reason.VERBATIM_SECTION,
    )
    assert turn.question == "Đọc nguyên văn: Paracetamol – Liều lượng và cách dùng"
    assert (turn.verbatim_drug, turn.verbatim_section) == ("paracetamol", "lieu-dung")
    assert [claim.claim for claim in answer.claims] == DOSES
    passages = list(dosage.passages.order_by("order"))
    assert [[citation.passage_id for citation in claim.citations] for claim in answer.claims] == [
        [passage.pk] for passage in passages
    ]
    assert [item.text for item in answer.evidence] == DOSES
    assert all(claim.verbatim for claim in answer.claims)
    page = open_page(client, f"/c/{turn.conversation_id}/")
    said = flat(page.text)
    places = [said.index(text) for text in DOSES]
    assert places == sorted(places)
    assert "Nguyên văn mục Liều lượng và cách dùng: của chuyên luận Paracetamol." in said
    assert "Đau và sốt." not in said
    assert [href for href in page.hrefs if "/sources/" in href] == [
        f"/turns/{turn.pk}/sources/{number}/" for number in (1, 2, 3)
    ]


def test_passages_stand_in_the_order_of_the_book_and_not_in_that_of_their_keys(client: Client, dosage: Section) -> None:
    dosage.passages.all().delete()
    for order in (5, 3, 4, 1):
        make_passage(dosage, f"Đoạn thứ {order}.", order=order)
    claims = answer_of(choose(client)).claims
    assert [claim.claim for claim in claims] == [f"Đoạn thứ {order}." for order in (1, 3, 4, 5)]


def test_nothing_is_selected_by_patient_or_route(client: Client) -> None:
    publish_sample(("PARACETAMOL",))
    passages = Passage.objects.filter(section__key=SectionKey.LIEU_DUNG).order_by("order")
    answer = answer_of(choose(client, section=passages[0].section.anchor))
    served = [passage for passage in passages if passage.shows_text]
    quoted = [passage.text for passage in served if passage.text.strip(" .:") not in passage.labels]
    assert len(quoted) > 5
    assert [claim.claim for claim in answer.claims] == quoted
    assert {item.citation.passage_id for item in answer.evidence if item.citation} == {p.pk for p in passages}
    assert answer.quick_replies == ()


@pytest.mark.parametrize(
    ("kind", "state", "says"),
    [
        (PassageKind.TABLE, PassageState.QUARANTINED, "Bảng: ảnh trang in"),
        (PassageKind.TABLE, PassageState.SERVED, "Bảng: ảnh trang in"),
        (PassageKind.FORMULA, PassageState.QUARANTINED, "Công thức: ảnh trang in"),
        (PassageKind.FIGURE, PassageState.QUARANTINED, "Hình: ảnh trang in"),
        (PassageKind.TEXT, PassageState.QUARANTINED, "Đoạn chờ duyệt: ảnh trang in"),
        (PassageKind.TEXT, PassageState.REJECTED, "Đoạn chờ duyệt: ảnh trang in"),
    ],
)
def test_passage_that_is_held_back_is_a_picture_beside_the_others(
    client: Client, dosage: Section, kind: PassageKind, state: PassageState, says: str
) -> None:
    held = make_held_back(dosage, kind=kind, state=state)
    make_passage(dosage, "Sau bảng: theo dõi.")
    turn = choose(client)
    answer = answer_of(turn)
    assert (turn.decision, turn.reason) == (Decision.ANSWERABLE, Reason.PARTIAL_QUARANTINED)
    assert [claim.claim for claim in answer.claims] == [*DOSES, "Sau bảng: theo dõi."]
    html = client.get(f"/c/{turn.conversation_id}/").content.decode()
    assert f'src="/passages/{held.pk}/crop.png?page=1&amp;part=0"' in html
    assert says in html
    assert held.text not in html
    assert held.text not in str(turn.contract)
    assert answer.message in flat(open_page(client, f"/turns/{turn.pk}/").text)


@pytest.mark.parametrize("count", [1, 3])
def test_section_that_is_held_back_whole_is_to_be_verified_on_the_page(
    client: Client, dosage: Section, count: int
) -> None:
    dosage.passages.all().delete()
    held = [make_held_back(dosage) for _ in range(count)]
    turn = choose(client)
    assert (turn.decision, turn.reason) == (Decision.VERIFY_PDF, Reason.SOURCE_QUARANTINED)
    assert answer_of(turn).claims == ()
    html = client.get(f"/c/{turn.conversation_id}/").content.decode()
    assert re.findall(r'src="/passages/(\d+)/crop', html) == [str(passage.pk) for passage in held]
    assert held[0].text not in html


def test_corrected_passage_is_read_as_corrected(client: Client, dosage: Section) -> None:
    first = dosage.passages.order_by("order")[0]
    Passage.objects.filter(pk=first.pk).update(state=PassageState.CORRECTED, corrected_text="Cách dùng: uống lúc đói.")
    turn = choose(client)
    assert [claim.claim for claim in answer_of(turn).claims] == ["Cách dùng: uống lúc đói.", *DOSES[1:]]
    assert DOSES[0] not in str(turn.contract)


def test_passage_without_a_printed_page_is_not_cited(client: Client, dosage: Section) -> None:
    make_passage(dosage, "Đoạn không số trang.", printed_page=None)
    turn = choose(client)
    assert (turn.decision, turn.reason) == (Decision.ABSTAIN, Reason.MISSING_PRINTED_PAGE)
    page = open_page(client, f"/turns/{turn.pk}/")
    assert "/monographs/paracetamol/lieu-dung/" in page.hrefs


def test_labels_stand_above_what_they_govern(client: Client, dosage: Section) -> None:
    dosage.passages.all().delete()
    make_passage(dosage, "Người lớn:", labels=["Người lớn"])
    make_passage(dosage, "Đường uống: 500 mg.", labels=["Người lớn", "Đường uống"])
    turn = choose(client)
    assert [claim.claim for claim in answer_of(turn).claims] == ["Đường uống: 500 mg."]
    assert '<span class="path-step">Người lớn</span>' in client.get(f"/turns/{turn.pk}/").content.decode()


def test_two_sections_of_one_kind_are_not_taken_for_one(client: Client, monograph: Monograph) -> None:
    make_section(monograph, SectionKey.CHI_DINH, "Chỉ định thứ hai.", anchor="chi-dinh-2")
    assert [claim.claim for claim in answer_of(choose(client, "chi-dinh")).claims] == ["Đau và sốt."]
    assert [claim.claim for claim in answer_of(choose(client, "chi-dinh-2")).claims] == ["Chỉ định thứ hai."]


def test_html_in_the_book_is_never_markup(client: Client, monograph: Monograph) -> None:
    odd = make_monograph(monograph.edition, XSS, slug="xss")
    make_section(odd, SectionKey.CHI_DINH, XSS, heading=XSS)
    assert "<img src=x" not in client.get("/read/?drug=xss").content.decode()
    turn = choose(client, "chi-dinh", "xss")
    assert "<img src=x" not in client.get(f"/c/{turn.conversation_id}/").content.decode()
    assert XSS in flat(open_page(client, f"/turns/{turn.pk}/").text)


@pytest.mark.parametrize(
    "form",
    [
        {"drug": "khong_co", "section": "lieu-dung"},
        {"drug": "paracetamol", "section": "tuong-ky"},
        {"drug": "paracetamol", "section": "muc-9"},
        {"drug": "phu_luc", "section": "lieu-dung"},
        {"drug": "thuoc_cu", "section": "chi-dinh"},
        {"drug": "Paracetamol", "section": "lieu-dung"},
        {"drug": "Panadol", "section": "lieu-dung"},
        {"drug": "paracetamol", "section": ""},
        {"drug": "paracetamol"},
        {"section": "lieu-dung"},
        {},
        {"drug": "../paracetamol", "section": "lieu-dung"},
        {"drug": "para\0cetamol", "section": "lieu-dung"},
        {"drug": "p" * 121, "section": "lieu-dung"},
        {"drug": XSS, "section": XSS},
        {"drug": "paracetamol", "section": "lieu-dung", "conversation": "abc"},
    ],
    ids=[
        "unknown drug",
        "section it lacks",
        "section without a key",
        "appendix",
        "drug of another edition",
        "capitals",
        "brand",
        "no section",
        "section left out",
        "drug left out",
        "nothing",
        "path",
        "NUL",
        "too long",
        "HTML",
        "no conversation",
    ],
)
@pytest.mark.parametrize("headers", [{}, HTMX], ids=["plain", "htmx"])
def test_what_is_not_in_the_edition_served_is_not_found(
    client: Client, monograph: Monograph, form: dict[str, str], headers: dict[str, str]
) -> None:
    appendix = make_monograph(monograph.edition, "Phụ lục", kind=MonographKind.APPENDIX)
    make_section(appendix, SectionKey.LIEU_DUNG, "Không phải thuốc.")
    old = make_monograph(make_edition(state=EditionState.SUPERSEDED), "Thuốc cũ")
    make_section(old, SectionKey.CHI_DINH, "Lời cũ.")
    response = client.post("/read/section/", form, headers=headers)
    assert response.status_code == 404
    assert NO_SUCH_SECTION in read(response).text
    assert "<img src=x" not in response.content.decode()
    assert not Turn.objects.exists() and not Conversation.objects.exists()


def test_nothing_can_be_read_before_the_first_edition(client: Client) -> None:
    response = client.post("/read/section/", {"drug": "paracetamol", "section": "lieu-dung"})
    assert response.status_code == 404
    assert not Turn.objects.exists()


def test_section_joins_the_conversation_that_is_named(client: Client, dosage: Section) -> None:
    first = choose(client)
    second = choose(client, "chi-dinh", conversation=str(first.conversation_id))
    third = choose(client)
    assert first.conversation == second.conversation != third.conversation
    assert first.conversation.title == "Đọc nguyên văn: Paracetamol – Liều lượng và cách dùng"
    text = open_page(client, f"/c/{first.conversation_id}/").text
    assert text.index(DOSES[0]) < text.index("Đau và sốt.")


def test_htmx_gets_the_new_turn_alone(client: Client, dosage: Section) -> None:
    response = client.post("/read/section/", {"drug": "paracetamol", "section": "lieu-dung"}, headers=HTMX)
    html = response.content.decode()
    assert response.status_code == 200
    assert html.count('<article class="turn"') == 1
    assert '<span class="question-mark">Đọc</span>' in html
    assert "<html" not in html
    assert 'id="announcer" hx-swap-oob="innerHTML">Đã có trả lời.' in html


def test_next_question_goes_on_with_the_drug_that_was_read(client: Client) -> None:
    publish_sample()
    section = Section.objects.get(monograph__slug="ibuprofen", key=SectionKey.CHI_DINH)
    read_first = choose(client, section.anchor, "ibuprofen")
    client.post("/ask/", {"question": "còn chống chỉ định?", "conversation": str(read_first.conversation_id)})
    turn = Turn.objects.latest("created_at")
    assert {claim.citations[0].drug_id for claim in answer_of(turn).claims} == {"ibuprofen"}
    assert {claim.citations[0].section for claim in answer_of(turn).claims} == {SectionKey.CHONG_CHI_DINH}


def test_section_is_read_in_few_queries(
    client: Client, dosage: Section, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    choose(client)
    for number in range(40):
        make_passage(dosage, f"Đoạn {number}.")
    with django_assert_max_num_queries(17):
        choose(client)


# --- again -----------------------------------------------------------------------------------------------------


def test_section_read_again_is_read_whole_again(client: Client, dosage: Section) -> None:
    first = choose(client)
    make_passage(dosage, "Đoạn thêm.")
    Edition.objects.update(revision=1)
    second = again(client, first)
    assert (second.rerun_of, second.reason) == (first, Reason.VERBATIM_SECTION)
    assert (second.verbatim_drug, second.verbatim_section) == ("paracetamol", "lieu-dung")
    assert [claim.claim for claim in answer_of(second).claims] == [*DOSES, "Đoạn thêm."]
    first.refresh_from_db()
    assert [claim.claim for claim in answer_of(first).claims] == DOSES
    html = client.get(f"/turns/{second.pk}/").content.decode()
    assert re.findall(r"<ins>(.*?)</ins>", html) == ["Đoạn thêm."]
    assert "<del>" not in html


def test_section_read_again_is_that_of_the_edition_served_now(client: Client, dosage: Section) -> None:
    first = choose(client)
    Edition.objects.update(state=EditionState.SUPERSEDED)
    now = make_edition(title="Dược thư mới")
    make_section(make_monograph(now, "Paracetamol"), SectionKey.LIEU_DUNG, "Liều mới.")
    second = again(client, first)
    assert [claim.claim for claim in answer_of(second).claims] == ["Liều mới."]
    assert (first.edition, second.edition) == (dosage.monograph.edition, now)


@pytest.mark.parametrize(
    ("gone", "name"),
    [
        ("section", "Chỉ định"),
        ("drug", "Acid acetylsalicylic"),
    ],
)
def test_what_the_edition_served_now_lacks_is_called_by_its_printed_name(
    client: Client, edition: Edition, gone: str, name: str
) -> None:
    section = make_section(make_monograph(edition, "Acid acetylsalicylic"), SectionKey.CHI_DINH, "Đau và sốt.")
    first = choose(client, "chi-dinh", "acid_acetylsalicylic")
    serve_without(section, gone)
    message = answer_of(again(client, first)).message
    assert name in message
    assert "chi-dinh" not in message and "acid_" not in message


@pytest.mark.parametrize(
    ("gone", "reason"), [("section", Reason.SECTION_NOT_IN_MONOGRAPH), ("drug", Reason.UNKNOWN_DRUG)]
)
def test_what_the_edition_served_now_lacks_is_an_abstention(
    client: Client, dosage: Section, gone: str, reason: Reason
) -> None:
    first = choose(client)
    serve_without(dosage, gone)
    second = again(client, first)
    assert (second.state, second.decision, second.reason) == (TurnState.DONE, Decision.ABSTAIN, reason)
    text = flat(open_page(client, f"/turns/{second.pk}/").text)
    assert "Kết luận đã khác." in text
    assert f"Không còn{DOSES[0]}" in text.replace("Không còn ", "Không còn")


def test_section_read_again_without_an_edition_says_so(client: Client, dosage: Section) -> None:
    first = choose(client)
    Edition.objects.update(state=EditionState.SUPERSEDED)
    assert again(client, first).reason == Reason.NO_EDITION
