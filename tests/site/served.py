"""The web server itself, several processes of it, on the database of the tests."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from django.db import connection
from prometheus_client.parser import text_string_to_metric_families

from tests.site.processes import Program, start_program
from tests.site.waiting import wait_until


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer; names of headers in lower case."""

    status: int
    headers: dict[str, str]
    text: str


@dataclass(frozen=True, slots=True)
class Served:
    """A server and where it listens."""

    program: Program
    port: int
    data_dir: Path
    sent: dict[str, str] = field(default_factory=dict)

    def get(self, path: str, **headers: str) -> Reply:
        """A request over a connection of its own, so that any process may get it."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            link.request("GET", path, headers=self.sent | {name.replace("_", "-"): v for name, v in headers.items()})
            response = link.getresponse()
            told = {name.lower(): value for name, value in response.getheaders()}
            return Reply(response.status, told, response.read().decode("utf-8", "replace"))
        finally:
            link.close()

    def metric(self, name: str, **labels: str) -> float:
        """A sample of /metrics, 0.0 where there is none."""
        return metric_in(self.get("/metrics").text, name, labels)


def metric_in(text: str, name: str, labels: Mapping[str, str]) -> float:
    """The value of a sample in Prometheus text, 0.0 where there is none."""
    families = text_string_to_metric_families(text)
    samples = (sample for family in families for sample in family.samples)
    return next((s.value for s in samples if s.name == name and s.labels == labels), 0.0)


def database_url_of_tests() -> str:
    """The address of the database of the tests."""
    database = quote(str(connection.settings_dict["NAME"]))
    host = quote(str(connection.settings_dict["HOST"]), safe="")
    return f"postgresql://{connection.settings_dict['USER']}@/{database}?host={host}"


@contextmanager
def served(folder: Path, **variables: str) -> Iterator[Served]:
    """The server, answering, with its data below the folder."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    data_dir = folder / "data"
    given = {"DATABASE_URL": database_url_of_tests(), "DUOCTHU_DATA_DIR": str(data_dir), "PORT": str(port)}
    given |= {"EMBEDDING_PROVIDER": "disabled"} | variables
    found = Served(start_program(["-m", "duocthu_site.web"], folder / "web.log", **given), port, data_dir)
    try:
        wait_until(lambda: _answers(found), timeout=60, message=found.program.said)
        yield found
    finally:
        found.program.process.terminate()
        found.program.process.wait(20)


def _answers(found: Served) -> bool:
    assert found.program.process.poll() is None, found.program.said
    try:
        return found.get("/healthz").status == 200
    except OSError:
        return False
