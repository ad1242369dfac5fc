"""How fast names are found: AliasIndex.resolve and suggest over a whole formulary's aliases, beside difflib.

Run it as: python bench/resolver.py. The names are those of the shared corpus beside the repository; without it, made
up ones of the same number. Figures are milliseconds of one call by the clock; ours is called three times on each query
and the quickest counts, so that other programs on the machine do not (nothing is cached between calls).
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from difflib import SequenceMatcher, get_close_matches
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from monographs.domain import AliasKind
from monographs.names import SUGGESTION_LIMIT, SUGGESTION_MIN_SCORE, AliasEntry, AliasIndex
from monographs.text import fold
from tests.alias_corpus import entries_of, made_up_lists, misspelled, shared_lists
from tests.paths import SHARED

LEAST_ALIASES = 10_000
QUERIES = 3000
BASELINE_QUERIES = 12
TARGETS = {"resolve": 1.0, "suggest": 10.0}
# {drug}, {other}: names of any kind; as pharmacists type, long and short, some without any drug.
TEMPLATES = (
    "Liều {drug} cho người lớn đường uống?",
    "{drug} ccđ",
    "Chống chỉ định của {drug} ở bệnh nhân suy thận, suy gan là gì ạ?",
    "bé 10 tháng 8kg uống {drug} mấy gói một ngày",
    "PNCT 32 tuần dùng {drug} được không, nếu không thì đổi sang {other}?",
    "tương tác {drug} và {other}",
    "{drug} pha ringer lactat đc k",
    "Viêm âm đạo dùng thuốc gì?",
    "Trẻ uống thuốc hạ sốt rồi lạnh tay chân có nguy hiểm không?",
    (
        "Bệnh nhân nữ 68 tuổi, 52 kg, tăng huyết áp, đái tháo đường, độ thanh thải creatinin 25 ml/phút, "
        "đang dùng {drug} và {other}, nay sốt cao, ho đờm vàng, khó thở nhẹ: có cần chỉnh liều không, ngừng thuốc nào?"
    ),
    "Cách xử trí khi quá liều, ngộ độc ở trẻ em dưới 6 tuổi",
    "quên 1 liều {drug}",
)


def main() -> int:
    """One row a measure: median, 95th and 99th percentile."""
    at_hand = SHARED.is_dir()
    print("names of the shared corpus" if at_hand else "the shared corpus is not here: made-up names instead")
    entries = entries_of(shared_lists(SHARED / "corpus") if at_hand else made_up_lists())
    entries += list(topped_up(entries))
    started = time.perf_counter()
    index = AliasIndex(entries)
    print(f"{len(index)} aliases, index built in {time.perf_counter() - started:.2f} s")
    rng = random.Random(20)
    queries = list(questions(entries, rng))
    words = list(unknown_words(entries, rng))
    catalogue = sorted({fold(entry.text) for entry in entries})
    print(f"{'':42}{'queries':>9}{'p50':>10}{'p95':>10}{'p99':>10}   target p99")
    report("resolve, ours", timed(index.resolve, queries, calls=3), TARGETS["resolve"])
    report("suggest, ours", timed(index.suggest, words, calls=3), TARGETS["suggest"])
    report("resolve, difflib.SequenceMatcher", timed(lambda query: best_ratio(query, catalogue), few(queries)))
    report("suggest, difflib.get_close_matches", timed(lambda word: close_matches(word, catalogue), few(words)))
    return 0


def topped_up(entries: list[AliasEntry]) -> Iterator[AliasEntry]:
    """Brands with a strength behind them, until there are enough aliases: "Hapacol 150" beside "Hapacol"."""
    known = {fold(entry.text) for entry in entries}
    brands = [entry for entry in entries if entry.kind is AliasKind.TRADE_NAME]
    for strength in ("500", "250", "100", "Extra"):
        for entry in brands:
            if len(known) > LEAST_ALIASES + 200:
                return
            text = f"{entry.text} {strength}"
            if fold(text) not in known:
                known.add(fold(text))
                yield AliasEntry(text, AliasKind.TRADE_NAME, entry.drug)


def questions(entries: list[AliasEntry], rng: random.Random) -> Iterator[str]:
    """Questions from the templates, and those of the public sets where they are at hand; half without accents."""
    public = SHARED / "eval" / "questions.jsonl"
    if public.is_file():
        for line in public.read_text("utf-8").splitlines():
            question = str(json.loads(line)["question"])
            yield from (question, fold(question))
    for number in range(QUERIES):
        template = TEMPLATES[number % len(TEMPLATES)]
        text = template.format(drug=rng.choice(entries).text, other=rng.choice(entries).text)
        yield fold(text) if number % 2 else text


def unknown_words(entries: list[AliasEntry], rng: random.Random) -> Iterator[str]:
    """Misspelt names, inventions and plain words: what suggest() is asked about."""
    plain = [word for template in TEMPLATES for word in template.split()]
    for number in range(QUERIES):
        name = fold(rng.choice(entries).text)
        yield (misspelled(name, number // 3 % 4, rng), f"{name[:-2]}inol", rng.choice(plain))[number % 3]


def best_ratio(query: str, catalogue: list[str]) -> str:
    """The seed's way: every alias of the catalogue compared with the question."""
    matcher = SequenceMatcher(b=fold(query), autojunk=False)

    def ratio(alias: str) -> float:
        matcher.set_seq1(alias)
        return matcher.ratio()

    return max(catalogue, key=ratio)


def close_matches(word: str, catalogue: list[str]) -> list[str]:
    """difflib's suggestions, with the same limit and least score as ours."""
    return get_close_matches(fold(word), catalogue, n=SUGGESTION_LIMIT, cutoff=SUGGESTION_MIN_SCORE)


def few(queries: list[str]) -> list[str]:
    """As many as difflib can be given, spread over all of them."""
    return queries[:: max(1, len(queries) // BASELINE_QUERIES)][:BASELINE_QUERIES]


def timed(call: Callable[[str], object], queries: Iterable[str], *, calls: int = 1) -> list[float]:
    """Milliseconds for each query, sorted."""
    return sorted(min(_once(call, query) for _ in range(calls)) for query in queries)


def _once(call: Callable[[str], object], query: str) -> float:
    started = time.perf_counter()
    call(query)
    return (time.perf_counter() - started) * 1000


def report(name: str, took: list[float], target: float | None = None) -> None:
    """One row; with a target, whether it was met."""
    p50, p95, p99 = (took[min(len(took) - 1, int(len(took) * share))] for share in (0.5, 0.95, 0.99))
    verdict = f"   {target:g}: {'met' if p99 <= target else 'missed'}" if target else ""
    print(f"{name:42}{len(took):9}{p50:10.3f}{p95:10.3f}{p99:10.3f}{verdict}")


if __name__ == "__main__":
    sys.exit(main())
