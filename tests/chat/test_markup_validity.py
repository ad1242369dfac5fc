"""Every page with its data: no parse error, nothing inline, and every reference to an element points at one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4
from xml.etree.ElementTree import Element

import html5lib
import pytest
from django.contrib.auth.models import User
from django.template.loader import render_to_string
from django.test import Client
from django.urls import URLPattern, get_resolver
from pytest_django.fixtures import Settings

from chat.domain import Reason
from chat.models import Conversation, FeedbackReason, Turn, TurnState
from chat.policy import EMERGENCY_NOTICE
from chat.turns import give_feedback
from monographs.domain import PassageState, SectionKey
from monographs.models import Edition, Passage, Section
from tests.factories import (
    make_answer,
    make_edition,
    make_held_back,
    make_monograph,
    make_passage,
    make_section,
    make_turn,
    section_link,
)
from tests.markup import ALLOWED_SOURCES, check_policy

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
AWKWARD = "Cho “bé” <b>2 tuổi</b> & 'mẹ' \"uống\" 5 mg?"
LABELLED = {"input", "select", "textarea", "button"}
REFERENCES = ("for", "aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "list", "form")
# Neither has markup of its own.
NO_PAGES = {"passage-crop", "turn-pdf", "turn-text", "healthz", "readyz", "metrics", "service-worker"}
ONLY_POSTED = {"ask", "turn-cancel", "turn-again", "turn-feedback", "verbatim-read", "sign-out"}
OF_AN_ACCOUNT = {"password": "/password/", "password-done": "/password/done/"}


@dataclass(frozen=True, slots=True)
class Asker:
    """A browser that has asked something in every way that a turn can end."""

    client: Client
    conversation: Conversation
    turns: dict[str, Turn]
    passages: dict[str, Passage]

    def address(self, path: str) -> str:
        """The path with {c}, the turns and the passages by their names put in."""
        turns = {name: f"/turns/{turn.pk}" for name, turn in self.turns.items()}
        passages = {name: f"/passages/{passage.pk}" for name, passage in self.passages.items()}
        return path.format(c=f"/c/{self.conversation.pk}", **turns, **passages)


@pytest.fixture
def asker(client: Client, settings: Settings, tmp_path: Path) -> Asker:
    settings.DUOCTHU_DATA_DIR = tmp_path
    edition = make_edition(is_sample=True, title="Dược thư “mẫu” & <thử>")
    passages = make_passages(edition)
    (tmp_path / "editions").mkdir()
    (tmp_path / "editions" / f"{edition.sha256}.pdf").touch()
    client.post("/ask/", {"question": AWKWARD})
    conversation = Conversation.objects.get()
    turns = make_turns(conversation, passages)
    give_feedback(conversation.owner, turns["answer"].pk, useful=True)
    give_feedback(
        conversation.owner,
        turns["partial"].pk,
        useful=False,
        reason=FeedbackReason.WRONG_PATIENT,
        comment=AWKWARD,
    )
    return Asker(client, conversation, turns, passages)


def make_passages(edition: Edition) -> dict[str, Passage]:
    """A monograph with awkward names, in every state that a passage has, and one to suggest beside it."""
    drug = make_monograph(
        edition, "Paracetamol", aliases=["Panadol & <Extra>"], atc_codes=["N02BE01"], drug_class="Giảm đau."
    )
    make_section(make_monograph(edition, "Đồng sulfat", slug="dong-sulfat"), SectionKey.CHI_DINH, "Thiếu đồng.")
    make_section(drug, SectionKey.CHI_DINH, "Đau nhẹ và vừa; sốt > 38 °C.")
    refused = make_section(drug, SectionKey.CHONG_CHI_DINH, "Quá mẫn với paracetamol.")
    dosage = make_section(drug, SectionKey.LIEU_DUNG)
    return {
        "text": make_passage(dosage, "Đường uống: 500 mg - 1 g.", labels=["Người <lớn>", "Đường uống"]),
        "table": make_held_back(dosage),
        "corrected": make_passage(
            refused, "Suy gan.", corrected_text="Suy gan nặng & <nghiện> rượu.", state=PassageState.CORRECTED
        ),
        "nowhere": make_held_back(dosage, boxes=[], pdf_page=2),
    }


def make_turns(conversation: Conversation, passages: dict[str, Passage]) -> dict[str, Turn]:
    """A turn of each kind in one conversation."""
    text, table, corrected = passages["text"], passages["table"], passages["corrected"]
    links = tuple(section_link(section) for section in Section.objects.all())
    answers = {
        "answer": make_answer(passages=[text, corrected], emergency=EMERGENCY_NOTICE),
        "partial": make_answer(
            Reason.PARTIAL_QUARANTINED,
            [text, table, passages["nowhere"]],
            insufficiency={"missing_targets": ("Aspirin <ol>",), "missing_topics": ("suy thận",)},
        ),
        "clarify": make_answer(
            Reason.NEEDS_BRANCH, quick_replies=("Người lớn", 'Trẻ "em" & <bé>'), related_sections=links
        ),
        "verify": make_answer(Reason.SOURCE_QUARANTINED, [table], related_sections=links),
        "abstain": make_answer(Reason.UNKNOWN_DRUG),
        "model": make_answer(passages=[text], verbatim=False),
    }
    turns = {name: make_turn(conversation, answer, question=AWKWARD) for name, answer in answers.items()}
    turns["again"] = make_turn(conversation, answers["answer"], rerun_of=turns["answer"])
    turns["changed"] = make_turn(conversation, answers["partial"], rerun_of=turns["answer"])
    turns["read"] = make_turn(
        conversation, answers["answer"], verbatim_drug="paracetamol", verbatim_section="lieu-dung"
    )
    turns["pending"] = make_turn(conversation)
    turns["running"] = make_turn(conversation, state=TurnState.RUNNING, stage="retrieve")
    for state in (TurnState.CANCELLED, TurnState.FAILED):
        turns[state.value] = make_turn(conversation, state=state)
    turns["unreadable"] = make_turn(conversation, state=TurnState.DONE, contract={"schema_version": 1})
    Passage.objects.filter(pk=corrected.pk).update(corrected_text="Suy gan nặng.")
    return turns


PAGES = {
    "chat": ["/"],
    "conversation": ["{c}/"],
    "conversation-rename": ["{c}/rename/"],
    "conversation-delete": ["{c}/delete/"],
    "history": ["/history/", "/history/?tim=cho+be", "/history/?tim=%22%3Cb%3E", "/history/?trang=2"],
    "turn": [
        f"{{{name}}}/"
        for name in (
            *("answer", "partial", "clarify", "verify", "abstain", "model", "again", "changed", "read"),
            *("pending", "running", "cancelled", "failed", "unreadable"),
        )
    ],
    "turn-source": [
        "{answer}/sources/1/",
        "{answer}/sources/2/",
        "{answer}/sources/1/?view=page",
        "{partial}/sources/2/",
        "{partial}/sources/3/",
    ],
    "verbatim": [
        "/read/",
        "/read/?q=para",
        "/read/?q=paracetmol",
        "/read/?q=%22%3Czzz",
        "/read/?drug=paracetamol",
    ],
    "help": ["/help/"],
    "sign-in": ["/sign-in/", "/sign-in/?next=%2Fmonographs%2F%22%3E%3Cb%3E"],
    "offline": ["/offline/"],
    "compare": ["/compare/"],
    "compare-interactions": [
        "/compare/interactions/",
        "/compare/interactions/?thuoc=Panadol%0A%C4%90%E1%BB%93ng+sulfat",
        "/compare/interactions/?thuoc=Panadol%0A%C4%90%E1%BB%93ng+sulfat%0A%22%3Czzzqqq",
    ],
    "compare-sections": ["/compare/sections/"],
    "monograph-list": [
        "/monographs/",
        "/monographs/?atc=",
        "/monographs/?atc=N02",
        "/monographs/?q=panadol",
        "/monographs/?q=paracetmol",
        "/monographs/?q=%22%3Czzz",
    ],
    "monograph": ["/monographs/paracetamol/", "/monographs/dong-sulfat/"],
    "section": ["/monographs/paracetamol/lieu-dung/", "/monographs/paracetamol/chong-chi-dinh/"],
    "passage-source": ["{text}/source/", "{table}/source/", "{corrected}/source/", "{text}/source/?view=page"],
}
FRAGMENTS = ("turn", "turn-source", "history", "help", "passage-source")
ALL_PAGES = [path for paths in PAGES.values() for path in paths]
NOT_FOUND = ["/monographs/khong-co/", "/read/?drug=khong-co", f"/c/{uuid4()}/", "{answer}/sources/99/", "/khong-co/"]


def test_every_address_is_looked_at() -> None:
    named = {pattern.name for pattern in all_patterns() if pattern.name}
    assert named == set(PAGES) | NO_PAGES | ONLY_POSTED | set(OF_AN_ACCOUNT)


def all_patterns() -> Iterator[URLPattern]:
    """Every address but the admin's, which is Django's own, and the API's, which has no markup."""
    for found in get_resolver().url_patterns:
        if str(found.pattern) not in {"admin/", "api/v1/"}:
            within = (found,) if isinstance(found, URLPattern) else found.url_patterns
            yield from (pattern for pattern in within if isinstance(pattern, URLPattern))


