"""Tells whether a word with Vietnamese letters can be a Vietnamese syllable."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

ONSET = re.compile(r"^(ngh|ng|nh|gh|kh|ph|th|tr|ch|gi|qu|[bcdđghklmnprstvx]?)(.*)$")
RIME_LIST = """a ac ach ai am an ang anh ao ap at au ay ăc ăm ăn ăng ăp ăt âc âm ân âng âp ât âu ây
e ec em en eng eo ep et ê êch êm ên ênh êp êt êu i ia ich im in inh ip it iu
iêc iêm iên iêng iêp iêt iêu yêm yên yêt yêu yêng o oc oi om on ong op ot
oa oac oach oai oam oan oang oanh oao oap oat oay oăc oăm oăn oăng oăt oe oen oeo oet ooc oong
ô ôc ôi ôm ôn ông ôp ôt ơ ơi ơm ơn ơp ơt u ua uc ui um un ung up ut uân uâng uât uây uê uêch uênh
uôc uôi uôm uôn uông uôt uy uya uych uyn uynh uyp uyt uyu uyên uyêt uơ
ư ưa ưc ưi ưm ưn ưng ưt ưu ươc ươi ươm ươn ương ươp ươt ươu y"""
RIMES = frozenset(RIME_LIST.split())
TONES = {"\u0301": "sắc", "\u0300": "huyền", "\u0309": "hỏi", "\u0303": "ngã", "\u0323": "nặng"}
STOPS = ("c", "ch", "p", "t")
BORROWED = frozenset({"đvqt", "hoigné", "blốc", "nitơ", "urê", "glôcôm", "crôm", "sulfonylurê", "fibrôm"})
VIETNAMESE = "àáảãạăằắẳẵặâầấẩẫậèéẻẽẹêềếểễệìíỉĩịòóỏõọôồốổỗộơờớởỡợùúủũụưừứửữựỳýỷỹỵđ"
MARKED = re.compile(rf"[a-z{VIETNAMESE}]+", re.IGNORECASE)


def misspelt(text: str) -> Iterator[str]:
    """Words that carry Vietnamese marks and yet are no syllable."""
    for word in MARKED.findall(text):
        if not word.isascii() and word.lower() not in BORROWED and not is_syllable(word.lower()):
            yield word


def is_syllable(word: str) -> bool:
    """Whether onset, rime and tone fit together."""
    toneless, tones = split_tone(word)
    if len(tones) > 1:
        return False
    onset, rime = ONSET.match(toneless).groups()  # type: ignore[union-attr]
    fits = rime in RIMES or (onset == "gi" and "i" + rime in RIMES) or (onset == "qu" and "u" + rime in RIMES)
    return fits and (not rime.endswith(STOPS) or tones in (["sắc"], ["nặng"]))


def split_tone(word: str) -> tuple[str, list[str]]:
    """The word without its tone mark, and the tones it carried."""
    letters = unicodedata.normalize("NFD", word)
    tones = [TONES[char] for char in letters if char in TONES]
    return unicodedata.normalize("NFC", "".join(char for char in letters if char not in TONES)), tones
