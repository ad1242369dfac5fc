"""How long the server takes for each page, and what the chat page transfers: python bench/pages.py [BOOK.pdf].

The book is ingested into an embedded database of its own, in a folder that is removed afterwards, or, with --keep DIR,
in one there, which the next run finds ingested. Requests go through the WSGI application in one process, as the web
server hands them over, after some to warm up; then a real Chromium loads the chat from the web server, on the loopback
address. Without an argument the book is a generated one of the shared corpus; where it is not there, it says so.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from io import BytesIO
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlencode
from wsgiref.util import setup_testing_defaults

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from playwright.sync_api import Browser, Response, sync_playwright
from turn import ROOT, SHARED_BOOKS, environment_of, questions_about, run_script, share

from duocthu_site.supervisor import answers
from tests import chromium
from tests.alias_corpus import misspelled
from tests.site.waiting import wait_until

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

    from monographs.models import Monograph, Section

T = TypeVar("T")

WARM_UP = 5
REQUESTS = 100
COUNTED = 12
DIFFERENT = 60
TARGET_P95 = 100.0
TARGET_KB = 150.0
TURNS = 12
CONVERSATIONS = 60
LONG_HISTORY = 500
QUESTIONS_EACH = 3
START_SECONDS = 60.0
STOP_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Ask:
    """What is sent: a GET, or a POST where there is a form."""

    path: str
    form: dict[str, str] = field(default_factory=dict)
    htmx: bool = False


@dataclass(frozen=True, slots=True)
class Sent:
    """What came back, the milliseconds until then, and those of them in which this process was at work."""

    body: bytes
    took: float
    worked: float


@dataclass(slots=True)
class Visitor:
    """A browser as the application sees it; forgetful: every request is a first visit."""

    application: WSGIApplication
    forgetful: bool = False
    cookies: dict[str, str] = field(default_factory=dict)

    def send(self, ask: Ask) -> Sent:
        """One request, from handing it over to the last byte and the clearing up."""
        environment = self._environment(ask)
        told: list[tuple[str, list[tuple[str, str]]]] = []

        def start(status: str, headers: list[tuple[str, str]], _error: object = None) -> Any:
            told.append((status, headers))

        started, worked = time.perf_counter(), time.process_time()
        parts = self.application(environment, start)
        body = b"".join(parts)
        if hasattr(parts, "close"):
            parts.close()
        took, worked = time.perf_counter() - started, time.process_time() - worked
        status, headers = told[-1]
        if not self.forgetful:
            for name, value in headers:
                if name.lower() == "set-cookie":
                    self.cookies |= {morsel.key: morsel.value for morsel in SimpleCookie(value).values()}
        if status[:3] not in {"200", "302"}:
            sys.exit(f"{ask.path}: {status}")
        return Sent(body, took * 1000, worked * 1000)

    def _environment(self, ask: Ask) -> dict[str, Any]:
        path, _, query = ask.path.partition("?")
        body = urlencode(ask.form).encode()
        environment: dict[str, Any] = {
            "REQUEST_METHOD": "POST" if ask.form else "GET",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "HTTP_HOST": "127.0.0.1",
            "HTTP_COOKIE": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            "HTTP_ACCEPT_ENCODING": "gzip, deflate, br, zstd",
            "HTTP_X_CSRFTOKEN": self.cookies.get("csrftoken", ""),
            "CONTENT_TYPE": "application/x-www-form-urlencoded",
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.input": BytesIO(body),
        }
        if ask.htmx:
            environment["HTTP_HX_REQUEST"] = "true"
        setup_testing_defaults(environment)
        return environment


@dataclass(frozen=True, slots=True)
class Row:
    """A page: its name, who asks for it, and what is sent, without end or often enough."""

    name: str
    visitor: Visitor
    asks: Iterator[Ask]
    has_target: bool = True
    number: int = REQUESTS


def main(arguments: list[str]) -> int:
    """The table of pages, then the table of what is transferred."""
    if arguments == ["--measure"]:
        print(json.dumps(_measure()))
        return 0
    options = _options(arguments)
    book = options.book or SHARED_BOOKS / "book1600.pdf"
    if not book.is_file():
        print(f"not here, so nothing was measured: {book.name}")
        return int(options.book is not None)
    with ExitStack() as stack:
        folder = str((options.keep or _passing_folder(stack)).absolute() / f"pages-{book.stem}")
        Path(folder).mkdir(parents=True, exist_ok=True)
        run_script(folder, "manage.py", "migrate", "--verbosity", "0")
        said = run_script(folder, "manage.py", "ingest_pdf", str(book.resolve()), "--no-cross-check")
        print(f"{book.stem}: {said.strip()}")
        report(folder)
    return 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path, metavar="DIR")
    parser.add_argument("book", nargs="?", type=Path, metavar="BOOK.pdf")
    return parser.parse_args(arguments)


def _passing_folder(stack: ExitStack) -> Path:
    return Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="duocthu-pages-")))


def report(folder: str) -> None:
    """Both tables, of the book in this data directory."""
    run_script(folder, "manage.py", "collectstatic", "--no-input", "--verbosity", "0")
    print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    found = json.loads(run_script(folder, str(Path(__file__).resolve()), "--measure").splitlines()[-1])
    heads = f"{'p50':>8}{'p95':>8}{'p99':>8}{'CPU p50':>9}{'CPU p95':>9}{'queries':>9}{'kB':>8}"
    print(f"\n{'milliseconds':44}{heads}   p95 <= {TARGET_P95:g}")
    for row in found["rows"]:
        took, worked = row["took"], row["worked"]
        p95 = share(took, 0.95)
        verdict = ("met" if p95 <= TARGET_P95 else "MISSED") if row["has_target"] else "no target"
        figures = f"{share(took, 0.5):8.1f}{p95:8.1f}{share(took, 0.99):8.1f}"
        figures += f"{share(worked, 0.5):9.1f}{share(worked, 0.95):9.1f}{row['queries']:9}{row['kB']:8.1f}"
        print(f"{row['name']:44}{figures}   {verdict}")
    print(f"load of the machine after: {os.getloadavg()[0]:.1f}")
    print(
        f"{REQUESTS} requests each (first crops: {DIFFERENT}) after {WARM_UP} to warm up; kB: the largest body as sent;"
    )
    print("CPU: of this process alone, without the database, which other programs on the machine hardly change;")
    print(f"queries: the most of {COUNTED} further requests, begin and commit among them\n")
    _report_transfer(folder, found["session"], found["conversation"])


def _measure() -> dict[str, Any]:
    """In a process on the data directory: milliseconds, queries and size of each page; who had the conversations."""
    from duocthu_site.wsgi import application  # noqa: PLC0415

    newcomer, asker, regular = (Visitor(application, forgetful=n == 0) for n in range(3))
    conversation = _have_conversations(asker)
    _have_long_history(asker, regular, conversation)
    rows = [
        _timed(row)
        for rows in (_chat_rows(newcomer, asker, regular, conversation), _book_rows(newcomer), _asking_rows(asker))
        for row in rows
    ]
    return {"rows": rows, "session": asker.cookies["sessionid"], "conversation": conversation}


def _timed(row: Row) -> dict[str, Any]:
    from django.db import connection  # noqa: PLC0415
    from django.test.utils import CaptureQueriesContext  # noqa: PLC0415

    for ask in islice(row.asks, WARM_UP):
        row.visitor.send(ask)
    answered = [row.visitor.send(ask) for ask in islice(row.asks, row.number)]
    queries = []
    # Counted apart: counting slows a request.
    for ask in islice(row.asks, COUNTED):
        with CaptureQueriesContext(connection) as captured:
            row.visitor.send(ask)
        queries.append(len(captured))
    return {
        "name": row.name,
        "has_target": row.has_target,
        "took": sorted(sent.took for sent in answered),
        "worked": sorted(sent.worked for sent in answered),
        "queries": max(queries),
        "kB": max(len(sent.body) for sent in answered) / 1000,
    }


def _have_conversations(asker: Visitor) -> str:
    """As many conversations as there are to be, one of them with its answered turns; its address."""
    from chat.domain import Decision  # noqa: PLC0415
    from chat.models import Conversation  # noqa: PLC0415

    asker.send(Ask("/"))
    questions = _questions()
    asker.send(Ask("/ask/", {"question": next(questions)}))
    first = Conversation.objects.latest("created_at")
    answered = first.turns.filter(decision=Decision.ANSWERABLE)
    while answered.count() < TURNS:
        asker.send(Ask("/ask/", {"question": next(questions), "conversation": str(first.pk)}))
    first.turns.exclude(decision=Decision.ANSWERABLE).delete()
    for question in islice(questions, CONVERSATIONS - 1):
        asker.send(Ask("/ask/", {"question": question}))
    return f"/c/{first.pk}/"


def _have_long_history(asker: Visitor, regular: Visitor, conversation: str) -> None:
    """A visitor with many conversations; their questions differ, their answers are those of one conversation."""
    from chat.models import Conversation, Turn  # noqa: PLC0415

    regular.send(Ask("/"))
    questions = _questions()
    regular.send(Ask("/ask/", {"question": next(questions)}))
    owner = Conversation.objects.latest("created_at").owner
    answered = cycle(Turn.objects.filter(conversation_id=conversation.split("/")[2]))
    for _ in range(LONG_HISTORY - 1):
        asked = list(islice(questions, QUESTIONS_EACH))
        kept = Conversation.objects.create(owner=owner, title=asked[0][:120])
        Turn.objects.bulk_create(
            Turn(
                conversation=kept,
                question=question,
                state=turn.state,
                decision=turn.decision,
                reason=turn.reason,
                frame=turn.frame,
                contract=turn.contract,
                edition_id=turn.edition_id,
                corpus_version=turn.corpus_version,
            )
            for question, turn in zip(asked, answered, strict=False)
        )


def _questions() -> Iterator[str]:
    from monographs.models import Section  # noqa: PLC0415

    printed = set(Section.objects.filter(monograph__kind="drug").values_list("monograph__name", "key"))
    return cycle(list(questions_about(printed)))


def _chat_rows(newcomer: Visitor, asker: Visitor, regular: Visitor, conversation: str) -> Iterator[Row]:
    from chat.display import show_turn  # noqa: PLC0415
    from chat.models import Turn  # noqa: PLC0415

    shown = [show_turn(turn) for turn in Turn.objects.filter(conversation_id=conversation.split("/")[2])]
    turns = [f"/turns/{one.turn.pk}/" for one in shown]
    cited = [(one.turn.pk, source.number) for one in shown if one.shown for source in one.shown.sources]
    sources = [f"/turns/{key}/sources/{number}/" for key, number in cited]
    names, slips = _names(), _slips()
    drugs = [monograph.slug for monograph in _monographs(DIFFERENT, kind="drug")]
    yield Row("chat, first visit", newcomer, _gets("/"))
    yield Row(f"chat, {CONVERSATIONS} conversations", asker, _gets("/"))
    yield Row(f"conversation, {TURNS} turns, {CONVERSATIONS} beside it", asker, _gets(conversation))
    yield Row("turn, fragment", asker, _gets(*turns, htmx=True))
    yield Row("turn, page", asker, _gets(*turns))
    yield Row("source of a turn, fragment", asker, _gets(*sources, htmx=True))
    yield Row("source of a turn, page", asker, _gets(*sources))
    yield Row("source of a turn, whole page of the book", asker, _gets(*(f"{path}?view=page" for path in sources)))
    searches = [f"/history/?{urlencode({'tim': name})}" for name in names]
    yield Row(f"history search in {LONG_HISTORY}, fragment", regular, _gets(*searches, htmx=True))
    yield Row(f"history search in {LONG_HISTORY}, page", regular, _gets(*searches))
    yield Row(f"history of {LONG_HISTORY}, page by page", regular, _gets("/history/", "/history/?trang=5"))
    yield Row("rename", asker, _gets(f"{conversation}rename/"))
    yield Row("delete", asker, _gets(f"{conversation}delete/"))
    yield Row("verbatim, empty", asker, _gets("/read/"))
    yield Row("verbatim, name found", asker, _gets(*(f"/read/?{urlencode({'q': name})}" for name in names)))
    yield Row("verbatim, name misspelt", asker, _gets(*(f"/read/?{urlencode({'q': slip})}" for slip in slips)))
    yield Row("verbatim, sections of a drug", asker, _gets(*(f"/read/?drug={slug}" for slug in drugs)))
    yield Row("help, page", asker, _gets("/help/"))
    yield Row("help, sheet", asker, _gets("/help/", htmx=True))
    yield Row("answer as text", asker, _gets(*(f"{path}answer.txt" for path in turns)))
    yield Row("answer as PDF", asker, _gets(*(f"{path}answer.pdf" for path in turns)), has_target=False)


def _book_rows(reader: Visitor) -> Iterator[Row]:
    monographs = [f"/monographs/{monograph.slug}/" for monograph in _monographs(DIFFERENT)]
    sections = [f"/monographs/{found.monograph.slug}/{found.anchor}/" for found in _sections(DIFFERENT)]
    passages = [f"/passages/{key}/" for key in _pictured(WARM_UP + DIFFERENT + COUNTED)]
    crops = [f"{path}crop.png" for path in passages]
    names, slips = _names(), _slips()
    yield Row("monographs, A to Z", reader, _gets("/monographs/"))
    yield Row("monographs by ATC, root", reader, _gets("/monographs/?atc="))
    yield Row("monographs by ATC, branch", reader, _gets(*(f"/monographs/?atc={code}" for code in "ABCJLMN")))
    yield Row("search, name found", reader, _gets(*(f"/monographs/?{urlencode({'q': name})}" for name in names)))
    yield Row("search, name misspelt", reader, _gets(*(f"/monographs/?{urlencode({'q': slip})}" for slip in slips)))
    yield Row("search, one letter", reader, _gets(*(f"/monographs/?q={letter}" for letter in "aeiot")))
    slug, number = _longest("section__monograph__slug")
    yield Row(f"monograph, the longest ({number} passages)", reader, _gets(f"/monographs/{slug}/"))
    yield Row(f"monograph, any of {DIFFERENT}", reader, _gets(*monographs))
    slug, anchor, number = _longest("section__monograph__slug", "section__anchor")
    yield Row(f"section, the longest ({number} passages)", reader, _gets(f"/monographs/{slug}/{anchor}/"))
    yield Row(f"section, any of {DIFFERENT}", reader, _gets(*sections))
    yield Row("source of a passage, fragment", reader, _gets(*(f"{path}source/" for path in passages), htmx=True))
    yield Row("source of a passage, page", reader, _gets(*(f"{path}source/" for path in passages)))
    yield Row("crop, the first time", reader, iter(map(Ask, crops)), has_target=False, number=DIFFERENT)
    yield Row("crop, kept", reader, _gets(*crops))


def _asking_rows(asker: Visitor) -> Iterator[Row]:
    """Last, because they change what the asker has."""
    from chat.models import Conversation, Turn  # noqa: PLC0415

    owner = Turn.objects.filter(decision="answerable").earliest("created_at").conversation.owner
    other = Conversation.objects.filter(owner=owner, turns__decision="answerable").latest("created_at")
    turn = other.turns.get()
    questions, going_on = _questions(), _questions()
    read = [
        Ask("/read/section/", {"drug": found.monograph.slug, "section": found.anchor}, htmx=True)
        for found in _sections(DIFFERENT, kind="drug")
    ]
    yield Row("ask, plain", asker, (Ask("/ask/", {"question": question}) for question in questions))
    yield Row(
        "ask, htmx",
        asker,
        (Ask("/ask/", {"question": question, "conversation": str(other.pk)}, htmx=True) for question in going_on),
    )
    yield Row("ask again, htmx", asker, cycle([Ask(f"/turns/{turn.pk}/again/", {"again": "1"}, htmx=True)]))
    yield Row("verbatim, a section read, htmx", asker, cycle(read))
    yield Row("feedback, htmx", asker, cycle([Ask(f"/turns/{turn.pk}/feedback/", {"useful": "1"}, htmx=True)]))


def _gets(*paths: str, htmx: bool = False) -> Iterator[Ask]:
    return cycle([Ask(path, htmx=htmx) for path in paths])


def _monographs(number: int, **filters: str) -> list[Monograph]:
    from monographs.models import Monograph  # noqa: PLC0415

    return _some(Monograph.objects.filter(**filters).order_by("pk"), number)


def _sections(number: int, **filters: str) -> list[Section]:
    from monographs.models import Section  # noqa: PLC0415

    found = Section.objects.exclude(key="").select_related("monograph").order_by("pk")
    return _some(found.filter(**{f"monograph__{name}": value for name, value in filters.items()}), number)


def _longest(*fields: str) -> tuple[Any, ...]:
    """What these fields say of the passages that agree in them and are most, and how many those are."""
    from django.db.models import Count  # noqa: PLC0415

    from monographs.models import Passage  # noqa: PLC0415

    counted = Passage.objects.order_by().values_list(*fields).annotate(number=Count("pk"))
    return tuple(counted.order_by("-number")[0])


def _pictured(number: int) -> list[int]:
    """Passages of which each lies on a page of its own."""
    from monographs.models import Passage  # noqa: PLC0415

    pages = dict(Passage.objects.exclude(boxes=[]).values_list("pdf_page", "pk"))
    return _some(pages.values(), number)


def _names() -> list[str]:
    return [monograph.name for monograph in _monographs(DIFFERENT, kind="drug")]


def _slips() -> list[str]:
    from monographs.text import fold  # noqa: PLC0415

    rng = random.Random(5)
    return [misspelled(fold(name), number % 4, rng) for number, name in enumerate(_names())]


def _some(found: Iterable[T], number: int) -> list[T]:
    """So many of them, the same in every run."""
    return random.Random(5).sample(list(found), number)


def _report_transfer(folder: str, session: str, conversation: str) -> None:
    with sync_playwright() as playwright:
        executable = chromium.find(playwright)
        if executable is None:
            print("no Chromium, so what the chat page transfers was not measured")
            return
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        with _served(folder) as address:
            browser = playwright.chromium.launch(executable_path=executable, args=arguments)
            for name, path, cookie in (
                ("chat, first visit", "/", ""),
                (f"chat, {CONVERSATIONS} conversations", "/", session),
                (f"conversation, {TURNS} turns", conversation, session),
            ):
                _report_resources(name, _loaded(browser, address, path, cookie))
            browser.close()


def _report_resources(name: str, responses: Sequence[Response]) -> None:
    sizes = [response.request.sizes()["responseBodySize"] / 1000 for response in responses]
    total = sum(sizes)
    print(f"{name}: {total:.1f} kB (<= {TARGET_KB:g} {'met' if total <= TARGET_KB else 'MISSED'})")
    for size, response in sorted(zip(sizes, responses, strict=True), key=lambda pair: -pair[0]):
        encoding = response.header_value("content-encoding") or "as it is"
        print(f"  {size:8.1f}  {encoding:9}{response.request.resource_type:12}{response.url.partition('/static/')[2]}")


def _loaded(browser: Browser, address: str, path: str, session: str) -> list[Response]:
    """What a browser with nothing kept loads of a page until nothing more comes."""
    context = browser.new_context(base_url=address, locale="vi-VN")
    if session:
        context.add_cookies([{"name": "sessionid", "value": session, "url": address}])
    page = context.new_page()
    responses: list[Response] = []

    def keep(response: Response) -> None:
        responses.append(response)

    page.on("response", keep)
    page.goto(path, wait_until="networkidle")
    page.evaluate("() => document.fonts.ready.then(() => true)")
    for response in responses:
        response.finished()
    return responses


@contextmanager
def _served(folder: str) -> Iterator[str]:
    """The web server as the supervisor starts it, on a port of its own; the database is down afterwards, too."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = environment_of(folder) | {"DUOCTHU_SUPERVISOR_PID": str(os.getpid()), "PORT": str(port)}
    web = subprocess.Popen([sys.executable, "-m", "duocthu_site.web"], cwd=ROOT, env=environment)
    try:
        wait_until(lambda: answers(port), timeout=START_SECONDS)
        yield f"http://127.0.0.1:{port}"
    finally:
        web.terminate()
        try:
            web.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            web.kill()
            web.wait()
        wait_until(lambda: not list(Path(folder).glob("postgres-*/postmaster.pid")), timeout=STOP_SECONDS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
