"""Many users at once on the production path: python bench/load.py [--seconds 180] [--users 50] [BOOK.pdf …].

Each book is ingested into a database of its own. The server runs as in production (its settings, Redis where it is
installed, two web processes, a worker; PostgreSQL on a socket). Users, each with an account and an address, come
through HTTP, ask, follow answers, open sources and crops, read, search, and pause as people do. One row a kind of page,
then memory in the course of it. It ends by itself; the exit status is 1 where any answer was wrong, or memory grew.
Without a BOOK they are two generated ones of the shared corpus, the second about a tenth of the first.

--pause: mean seconds between a user's requests (0: as fast as the server allows); --model: a worker words the answers,
with a server on this machine in place of a model; --keep DIR: leaves the ingested books there for the next run.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import psycopg
from turn import ROOT, SHARED_BOOKS, questions_about, share

from chat.llm.local_server import LocalBedrock
from duocthu_site.cluster import EmbeddedCluster
from duocthu_site.demo_bedrock import demo_environment
from duocthu_site.embedded import hold_server, release_server
from duocthu_site.postmaster import process_arguments
from tests.site.crowd import WHOLE, Book, Sample, User
from tests.site.processes import clean_environment, descendants, processes_of
from tests.site.production import Production, Redis
from tests.site.visitor import THROUGH_TLS, Visitor

PASSWORD = "mật khẩu đủ dài 2026"
WARM_UP_SHARE = 0.1  # of the time: not counted among the figures, wrong answers are
MEASURED_AT = (WARM_UP_SHARE, 0.3, 0.5, 0.75, 0.98)  # of the time: memory
MIDDLE = 2
GROWTH = 1.05  # of memory from the middle to the end: more is not called flat
OTHER_QUESTIONS = ("warfarin với ibuprofen", "xin chào", "giá vàng hôm nay", "thuốc nào gây ho khan", "paracetamol 500")
KINDS = ("duocthu_site.web", "duocthu_site.worker", "postmaster.py", "postgres", "redis-server")


def main(arguments: list[str]) -> int:
    """Every book in turn."""
    options = _options(arguments)
    books = options.books or [SHARED_BOOKS / "book1600.pdf", SHARED_BOOKS / "noisy120.pdf"]
    missing = [book.name for book in books if not book.is_file()]
    if missing:
        print(f"not here, so nothing was measured: {', '.join(missing)}")
        return 1 if options.books else 0
    return max(_loaded(book, options) for book in books)


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=180.0)
    parser.add_argument("--users", type=int, default=50)
    parser.add_argument("--pause", type=float, default=2.0)
    parser.add_argument("--model", action="store_true")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("books", nargs="*", type=Path, metavar="BOOK.pdf")
    return parser.parse_args(arguments)


def _loaded(path: Path, options: argparse.Namespace) -> int:
    with ExitStack() as stack:
        folder = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="duocthu-load-")))
        folder = folder.absolute() / path.stem
        folder.mkdir(parents=True, exist_ok=True)
        cluster = EmbeddedCluster(folder)
        hold_server(cluster)
        stack.callback(release_server, cluster)
        production = _production(folder, cluster, stack, with_model=options.model)
        book = _set_up(production, cluster, path, options.users)
        stack.callback(production.stop)
        _, port = production.start_web()
        for kind in ("", "turns") if options.model else ("",):
            production.start_worker(*filter(None, [kind]))
        users = [_user(port, number, book) for number in range(options.users)]
        return _measure(folder, path, users, options)


def _production(folder: Path, cluster: EmbeddedCluster, stack: ExitStack, *, with_model: bool) -> Production:
    redis, variables = Redis(folder), {"LIMIT_SIGN_IN": "off"}
    broker = redis.url
    if Redis.program():
        redis.start()
        stack.callback(redis.stop)
    else:
        print("no redis-server: the queue was not part of it")
    if with_model:
        variables |= demo_environment(stack.enter_context(LocalBedrock()).url)
        variables.pop("DUOCTHU_DATA_DIR")
    database = f"postgresql://{cluster.url.user}@/{cluster.url.name}?host={quote(cluster.url.host, safe='')}"
    return Production(folder, database, broker, variables)


def _set_up(production: Production, cluster: EmbeddedCluster, path: Path, users: int) -> Book:
    """Once for each book: migrated, ingested, with accounts."""
    began = time.monotonic()
    for words in (["migrate", "--verbosity", "0"], ["collectstatic", "--no-input", "--verbosity", "0"]):
        _manage(production, *words)
    said = _manage(production, "ingest_pdf", str(path.resolve()), "--no-cross-check")
    # Its vectors would else be made beside the users, which an hour after an ingest is over.
    said += _manage(production, "index_edition")
    print(f"{path.stem}: {' '.join(said.split())} ({time.monotonic() - began:.0f} s)")
    _manage(production, "shell", "--no-imports", "--command", _ACCOUNTS.format(users=users, password=PASSWORD))
    return _book(cluster)


_ACCOUNTS = """
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
known = make_password({password!r})
User.objects.bulk_create([User(username=f"user{{n}}", password=known) for n in range({users})], ignore_conflicts=True)
"""


def _manage(production: Production, *arguments: str) -> str:
    command, environment = [sys.executable, "manage.py", *arguments], clean_environment(**production.environment)
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{arguments} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def _book(cluster: EmbeddedCluster) -> Book:
    url = cluster.url
    with psycopg.connect(host=url.host, port=url.port, user=url.user, dbname=url.name) as link:
        rows = link.execute(
            "SELECT m.name, m.slug, s.key, s.anchor FROM monographs_section s JOIN monographs_monograph m"
            " ON m.id = s.monograph_id JOIN monographs_edition e ON e.id = m.edition_id"
            " WHERE e.state = 'published' AND m.kind = 'drug' ORDER BY s.id"
        ).fetchall()
    questions = list(questions_about({(name, key) for name, _, key, _ in rows}))
    return Book(
        questions=questions + list(OTHER_QUESTIONS) * (1 + len(questions) // 100),
        monographs=sorted({slug for _, slug, _, _ in rows}),
        sections=[f"/monographs/{slug}/{anchor}/" for _, slug, _, anchor in rows],
        names=sorted({name for name, _, _, _ in rows}),
    )


def _user(port: int, number: int, book: Book) -> User:
    address = f"10.20.{number // 250}.{number % 250 + 1}"
    user = User(Visitor(port, THROUGH_TLS | {"X-Forwarded-For": address}), book, random.Random(number))
    user.sign_in(f"user{number}", PASSWORD)
    return user


def _measure(folder: Path, path: Path, users: list[User], options: argparse.Namespace) -> int:
    began, load, worked = time.monotonic(), os.getloadavg()[0], time.process_time()
    until = began + options.seconds
    threads = [threading.Thread(target=user.work, args=(until, options.pause)) for user in users]
    for thread in threads:
        thread.start()
    memory = list(_memory(folder, began, options.seconds))
    for thread in threads:
        thread.join()
    took, worked = time.monotonic() - began, time.process_time() - worked
    samples = [sample for user in users for sample in user.samples]
    how = f"{options.pause:g} s between requests" + (", answers worded" if options.model else "")
    print(f"\n{path.stem}: {len(users)} users for {took:.0f} s, {how}; load of the machine before: {load:.1f};")
    print(f"the users themselves took {worked / took:.0%} of a processor")
    wrong = _report(samples, began + WARM_UP_SHARE * options.seconds, until)
    return int(not _report_memory(memory) or wrong > 0)


def _report(samples: list[Sample], since: float, until: float) -> int:
    counted: dict[str, list[float]] = defaultdict(list)
    for sample in samples:
        if sample.began >= since and not sample.wrong:
            counted[sample.kind].append(sample.seconds * 1000)
    requests = [took for kind, all_ in counted.items() if kind != WHOLE for took in all_]
    print(f"{'milliseconds':28}{'number':>8}{'p50':>8}{'p95':>8}{'p99':>8}{'most':>8}")
    for kind, took in [*sorted(counted.items()), ("all requests", requests)]:
        took.sort()
        figures = "".join(f"{share(took, part):8.0f}" for part in (0.5, 0.95, 0.99, 1.0))
        print(f"{kind:28}{len(took):8}{figures}")
    wrong = Counter(f"{sample.kind}: {sample.wrong}" for sample in samples if sample.wrong)
    print(f"{len(requests) / (until - since):.1f} requests a second; wrong: {sum(wrong.values())} of {len(samples)}")
    for what, number in wrong.most_common():
        print(f"  WRONG {what} ({number})")
    return sum(wrong.values())


def _memory(folder: Path, began: float, seconds: float) -> Iterator[dict[str, tuple[int, int]]]:
    """From the start of what is counted to the end: (RSS, PSS) in bytes by kind of process, of all but this one."""
    for part in MEASURED_AT:
        time.sleep(max(0.0, began + part * seconds - time.monotonic()))
        found: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
        for pid in descendants([os.getpid(), *processes_of(folder)]) - {os.getpid()}:
            rss, pss = _resident(pid)
            command = " ".join(process_arguments(pid))
            if not command:
                continue  # it ended in the meantime
            kind = next((kind for kind in KINDS if kind in command), f"other: {command[:20]}")
            found[kind] = (found[kind][0] + rss, found[kind][1] + pss)
        yield dict(found)


def _resident(pid: int) -> tuple[int, int]:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()
    except OSError:
        return 0, 0
    sizes: dict[str, Any] = {line.split()[0]: line.split()[1] for line in lines[1:]}
    return int(sizes.get("Rss:", 0)) * 1024, int(sizes.get("Pss:", 0)) * 1024


def _report_memory(moments: list[dict[str, tuple[int, int]]]) -> bool:
    """Whether it is flat. What processes share is counted for each in RSS, and once among them all in PSS."""
    heads = "".join(f"{part:>14.0%}" for part in MEASURED_AT)
    print(f"{'MB: RSS / PSS':28}{heads} of the time")
    for kind in [*sorted({kind for moment in moments for kind in moment}), "all"]:
        cells = [_sum(moment, kind) for moment in moments]
        print(f"{kind:28}" + "".join(f"{rss / 1e6:7.0f} /{pss / 1e6:5.0f}" for rss, pss in cells))
    middle, end = _sum(moments[MIDDLE], "all")[1], _sum(moments[-1], "all")[1]
    flat = end <= GROWTH * middle
    print(f"from the middle to the end: {end / max(1, middle) - 1:+.1%} ({'flat' if flat else 'GROWS'})")
    return flat


def _sum(moment: dict[str, tuple[int, int]], kind: str) -> tuple[int, int]:
    chosen = [sizes for name, sizes in moment.items() if kind in {name, "all"}]
    return sum(rss for rss, _ in chosen), sum(pss for _, pss in chosen)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