@pytest.mark.parametrize("path", ALL_PAGES)
def test_page_is_valid(asker: Asker, path: str) -> None:
    response = asker.client.get(asker.address(path))
    assert response.status_code == 200
    check_content_policy(response.headers["Content-Security-Policy"])
    check_page(response.content.decode())


@pytest.mark.parametrize("path", OF_AN_ACCOUNT.values())
def test_a_page_of_ones_own_account_is_valid(asker: Asker, path: str) -> None:
    asker.client.force_login(User.objects.create_user("duoc-si"))
    response = asker.client.get(path)
    assert response.status_code == 200
    check_page(response.content.decode())


@pytest.mark.parametrize("path", [path for name in FRAGMENTS for path in PAGES[name]])
def test_fragment_is_valid(asker: Asker, path: str) -> None:
    response = asker.client.get(asker.address(path), headers=HTMX)
    assert response.status_code == 200
    html = response.content.decode()
    assert "<html" not in html
    check_policy(response)
    tree = html5lib.HTMLParser(strict=True).parseFragment(html)
    check_elements(tree)
    assert dangling(tree) == []


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["plain", "htmx"])
@pytest.mark.parametrize("path", NOT_FOUND)
def test_page_that_is_not_there_is_valid(asker: Asker, path: str, headers: dict[str, str]) -> None:
    response = asker.client.get(asker.address(path), headers=headers)
    assert response.status_code == 404
    check_policy(response)
    html = response.content.decode()
    if "<html" in html:
        check_page(html)
    else:
        check_elements(html5lib.HTMLParser(strict=True).parseFragment(html))


