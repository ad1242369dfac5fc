"""Telex and VNI slips: "lieeuf" and "lie62u" typed with the input method off read "liều"."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_TELEX_TONES = {"s": "\u0301", "f": "\u0300", "r": "\u0309", "x": "\u0303", "j": "\u0323"}
_VNI_TONES = {"1": "\u0301", "2": "\u0300", "3": "\u0309", "4": "\u0303", "5": "\u0323"}
_TELEX_LETTERS = (
    ("aa", "â"),
    ("ee", "ê"),
    ("oo", "ô"),
    ("dd", "đ"),
    ("uwow", "ươ"),
    ("uow", "ươ"),
    ("wow", "ươ"),
    ("aw", "ă"),
    ("ow", "ơ"),
    ("uw", "ư"),
)
_VNI_LETTERS = (
    ("uo7", "ươ"),
    ("a6", "â"),
    ("e6", "ê"),
    ("o6", "ô"),
    ("d9", "đ"),
    ("a8", "ă"),
    ("o7", "ơ"),
    ("u7", "ư"),
)
_SYLLABLE = re.compile(
    r"(?:b|ch?|d|đ|gh?|gi|h|kh?|l|m|ngh?|nh?|ph?|qu|r|s|th?|tr|v|x)?(?:uyê|iêu|yêu|ươi|ươu|uôi|oai|oay|uây|uya|"
    r"iê|yê|ươ|uô|oa|oă|oe|uê|uy|uâ|uơ|ia|ya|ưa|ua|ai|ao|au|âu|ay|ây|eo|êu|iu|oi|ôi|ơi|ui|ưi|ưu|[aăâeêioôơuưy])"
    r"(?:ch?|ng|nh|m|n|p|t)?"
)
_VOWELS = "aăâeêioôơuưy"


def decode_slip(word: str) -> str | None:
    """The syllable that a word typed raw in Telex or VNI means, or None where it is not such a word.

    Only a word that changes and becomes a well-formed syllable is decoded; the caller keeps known names out.
    """
    lower = word.lower()
    for letters, tones in ((_TELEX_LETTERS, _TELEX_TONES), (_VNI_LETTERS, _VNI_TONES)):
        decoded = _decode(lower, letters, tones)
        if decoded is not None:
            return decoded
    return None


def _decode(word: str, letters: tuple[tuple[str, str], ...], tones: dict[str, str]) -> str | None:
    tone = ""
    bare = word
    marks = [i for i, c in enumerate(word) if c in tones and i > 0 and any(v in word[:i] for v in "aeiouy")]
    for place in reversed(marks):
        rest = word[:place] + word[place + 1 :]
        if any(map(_is_syllable, (_with_letters(rest, letters), *_moved_back(rest, letters)))):
            tone, bare = tones[word[place]], rest
            break
    syllable = _with_letters(bare, letters)
    if not _is_syllable(syllable):
        syllable = next((s for s in _moved_back(bare, letters) if _is_syllable(s)), syllable)
    if syllable == word or not _is_syllable(syllable):
        return None
    return _with_tone(syllable, tone) if tone or syllable != bare else None


def _with_letters(word: str, letters: tuple[tuple[str, str], ...]) -> str:
    for typed, meant in letters:
        word = word.replace(typed, meant)
    return word


def _moved_back(word: str, letters: tuple[tuple[str, str], ...]) -> Iterator[str]:
    """The readings of a word whose last key marks an earlier letter: "lieue" for "lieeu", "nguoiw" for "nguowi"."""
    rest, key = word[:-1], word[-1:]
    for typed, _ in letters:
        letter, mark = typed[:-1], typed[-1]
        if mark == key and letter in rest:
            place = rest.rindex(letter) + len(letter)
            yield _with_letters(rest[:place] + key + rest[place:], letters)


def _is_syllable(text: str) -> bool:
    return _SYLLABLE.fullmatch(text) is not None


def _with_tone(syllable: str, tone: str) -> str:
    if not tone:
        return syllable
    places = [i for i, c in enumerate(syllable) if c in _VOWELS]
    if syllable[:2] in {"gi", "qu"} and len(places) > 1:
        places = places[1:]
    marked = [i for i in places if syllable[i] in "ăâêôơư"]
    place = marked[-1] if marked else places[-1] if len(places) == 1 or places[-1] < len(syllable) - 1 else places[-2]
    return unicodedata.normalize("NFC", syllable[: place + 1] + tone + syllable[place + 1 :])
