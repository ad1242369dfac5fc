"""The keys: one table, told in full on the help page and its sheet, and each with what it does in the script."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from chat.models import Turn
from chat.shortcuts import SHORTCUTS, Shortcut
from monographs.domain import SectionKey
from tests.factories import make_edition, make_monograph, make_section
from tests.markup import check_policy, open_page, read
from tests.paths import ROOT

HTMX = {"HX-Request": "true"}
SCRIPT = (ROOT / "static" / "js" / "duocthu.js").read_text("utf-8")
# Keys that act where something is typed or laid over the page, by the name that the browser gives them.
BROWSER_KEYS = {"Enter": "Enter", "Esc": "Escape"}
keys_of = pytest.mark.parametrize("shortcut", SHORTCUTS, ids=lambda shortcut: " ".join(shortcut.keys))


def actions() -> dict[str, str]:
    """The keys of ACTIONS, with what each is given."""
    found = re.search(r"\n  var ACTIONS = \{\n(.*?)\n  \};", SCRIPT, re.DOTALL)
    assert found is not None
    entries = re.findall(r'^    "([^"]+)": (.*?)(?=,?\n    "|,?\Z)', found.group(1), re.DOTALL | re.MULTILINE)
    return dict(entries)


def shown(html: str) -> list[tuple[tuple[str, ...], str]]:
    """The table of keys as a page shows it."""
    rows = re.findall(r"<tr><td>(.*?)</td><td>(.*?)</td></tr>", html)
    return [(tuple(re.findall(r"<kbd>(.*?)</kbd>", keys)), does) for keys, does in rows]


@keys_of
def test_every_key_acts(shortcut: Shortcut) -> None:
    keys = "".join(shortcut.keys)
    if keys in BROWSER_KEYS:
        assert re.search(rf'event\.key [!=]== "{BROWSER_KEYS[keys]}"', SCRIPT)
    else:
        assert keys in actions()


def test_every_action_is_in_the_table() -> None:
    told = ["".join(shortcut.keys) for shortcut in SHORTCUTS]
    assert len(told) == len(set(told))
    assert set(actions()) | set(BROWSER_KEYS) == set(told)


def test_key_that_opens_a_pair_does_nothing_alone() -> None:
    leads = {shortcut.keys[0] for shortcut in SHORTCUTS if len(shortcut.keys) > 1}
    assert leads == {"g"}
    assert not leads & set(actions())
    assert all(f'event.key === "{lead}"' in SCRIPT for lead in leads)


@pytest.mark.parametrize("name", sorted({action for action in actions().values() if not action.startswith("function")}))
def test_every_action_is_written(name: str) -> None:
    assert f"function {name.partition('(')[0]}(" in SCRIPT


@pytest.mark.django_db
@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "sheet"])
def test_help_tells_every_key_in_the_order_of_the_table(client: Client, headers: dict[str, str]) -> None:
    response = client.get("/help/", headers=headers)
    check_policy(response)
    assert shown(response.content.decode()) == [(shortcut.keys, shortcut.does) for shortcut in SHORTCUTS]
    text = read(response).text
    assert "g rồi h" in text
    assert "Cách hỏi" in text


@pytest.mark.django_db
def test_sheet_is_laid_over_a_page_and_can_be_closed(client: Client) -> None:
    response = client.get("/help/", headers=HTMX)
    html = response.content.decode()
    assert "<html" not in html
    assert "data-close-help" in html
    assert 'id="help-title"' in html
    assert "HX-Request" in response.headers["Vary"]
    page = client.get("/help/").content.decode()
    assert "data-close-help" not in page
    assert '<dialog id="help-sheet" class="help-sheet" aria-label="Trợ giúp"></dialog>' in page


@pytest.mark.django_db
@pytest.mark.parametrize("url", ["/", "/read/", "/history/", "/monographs/", "/help/"])
def test_every_page_leads_to_help(client: Client, url: str) -> None:
    assert "/help/" in open_page(client, url).hrefs
    assert re.search(r'<a href="/help/" data-help\b', client.get(url).content.decode())


@pytest.mark.django_db
def test_what_the_keys_look_for_is_on_the_pages(client: Client) -> None:
    make_section(make_monograph(make_edition()), SectionKey.CHONG_CHI_DINH, "Suy gan nặng.")
    client.post("/ask/", {"question": "Chống chỉ định của paracetamol?"})
    conversation = client.get(f"/c/{Turn.objects.get().conversation_id}/").content.decode()
    for key, found in (
        ("n", 'data-key="chat"'),
        ("gh", 'data-key="chat"'),
        ("gc", 'data-key="book"'),
        ("o", 'class="chip"'),
        ("c", "data-copy"),
        ("?", "data-help"),
    ):
        assert key in actions()
        assert found in conversation
    assert re.search(
        r'<div id="turns" class="turns">\s*<article class="turn"[^>]*>\s*<h2 class="question"', conversation
    )
    boxes = re.findall(r"#([\w-]+)", actions()["/"])
    pages = [conversation, *(client.get(url).content.decode() for url in ("/", "/monographs/", "/read/"))]
    assert boxes == ["cau-hoi", "tim", "ten-thuoc"]
    assert all(any(f'id="{box}"' in page for box in boxes) for page in pages)


def test_keys_are_named_as_they_are_printed_on_the_keyboard() -> None:
    for shortcut in SHORTCUTS:
        assert all(key and key == key.strip() for key in shortcut.keys)
        assert all(key in BROWSER_KEYS or len(key) == 1 for key in shortcut.keys)
        assert shortcut.does[0].isupper() and not shortcut.does.endswith(".")
