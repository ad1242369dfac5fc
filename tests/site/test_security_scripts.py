"""No text becomes markup: every text field of every record is hostile, and every page is read as a browser reads it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import html5lib
import pytest
from django.db.models import CharField, Model, SlugField, TextField
from django.test import Client
from pytest_django.fixtures import Settings

from chat.models import Feedback, TurnState
from duocthu_site.roles import RoleKey, give_role
from duocthu_site.tokens import make_token
from ingest.models import RunState
from monographs.models import Passage
from tests.factories import make_answer, make_turn
from tests.markup import check_policy
from tests.site.staff_addresses import Address, site_addresses, write_pdf_of
from tests.site.whole_site import Site, body_of, make_site, signed_in

pytestmark = pytest.mark.django_db
# Closes every context that text may stand in, then opens an element of a name that nothing else has.
HOSTILE = """\"'></title></textarea></script>--><x-{0} onx-{0}=1 style="x"><script>x-{0}</script>"""
SHORT = "<x-{0} onx=1>"
LONG_ENOUGH = 90
# What is no text of people's: keys, states, hashes and versions, which programs write.
WRITTEN_BY_PROGRAMS = {
    "auth.User": {"password", "username"},
    "chat.Conversation": {"owner"},
    "chat.Turn": {"corpus_version", "correlation_id", "stage", "reason", "verbatim_drug", "verbatim_section"},
    "ingest.IngestRun": {"sha256", "error_code", "stage"},
    "ingest.Review": {"sha256", "passage_uid", "slug", "anchor"},
    "ingest.WorkerHeartbeat": set(),
    "monographs.Edition": {"sha256", "accents", "vocabulary"},
    "monographs.Monograph": {"slug", "sort_key"},
    "monographs.Section": {"anchor"},
    "monographs.Passage": {"uid", "text_hash"},
    "monographs.Alias": {"folded"},
    "duocthu_site.ApiToken": {"digest", "hint"},
}
# Fields that no page shows; here so that one that the pages above miss is noticed.
SHOWN_NOWHERE = {"duocthu_site.ApiToken.name"}
PAGE = "text/html"
MARK = re.compile(r"x-(\d+)")
PROBES = {"metrics", "readyz", "healthz"}


@pytest.fixture
def site(settings: Settings, tmp_path: Path) -> Site:
    settings.DUOCTHU_DATA_DIR = tmp_path
    made = make_site()
    write_pdf_of(made.rows["section"], tmp_path)
    return made


def poison(rows: dict[str, Any]) -> dict[str, str]:
    """Makes every text of people's in these records hostile; the field by the number in its text."""
    fields: dict[str, str] = {}
    for row in {id(row): row for row in rows.values()}.values():
        for field in text_fields(row):
            number = str(1000 + len(fields))
            fields[number] = f"{row._meta.label}.{field.name}"
            most = field.max_length or 10_000
            text = HOSTILE.format(number) if most >= LONG_ENOUGH else SHORT.format(number)
            type(row)._default_manager.filter(pk=row.pk).update(**{field.attname: text[:most]})
    for row in rows.values():
        row.refresh_from_db()
    return fields


def text_fields(row: Model) -> Iterator[Any]:
    spared = WRITTEN_BY_PROGRAMS.get(row._meta.label, set())
    for field in row._meta.concrete_fields:
        is_text = isinstance(field, CharField | TextField) and not isinstance(field, SlugField)
        if is_text and not field.choices and not field.primary_key and field.name not in spared:
            yield field


def hostile_site(site: Site) -> dict[str, str]:
    """Poisons the book first, so that the answer that quotes it is hostile too, and then the rest."""
    rows = site.rows
    rows["token"] = make_token(site.asker, "chương trình")[0]
    rows["failed"] = type(rows["ingestrun"]).objects.create(
        file_name="b.pdf", sha256="2" * 64, title="Hỏng", year=2026, state=RunState.FAILED, error="lỗi"
    )
    Feedback.objects.update(handled_by=rows["user"], handled_at=rows["feedback"].created_at)
    fields = poison(rows)
    passages = list(Passage.objects.filter(section__monograph=rows["monograph"]))
    answer = make_answer(passages=passages, quick_replies=(SHORT.format(1),), summary=HOSTILE.format(2))
    turn = make_turn(site.conversation, answer, question=HOSTILE.format(3), edition=rows["edition"])
    rows["poisoned"] = turn
    make_turn(site.conversation, state=TurnState.FAILED, question=HOSTILE.format(4))
    return fields


def assert_clean(html: str, where: str) -> str:
    """What the page says, once it is known to have no element, handler or script that is not ours."""
    tree = html5lib.parse(html, namespaceHTMLElements=False)
    for element in tree.iter():
        if not isinstance(element.tag, str):
            assert "x-1" not in str(element.text), where
            continue
        assert not element.tag.startswith("x-"), (where, element.tag)
        names = {str(name) for name in element.attrib}
        assert not {name for name in names if name.startswith("on") or name == "style"}, (where, element.tag, names)
        assert element.tag != "script" or element.get("src") or element.get("type") == "application/json", where
        for name in ("href", "src", "action", "formaction", "hx-get", "hx-post"):
            value = (element.get(name) or "").strip().lower()
            assert not value.startswith(("javascript:", "data:", "//", "http")), (where, value)
    return " ".join([*tree.itertext(), *(str(value) for each in tree.iter() for value in each.attrib.values())])


