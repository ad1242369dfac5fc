"""Nobody reaches what is somebody else's: every address with an identifier, for every stranger, by every method."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from duocthu_site.roles import RoleKey
from duocthu_site.tokens import make_token
from monographs.models import Edition, EditionState
from tests.site.staff_addresses import Address, everything_kept, site_addresses, write_pdf_of
from tests.site.whole_site import UNSAFE_METHODS, Site, body_of, make_site, signed_in, undone, with_role

pytestmark = pytest.mark.django_db
# Whose address it is: an asker's alone, or everybody's as long as the edition may be read. What lies below /admin/ has
# a table of its own, tests/site/test_staff_urls.py. A new address with an identifier fails here until it has its place.
ASKERS = {
    "c/<uuid:conversation_id>/",
    "c/<uuid:conversation_id>/rename/",
    "c/<uuid:conversation_id>/delete/",
    "turns/<uuid:turn_id>/",
    "turns/<uuid:turn_id>/cancel/",
    "turns/<uuid:turn_id>/again/",
    "turns/<uuid:turn_id>/feedback/",
    "turns/<uuid:turn_id>/sources/<int:number>/",
    "turns/<uuid:turn_id>/answer.pdf",
    "turns/<uuid:turn_id>/answer.txt",
    "api/v1/turns/<uuidstr:turn_id>",
    "api/v1/turns/<uuidstr:turn_id>/cancel",
    "api/v1/turns/<uuidstr:turn_id>/again",
    "api/v1/turns/<uuidstr:turn_id>/feedback",
    "api/v1/conversations/<uuidstr:conversation_id>",
}
BOOKS = {
    "monographs/<slug:slug>/",
    "monographs/<slug:slug>/<slug:anchor>/",
    "passages/<int:passage_id>/source/",
    "passages/<int:passage_id>/crop.png",
    "api/v1/drugs/<slug:drug_id>/sections",
    "api/v1/drugs/<slug:drug_id>/sections/<slug:section>",
    "api/v1/passages/<int:passage_id>/crop.png",
}
METHODS = ("GET", "HEAD", *UNSAFE_METHODS)
# What a request brings along, so that the owner's is not refused for its content.
PAGE_FORM = {"title": "Tên mới", "useful": "1"}
API_BODY = {"PATCH": '{"title": "Tên mới"}', "PUT": '{"useful": true}', "POST": '{"useful": true}'}
SECRETS = ("Câu hỏi riêng", "Liều paracetamol?")
STRANGERS = ("visitor", "visitor-who-asked", "other-user", *RoleKey)


@pytest.fixture
def site(settings: Settings, tmp_path: Path) -> Site:
    settings.DUOCTHU_DATA_DIR = tmp_path
    made = make_site()
    write_pdf_of(made.rows["section"], tmp_path)
    return made


def addresses_about_something() -> list[Address]:
    found = [address for address in site_addresses() if not address.route.startswith("admin/")]
    return list({address.route: address for address in found if address.parameters}.values())


def askers_addresses() -> list[Address]:
    return [address for address in addresses_about_something() if address.route in ASKERS]


def stranger(kind: str, site: Site) -> Client:
    if kind in set(RoleKey):
        return with_role(RoleKey(kind))
    client = Client()
    if kind == "other-user":
        return with_role(RoleKey.PHARMACIST)
    if kind == "visitor-who-asked":
        client.post("/ask/", {"question": "Chống chỉ định của thuốc nào đó?"})
    return client


def request(client: Client, method: str, path: str) -> tuple[int, str]:
    if path.startswith("/api/"):
        body = API_BODY.get(method, "")
        response = client.generic(method, path, body, content_type="application/json" if body else "")
    else:
        response = (
            getattr(client, method.lower())(path, PAGE_FORM) if method == "POST" else client.generic(method, path)
        )
    return response.status_code, body_of(response)


def test_every_address_about_something_has_its_place() -> None:
    assert {address.route for address in addresses_about_something()} == ASKERS | BOOKS


@pytest.mark.parametrize("kind", STRANGERS)
def test_what_an_asker_asked_is_there_for_nobody_else(site: Site, kind: str) -> None:
    """404 as for what does not exist, or 405: no address tells a stranger that there is something."""
    client = stranger(kind, site)
    before = everything_kept()
    for address in askers_addresses():
        for method in METHODS:
            status, said = request(client, method, site.path(address))
            assert status in {404, 405}, (method, address.route, status)
            assert not any(secret in said for secret in SECRETS), address.route
    assert everything_kept() == before


def test_the_asker_reaches_all_of_it(site: Site) -> None:
    """Else the test above would pass on a site where nothing works."""
    client = signed_in(site.asker)
    for address in askers_addresses():
        reached = []
        for method in METHODS:
            with undone():
                reached.append(request(client, method, site.path(address))[0])
        assert any(status < 400 for status in reached), (address.route, reached)


def test_a_token_of_somebody_else_opens_nothing_either(site: Site) -> None:
    with_role(RoleKey.OPERATOR)
    row, text = make_token(site.asker, "chương trình")
    owner, headers = Client(), {"Authorization": f"Bearer {text}"}
    path = f"/api/v1/turns/{site.rows['turn'].pk}"
    assert owner.get(path, headers=headers).status_code == 200
    row.user = site.rows["user"]
    row.save()
    assert owner.get(path, headers=headers).status_code == 404


def test_a_question_cannot_be_put_into_somebody_elses_conversation(site: Site) -> None:
    client, target = with_role(RoleKey.ADMIN), str(site.conversation.pk)
    before = site.conversation.turns.count()
    assert client.post("/ask/", {"question": "Liều?", "conversation": target}).status_code == 404
    chosen = {"drug": "paracetamol", "section": "lieu-dung", "conversation": target}
    assert client.post("/read/section/", chosen).status_code == 404
    body = {"question": "Liều?", "conversation_id": target}
    assert client.post("/api/v1/query", body, content_type="application/json").status_code == 404
    assert site.conversation.turns.count() == before


def test_lists_hold_only_ones_own(site: Site) -> None:
    own, other = signed_in(site.asker), with_role(RoleKey.ADMIN)
    for path in ("/", "/history/", "/history/?tim=riêng", "/api/v1/conversations"):
        assert "Câu hỏi riêng" in body_of(own.get(path)), path
        assert "Câu hỏi riêng" not in body_of(other.get(path)), path


@pytest.mark.parametrize("state", [EditionState.BUILDING, EditionState.READY, EditionState.DISCARDED])
@pytest.mark.parametrize("kind", ["visitor", RoleKey.ADMIN])
def test_a_book_that_was_not_published_is_not_read(site: Site, state: EditionState, kind: str) -> None:
    client = stranger(kind, site)
    books = [address for address in addresses_about_something() if address.route in BOOKS]
    for address in books:
        assert client.get(site.path(address)).status_code == 200, address.route
    Edition.objects.filter(pk=site.rows["edition"].pk).update(state=state)
    query = f"?edition={site.rows['edition'].pk}"
    for address in books:
        for path in (site.path(address), site.path(address) + query):
            assert client.get(path).status_code == 404, path


@pytest.mark.parametrize("given", ["user:1", "anon:x"])
def test_an_owner_cannot_be_named_from_outside(site: Site, given: str) -> None:
    """Neither a header, a cookie nor a parameter makes one somebody else."""
    client = Client(headers={"X-User": given, "Remote-User": "nguoi-hoi", "Cookie": f"chat_owner={given}"})
    path = site.path(askers_addresses()[0])
    assert client.get(path, {"owner": f"user:{site.asker.pk}", "user": str(site.asker.pk)}).status_code == 404
