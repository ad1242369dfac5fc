"""What every page is sent with, which static files there are, and what may be logged."""

from __future__ import annotations

import io
import json
import logging
import logging.config
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client
from pytest_django.fixtures import Settings

from duocthu_site.fonts import FONT_FILES
from duocthu_site.logs import logging_settings
from duocthu_site.secret_key import kept_secret_key
from duocthu_site.static_files import collect_when_changed


@pytest.fixture
def headers(client: Client, db: None) -> dict[str, str]:
    return {name.lower(): value for name, value in client.get("/admin/login/").headers.items()}


def test_the_content_security_policy_allows_nothing_but_our_own_files(headers: dict[str, str]) -> None:
    directives = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert directives["default-src"] == "'self'"
    assert {directives[name] for name in ("object-src", "base-uri", "frame-ancestors")} == {"'none'"}
    assert directives["form-action"] == "'self'"
    assert not {"unsafe", "data:", "http:", "https:", "*"} & set(headers["content-security-policy"].split())
    assert "unsafe" not in headers["content-security-policy"]


def test_security_headers_are_there(headers: dict[str, str]) -> None:
    assert headers["x-frame-options"] == "DENY"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cross-origin-opener-policy"] == "same-origin"


def test_cookies_are_kept_from_scripts() -> None:
    assert settings.SESSION_COOKIE_HTTPONLY is True
    assert settings.CSRF_COOKIE_HTTPONLY is True


@pytest.mark.parametrize("name", sorted(FONT_FILES))
def test_each_font_face_is_a_static_file(name: str) -> None:
    found = finders.find(f"fonts/{name}")
    assert isinstance(found, str)
    assert Path(found).stat().st_size > 100_000


@pytest.mark.parametrize("path", ["fonts/BeVietnamPro-Black.ttf", "fonts/../metadata.json", "BeVietnamPro-Regular.ttf"])
def test_no_other_file_of_the_font_package_is_served(path: str) -> None:
    assert not finders.find(path)


@pytest.fixture
def own_static_file(settings: Settings, tmp_path: Path) -> Iterator[Path]:
    file = tmp_path / "sources" / "own.css"
    file.parent.mkdir()
    file.write_text("a {}")
    settings.STATICFILES_DIRS = [file.parent]
    settings.STATIC_ROOT = tmp_path / "collected"
    finders.get_finder.cache_clear()  # type: ignore[attr-defined]
    yield file
    finders.get_finder.cache_clear()  # type: ignore[attr-defined]


def test_static_files_are_collected_only_when_one_changed(own_static_file: Path, tmp_path: Path) -> None:
    assert [collect_when_changed(), collect_when_changed()] == [True, False]
    own_static_file.write_text("a { color: red }")
    assert [collect_when_changed(), collect_when_changed()] == [True, False]
    assert (tmp_path / "collected" / "own.css").read_text() == "a { color: red }"
    assert {entry.name for entry in (tmp_path / "collected" / "fonts").iterdir()} >= FONT_FILES


def test_a_secret_key_is_kept_and_its_file_is_private(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "secret_key"
    key = kept_secret_key(path)
    assert kept_secret_key(path) == key
    assert path.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == ["secret_key"]


def test_where_no_key_can_be_kept_one_is_made_for_the_process() -> None:
    assert kept_secret_key(Path("/proc/none/secret_key")) != kept_secret_key(Path("/proc/none/secret_key"))


def test_production_logs_are_json_lines_without_local_variables() -> None:
    described = logging_settings(readable=False)
    stream = io.StringIO()
    described["handlers"]["console"]["stream"] = stream
    before = logging.getLogger().handlers[:]
    try:
        logging.config.dictConfig(described)
        _fail_with_a_question_at_hand("Liều của bệnh nhân X?")
        structlog.get_logger("duocthu").info("đã xong", turn=7)
    finally:
        logging.getLogger().handlers[:] = before
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [line["event"] for line in lines] == ["không xong", "đã xong"]
    assert "ZeroDivisionError" in lines[0]["exception"]
    assert lines[1]["turn"] == 7
    assert "bệnh nhân X" not in stream.getvalue()


def _fail_with_a_question_at_hand(question: str) -> None:
    try:
        len(question) / 0
    except ZeroDivisionError:
        logging.getLogger("duocthu").exception("không xong")