def test_first_page_of_all_is_valid(client: Client) -> None:
    for path in ("/", "/read/", "/history/", "/monographs/", "/help/"):
        check_page(client.get(path).content.decode())


def test_pages_without_the_pdf_are_valid(asker: Asker, settings: Settings, tmp_path: Path) -> None:
    settings.DUOCTHU_DATA_DIR = tmp_path / "elsewhere"
    for path in ("{c}/", "{answer}/sources/1/", "{partial}/sources/2/", "/monographs/paracetamol/", "{text}/source/"):
        check_page(asker.client.get(asker.address(path)).content.decode())


@pytest.mark.parametrize(
    ("path", "posted"),
    [
        ("/ask/", {"question": "?!"}),
        ("/ask/", {"question": AWKWARD, "conversation": "x"}),
        ("{c}/rename/", {"title": " "}),
        ("{c}/rename/", {"title": AWKWARD * 5}),
    ],
    ids=["no question", "no conversation", "no title", "long title"],
)
def test_refusal_is_valid(asker: Asker, path: str, posted: dict[str, str]) -> None:
    response = asker.client.post(asker.address(path), posted)
    assert response.status_code == 422
    check_policy(response)
    check_page(response.content.decode())


def test_refused_question_in_its_conversation_is_valid(asker: Asker) -> None:
    posted = {"question": "?!", "conversation": str(asker.conversation.pk)}
    check_page(asker.client.post("/ask/", posted).content.decode())
    fragment = asker.client.post("/ask/", posted, headers=HTMX).content.decode()
    tree = html5lib.HTMLParser(strict=True).parseFragment(fragment)
    check_elements(tree)
    assert dangling(tree) == []


