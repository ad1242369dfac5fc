"""Pharmacists at work, each with a browser: they ask, follow answers, open sources, read, search, and pause."""

from __future__ import annotations

import http.client
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlencode

from tests.site.visitor import CSRF_FIELD, TURN, VERDICT, Page, Visitor

LONGEST_PAUSES = 4  # so many times the mean
LONGEST_ANSWER_SECONDS = 60.0
CORRECT = {200, 302, 303}
# How often each is done, of 100.
MIX = {
    "ask": 30,
    "poll": 15,
    "source": 15,
    "monograph": 12,
    "section": 6,
    "search": 10,
    "history": 6,
    "compare": 3,
    "text": 3,
}
# Not one request but what somebody waits for.
WHOLE = "(question to answer)"


@dataclass(frozen=True, slots=True)
class Sample:
    """One request: what for, when it began (monotonic), how long it took, and what was wrong ("": nothing)."""

    kind: str
    began: float
    seconds: float
    wrong: str


@dataclass(frozen=True, slots=True)
class Book:
    """What can be asked for: questions, slugs of monographs, paths of sections, names."""

    questions: list[str]
    monographs: list[str]
    sections: list[str]
    names: list[str]


@dataclass(slots=True)
class User:
    """One pharmacist with a browser. samples: of all that was done."""

    visitor: Visitor
    book: Book
    rng: random.Random
    samples: list[Sample] = field(default_factory=list)
    token: str = ""
    turn: str = ""

    def sign_in(self, name: str, password: str) -> None:
        """Ready to ask, with an answer to come back to."""
        self.visitor.sign_in(name, password)
        found = CSRF_FIELD.search(self.visitor.get("/").text)
        assert found is not None
        self.token = found.group(1)
        self.ask()
        self.samples.clear()

    def work(self, until: float, pause: float) -> None:
        """One thing after the other, with pauses, until then."""
        kinds, weights = list(MIX), list(MIX.values())
        time.sleep(self.rng.random() * pause)
        while time.monotonic() < until:
            (kind,) = self.rng.choices(kinds, weights)
            getattr(self, kind)()
            time.sleep(min(self.rng.expovariate(1 / pause), LONGEST_PAUSES * pause) if pause else 0)

    def ask(self) -> None:
        """A question, then the conversation it stands in, then its answer where that is not there at once."""
        began = time.monotonic()
        form = {"csrfmiddlewaretoken": self.token, "question": self.rng.choice(self.book.questions)}
        asked = self._timed("ask", lambda: self.visitor.send_form("/ask/", form))
        if asked is None or not asked.location:
            return
        page = self._timed("conversation", lambda: self.visitor.get(asked.location.partition("#")[0]))
        found = TURN.search(page.text) if page else None
        if found:
            self.turn = found.group()
            self._follow(began)

    def _follow(self, began: float) -> None:
        while time.monotonic() - began < LONGEST_ANSWER_SECONDS:
            page = self._timed("turn, fragment", lambda: self.visitor.get(self.turn, htmx=True))
            if page is None or VERDICT in page.text:
                break
            time.sleep(1)
        wrong = "" if page and VERDICT in page.text else "not answered"
        self.samples.append(Sample(WHOLE, began, time.monotonic() - began, wrong))

    def poll(self) -> None:
        """The turn as a page of its own."""
        self._timed("turn, page", lambda: self.visitor.get(self.turn), has=VERDICT)

    def source(self) -> None:
        """The first source of the latest answer, if it has one, and the picture of its page."""
        page = self.visitor.get(self.turn)
        if f"{self.turn}sources/1/" not in page.text:
            return
        shown = self._timed("source", lambda: self.visitor.get(f"{self.turn}sources/1/", htmx=True))
        path = shown.text.partition('src="/passages/')[2].partition('"')[0].replace("&amp;", "&") if shown else ""
        if path:
            self._timed("crop", lambda: self.visitor.get(f"/passages/{path}"), has="PNG")

    def monograph(self) -> None:
        """A whole monograph."""
        self._timed("monograph", lambda: self.visitor.get(f"/monographs/{self.rng.choice(self.book.monographs)}/"))

    def section(self) -> None:
        """One section."""
        self._timed("section", lambda: self.visitor.get(self.rng.choice(self.book.sections)))

    def search(self) -> None:
        """A name, half typed."""
        name = self.rng.choice(self.book.names)
        path = f"/monographs/?{urlencode({'q': name[: max(3, len(name) // 2)]})}"
        self._timed("search of monographs", lambda: self.visitor.get(path, htmx=True))

    def history(self) -> None:
        """What was asked before, with a word of it."""
        path = f"/history/?{urlencode({'tim': self.rng.choice(self.book.names).split()[0]})}"
        self._timed("history", lambda: self.visitor.get(path))

    def compare(self) -> None:
        """Two to four drugs against one another."""
        drugs = self.rng.sample(self.book.monographs, self.rng.randint(2, 4))
        path = f"/compare/interactions/?{urlencode([('drug', slug) for slug in drugs])}"
        self._timed("interactions, grid", lambda: self.visitor.get(path))

    def text(self) -> None:
        """An answer to paste elsewhere."""
        self._timed("answer as text", lambda: self.visitor.get(f"{self.turn}answer.txt"))

    def _timed(self, kind: str, send: Callable[[], Page], has: str = "") -> Page | None:
        began, page, wrong = time.monotonic(), None, ""
        try:
            page = send()
        except (OSError, http.client.HTTPException) as error:
            wrong = type(error).__name__
        took = time.monotonic() - began
        if page is not None and page.status not in CORRECT:
            wrong = str(page.status)
        elif page is not None and has.encode() not in page.body:
            wrong = f"without {has}"
        self.samples.append(Sample(kind, began, took, wrong))
        return None if wrong else page
