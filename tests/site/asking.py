"""A reader who never stops: home page, monograph and question, over and over; and what was wrong with the answers."""

from __future__ import annotations

import html
import http.client
import re
import threading
import time
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from urllib.parse import urlencode

PAUSE_SECONDS = 0.2
REQUEST_SECONDS = 30.0
TAG = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.DOTALL)
VARYING = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|\d{1,2}:\d{2}(?:\s+\d{2}/\d{2}/\d{4})?")
CSRF_FIELD = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


@dataclass(frozen=True, slots=True)
class Probe:
    """What is asked: a monograph and a question, of the edition with this title (on every page)."""

    title: str
    slug: str
    question: str


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer to one request; text without tags and without what differs each time; status 0: no answer."""

    what: str
    began: float
    ended: float
    status: int
    text: str = ""
    forgiven: bool = False


@dataclass(slots=True)
class Asker:
    """Asks from start() to stop(); the pages at the start are what must be shown until an edition is published."""

    port: int
    probe: Probe
    answers: list[Reply] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    _first: dict[str, str] = field(default_factory=dict)
    _hidden: int | None = None
    _forgive_until: float = 0.0
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        """Learn what is right, then go on asking in the background."""
        for reply in (self._page("/"), self._page(self._monograph), self._question()):
            assert reply.status == 200, reply
            assert self.probe.title in reply.text, reply
            self._first[reply.what] = reply.text
        self._thread = threading.Thread(target=self._go_on, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ask no more."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(2 * REQUEST_SECONDS)

    def hide(self, edition: int | None) -> None:
        """From now on also ask for the pages of an edition that is being built (None: there is none)."""
        self._hidden = edition

    def forgive(self, yes: bool, *, after: float = 0.0) -> None:
        """Whether no answer is to be expected now; from so many seconds on it is again."""
        self._forgive_until = float("inf") if yes else min(self._forgive_until, time.time() + after)

    def judge(self, published_at: float | None) -> None:
        """Look at all answers: those that ended before this moment (None: all) show the edition served before."""
        self.stop()
        for reply in self.answers:
            trouble = self._trouble(reply, float("inf") if published_at is None else published_at)
            if trouble:
                self.troubles.append(f"{trouble}: {reply.what} {reply.status} {self._difference(reply)!r}")

    @property
    def _monograph(self) -> str:
        return f"/monographs/{self.probe.slug}/"

    def _trouble(self, reply: Reply, published_at: float) -> str:
        before = reply.ended < published_at
        if reply.status == 0 or reply.status >= 500:
            return "" if reply.forgiven else "no answer"
        if "?edition=" in reply.what:
            return "a half-built edition is readable" if before and reply.status == 200 else ""
        if before and reply.status != 200:
            return "not served"
        if before and reply.text != self._first[reply.what]:
            return "not what the served edition says"
        return ""

    def _difference(self, reply: Reply) -> str:
        """Where a reply first says something else than at the start, and what it said then."""
        first = self._first.get(reply.what, "")
        pairs = enumerate(zip(first, reply.text, strict=False))
        same = next((at for at, (one, other) in pairs if one != other), min(len(first), len(reply.text)))
        return f"{reply.text[max(0, same - 60) : same + 60]} (was: {first[same : same + 60]})"

    def _go_on(self) -> None:
        while not self._stop.is_set():
            self._note(self._page("/"))
            self._note(self._page(self._monograph))
            self._note(self._question())
            if self._hidden is not None:
                self._note(self._page(f"{self._monograph}?edition={self._hidden}"))

    def _note(self, reply: Reply) -> None:
        self.answers.append(reply)
        self._stop.wait(PAUSE_SECONDS)

    def _page(self, path: str) -> Reply:
        began = time.time()
        try:
            status, text, _ = self._request("GET", path, {})
        except (OSError, http.client.HTTPException):
            status, text = 0, ""
        return self._reply(path, began, status, text)

    def _question(self) -> Reply:
        """A new visitor's question, followed to its answer."""
        began, status, text = time.time(), 0, ""
        try:
            status, text, cookie = self._request("GET", "/", {})
            if status == 200:
                status, text = self._ask(text, cookie)
        except (OSError, http.client.HTTPException):
            status = 0
        return self._reply("question", began, status, text)

    def _ask(self, page: str, cookie: str) -> tuple[int, str]:
        token = CSRF_FIELD.search(page)
        assert token is not None
        body = urlencode({"csrfmiddlewaretoken": token.group(1), "question": self.probe.question})
        form = {"Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded"}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=REQUEST_SECONDS)
        try:
            connection.request("POST", "/ask/", body, form)
            response = connection.getresponse()
            response.read()
            if response.status not in {302, 303}:
                return response.status, ""
            cookie = _merged(cookie, response)
            status, text, _ = self._request("GET", response.headers["Location"], {"Cookie": cookie})
            return status, text
        finally:
            connection.close()

    def _request(self, method: str, path: str, headers: dict[str, str]) -> tuple[int, str, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=REQUEST_SECONDS)
        try:
            connection.request(method, path, headers=headers)
            response = connection.getresponse()
            text = response.read().decode("utf-8", "replace")
            return response.status, text, _merged(headers.get("Cookie", ""), response)
        finally:
            connection.close()

    def _reply(self, what: str, began: float, status: int, text: str) -> Reply:
        ended = time.time()
        return Reply(what, began, ended, status, plain(text), began < self._forgive_until)


def plain(page: str) -> str:
    """The words of a page, without what differs each time it is shown."""
    return VARYING.sub("…", " ".join(html.unescape(TAG.sub(" ", page)).split()))


def _merged(cookie: str, response: http.client.HTTPResponse) -> str:
    jar = SimpleCookie(cookie)
    for value in response.headers.get_all("Set-Cookie", ()):
        jar.load(value)
    return "; ".join(f"{name}={morsel.value}" for name, morsel in jar.items())
