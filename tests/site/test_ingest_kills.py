"""An ingest whose processes are killed: readers notice nothing, it ends by itself, reviews stay, nothing is left."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from ingest.library import bundled_sample
from tests.site.killing import Site, Target, kill_once

pytestmark = [pytest.mark.service, pytest.mark.slow]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The program with the sample published and some of its passages reviewed."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    folder = tmp_path_factory.mktemp("attacked")
    site = Site(folder / "data", port, folder)
    site.start()
    site.manage("-m", "tests.site.decide_reviews")
    yield site
    site.stop()


@pytest.mark.parametrize(
    ("target", "share", "ends"),
    [
        (Target.PARSER, 0.2, {"failed crashed"}),
        (Target.POSTGRES, 0.6, {"published"}),
        (Target.WORKER, 0.4, {"published"}),
    ],
    ids=["parser", "postgres", "worker"],
)
def test_a_killed_process_costs_neither_answers_nor_reviews(
    site: Site, target: Target, share: float, ends: set[str]
) -> None:
    outcome = kill_once(site, target, bundled_sample(), title=f"Sau khi giết {target}", share=share)
    assert outcome.troubles == []
    assert outcome.ended in ends
    assert outcome.answers > 0
