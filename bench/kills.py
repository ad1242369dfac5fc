"""Kills at random moments of an ingest: python bench/kills.py [COUNT [BOOK.pdf [SEED]]].

The real program runs in a throw-away data directory with the sample published and some passages reviewed. Ingests go
through its queue, the sample and the BOOK by turns, and in each a process is killed with SIGKILL: the worker, its pool
process, the parser, the supervisor, PostgreSQL. Meanwhile a reader asks for pages and answers without a pause. One row
a kill; the exit status is 1 where any answer was wrong, a run did not end, a review was lost or a process was left.
Without a BOOK it is a generated one of the shared corpus, or else the other sample edition.
"""

from __future__ import annotations

import os
import socket
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.site.killing import Outcome, Site, Target, kill_once, spread_shares

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "ingest" / "sample" / "duoc-thu-mau.pdf"
OTHER = ROOT / "ingest" / "sample" / "duoc-thu-mau-2027.pdf"
SHARED = ROOT.parent / "shared" / "corpus" / "books" / "clean60.pdf"
COUNT = 20
SEED = 7
PARSING = 0.5  # of a run: the parser is killed while it lives


def main(arguments: list[str]) -> int:
    """All kills, one after the other."""
    count = int(arguments[0]) if arguments else COUNT
    book = Path(arguments[1]) if len(arguments) > 1 else (SHARED if SHARED.is_file() else OTHER)
    seed = int(arguments[2]) if len(arguments) > 2 else SEED
    with tempfile.TemporaryDirectory(prefix="duocthu-kills-", dir=os.environ.get("KILLS_DIR")) as folder:
        site = Site(Path(folder) / "data", int(os.environ.get("PORT", "0")) or _free_port(), Path(folder))
        site.start()
        try:
            return _kill_all(site, count, book, seed)
        finally:
            site.stop()


def _kill_all(site: Site, count: int, book: Path, seed: int) -> int:
    site.manage("-m", "tests.site.decide_reviews")
    print(f"{'':>3} {'killed':22} {'moment':>8} {'where':32} {'ended after':>11} {'how':28} tries answers", flush=True)
    rounds = zip(
        spread_shares(count, seed), islice(cycle(Target), seed % len(Target), None), cycle((book, SAMPLE)), strict=False
    )
    wrong = 0
    for number, (share, target, path) in enumerate(rounds, start=1):
        done = share * PARSING if target is Target.PARSER else share
        began = time.monotonic()
        try:
            outcome = kill_once(site, target, path, title=f"Vòng {number:02}", share=done)
        except AssertionError as error:
            outcome = Outcome(target, 0.0, f"{done:.2f}", time.monotonic() - began, "?", 0, 0, [str(error)])
        wrong += bool(outcome.troubles)
        _print(number, outcome)
    print(f"{count} kills, {wrong} with something wrong")
    return int(wrong > 0)


def _print(number: int, outcome: Outcome) -> None:
    print(
        f"{number:3} {outcome.target:22} {outcome.moment:7.1f}s {outcome.place:32} {outcome.recovery:10.1f}s"
        f" {outcome.ended:28} {outcome.attempts:5} {outcome.answers:7}",
        flush=True,
    )
    for trouble in outcome.troubles[:5]:
        print(f"    WRONG {trouble}", flush=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
