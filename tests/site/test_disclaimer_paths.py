"""The disclaimer is in every response path: all addresses and commands, each in a table that none may be lacking from.

A new view fails here until it says how it carries the disclaimer, or why it need not.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from pypdf import PdfReader
from pytest_django.fixtures import Settings

from chat.contract import Answer, SummarySentence, SummaryStatus
from chat.domain import Reason
from chat.export_pdf import answer_pdf
from chat.export_text import answer_text
from chat.management.commands.ask import _as_text
from chat.models import Conversation, Turn, TurnState
from monographs.disclaimer import NO_EDITION_TITLE, disclaimer
from monographs.domain import SectionKey
from monographs.models import Edition, EditionState, Passage, Section
from tests.browser.conftest import _write_pdf
from tests.factories import make_answer, make_edition, make_held_back, make_monograph, make_section
from tests.factories import make_turn as new_turn
from tests.paths import ROOT
from tests.site.staff_addresses import staff_addresses

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
QUESTION = "Chống chỉ định của paracetamol?"
BLANKS = re.compile(r"\s+")


@dataclass(slots=True)
class World:
    """A book, and an asker with a conversation."""

    client: Client
    edition: Edition
    section: Section
    conversation: Conversation
    turn: Turn

    @property
    def passages(self) -> list[Passage]:
        """The book's."""
        return list(Passage.objects.filter(section=self.section).order_by("pk"))

    def get(self, name: str, *args: object, query: str = "", htmx: bool = False) -> str:
        """What an address answers, read as a person reads it."""
        response = self.client.get(reverse(name, args=args) + query, headers=HTMX if htmx else {})
        assert response.status_code == 200, (name, response.status_code)
        return plain(response.content.decode())

    def post(self, name: str, *args: object, form: dict[str, str] | None = None, htmx: bool = False) -> str:
        """What an address answers to a form; the page that it sends on to, where it does."""
        response = self.client.post(reverse(name, args=args), form or {}, headers=HTMX if htmx else {}, follow=True)
        assert response.status_code == 200, (name, response.status_code)
        return plain(response.content.decode())

    def file(self, name: str) -> bytes:
        """A file of the turn."""
        response = self.client.get(reverse(name, args=[self.turn.pk]))
        assert response.status_code == 200
        return bytes(response.content)


def plain(html: str) -> str:
    """Text as it is shown, with single blanks."""
    return one_line(re.sub(r"<[^>]+>", "", html).replace("&quot;", '"').replace("&#x27;", "'"))


def one_line(text: str) -> str:
    return BLANKS.sub(" ", text.replace("\u00ad", "")).strip()


def text_of_pdf(pdf: bytes) -> str:
    return one_line(" ".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages))


@pytest.fixture
def world(client: Client, settings: Settings, tmp_path: Path) -> World:
    settings.DUOCTHU_DATA_DIR = tmp_path
    edition = make_edition(is_sample=True, title="Dược thư mẫu")
    monograph = make_monograph(edition, "Paracetamol", atc_codes=["N02BE01"])
    make_section(make_monograph(edition, "Ibuprofen"), SectionKey.CHONG_CHI_DINH, "Loét dạ dày.")
    section = make_section(monograph, SectionKey.CHONG_CHI_DINH, "Quá mẫn với paracetamol.", "Suy gan nặng.")
    make_held_back(section)
    _write_pdf(tmp_path / "editions" / f"{edition.sha256}.pdf")
    client.post("/ask/", {"question": QUESTION})
    turn = Turn.objects.get()
    return World(client, edition, section, turn.conversation, turn)


def carries(text: str, edition: Edition) -> bool:
    """Whether it has the edition's disclaimer, as an answer's (with the year) or as a page's."""
    titles = (f"{edition.title} ({edition.year})", edition.title)
    return any(disclaimer(edition_title=title, is_sample=edition.is_sample) in text for title in titles)


# --- every address ---------------------------------------------------------------------------------------------


def _asked(world: World) -> Iterator[str]:
    yield world.post("ask", form={"question": QUESTION})
    yield world.post("ask", form={"question": QUESTION, "conversation": str(world.conversation.pk)}, htmx=True)


def _turn(world: World) -> Iterator[str]:
    yield world.get("turn", world.turn.pk)
    yield world.get("turn", world.turn.pk, htmx=True)


def _done_to_a_turn(name: str, **form: str) -> Callable[[World], Iterator[str]]:
    def probe(world: World) -> Iterator[str]:
        yield world.post(name, world.turn.pk, form=form)
        yield world.post(name, world.turn.pk, form=form, htmx=True)

    return probe


def _cancelled(world: World) -> Iterator[str]:
    for htmx in (False, True):
        waiting = new_turn(world.conversation, state=TurnState.PENDING)
        yield world.post("turn-cancel", waiting.pk, htmx=htmx)


