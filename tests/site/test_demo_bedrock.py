"""The generated path without an account: served, said to be without a model, and stopped with nothing left."""

from __future__ import annotations

import re
import signal
import socket
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener

import pytest

from duocthu_site.demo_bedrock import MODEL, NOTE, demo_environment
from duocthu_site.environ import Environment
from duocthu_site.provider_settings import ProviderSettings
from tests.site.processes import Program, processes_of, start_program
from tests.site.waiting import wait_until

START_SECONDS = 120.0
STOP_SECONDS = 30.0


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One data directory for all, so that the sample is ingested once."""
    return tmp_path_factory.mktemp("demonstrated")


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def demo(data_dir: Path, tmp_path: Path, port: int) -> Iterator[Program]:
    program = start_program(
        ["-m", "duocthu_site.demo_bedrock"],
        tmp_path / "demo.log",
        DUOCTHU_DATA_DIR=str(data_dir),
        PORT=str(port),
        # What belongs to an account is not used.
        AWS_PROFILE="nobody",
    )
    wait_until(lambda: "http://" in program.said or program.process.poll() is not None, timeout=START_SECONDS)
    assert program.process.poll() is None, program.said
    yield program
    if program.process.poll() is None:
        program.process.terminate()
        program.process.wait(STOP_SECONDS)
    wait_until(lambda: not processes_of(data_dir), timeout=STOP_SECONDS)


def test_its_settings_are_whole() -> None:
    found = ProviderSettings(Environment(demo_environment("http://127.0.0.1:9")))
    assert found.providers["ANSWER_PROVIDER"] == "bedrock"
    assert {found.models[part] for part in ("answer", "understanding", "judge", "summary")} == {MODEL}


@pytest.mark.service
def test_an_answer_is_generated_and_said_to_be_without_a_model_and_ctrl_c_ends_it_all(
    demo: Program, data_dir: Path, port: int
) -> None:
    assert NOTE in demo.said
    page = ask(f"http://127.0.0.1:{port}/", "Chống chỉ định của metformin?")
    assert "Câu trả lời do mô hình soạn" in page
    assert NOTE in page
    demo.process.send_signal(signal.SIGINT)
    assert demo.process.wait(STOP_SECONDS) == 0
    wait_until(lambda: not processes_of(data_dir), timeout=STOP_SECONDS)


@pytest.mark.service
def test_killed_it_leaves_no_process(demo: Program, data_dir: Path) -> None:
    demo.process.kill()
    demo.process.wait()
    wait_until(lambda: not processes_of(data_dir), timeout=STOP_SECONDS)


def ask(address: str, question: str) -> str:
    """The page of the answered question, asked as a browser without scripts asks it."""
    browser = build_opener(HTTPCookieProcessor(CookieJar()))
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', read(browser, address))
    assert token is not None
    form = urlencode({"question": question, "csrfmiddlewaretoken": token.group(1)}).encode()
    with browser.open(Request(f"{address}ask/", form, {"Referer": address}), timeout=60) as answer:
        shown, said = answer.url, str(answer.read(), "utf-8")
    return said if "verdict" in said else wait_until(lambda: verdict_on(read(browser, shown)), timeout=60)


def verdict_on(page: str) -> str:
    """The page once it holds a verdict, "" before."""
    return page if "verdict" in page else ""


def read(browser: OpenerDirector, address: str) -> str:
    with browser.open(address, timeout=60) as answer:
        return str(answer.read(), "utf-8")
