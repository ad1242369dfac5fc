"""Accents put back on a question typed without them, by what the edition itself prints most often.

Only what is searched for is restored; names, gates and everything that decides see the question as it was typed. What
the book prints side by side also tells whether two bare words may be a name of something ("tac mat").
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import pairwise

from monographs.text import fold, has_accents, normalise

_WORD = re.compile(r"[^\W\d_]+")
_SENTENCE = re.compile(r"[.;:\n]")
# A pair seen once is as likely a slip of the print as a habit of the language.
_LEAST_PAIRS = 2
# How much the pair counts beside the word alone, and what a pair never seen is still worth.
_PAIR_SHARE = 0.9


class AccentModel:
    """A bigram model of the edition's own words. Immutable once made."""

    __slots__ = ("_forms", "_pairs", "_total", "_words")

    def __init__(self, words: dict[str, int], pairs: dict[str, int]) -> None:
        self._words = words
        self._pairs = pairs
        self._total = sum(words.values()) or 1
        forms: dict[str, list[str]] = defaultdict(list)
        for word in words:
            forms[fold(word)].append(word)
        self._forms = dict(forms)

    @classmethod
    def train(cls, texts: Iterable[str]) -> AccentModel:
        """A model of these texts; pairs are counted within sentences, and kept where the second word has rivals."""
        words: Counter[str] = Counter()
        pairs: Counter[str] = Counter()
        for text in texts:
            for sentence in _SENTENCE.split(normalise(text).lower()):
                found = _WORD.findall(sentence)
                words.update(found)
                pairs.update(f"{before} {after}" for before, after in pairwise(found))
        forms = Counter(fold(word) for word in words)
        kept = {
            pair: count
            for pair, count in pairs.items()
            if count >= _LEAST_PAIRS and any(forms[fold(word)] > 1 for word in pair.split(" "))
        }
        return cls(dict(words), kept)

    @classmethod
    def loads(cls, text: str) -> AccentModel:
        """The inverse of dumps(); an empty text gives a model that restores nothing."""
        data = json.loads(text) if text else {"words": {}, "pairs": {}}
        return cls(data["words"], data["pairs"])

    def dumps(self) -> str:
        """The model as JSON, for keeping."""
        return json.dumps({"words": self._words, "pairs": self._pairs}, ensure_ascii=False, separators=(",", ":"))

    def restore(self, text: str) -> str:
        """The text with the accents that are most likely, in small letters; as it is where it has any accent."""
        if has_accents(text):
            return text
        places = list(_WORD.finditer(text))
        restored = self._most_likely([match.group().lower() for match in places])
        pieces, at = [], 0
        for match, word in zip(places, restored, strict=True):
            pieces += [text[at : match.start()], word]
            at = match.end()
        return "".join([*pieces, text[at:]])

    def printed_pairs(self, before: str, after: str) -> list[tuple[str, str]]:
        """What two bare words that follow one another may be, by what the book prints more than once."""
        firsts, seconds = self._forms.get(before, []), self._forms.get(after, [])
        return [(one, other) for one in firsts for other in seconds if f"{one} {other}" in self._pairs]

    def _most_likely(self, words: list[str]) -> list[str]:
        """Viterbi over the accented forms of each word; a word the edition does not print stays as it is."""
        best: dict[str, tuple[float, list[str]]] = {"": (0.0, [])}
        for word in words:
            step: dict[str, tuple[float, list[str]]] = {}
            for form in self._forms.get(word, [word]):
                score, path = max(
                    ((before[0] + self._log_chance(last, form), before[1]) for last, before in best.items()),
                    key=lambda found: found[0],
                )
                step[form] = (score, [*path, form])
            best = step
        return max(best.values(), key=lambda found: found[0])[1]

    def _log_chance(self, before: str, word: str) -> float:
        alone = (self._words.get(word, 0) + 0.5) / self._total
        seen = self._words.get(before, 0)
        together = self._pairs.get(f"{before} {word}", 0) / seen if seen else 0.0
        return math.log(_PAIR_SHARE * together + (1 - _PAIR_SHARE) * alone)


NO_ACCENTS = AccentModel({}, {})
