"""What the chat page makes a browser load, compressed as it is served: little enough for a slow line."""

from __future__ import annotations

import gzip
import re
from importlib import import_module
from pathlib import Path
from urllib.parse import urljoin

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

pytestmark = pytest.mark.django_db
MOST_BYTES = 150_000
compress = import_module("brotli").compress
STATIC = re.compile(r'"/static/([^"]+)"')
IN_STYLES = re.compile(r'url\("([^"]+)"\)')


def source(name: str) -> bytes:
    """A static file before it is collected."""
    found = finders.find(name)
    assert found, name
    return Path(found).read_bytes()


def test_a_first_visit_is_light(client: Client) -> None:
    page = client.get("/").content
    names = set(STATIC.findall(page.decode()))
    styles = {name for name in names if name.endswith(".css")}
    names |= {urljoin(name, url) for name in styles for url in IN_STYLES.findall(source(name).decode())}
    assert len(styles) == 1
    assert sum(name.startswith("fonts/") for name in names) == 2
    sizes = {name: len(compress(source(name))) for name in names}
    assert len(page) + sum(sizes.values()) <= MOST_BYTES, sizes


def test_a_page_is_sent_compressed_to_who_can_read_it(client: Client) -> None:
    asked = client.get("/", headers={"Accept-Encoding": "gzip, br"})
    assert asked.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in asked.headers["Vary"]
    plain = client.get("/")
    assert "Content-Encoding" not in plain.headers
    assert len(asked.content) < len(plain.content) / 2
    assert b"<!doctype html>" in gzip.decompress(asked.content)
