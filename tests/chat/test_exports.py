"""An answer taken along: the stored one, as a PDF and as text, and only by its asker."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader
from pytest_django.fixtures import Settings

from chat.contract import Answer
from chat.domain import Decision, Reason
from chat.export_text import answer_text
from chat.models import Turn, TurnState
from chat.outcomes import OUTCOMES
from monographs.domain import PassageState, SectionKey
from monographs.models import Edition, EditionState, Passage
from tests.factories import make_answer, make_edition, make_held_back, make_monograph, make_section, make_turn
from tests.markup import open_page, read

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

pytestmark = pytest.mark.django_db
QUESTION = "Chống chỉ định của paracetamol?"
XSS = "<img src=x onerror=alert(1)>"
WORDS = "Suy gan nặng, dùng quá 4 g/ngày."
NO_ANSWER = "Lượt hỏi này không có câu trả lời nên không xuất được."
KINDS = {"turn-pdf": ("application/pdf", "pdf"), "turn-text": ("text/plain; charset=utf-8", "txt")}
every_kind = pytest.mark.parametrize("name", list(KINDS))


@pytest.fixture(autouse=True)
def data_dir(settings: Settings, tmp_path: Path) -> Path:
    settings.DUOCTHU_DATA_DIR = tmp_path
    return tmp_path


@pytest.fixture
def edition() -> Edition:
    made = make_edition(is_sample=True, title="Dược thư mẫu")
    make_section(make_monograph(made), SectionKey.CHONG_CHI_DINH, WORDS)
    return made


@pytest.fixture
def asked(client: Client, edition: Edition) -> Turn:
    client.post("/ask/", {"question": QUESTION})
    return Turn.objects.get()


def text_of(response: Response) -> str:
    """What the export says, with every space a plain one."""
    content = response.content
    said = content.decode() if response.headers["Content-Type"].startswith("text/") else pdf_text(content)
    return re.sub(r"\s+", " ", said)


def pdf_text(content: bytes) -> str:
    return unicodedata.normalize("NFC", " ".join(page.extract_text() for page in PdfReader(BytesIO(content)).pages))


@every_kind
def test_export_is_the_answer_with_its_source_edition_time_and_notice(client: Client, asked: Turn, name: str) -> None:
    Turn.objects.update(created_at=datetime(2026, 3, 5, 17, 5, tzinfo=UTC))
    response = client.get(reverse(name, args=[asked.pk]))
    answer = Answer.model_validate(asked.contract)
    text = text_of(response)
    assert (response.status_code, response.headers["Content-Type"]) == (200, KINDS[name][0])
    for said in (
        "BẢN MẪU – không dùng cho lâm sàng",
        QUESTION,
        "06/03/2026 00:05",
        answer.message,
        f"{WORDS} [1]",
        "Dược thư mẫu (2026)",
        answer.disclaimer,
        f"Mã tra cứu {asked.pk}",
    ):
        assert re.sub(r"\s+", " ", said) in text
    assert "tr. 101" in text


def test_text_is_that_of_the_export_to_the_letter(client: Client, asked: Turn) -> None:
    said = client.get(reverse("turn-text", args=[asked.pk])).content.decode()
    answer = Answer.model_validate(asked.contract)
    assert said == answer_text(question=asked.question, asked_at=asked.created_at, answer=answer)


def test_pdf_is_a_whole_file(client: Client, asked: Turn) -> None:
    content = client.get(reverse("turn-pdf", args=[asked.pk])).content
    assert content.startswith(b"%PDF-")
    assert content.rstrip().endswith(b"%%EOF")
    assert len(PdfReader(BytesIO(content), strict=True).pages) == 1


@every_kind
@pytest.mark.parametrize(
    ("moment", "stamp"),
    [
        (datetime(2026, 3, 5, 7, 5, tzinfo=UTC), "20260305-1405"),
        (datetime(2026, 3, 5, 16, 59, 59, tzinfo=UTC), "20260305-2359"),
        (datetime(2026, 3, 5, 17, 0, tzinfo=UTC), "20260306-0000"),
        (datetime(2026, 12, 31, 17, 0, tzinfo=UTC), "20270101-0000"),
    ],
)
def test_file_is_named_by_vietnamese_time_and_turn(
    client: Client, asked: Turn, name: str, moment: datetime, stamp: str
) -> None:
    Turn.objects.update(created_at=moment)
    headers = client.get(reverse(name, args=[asked.pk])).headers
    assert headers["Content-Disposition"] == (
        f'inline; filename="duoc-thu-{stamp}-{str(asked.pk)[:8]}.{KINDS[name][1]}"'
    )
    assert "no-store" in headers["Cache-Control"]
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_two_turns_of_one_minute_have_files_of_their_own(client: Client, asked: Turn) -> None:
    other = make_turn(asked.conversation, make_answer(Reason.SMALLTALK))
    Turn.objects.update(created_at=datetime(2026, 3, 5, 7, 5, tzinfo=UTC))
    names = {client.get(reverse("turn-pdf", args=[t.pk])).headers["Content-Disposition"] for t in (asked, other)}
    assert len(names) == 2


@every_kind
def test_page_of_the_turn_leads_to_it(client: Client, asked: Turn, name: str) -> None:
    for url in (f"/c/{asked.conversation_id}/", f"/turns/{asked.pk}/"):
        assert reverse(name, args=[asked.pk]) in open_page(client, url).hrefs


@every_kind
@pytest.mark.parametrize("reason", list(Reason))
def test_every_outcome_can_be_taken_along(client: Client, asked: Turn, reason: Reason, name: str) -> None:
    quoted = OUTCOMES[reason].decision is Decision.ANSWERABLE
    answer = make_answer(reason, list(Passage.objects.all()) if quoted else [])
    response = client.get(reverse(name, args=[make_turn(asked.conversation, answer).pk]))
    assert response.status_code == 200
    assert re.sub(r"\s+", " ", answer.message) in text_of(response)


@every_kind
@pytest.mark.parametrize(
    "change",
    [
        lambda: Passage.objects.update(state=PassageState.CORRECTED, corrected_text="Lời sửa."),
        lambda: Passage.objects.update(state=PassageState.QUARANTINED),
        lambda: Passage.objects.all().delete(),
        lambda: Edition.objects.update(state=EditionState.SUPERSEDED),
    ],
    ids=["corrected", "held back", "gone", "superseded"],
)
def test_stored_answer_is_taken_along_and_not_what_became_of_the_book(
    client: Client, asked: Turn, name: str, change: Callable[[], object]
) -> None:
    before = text_of(client.get(reverse(name, args=[asked.pk])))
    change()
    after = text_of(client.get(reverse(name, args=[asked.pk])))
    assert after == before
    assert WORDS in re.sub(r"\s+", " ", after)


@every_kind
def test_what_is_held_back_is_named_and_not_put_into_words(client: Client, edition: Edition, name: str) -> None:
    held = make_held_back(edition.monographs.get().sections.get())
    client.post("/ask/", {"question": QUESTION})
    turn = Turn.objects.get()
    assert turn.reason == Reason.PARTIAL_QUARANTINED
    text = text_of(client.get(reverse(name, args=[turn.pk])))
    assert WORDS in text
    assert held.text not in text
    assert "[2]" in text


@every_kind
def test_odd_question_is_taken_along_as_it_was_asked(client: Client, asked: Turn, name: str) -> None:
    odd = f'{XSS} "R&D" <b>đậm</b> \u2028 β ≥ 5 😀'
    turn = make_turn(asked.conversation, make_answer(passages=list(Passage.objects.all())), question=odd)
    response = client.get(reverse(name, args=[turn.pk]))
    assert response.status_code == 200
    assert XSS in text_of(response)
    assert "\n" not in response.headers["Content-Disposition"]


@every_kind
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
def test_turn_without_an_answer_cannot_be_taken_along(
    client: Client, asked: Turn, name: str, state: str, contract: dict[str, object]
) -> None:
    turn = make_turn(asked.conversation, state=state, contract=contract)
    assert NO_ANSWER in open_page(client, reverse(name, args=[turn.pk]), status=404).text
    assert reverse(name, args=[turn.pk]) not in open_page(client, f"/turns/{turn.pk}/").hrefs


@every_kind
def test_answer_is_taken_along_by_its_asker_alone(asked: Turn, name: str) -> None:
    response = Client().get(reverse(name, args=[asked.pk]))
    assert response.status_code == 404
    assert "thuộc về người khác" in read(response).text
    assert WORDS not in response.content.decode()
    assert "Content-Disposition" not in response.headers
