"""The pages that lay drugs side by side: lists, choices, grids; nothing of them is kept."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from django.test import Client

from chat.drug_list import as_question, list_lines, read_names
from chat.models import Conversation, Turn
from chat.pair_grid import grid_of
from monographs.domain import SectionKey
from monographs.models import Edition
from tests.factories import make_alias, make_edition, make_held_back, make_monograph, make_section
from tests.markup import check_policy, open_page, read
from tests.sample_corpus import sample_corpus

pytestmark = pytest.mark.django_db
PAGE = "/compare/interactions/"


@pytest.fixture
def book() -> Edition:
    """Three drugs: the first names the second, nobody the third; a brand that two share."""
    edition = make_edition()
    for name, said in (("Alphadin", "Betadinol: tránh phối hợp."), ("Betadinol", "Thận trọng."), ("Gammacin", "Khác.")):
        monograph = make_monograph(edition, name)
        make_section(monograph, SectionKey.LOAI_THUOC, "Thuốc thử.")
        for key in (SectionKey.CHONG_CHI_DINH, SectionKey.THAN_TRONG, SectionKey.LIEU_DUNG):
            make_section(monograph, key, "Theo dõi.")
        make_section(monograph, SectionKey.TUONG_TAC, said)
        if name != "Gammacin":
            make_alias(monograph, "Duodrin")
    return edition


def _page(client: Client, *lines: str, **more: str) -> str:
    return client.get(PAGE, {"thuoc": "\n".join(lines), **more}).content.decode()


@pytest.mark.parametrize("url", ["/compare/", PAGE])
def test_pages_open_without_an_edition(client: Client, url: str) -> None:
    response = client.get(url)
    assert response.status_code == 200
    check_policy(response)


@pytest.mark.parametrize("url", ["/compare/", PAGE])
def test_pages_only_read(client: Client, url: str) -> None:
    assert client.post(url).status_code == 405


@pytest.mark.usefixtures("book")
def test_menu_leads_there_and_root_to_the_grid(client: Client) -> None:
    assert "/compare/" in open_page(client, "/").hrefs
    assert PAGE in open_page(client, "/compare/").hrefs


@pytest.mark.usefixtures("book")
def test_two_drugs_are_told_one_by_one(client: Client) -> None:
    html = _page(client, "Alphadin", "Betadinol")
    assert "Chuyên luận Alphadin về Betadinol" in html and "Chuyên luận Betadinol về Alphadin" in html
    assert "Có nêu" in html and "Không thấy nêu trong Dược thư" in html
    assert "<table" not in html


@pytest.mark.usefixtures("book")
def test_three_drugs_are_a_table_with_a_status_in_words_in_each_cell(client: Client) -> None:
    html = _page(client, "1. Alphadin 5mg", "2. Betadinol 10 mg", "3. Gammacin")
    cells = html.split("<tbody>")[1].split("</tbody>")[0]
    assert cells.count("<td") == 9
    assert cells.count("Có nêu") == 1 and cells.count("Không thấy nêu trong Dược thư") == 5


@pytest.mark.usefixtures("book")
def test_named_cell_leads_to_the_words_and_they_to_the_printed_place(client: Client) -> None:
    html = _page(client, "Alphadin", "Betadinol")
    assert 'href="#trich-0-0"' in html and 'id="trich-0-0"' in html
    assert "/source/" in html and "/turns/" not in html


@pytest.mark.usefixtures("book")
def test_grid_says_that_silence_is_no_leave(client: Client) -> None:
    text = read(client.get(PAGE, {"thuoc": "Betadinol\nGammacin"})).text
    assert "Không thấy nêu trong Dược thư không có nghĩa là" in text
    assert "an toàn" not in text


def test_picture_of_a_passage_held_back_is_linked_from_its_cell(client: Client, book: Edition) -> None:
    section = make_section(make_monograph(book, "Deltacin"), SectionKey.TUONG_TAC)
    held = make_held_back(section)
    type(held).objects.filter(pk=held.pk).update(text="Betadinol 20 mg")
    html = _page(client, "Deltacin", "Betadinol")
    assert f'href="#anh-0-{held.pk}"' in html and f'id="anh-0-{held.pk}"' in html
    assert "Betadinol 20 mg" not in html


@pytest.mark.usefixtures("book")
def test_unknown_line_is_listed_and_not_checked(client: Client) -> None:
    html = _page(client, "Alphadin", "Betadinol", "Xyzabol 5mg")
    assert "chưa nhận ra" in html and "Chưa đối chiếu được" in html


@pytest.mark.usefixtures("book")
def test_shared_brand_is_asked_about_with_links_that_replace_the_line(client: Client) -> None:
    html = _page(client, "Alphadin", "Duodrin")
    assert "Có phải" in html
    assert urlencode({"thuoc": "Alphadin\nBetadinol"}) in html


@pytest.mark.usefixtures("book")
def test_name_nearly_typed_is_offered_and_not_taken(client: Client) -> None:
    html = _page(client, "Alphadim", "Gammacin")
    assert urlencode({"thuoc": "Alphadin\nGammacin"}) in html


@pytest.mark.usefixtures("book")
def test_drug_is_added_and_dropped_without_scripts(client: Client) -> None:
    html = _page(client, "Alphadin", them="Gammacin")
    assert "Alphadin\nGammacin</textarea>" in html
    assert f'href="{PAGE}?{urlencode({"thuoc": "Gammacin"})}"' in html


@pytest.mark.usefixtures("book")
def test_one_drug_is_too_few(client: Client) -> None:
    response = client.get(PAGE, {"thuoc": "Alphadin"})
    assert response.status_code == 422
    assert "ít nhất hai thuốc" in response.content.decode()


@pytest.mark.usefixtures("book")
def test_more_than_eight_are_too_many(client: Client) -> None:
    html = _page(client, "Alphadin", "Betadinol", *(f"Xyzabolin{letter}" for letter in "qwrtpsd"))
    assert "từ hai đến tám thuốc" in html and "pair-grid" not in html


@pytest.mark.usefixtures("book")
@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>\nAlphadin", "\0\nAlphadin\nBetadinol", "a" * 9000, "\n\n", "…\n…"]
)
def test_hostile_text_breaks_nothing(client: Client, text: str) -> None:
    response = client.get(PAGE, {"thuoc": text})
    assert response.status_code in {200, 422}
    assert "<script>alert" not in response.content.decode()


@pytest.mark.usefixtures("book")
def test_nothing_is_kept(client: Client) -> None:
    _page(client, "Alphadin", "Betadinol")
    assert not Turn.objects.exists() and not Conversation.objects.exists()


@pytest.mark.usefixtures("book")
def test_asked_in_the_chat_the_grid_stands_in_the_turn_and_in_its_text(client: Client) -> None:
    client.post("/ask/", {"question": "Alphadin với Betadinol"})
    turn = Turn.objects.get()
    html = client.get(f"/c/{turn.conversation_id}/").content.decode()
    assert f'href="#trich-{turn.pk}-0"' in html and f'id="trich-{turn.pk}-0"' in html
    text = client.get(f"/turns/{turn.pk}/answer.txt").content.decode()
    assert "Chuyên luận Alphadin về Betadinol: Có nêu" in text
    assert "Chuyên luận Betadinol về Alphadin: Không thấy nêu trong Dược thư" in text
    assert client.get(f"/turns/{turn.pk}/answer.pdf").status_code == 200


@pytest.mark.parametrize(
    ("text", "added", "lines"),
    [
        ("1. Warfarin 5mg\n2) Aspirin\n- Panadol", "", ("Warfarin 5mg", "Aspirin", "Panadol")),
        ("warfarin, aspirin", "", ("warfarin", "aspirin")),
        ("warfarin + aspirin; panadol", "", ("warfarin", "aspirin", "panadol")),
        ("kali clorid 0,9 %", "", ("kali clorid 0,9 %",)),
        ("warfarin\r\n\r\naspirin\t", "  panadol ", ("warfarin", "aspirin", "panadol")),
        ("", "", ()),
    ],
)
def test_lines_of_a_list(text: str, added: str, lines: tuple[str, ...]) -> None:
    assert list_lines(text, added) == lines


def test_list_is_asked_as_a_numbered_prescription() -> None:
    assert as_question(("warfarin", "aspirin")) == "1. warfarin\n2. aspirin"


@pytest.mark.parametrize(
    ("line", "means", "choice"),
    [
        ("Panadol 500mg 2v", ("Paracetamol",), ""),
        ("NSAID", ("Thuốc chống viêm không steroid",), ""),
        ("Caduet", (), "Amlodipin"),
        ("warfarim", (), "Warfarin"),
        ("dobutamim 250mg", (), "Dobutamin"),
        ("zzzzqqq", (), ""),
    ],
)
def test_what_a_line_names(line: str, means: tuple[str, ...], choice: str) -> None:
    (found,) = read_names((line,), sample_corpus())
    assert found.means == means
    assert (choice in found.choices) if choice else not found.choices


def test_no_pairs_no_grid() -> None:
    assert grid_of(()) is None