@pytest.mark.parametrize("posted", [{"useful": "2"}, {"useful": "0", "comment": "a" * 1001}], ids=["opinion", "length"])
def test_turn_with_a_refused_opinion_is_valid(asker: Asker, posted: dict[str, str]) -> None:
    response = asker.client.post(asker.address("{answer}/feedback/"), posted, headers=HTMX)
    check_policy(response)
    tree = html5lib.HTMLParser(strict=True).parseFragment(response.content.decode())
    check_elements(tree)
    assert dangling(tree) == []
    assert [element.get("role") for element in tree.iter() if element.get("role") == "alert"]


@pytest.mark.parametrize("name", ["400.html", "403.html", "403_csrf.html", "500.html"])
def test_error_page_is_valid(name: str) -> None:
    check_page(render_to_string(name))


@pytest.mark.parametrize(
    "body",
    [
        "<p><div></p></div>",
        "<p id=a></p><p id=a></p>",
        "<p style='color:red'></p>",
        "<p onclick='x()'></p>",
        "<script>x()</script>",
        "<a href='JavaScript:x()'>x</a>",
        "<label for=a>x</label>",
        "<label for=a>x</label><p id=a></p>",
        "<p aria-describedby='a b' id=a></p>",
        "<p hx-target='#a'></p>",
        "<a href='#a'>x</a>",
    ],
)
def test_fault_is_seen(body: str) -> None:
    with pytest.raises((AssertionError, html5lib.html5parser.ParseError)):
        check_page(f"<!doctype html><html lang=vi><head><title>x</title></head><body>{body}</body></html>")


def test_page_without_fault_is_passed() -> None:
    check_page("<!doctype html><html lang=vi><head><title>x</title></head><body><p id=a>x</p></body></html>")


def check_content_policy(policy: str) -> None:
    """What comes from here and nothing unsafe, for whatever may be loaded, sent to, or put around the page."""
    assert "unsafe-" not in policy
    directives = {words[0]: set(words[1:]) for part in policy.split(";") if (words := part.split())}
    assert {"default-src", "base-uri", "form-action", "frame-ancestors"} <= set(directives)
    assert all(sources <= set(ALLOWED_SOURCES) for sources in directives.values())


def check_page(html: str) -> None:
    """A whole page."""
    tree = html5lib.HTMLParser(strict=True).parse(html)
    check_elements(tree)
    assert dangling(tree) == []
    assert leading_nowhere(tree) == []


def check_elements(tree: Element) -> None:
    """What holds of a page and of a fragment: ids unique, nothing inline."""
    repeated = [name for name, times in Counter(ids_of(tree)).items() if times > 1]
    assert repeated == []
    assert [said for element in tree.iter() for said in inline_in(element)] == []


def inline_in(element: Element) -> Iterator[str]:
    """Script, style and handlers that stand in the page itself."""
    tag = name_of(element)
    if tag == "style" or (tag == "script" and not element.get("src")):
        yield f"<{tag}>"
    for name, value in element.attrib.items():
        if name == "style" or name.startswith(("on", "hx-on")) or re.match(r"\s*javascript:", value, re.IGNORECASE):
            yield f"<{tag} {name}>"


def dangling(tree: Element) -> list[str]:
    """References to an element that is not there, and labels of what can have none."""
    tags = {element.get("id"): name_of(element) for element in tree.iter()}
    found = []
    for element in tree.iter():
        tag = name_of(element)
        for attribute in REFERENCES:
            for wanted in element.get(attribute, "").split():
                if wanted not in tags:
                    found.append(f"<{tag} {attribute}={wanted}>")
                elif attribute == "for" and tags[wanted] not in LABELLED:
                    found.append(f"<{tag} for={wanted}> is no control")
    return found


def leading_nowhere(tree: Element) -> list[str]:
    """Links within the page, and places for htmx to put something, that are not there."""
    ids = set(ids_of(tree))
    wanted = [element.get(name, "") for element in tree.iter() for name in ("href", "hx-target")]
    return [value for value in wanted if value.startswith("#") and value[1:] not in ids]


def ids_of(tree: Element) -> list[str]:
    """Every id, as often as it stands there."""
    return [name for element in tree.iter() if (name := element.get("id"))]


def name_of(element: Element) -> str:
    """The tag without its namespace."""
    return str(element.tag).rpartition("}")[2]
