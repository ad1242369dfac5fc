"""What the asker thought of an answer: kept once for each turn, masked, and only from its asker."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client

from chat.models import Feedback, FeedbackReason, Turn, TurnState
from monographs.domain import SectionKey
from tests.factories import make_edition, make_monograph, make_section, make_turn
from tests.markup import open_page, read

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
XSS = "<img src=x onerror=alert(1)>"
WORDS = "Suy gan nặng."
either_way = pytest.mark.parametrize("headers", [{}, HTMX], ids=["plain", "htmx"])


@pytest.fixture
def asked(client: Client) -> Turn:
    edition = make_edition(is_sample=True)
    make_section(make_monograph(edition), SectionKey.CHONG_CHI_DINH, WORDS)
    client.post("/ask/", {"question": "Chống chỉ định của paracetamol?"})
    return Turn.objects.get()


def url_of(turn: Turn) -> str:
    return f"/turns/{turn.pk}/feedback/"


def kept() -> list[tuple[object, ...]]:
    return list(Feedback.objects.values_list("useful", "reason", "comment"))


def tools_of(html: str) -> str:
    """What stands beside an answer, without its tags."""
    found = re.search(r'<div class="tools".*?</div>', html, re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", found.group())) if found else ""


@either_way
@pytest.mark.parametrize(
    ("form", "expected", "says"),
    [
        ({"useful": "1"}, (True, "", ""), "Đã ghi: hữu ích. Cảm ơn."),
        ({"useful": "1", "reason": "wrong_drug"}, (True, "", ""), "Đã ghi: hữu ích. Cảm ơn."),
        ({"useful": "1", "comment": "Tốt."}, (True, "", "Tốt."), "Đã ghi: hữu ích. Cảm ơn."),
        ({"useful": "0"}, (False, "", ""), "Đã ghi: sai. Cảm ơn."),
        *(
            ({"useful": "0", "reason": value}, (False, value, ""), f"Đã ghi: sai – {title}. Cảm ơn.")
            for value, title in FeedbackReason.choices
        ),
        (
            {"useful": "0", "reason": "other", "comment": "  Thiếu liều.\nXem lại. "},
            (False, "other", "Thiếu liều.\nXem lại."),
            "Đã ghi: sai – Lý do khác. Cảm ơn.",
        ),
    ],
)
def test_what_was_thought_is_kept_and_thanked_for(
    client: Client,
    asked: Turn,
    form: dict[str, str],
    expected: tuple[object, ...],
    says: str,
    headers: dict[str, str],
) -> None:
    response = client.post(url_of(asked), form, headers=headers)
    assert kept() == [expected]
    if headers:
        html = response.content.decode()
        assert response.status_code == 200
        assert html.count('<article class="turn"') == 1
        assert "<html" not in html
        assert says in tools_of(html)
    else:
        assert response.status_code == 302
        assert response.headers["Location"] == f"/c/{asked.conversation_id}/#luot-{asked.pk}"
    for url in (f"/c/{asked.conversation_id}/", f"/turns/{asked.pk}/"):
        open_page(client, url)
        assert says in tools_of(client.get(url).content.decode())


def test_page_asks_and_offers_every_reason(client: Client, asked: Turn) -> None:
    for headers in ({}, HTMX):
        html = client.get(f"/turns/{asked.pk}/", headers=headers).content.decode()
        assert re.findall(r'<option value="([^"]+)">([^<]+)</option>', html) == FeedbackReason.choices
        assert html.count(f'action="{url_of(asked)}" method="post"') == 2
        assert "Đã ghi" not in html
        assert "aria-pressed" not in html


def test_what_is_pressed_is_told(client: Client, asked: Turn) -> None:
    for useful, pressed in (("1", 1), ("0", 0)):
        client.post(url_of(asked), {"useful": useful})
        assert client.get(f"/turns/{asked.pk}/").content.decode().count('aria-pressed="true"') == pressed


def test_said_again_it_takes_the_place_of_what_was_said(client: Client, asked: Turn) -> None:
    for form, expected in (
        ({"useful": "0", "reason": "wrong_drug", "comment": "Nhầm thuốc."}, (False, "wrong_drug", "Nhầm thuốc.")),
        ({"useful": "0", "reason": "incomplete"}, (False, "incomplete", "")),
        ({"useful": "1"}, (True, "", "")),
        ({"useful": "1"}, (True, "", "")),
        ({"useful": "0"}, (False, "", "")),
    ):
        client.post(url_of(asked), form)
        assert kept() == [expected]


def test_each_turn_has_its_own(client: Client, asked: Turn) -> None:
    client.post(url_of(asked), {"useful": "0", "reason": "refused"})
    client.post(f"/turns/{asked.pk}/again/")
    new = Turn.objects.exclude(pk=asked.pk).get()
    client.post(url_of(new), {"useful": "1"})
    assert dict(Feedback.objects.values_list("turn", "useful")) == {asked.pk: False, new.pk: True}


@pytest.mark.parametrize(
    ("comment", "stored"),
    [
        ("BN Nguyễn Văn An, 0912345678", "BN [họ tên], [số điện thoại]"),
        ("Gọi 0912 345 678 giúp", "Gọi [số điện thoại] giúp"),
        ("an@benhvien.vn", "[email]"),
        ("CCCD 012345678901", "CCCD [số định danh]"),
        ("Sách ghi 0,5 - 1 g, tối đa 4 g/ngày", "Sách ghi 0,5 - 1 g, tối đa 4 g/ngày"),
        (XSS, XSS),
        ("a" * 1000, "a" * 1000),
    ],
    ids=["name and phone", "phone with gaps", "e-mail", "identity", "doses", "HTML", "as long as can be"],
)
@pytest.mark.parametrize("useful", ["0", "1"])
def test_comment_is_masked_before_it_is_stored(
    client: Client, asked: Turn, useful: str, comment: str, stored: str
) -> None:
    client.post(url_of(asked), {"useful": useful, "comment": comment})
    assert Feedback.objects.get().comment == stored
    assert XSS not in client.get(f"/c/{asked.conversation_id}/").content.decode()


@either_way
@pytest.mark.parametrize(
    ("form", "says"),
    [
        ({"useful": "0", "reason": "bad"}, "Hãy chọn một lựa chọn hợp lệ."),
        ({"useful": "1", "reason": "bad"}, "Hãy chọn một lựa chọn hợp lệ."),
        ({"useful": "0", "reason": "Sai thuốc"}, "Hãy chọn một lựa chọn hợp lệ."),
        ({"useful": "2"}, "Hãy chọn một lựa chọn hợp lệ."),
        ({"useful": ""}, "Trường này là bắt buộc."),
        ({}, "Trường này là bắt buộc."),
        ({"useful": "0", "comment": "a" * 1001}, "Nhận xét dài quá 1 000 ký tự."),
        ({"useful": "0", "comment": "a\0"}, "ký tự"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence_and_changes_nothing(
    client: Client, asked: Turn, form: dict[str, str], says: str, headers: dict[str, str]
) -> None:
    client.post(url_of(asked), {"useful": "0", "reason": "wrong_drug"})
    response = client.post(url_of(asked), form, headers=headers)
    assert response.status_code == 422
    assert says in response.content.decode()
    assert kept() == [(False, "wrong_drug", "")]


@pytest.mark.parametrize("line_break", ["\n", "\r\n"], ids=["one sign", "as a browser sends it"])
@pytest.mark.parametrize("line", ["", "Thiếu liều."], ids=["nothing but breaks", "short lines"])
def test_comment_that_the_page_lets_be_typed_is_kept(client: Client, asked: Turn, line: str, line_break: str) -> None:
    """For its maxlength a browser counts a line break once, and then sends two signs."""
    found = re.search(
        r'<textarea [^>]*name="comment"[^>]*maxlength="(\d+)"', client.get(f"/turns/{asked.pk}/").content.decode()
    )
    assert found is not None
    longest = int(found.group(1))
    assert longest >= 500
    typed = ("a" + f"{line}\n" * longest)[: longest - 1] + "b"
    client.post(url_of(asked), {"useful": "0", "comment": typed.replace("\n", line_break)})
    assert Feedback.objects.get().comment.replace("\r", "") == typed


REFUSED = {
    "bad reason": {"useful": "0", "reason": "bad"},
    "long comment": {"useful": "0", "comment": "a" * 1001},
    "bad opinion": {"useful": "2"},
    "HTML as the reason": {"useful": "0", "reason": XSS},
    "HTML as the opinion": {"useful": XSS},
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusal_leaves_the_answer_on_the_page(client: Client, asked: Turn, case: str) -> None:
    """htmx swaps a 422 in (htmx-config in base.html), and the target of the forms is the whole article."""
    response = client.post(url_of(asked), REFUSED[case], headers=HTMX)
    assert response.status_code == 422
    elsewhere = {"HX-Retarget", "HX-Reswap"} & set(response.headers)
    assert elsewhere or WORDS in response.content.decode()


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["plain", "htmx"])
def test_refusal_keeps_what_was_written_and_stands_at_its_turn_alone(
    client: Client, asked: Turn, headers: dict[str, str]
) -> None:
    make_turn(asked.conversation, question="Câu khác")
    html = client.post(url_of(asked), {"useful": "0", "comment": XSS * 50}, headers=headers).content.decode()
    before, after = html.split("Nhận xét dài quá 1 000 ký tự.")
    assert f'id="luot-{asked.pk}"' in before
    written = re.search(r"<textarea [^>]*name=\"comment\"[^>]*>([^<]*)</textarea>", after)
    assert written is not None and unescape(written.group(1)) == XSS * 50
    assert '<details class="tool-details" open>' in after
    assert html.count('class="tool-details" open') == 1


@pytest.mark.parametrize(
    "case",
    [
        "bad reason",
        "long comment",
        "bad opinion",
        "HTML as the reason",
        "HTML as the opinion",
    ],
)
def test_refusal_is_never_markup(client: Client, asked: Turn, case: str) -> None:
    response = client.post(url_of(asked), REFUSED[case], headers=HTMX)
    assert response.status_code == 422
    assert "<img src=x" not in response.content.decode()


def test_what_was_noted_is_announced_and_not_the_end_of_the_turn_again(client: Client, asked: Turn) -> None:
    for form, says in (({"useful": "1"}, "Đã ghi: hữu ích. Cảm ơn."), ({"useful": "0"}, "Đã ghi: sai. Cảm ơn.")):
        html = client.post(url_of(asked), form, headers=HTMX).content.decode()
        announced = re.search(r'<div id="announcer" hx-swap-oob="innerHTML">(.*?)</div>', html, re.DOTALL)
        assert announced is not None and announced.group(1).strip() == says


@pytest.mark.parametrize("state", [TurnState.PENDING, TurnState.RUNNING, TurnState.CANCELLED, TurnState.FAILED])
def test_turn_without_an_answer_asks_for_no_opinion(client: Client, asked: Turn, state: str) -> None:
    turn = make_turn(asked.conversation, state=state)
    html = client.get(f"/turns/{turn.pk}/").content.decode()
    assert url_of(turn) not in html
    client.post(url_of(turn), {"useful": "0", "reason": "refused"})
    open_page(client, f"/turns/{turn.pk}/")


@either_way
@pytest.mark.parametrize("form", [{"useful": "1"}, {"useful": "bad"}, {}], ids=["good", "bad", "empty"])
def test_opinion_is_the_askers_alone(asked: Turn, form: dict[str, str], headers: dict[str, str]) -> None:
    response = Client().post(url_of(asked), form, headers=headers)
    assert response.status_code == 404
    assert "thuộc về người khác" in read(response).text
    assert kept() == []
