"""How long a turn takes: python bench/turn.py [BOOK.pdf SMALL_BOOK.pdf].

Each book is ingested into an embedded database of its own, in a folder that is removed afterwards; then questions made
of its monographs' names and section cues go through the whole pipeline in one process. Without arguments the books are
two generated ones of the shared corpus, the second about a tenth of the first; where they are not there, it says so.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SHARED_BOOKS = ROOT.parent / "shared" / "corpus" / "books"
QUESTIONS = 400
WARM_UP = 20
TARGETS = {"p50": 60.0, "p95": 150.0, "queries": 12.0}
# Section asked for, question: as typed, half of them without accents.
CUES = (
    ("lieu_dung", "liều {} cho người lớn"),
    ("chong_chi_dinh", "chong chi dinh cua {}"),
    ("adr", "tác dụng không mong muốn của {}"),
    ("tuong_tac", "tuong tac thuoc cua {}"),
    ("than_trong", "{} thận trọng gì"),
    ("mang_thai", "ba bau dung {} duoc khong"),
    ("lieu_dung", "toàn bộ liều {}"),
    ("bao_quan", "bao quan {} the nao"),
    ("qua_lieu", "quá liều {} xử trí sao"),
    ("chi_dinh", "chi dinh cua {} la gi"),
)


def main(arguments: list[str]) -> int:
    """One row a book, then how the large one compares with the small one."""
    if arguments == ["--measure"]:
        print(json.dumps(_measure()))
        return 0
    if len(arguments) not in {0, 2}:
        print(__doc__)
        return 2
    books = [Path(name) for name in arguments] or [SHARED_BOOKS / "book1600.pdf", SHARED_BOOKS / "noisy120.pdf"]
    missing = [book.name for book in books if not book.is_file()]
    if missing:
        print(f"not here, so nothing was measured: {', '.join(missing)}")
        return 0 if not arguments else 1
    rows = [_measured(book) for book in books]
    large, small = rows
    print(f"{books[0].stem} : {books[1].stem} = {large['p50'] / small['p50']:.2f} (p50), ", end="")
    print(f"{large['p95'] / small['p95']:.2f} (p95), {large['passages'] / small['passages']:.1f} (passages)")
    return 0


def _measured(book: Path) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="duocthu-turn-") as folder:
        started = time.perf_counter()
        run_script(folder, "manage.py", "migrate", "--verbosity", "0")
        said = run_script(folder, "manage.py", "ingest_pdf", str(book.resolve()), "--no-cross-check")
        print(f"{book.stem}: {said.strip()} ({time.perf_counter() - started:.0f} s)")
        found: dict[str, Any] = json.loads(
            run_script(folder, str(Path(__file__).resolve()), "--measure").splitlines()[-1]
        )
    took, queries = found["took"], found["queries"]
    figures = {"p50": share(took, 0.5), "p95": share(took, 0.95), "queries": max(queries, default=0)}
    print(f"  {len(took)} turns after {WARM_UP} to warm up (the first took {found['first']:.0f} ms): ", end="")
    print(f"p50 {figures['p50']:.1f} ms, p95 {figures['p95']:.1f} ms, p99 {share(took, 0.99):.1f} ms")
    print(f"  queries a turn: {share(queries, 0.5):.0f} in the middle, {figures['queries']:.0f} at most")
    print("  outcomes: " + ", ".join(f"{reason} {number}" for reason, number in found["reasons"].items()))
    print(
        "  targets: " + ", ".join(f"{k} <= {v:g} {'met' if figures[k] <= v else 'MISSED'}" for k, v in TARGETS.items())
    )
    return figures | {"passages": found["passages"]}


def run_script(folder: str, *arguments: str) -> str:
    """Runs a script of ours on the throw-away data directory; what it printed."""
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment_of(folder), capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def environment_of(folder: str) -> dict[str, str]:
    """What a script of ours is told: the throw-away data directory, and none of the caller's settings."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    return kept | {"DUOCTHU_DATA_DIR": folder, "DJANGO_SETTINGS_MODULE": "duocthu_site.settings.embedded"}


def _measure() -> dict[str, Any]:
    """In a process on the data directory: milliseconds and queries of each turn, and how the turns ended."""
    sys.path.insert(0, str(ROOT))
    import django  # noqa: PLC0415

    django.setup()
    from django.db import connection  # noqa: PLC0415
    from django.test.utils import CaptureQueriesContext  # noqa: PLC0415

    from chat.answer import answer_question  # noqa: PLC0415
    from monographs.models import Passage, Section  # noqa: PLC0415

    printed = set(Section.objects.filter(monograph__kind="drug").values_list("monograph__name", "key"))
    questions = list(islice(questions_about(printed), WARM_UP + QUESTIONS))
    took: list[float] = []
    reasons: Counter[str] = Counter()
    for question in questions:
        started = time.perf_counter()
        answered = answer_question(question, trace_id="bench")
        took.append((time.perf_counter() - started) * 1000)
        reasons[answered.answer.reason.value] += 1
    queries = []
    # Counted apart: counting slows a turn.
    for question in questions[WARM_UP:]:
        with CaptureQueriesContext(connection) as captured:
            answer_question(question, trace_id="bench")
        queries.append(len(captured))
    return {
        "first": took[0],
        "took": sorted(took[WARM_UP:]),
        "queries": sorted(queries),
        "reasons": dict(reasons.most_common()),
        "passages": Passage.objects.count(),
    }


def questions_about(printed: set[tuple[str, str]]) -> Iterator[str]:
    """Names with a cue of a section that their monograph prints, in an order that is the same in every run."""
    pairs = [(name, cue) for name in sorted({name for name, _ in printed}) for cue in CUES if (name, cue[0]) in printed]
    random.Random(5).shuffle(pairs)
    return (question.format(name) for name, (_, question) in pairs)


def share(values: list[float], part: float) -> float:
    """The value that this part of the sorted values does not reach."""
    return values[min(len(values) - 1, int(len(values) * part))] if values else 0.0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
