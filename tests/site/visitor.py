"""A browser without scripts, over plain HTTP: cookies, forms with their token, and what was answered."""

from __future__ import annotations

import http.client
import re
import time
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from urllib.parse import urlencode

from tests.site.waiting import wait_until

CSRF_FIELD = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
TURN = re.compile(r"/turns/[0-9a-f-]{36}/")
# A page on which a turn has ended says so in a heading of this class.
VERDICT = "verdict"
# What a proxy says of whoever came to it through TLS.
THROUGH_TLS = {"X-Forwarded-Proto": "https"}


@dataclass(frozen=True, slots=True)
class Page:
    """What came back; seconds: from asking to the last byte."""

    status: int
    body: bytes
    location: str
    seconds: float

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode("utf-8", "replace")


@dataclass(slots=True)
class Visitor:
    """One browser. port: may be changed, as a proxy changes the process it sends to; headers: sent with everything."""

    port: int
    headers: dict[str, str] = field(default_factory=dict)
    cookies: dict[str, str] = field(default_factory=dict)
    timeout: float = 60.0

    def get(self, path: str, *, htmx: bool = False) -> Page:
        """One request. Raises OSError or HTTPException where nothing answers."""
        return self._send("GET", path, b"", {"HX-Request": "true"} if htmx else {})

    def post(self, path: str, form: dict[str, str], *, page: str = "/") -> Page:
        """A form, with the token of the page that it stands on."""
        token = CSRF_FIELD.search(self.get(page).text)
        assert token is not None, f"no form on {page}"
        return self.send_form(path, {"csrfmiddlewaretoken": token.group(1), **form})

    def send_form(self, path: str, form: dict[str, str]) -> Page:
        """A form whose token is among its fields."""
        scheme = self.headers.get("X-Forwarded-Proto", "http")
        kind = {
            "Content-Type": "application/x-www-form-urlencoded",
            "Origin": f"{scheme}://127.0.0.1:{self.port}",
        }
        return self._send("POST", path, urlencode(form).encode(), kind)

    def sign_in(self, name: str, password: str) -> None:
        """From now on as this user."""
        page = self.post("/sign-in/", {"username": name, "password": password}, page="/sign-in/")
        assert page.status == 302, f"{page.status} {page.text[:500]}"

    def ask(self, question: str) -> str:
        """Asks in a new conversation; the address of the turn, which may not be answered yet."""
        page = self.post("/ask/", {"question": question})
        assert page.status in {302, 303}, f"{page.status} {page.text[:500]}"
        found = TURN.search(self.get(page.location.partition("#")[0]).text)
        assert found is not None, page.location
        return found.group()

    def answer(self, turn: str, *, timeout: float = 60.0) -> str:
        """The page of a turn once it has ended."""
        return wait_until(lambda: self._ended(turn), timeout=timeout, message=turn)

    def _ended(self, turn: str) -> str:
        page = self.get(turn)
        return page.text if page.status == 200 and VERDICT in page.text else ""

    def _send(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> Page:
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.timeout)
        began = time.perf_counter()
        try:
            connection.request(method, path, body or None, self.headers | headers | {"Cookie": cookie})
            response = connection.getresponse()
            content = response.read()
        finally:
            connection.close()
        for value in response.headers.get_all("Set-Cookie", ()):
            self.cookies |= {morsel.key: morsel.value for morsel in SimpleCookie(value).values()}
        return Page(response.status, content, response.headers.get("Location", ""), time.perf_counter() - began)
