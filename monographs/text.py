"""Folding and ordering of Vietnamese text; nothing here changes what is shown."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"[^\W_]+(?:[.,]\d+)*", re.UNICODE)
_SPACES = re.compile(r"\s+")
# The Vietnamese alphabet orders ă, â, đ, ê, ô, ơ, ư as letters of their own and tones last.
_LETTERS = {letter: rank for rank, letter in enumerate("aăâbcdđeêfghijklmnoôơpqrstuưvwxyz")}
_TONES = {"\u0300": 1, "\u0309": 2, "\u0303": 3, "\u0301": 4, "\u0323": 5}


def normalise(text: str) -> str:
    """NFC, runs of white space as one space, ends stripped."""
    return _SPACES.sub(" ", unicodedata.normalize("NFC", text)).strip()


def fold(text: str) -> str:
    """Lower case without accents, đ as d, white space collapsed: "Liều  Đường" gives "lieu duong", "K₁" gives "k1"."""
    # Small letters again: a compatibility form may open into capitals ("℠").
    decomposed = unicodedata.normalize("NFKD", text.lower().replace("đ", "d").replace("ð", "d")).lower()
    bare = "".join(character for character in decomposed if not unicodedata.combining(character))
    return _SPACES.sub(" ", unicodedata.normalize("NFC", bare)).strip()


def has_accents(text: str) -> bool:
    """True where the text carries Vietnamese accents or a đ."""
    return fold(text) != _SPACES.sub(" ", unicodedata.normalize("NFKC", text.lower())).strip()


def words(text: str) -> list[str]:
    """The words and numbers of a text, in order, lower case, accents kept: "0,5 g" gives ["0,5", "g"]."""
    return _WORD.findall(unicodedata.normalize("NFC", text).lower())


def folded_words(text: str) -> list[str]:
    """words() of the folded text."""
    return _WORD.findall(fold(text))


class WordSet:
    """The words of a text, to be asked for as typed: a word with accents meets only its own ("nấm" is not "nam"),
    wherever the tone is placed ("hoà", "hòa"); a bare word meets each that folds to it.
    """

    __slots__ = ("_accented", "_folded")

    def __init__(self, text: str) -> None:
        self._accented = frozenset(map(spelling, words(text)))
        self._folded = frozenset(folded_words(text))

    def __contains__(self, word: str) -> bool:
        return spelling(word) in self._accented if has_accents(word) else word.lower() in self._folded


def spelling(word: str) -> str:
    """The letters of a word and after them its tones: "hoà" and "hòa" are one."""
    decomposed = unicodedata.normalize("NFD", word.lower())
    tones = "".join(character for character in decomposed if character in _TONES)
    return "".join(character for character in decomposed if character not in _TONES) + tones


def search_tokens(text: str) -> tuple[str, ...]:
    """The words by which a text is found, each once: folded, and with accents where it has any (tones last, so that
    "hoà" and "hòa" are one)."""
    accented = (spelling(word) for word in words(text) if has_accents(word))
    return tuple(dict.fromkeys([*folded_words(text), *accented]))


def slugify(text: str) -> str:
    """ "Calci gluconat" gives "calci_gluconat": the form of a drug_id; "" where nothing is left."""
    return "_".join(re.findall(r"[a-z0-9]+", fold(text)))


def sort_key(text: str) -> str:
    """A string whose plain (code point) order is the Vietnamese dictionary order of the texts.

    Letters first, then tones as a tie-break, as TCVN 6712 and Vietnamese dictionaries order words.
    """
    letters: list[str] = []
    tones: list[str] = []
    for character in unicodedata.normalize("NFC", text.lower()):
        base, tone = _split_tone(character)
        letters.append(chr(0x61 + _LETTERS[base]) if base in _LETTERS else " " if base.isspace() else base)
        tones.append(str(tone))
    return "".join(letters) + "\x01" + "".join(tones)


def _split_tone(character: str) -> tuple[str, int]:
    decomposed = unicodedata.normalize("NFD", character)
    tone = next((_TONES[mark] for mark in decomposed if mark in _TONES), 0)
    base = "".join(mark for mark in decomposed if mark not in _TONES)
    return unicodedata.normalize("NFC", base), tone
