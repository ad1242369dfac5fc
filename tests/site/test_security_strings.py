"""Odd strings stay strings: no SQL, no template, no path, no other host, in whatever takes words."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from pytest_django.fixtures import Settings

from chat.models import Turn
from duocthu_site.roles import RoleKey
from ingest import run_views
from ingest.models import IngestRun
from monographs.crops import Region, crop_name, edition_pdf
from monographs.models import Edition
from tests.paths import ROOT
from tests.site.staff_addresses import everything_kept, site_addresses, write_pdf_of
from tests.site.test_security_scripts import FORMS, REFLECTED
from tests.site.whole_site import Site, body_of, make_site, signed_in, with_role

pytestmark = pytest.mark.django_db
ODD = {
    "quote": "' OR '1'='1",
    "union": "' UNION SELECT password FROM auth_user --",
    "drop": "'; DROP TABLE chat_turn; --",
    "sleep": "1); SELECT pg_sleep(20); --",
    "like": "%_\\",
    "percent": "%s %(x)s %d %",
    "django": "{{ 7191|add:1 }}{% debug %}{% load static %}",
    "jinja": "{{ 7191+1 }}${7191+1}#{7191+1}<%= 7191+1 %>",
    "format": "{0.__class__}{settings.SECRET_KEY}",
    "tsquery": "a & | ! ( :* <-> ) '",
    "regex": "(a+)+$[[*?",
    "control": "\x01\x08\x1f\u202e\ufeff",
    "surrogate-bytes": "\udcff".encode("utf-8", "surrogatepass").decode("latin-1"),
    "long": "ă" * 5000,
    "numbers": "99999999999999999999",
    "negative": "-1",
}
UP = (
    "../../../etc/passwd",
    "..%2f..%2f..%2fetc%2fpasswd",
    "%2e%2e/%2e%2e/etc/passwd",
    "..\\..\\etc\\passwd",
    "....//etc/passwd",
)


@pytest.fixture
def site(settings: Settings, tmp_path: Path) -> Site:
    settings.DUOCTHU_DATA_DIR = tmp_path
    made = make_site()
    write_pdf_of(made.rows["section"], tmp_path)
    return made


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_words_in_an_address_are_looked_for_and_nothing_else(site: Site, text: str) -> None:
    client, before = with_role(RoleKey.ADMIN), everything_kept()
    for address in REFLECTED:
        response = client.get(address.replace("{}", quote(text, safe="")))
        said = body_of(response)
        assert response.status_code < 500, address
        assert "7192" not in said and "md5$" not in said, address
    assert everything_kept() == before


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_words_in_a_form_are_kept_and_nothing_else(site: Site, text: str) -> None:
    client = signed_in(site.asker)
    for address, field in FORMS.items():
        path = address.format(conversation=site.conversation.pk, turn=site.rows["turn"].pk)
        response = client.post(path, {field: text, "useful": "0", "password": text}, follow=True)
        assert response.status_code in {200, 422}, address
        assert "7192" not in body_of(response)
    asked = client.post("/api/v1/query", {"question": text}, content_type="application/json")
    assert asked.status_code in {200, 202, 422}
    assert Turn.objects.filter(pk=site.rows["turn"].pk).exists()
    assert site.asker.check_password("mat-khau-dai-1")


def test_a_question_that_is_sql_is_stored_as_it_was_asked(client: Client) -> None:
    client.post("/ask/", {"question": ODD["drop"]})
    assert Turn.objects.get().question == ODD["drop"]


def test_no_query_is_put_together_from_words(site: Site) -> None:
    """What is searched for reaches the database as a value: the statement is the same whatever it is."""
    statements: list[set[str]] = []
    for word in ("para'cetamol", 'zzz" OR 1=1'):
        seen: set[str] = set()

        def watch(execute: Any, sql: str, params: Any, many: bool, context: Any, seen: set[str] = seen) -> Any:
            seen.add(str(sql))
            return execute(sql, params, many, context)

        with connection.execute_wrapper(watch):
            signed_in(site.asker).get("/history/", {"tim": word})
        statements.append(seen)
    assert not any("para'" in sql or "OR 1=1" in sql for seen in statements for sql in seen)
    assert any("chat_conversation" in sql for sql in statements[0])


# --- paths ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("up", UP)
def test_no_address_leads_out_of_the_site(site: Site, up: str) -> None:
    client, turn = signed_in(site.asker), site.rows["turn"].pk
    passage = site.rows["passage"].pk
    for path in (
        f"/static/{up}",
        f"/passages/{up}/crop.png",
        f"/passages/{passage}/{up}",
        f"/monographs/{up}/",
        f"/monographs/paracetamol/{up}/",
        f"/turns/{turn}/{up}",
        f"/turns/{up}/answer.pdf",
        f"/admin/ingest/editions/{up}/",
        f"/api/v1/drugs/{up}/sections",
    ):
        response = client.get(path)
        assert response.status_code in {302, 404}, path
        assert "root:" not in body_of(response)


@pytest.mark.parametrize("value", [*UP, "/etc/passwd", "-1", "1e3", "0", "9" * 30, "1;2", "²"])
@pytest.mark.parametrize("name", ["page", "part", "view", "scale", "file"])
def test_a_crop_is_of_the_passages_own_page(site: Site, tmp_path: Path, name: str, value: str) -> None:
    before = files_in(tmp_path)
    response = signed_in(site.asker).get(f"/passages/{site.rows['passage'].pk}/crop.png", {name: value})
    assert response.status_code in {200, 404}
    assert response.status_code == 404 or response.content.startswith(b"\x89PNG")
    new = files_in(tmp_path) - before
    assert all(path.startswith(f"crops/{site.rows['edition'].sha256}/p1-") for path in new)


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_where_a_picture_is_kept_is_made_of_numbers() -> None:
    name = crop_name("a" * 64, Region(1, 0.0, 0.0, 10.0, 10.0, (595.0, 842.0)))
    assert name.removeprefix("a" * 64) == "/p1-0-0-1000-1000-s278.png"


def test_a_digest_can_only_be_one(site: Site) -> None:
    """The one part of a path that comes from the database is never taken from a request."""
    taken = [address.route for address in site_addresses() if "sha" in address.route or "<path:" in address.route]
    assert all(route.startswith("admin/") and "<path:object_id>" in route for route in taken)
    assert edition_pdf(Edition.objects.all()[0].sha256).parent.name == "editions"


HOSTILE_NAMES = (
    "../../../tmp/x.pdf",
    "/etc/cron.d/x.pdf",
    "..\\..\\x.pdf",
    "a\r\nSet-Cookie: x=1.pdf",
    "x.pdf;.html",
    "ă" * 400 + ".pdf",
    "",
)


@pytest.mark.parametrize("name", [name for name in HOSTILE_NAMES if name])
def test_the_name_of_an_upload_is_never_a_path(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(run_views, "send_run", lambda _run: None)
    before = files_in(tmp_path)
    file = SimpleUploadedFile("x", b"%PDF-1.7\n" + name.encode(), content_type="application/pdf")
    vars(file)["_name"] = name
    with_role(RoleKey.OPERATOR).post("/admin/ingest/ingestrun/upload/", {"file": file})
    run = IngestRun.objects.order_by("-pk")[0]
    assert files_in(tmp_path) - before == {f"editions/{run.sha256}.pdf"}
    assert "/" not in run.file_name and "\\" not in run.file_name and "\n" not in run.file_name


@pytest.mark.parametrize(
    ("content", "content_type"),
    [
        pytest.param(b"MZ\x90\x00", "application/pdf", id="a-program-that-says-it-is-one"),
        pytest.param(b"<html><script>1</script>", "application/pdf", id="a-page"),
        pytest.param(b"", "application/pdf", id="empty"),
        pytest.param(b"\x00" * 5000 + b"%PDF-1.7", "application/pdf", id="the-mark-too-late"),
        pytest.param(b"PK\x03\x04", "application/zip", id="an-archive"),
    ],
)
def test_only_what_begins_as_a_pdf_is_kept(site: Site, tmp_path: Path, content: bytes, content_type: str) -> None:
    before = files_in(tmp_path)
    file = SimpleUploadedFile("a.pdf", content, content_type=content_type)
    response = with_role(RoleKey.OPERATOR).post("/admin/ingest/ingestrun/upload/", {"file": file})
    assert response.status_code == 422
    assert files_in(tmp_path) == before


def test_no_upload_is_served_as_it_was_sent_in(site: Site) -> None:
    for path in ("/media/editions/x.pdf", "/editions/x.pdf", "/static/../var/secret_key", "/var/secret_key"):
        assert Client().get(path).status_code == 404
    assert not (ROOT / "static" / "editions").exists()


# --- hosts and headers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "testserver.evil.example", "a b", "testserver@evil.example"]
)
def test_another_host_name_is_refused(host: str) -> None:
    for path in ("/", "/sign-in/", "/admin/", "/api/v1/edition"):
        assert Client().get(path, HTTP_HOST=host).status_code == 400, path


def test_a_forwarded_host_is_not_believed(site: Site) -> None:
    response = Client().get("/admin/", HTTP_X_FORWARDED_HOST="evil.example", HTTP_X_ORIGINAL_URL="/x")
    assert "evil" not in response.headers["Location"]


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "<script>", "á", "x" * 101, "a b", "../x"])
def test_a_correlation_id_that_is_none_is_not_echoed(client: Client, value: str) -> None:
    for path in ("/", "/api/v1/edition"):
        response = client.get(path, HTTP_X_CORRELATION_ID=value)
        assert value not in str(response.headers)
        assert "X-Evil" not in response.headers


def test_every_page_has_the_headers_that_browsers_need(site: Site) -> None:
    client = with_role(RoleKey.ADMIN)
    for address in site_addresses():
        if address.name in {"metrics", "readyz", "healthz"}:
            continue
        headers = client.get(site.path(address)).headers
        assert headers["X-Content-Type-Options"] == "nosniff", address.route
        assert headers["Referrer-Policy"] == "same-origin"
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert headers.get("X-Frame-Options") == "DENY" or address.route.startswith("api/")
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