def _read(world: World) -> Iterator[str]:
    chosen = {"drug": "paracetamol", "section": world.section.anchor}
    yield world.post("verbatim-read", form=chosen)
    yield world.post("verbatim-read", form={**chosen, "conversation": str(world.conversation.pk)}, htmx=True)


def _page(name: str, *, query: str = "") -> Callable[[World], Iterator[str]]:
    def probe(world: World) -> Iterator[str]:
        values = {
            "conversation_id": world.conversation.pk,
            "turn_id": world.turn.pk,
            "number": 1,
            "slug": "paracetamol",
            "anchor": world.section.anchor,
            "passage_id": world.passages[0].pk,
        }
        wanted = [values[key] for key in parameters()[name]]
        yield world.get(name, *wanted, query=query)

    return probe


def _own_account(name: str) -> Callable[[World], Iterator[str]]:
    def probe(world: World) -> Iterator[str]:
        world.client.force_login(User.objects.create_user("duoc-si"))
        yield world.get(name)

    return probe


TWO_DRUGS = "?thuoc=Paracetamol%0AIbuprofen"
PATHS: dict[str, Callable[[World], Iterator[str]]] = {
    "chat": _page("chat"),
    "ask": _asked,
    "conversation": _page("conversation"),
    "conversation-rename": _page("conversation-rename"),
    "conversation-delete": _page("conversation-delete"),
    "history": _page("history"),
    "turn": _turn,
    "turn-cancel": _cancelled,
    "turn-again": _done_to_a_turn("turn-again"),
    "turn-feedback": _done_to_a_turn("turn-feedback", useful="1"),
    "turn-source": _page("turn-source"),
    "turn-pdf": lambda world: iter([text_of_pdf(world.file("turn-pdf"))]),
    "turn-text": lambda world: iter([one_line(world.file("turn-text").decode())]),
    "verbatim": _page("verbatim"),
    "verbatim-read": _read,
    "compare": _page("compare"),
    "compare-sections": _page("compare-sections", query=f"{TWO_DRUGS}&muc=chong_chi_dinh"),
    "compare-interactions": _page("compare-interactions", query=TWO_DRUGS),
    "help": _page("help"),
    "monograph-list": _page("monograph-list"),
    "monograph": _page("monograph"),
    "section": _page("section"),
    "passage-source": _page("passage-source"),
    "sign-in": _page("sign-in"),
    "password": _own_account("password"),
    "password-done": _own_account("password-done"),
    "sign-out": lambda world: iter([world.post("sign-out")]),
}
# What shows no words of ours or of the book's, and why.
WITHOUT = {
    "passage-crop": "a picture of the printed page, shown inside pages that have the disclaimer",
    "offline": "names monographs that the device kept; each has the disclaimer on its own page",
    "service-worker": "a script",
    "healthz": "for machines: whether a process lives",
    "readyz": "for machines: what is missing",
    "metrics": "for machines: counts, and nothing of the book",
}
# What there is only while an edition is served.
OF_THE_SERVED_EDITION = {"verbatim-read", "monograph", "section"}
# Fragments that are laid into a page that stays, disclaimer and all, with the page that they are laid into.
INSIDE = {"turn-source": "conversation", "passage-source": "section", "history": "chat", "help": "chat"}


def _walk(patterns: list[URLPattern | URLResolver], route: str = "") -> Iterator[tuple[str, URLPattern]]:
    for pattern in patterns:
        here = route + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield here, pattern
        else:
            yield from _walk(pattern.url_patterns, here)


def addresses() -> dict[str, URLPattern]:
    """Everything but the staff pages, the API (tests/site/test_api_operations.py) and what serves static files."""
    found = _walk(get_resolver().url_patterns)
    return {str(p.name or route): p for route, p in found if not route.startswith(("admin/", "api/", "static/"))}


def parameters() -> dict[str, list[str]]:
    return {name: list(pattern.pattern.converters) for name, pattern in addresses().items()}


def test_every_address_stands_in_the_table_and_no_other() -> None:
    assert set(addresses()) == set(PATHS) | set(WITHOUT)


@pytest.mark.parametrize("name", PATHS)
def test_every_address_carries_the_disclaimer(world: World, name: str) -> None:
    shown = list(PATHS[name](world))
    assert shown
    for text in shown:
        assert carries(text, world.edition)


@pytest.mark.parametrize("name", PATHS)
def test_so_it_does_without_an_edition(world: World, name: str) -> None:
    """Where nothing is served any more, stored answers keep the disclaimer of their edition."""
    Edition.objects.update(state=EditionState.SUPERSEDED)
    none = disclaimer(edition_title=NO_EDITION_TITLE, is_sample=False)
    if name in OF_THE_SERVED_EDITION:
        with pytest.raises(AssertionError, match="404"):
            list(PATHS[name](world))
        return
    for text in PATHS[name](world):
        assert carries(text, world.edition) or none in text