def pages(site: Site) -> Iterator[tuple[str, Client]]:
    """Every address that may answer with a page, by the asker, who may see everything."""
    give_role(site.asker, RoleKey.ADMIN)
    site.asker.refresh_from_db()
    client = signed_in(site.asker)
    for address in site_addresses():
        if address.name not in PROBES:
            yield from ((path, client) for path in paths_of(site, address))


def paths_of(site: Site, address: Address) -> list[str]:
    found = [site.path(address)]
    if "turn_id" in address.parameters:
        found.append(address.path(site.arguments(address) | {"turn_id": site.rows["poisoned"].pk}))
    if address.name == "chat_turn_change":
        found.append(address.path({"object_id": site.rows["poisoned"].pk}))
    if address.name == "ingest_run":
        found.append(address.path({"run_id": site.rows["failed"].pk}))
    if address.name == "ingest_edition":
        found.append(address.path({"edition_id": site.rows["edition"].pk}))
    if address.name == "chat_feedback_inbox":
        found.append(found[0] + "?xu-ly=tat-ca")
    return found


def test_no_stored_text_becomes_markup_on_any_page(site: Site) -> None:
    fields = hostile_site(site)
    assert len(fields) > 25, "the records have texts"
    said, read = "", 0
    for path, client in pages(site):
        for headers in ({}, {"HX-Request": "true"}):
            response = client.get(path, headers=headers)
            assert response.status_code < 500, path
            if response.headers.get("Content-Type", "").startswith(PAGE) and response.status_code == 200:
                check_policy(response) if not headers else None
                said += assert_clean(body_of(response), path)
                read += 1
    assert read > 100
    shown = {fields[number] for number in set(MARK.findall(said)) if number in fields}
    assert set(fields.values()) - shown <= SHOWN_NOWHERE


# Addresses that take words, with where they are read from the address.
REFLECTED = [
    "/?tim={}",
    "/history/?tim={}",
    "/history/?trang={}",
    "/monographs/?q={}",
    "/monographs/?atc={}",
    "/monographs/paracetamol/?edition={}",
    "/read/?q={}",
    "/read/?drug={}",
    "/compare/?thuoc={}",
    "/compare/sections/?thuoc={}%0AParacetamol&muc={}",
    "/compare/interactions/?thuoc={}%0AParacetamol",
    "/sign-in/?next={}",
    "/admin/login/?next={}",
    "/admin/auth/user/?q={}",
    "/admin/chat/turn/?q={}&decision={}",
    "/admin/monographs/passage/?q={}",
    "/admin/chat/feedback/inbox/?danh-gia={}&ly-do={}",
    "/admin/ingest/review/queue/?kind={}&q={}",
    "/admin/ingest/coverage/?q={}",
    "/admin/ingest/compare/?a={}&b={}",
    "/{}/",
    "/monographs/{}/",
    "/admin/{}/",
]


@pytest.mark.parametrize("address", REFLECTED)
@pytest.mark.parametrize("person", ["visitor", "admin"])
def test_no_word_of_an_address_becomes_markup(site: Site, address: str, person: str) -> None:
    client = Client()
    if person == "admin":
        give_role(site.asker, RoleKey.ADMIN)
        client.force_login(site.asker)
    for text in (HOSTILE.format(7), "javascript:x-7", "{{x-7}}"):
        response = client.get(address.replace("{}", quote(text, safe="")))
        assert response.status_code < 500
        if response.headers.get("Content-Type", "").startswith(PAGE):
            assert_clean(response.content.decode(), address)


FORMS = {
    "/ask/": "question",
    "/sign-in/": "username",
    "/password/": "old_password",
    "/c/{conversation}/rename/": "title",
    "/turns/{turn}/feedback/": "comment",
}


NOT_SHOWN_AGAIN = {("/password/", 1), ("/password/", 40), ("/turns/{turn}/feedback/", 1)}


@pytest.mark.parametrize("address", FORMS)
@pytest.mark.parametrize("length", [1, 40], ids=["taken", "refused-as-too-long"])
def test_what_a_form_takes_comes_back_as_text(site: Site, address: str, length: int) -> None:
    client = signed_in(site.asker) if address != "/sign-in/" else Client()
    path = address.format(conversation=site.conversation.pk, turn=site.rows["turn"].pk)
    form = {FORMS[address]: HOSTILE.format(8) * length, "useful": "0", "password": "x"}
    response = client.post(path, form, follow=True)
    assert response.status_code in {200, 422}
    text = assert_clean(response.content.decode(), address)
    assert "x-8" in text or (address, length) in NOT_SHOWN_AGAIN


def test_the_reader_of_pages_sees_what_is_hostile() -> None:
    for html in (f"<p>{HOSTILE.format(9)}</p>", "<a href=' javascript:x'>a</a>", "<b onclick=1>", "<script>1</script>"):
        with pytest.raises(AssertionError):
            assert_clean(html, "")
