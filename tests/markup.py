"""What tests look for in a page: its text, its links, and anything a strict content policy would refuse."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import TYPE_CHECKING

from django.test import Client

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

ALLOWED_SOURCES = ("'self'", "'none'")
VOID = {"meta", "link", "input", "img", "br", "hr"}


class PageReader(HTMLParser):
    """Collects while it reads: text, hrefs, ids, headings, forms; and inline styles, scripts and handlers."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.inline: list[str] = []
        self.hrefs: list[str] = []
        self.ids: list[str] = []
        self.headings: list[int] = []
        self.open: list[str] = []
        self.broken: list[str] = []
        self.words: list[str] = []
        self.feed(html)
        self.close()
        self.broken += [f"<{tag}> is never closed" for tag in self.open if tag not in {"p", "li"}]

    @property
    def text(self) -> str:
        """Everything that is not markup."""
        return "".join(self.words)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element opens."""
        names = dict(attrs)
        if tag == "style" or (tag == "script" and not names.get("src")):
            self.inline.append(f"<{tag}>")
        self.inline += [f"{tag} {name}" for name in names if name == "style" or name.startswith("on")]
        self.inline += [f"{tag} {name}" for name, value in attrs if (value or "").lower().startswith("javascript:")]
        self.hrefs += [value for name, value in attrs if name == "href" and value]
        self.ids += [value for name, value in attrs if name == "id" and value]
        if len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
            self.headings.append(int(tag[1]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element that closes itself, inside SVG."""
        self.handle_starttag(tag, attrs)
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        """An element closes."""
        if not self.open or self.open.pop() != tag:
            self.broken.append(f"</{tag}> closes another element")

    def handle_data(self, data: str) -> None:
        """Text."""
        self.words.append(data)


def read(response: Response) -> PageReader:
    """The page of a response, checked on the way: balanced, unique ids, headings in order, nothing inline."""
    reader = PageReader(response.content.decode())
    assert reader.broken == []
    assert reader.inline == []
    assert len(reader.ids) == len(set(reader.ids)), sorted(reader.ids)
    assert all(after <= before + 1 for before, after in zip(reader.headings, reader.headings[1:], strict=False))
    return reader


def open_page(client: Client, url: str, status: int = 200) -> PageReader:
    """Gets a page, checks its status and its content policy, and reads it."""
    response = client.get(url)
    assert response.status_code == status, response.content.decode()[:500]
    check_policy(response)
    return read(response)


def check_policy(response: Response) -> None:
    """The content policy allows what comes from here, and nothing unsafe."""
    policy = response.headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    for directive in policy.split(";"):
        assert set(directive.split()[1:]) <= set(ALLOWED_SOURCES), directive