def test_a_fragment_is_laid_into_a_page_that_has_it(world: World) -> None:
    for fragment, page in INSIDE.items():
        assert fragment in PATHS and carries(next(PATHS[page](world)), world.edition)


# --- every outcome ---------------------------------------------------------------------------------------------


def _stored(world: World, reason: Reason) -> Turn:
    answer = make_answer(reason, world.passages, edition=_edition_of(world))
    turn = new_turn(world.conversation, answer, edition=world.edition)
    world.turn = turn
    return turn


def _edition_of(world: World) -> object:
    return Answer.model_validate(world.turn.contract).edition


@pytest.mark.parametrize("reason", list(Reason))
def test_every_outcome_carries_it_wherever_it_is_shown(world: World, reason: Reason) -> None:
    turn = _stored(world, reason)
    answer = Answer.model_validate(turn.contract)
    shown = {
        "page": world.get("turn", turn.pk),
        "fragment": world.get("turn", turn.pk, htmx=True),
        "conversation": world.get("conversation", world.conversation.pk),
        "pdf": text_of_pdf(answer_pdf(question=QUESTION, asked_at=turn.created_at, answer=answer)),
        "text": one_line(answer_text(question=QUESTION, asked_at=turn.created_at, answer=answer)),
        "shell": one_line(_as_text(answer)),
    }
    assert [where for where, text in shown.items() if one_line(answer.disclaimer) not in text] == []


def test_an_answer_with_a_models_summary_carries_it(world: World) -> None:
    passages = world.passages[:1]
    said = SummarySentence(text="Quá mẫn với paracetamol.", chunk_ids=(passages[0].uid,))
    status = SummaryStatus(provider="bedrock", used=True, sentences=(said,))
    answer = make_answer(passages=passages, verbatim=False, summary_status=status, edition=_edition_of(world))
    turn = new_turn(world.conversation, answer)
    assert answer.disclaimer in world.get("turn", turn.pk)


@pytest.mark.parametrize("state", list(TurnState))
@pytest.mark.parametrize("htmx", [False, True], ids=["page", "fragment"])
def test_every_state_of_a_turn_carries_it(world: World, state: TurnState, htmx: bool) -> None:
    """A fragment of a turn that waits says nothing that would need it."""
    turn = new_turn(world.conversation, state=state)
    text = world.get("turn", turn.pk, htmx=htmx)
    waits = htmx and state in {TurnState.PENDING, TurnState.RUNNING}
    assert waits or carries(text, world.edition)


def test_the_audit_of_a_turn_carries_it(world: World, admin_client: Client) -> None:
    (address,) = [address for address in staff_addresses() if address.name == "chat_turn_change"]
    page = admin_client.get(address.path({"object_id": world.turn.pk}), follow=True).content.decode()
    assert one_line(Answer.model_validate(world.turn.contract).disclaimer) in plain(page)


def test_print_hides_no_disclaimer() -> None:
    css = (ROOT / "static" / "css" / "duocthu.css").read_text("utf-8")
    printed = "".join(re.findall(r"@media print \{(.*?)\n\}", css, re.DOTALL))
    hidden = re.findall(r"([^{}]+)\{[^{}]*display:\s*none[^{}]*\}", printed)
    selectors = {selector.strip() for rule in hidden for selector in rule.split(",")}
    assert ".tools" in selectors, "the test reads what is hidden"
    assert not selectors & {".colophon", ".foot", ".foot p", ".turn", ".tag", ".tag-model", ".summary", "footer", "p"}


# --- every command ---------------------------------------------------------------------------------------------

# Commands of the chat, and why those that show no answer need not carry it.
COMMANDS = {
    "ask": "",
    "eval": "figures about answers",
    "contract_schema": "the shape of an answer",
}


def test_every_command_of_the_chat_stands_in_the_table() -> None:
    folder = ROOT / "chat" / "management" / "commands"
    assert {path.stem for path in folder.glob("*.py")} - {"__init__"} == set(COMMANDS)


@pytest.mark.parametrize("question", [QUESTION, "liều aspirinol", "liều cho chó"])
@pytest.mark.parametrize("options", [{}, {"json": True}], ids=["text", "json"])
def test_the_shell_carries_it(world: World, question: str, options: dict[str, bool]) -> None:
    out = io.StringIO()
    call_command("ask", question, stdout=out, **options)
    assert carries(one_line(out.getvalue()), world.edition)


def test_a_batch_carries_it(world: World, tmp_path: Path) -> None:
    source, target = tmp_path / "vao.jsonl", tmp_path / "ra.jsonl"
    source.write_text('{"id": 1, "question": "liều aspirinol"}\n', "utf-8")
    call_command("ask", batch=[source, target], stdout=io.StringIO())
    assert carries(target.read_text("utf-8"), world.edition)
