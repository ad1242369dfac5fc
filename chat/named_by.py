"""Which monographs name something in their interactions: "thuốc nào tương tác với rượu", "thuốc nào làm tăng nồng độ
lithi". What is asked for has no monograph of its own: a class, a drink, a drug that the book only mentions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from chat.candidate_names import Naming
from chat.cues import no_drug_words
from chat.domain import EvidenceBlock, QueryFrame, Reason, Relation, Stop
from chat.drug_classes import class_titled, classes_asked, members_of, printed_of, title_of
from chat.naming_clauses import spelled_keys
from chat.pair_subjects import partner_subject
from chat.relations import listed
from chat.selection import Selection
from monographs.domain import SECTION_FACTS, SectionKey
from monographs.names import Corpus, is_syllable, tokenise
from monographs.text import fold

_WHICH = re.compile(
    r"\bthuoc (?:nao|gi)\b|\b(?:nhung|cac|danh sach|may|liet ke|ke ten|ke)(?: \w+)? thuoc\b|"
    r"\bthuoc(?: \w+){0,2} (?:tuong tac|ky)\b"
)
_WITH = (
    r"(?:tuong tac|tuong ky|ky|kieng|phoi hop|ket hop|(?:dung|uong|tiem)? ?(?:chung|cung|kem))(?: nhau| manh)?"
    r"(?: (?:voi|cung|luc))*"
)
_MEASURES = "nong do|tac dung|hieu qua|hieu luc|doc tinh|hap thu|thai tru|chuyen hoa|hoat tinh"
_CHANGES = (
    r"(?:tang|giam|mat|anh huong|thay doi|doi khang|uc che)(?: (?:den|toi|len))?"
    rf"(?: (?:{_MEASURES}|cua|trong mau|huyet tuong))+"
)
_BEFORE_IT = re.compile(rf"\b(?:{_WITH}|{_CHANGES})(?: (?:thuoc|nhom|cac|ruou,?))*\s*$")
# Words that only look so without their accents: "cũng", "hội chứng", "thời kỳ", "nhậu".
_OTHER_WORDS = frozenset({"cũng", "chứng", "chúng", "chủng", "kỳ", "kì", "kỹ", "kĩ", "nhậu", "nhàu"})
_OF_ILLNESS = re.compile(r"\b(?:hoi|trieu|bien|chung|thoi|dinh|chu) (?:chung|ky)\s*$")
_SHORTEST_NAME = 5
NOTE = (
    "Chỉ tra mục Tương tác thuốc của các chuyên luận trong ấn bản này, theo thứ tự trong sách; đọc trong đoạn trích "
    "xem là tăng hay giảm. Danh sách có thể chưa đủ: thuốc không có tên ở đây chỉ là chưa thấy nêu."
)


def asked_of_all(rest: str) -> str:
    """What all monographs are asked about: the title of a class, or a name as typed; "" where nothing is.

    rest: the question without its drug names.
    """
    if not _WHICH.search(fold(rest)):
        return ""
    for mention in classes_asked(rest):
        if _is_object(rest[: mention.start]):
            return title_of(mention.key)
    for token in tokenise(rest):
        named = len(token.folded) >= _SHORTEST_NAME and token.folded.isalpha() and not is_syllable(token.folded)
        if named and token.folded not in no_drug_words() and _is_object(rest[: token.start]):
            return token.text
    return ""


def _is_object(before: str) -> bool:
    """Whether the words before a name say that something is taken with it, or does something to it."""
    match = _BEFORE_IT.search(fold(before))
    if match is None or _OF_ILLNESS.search(fold(before)):
        return False
    said = {token.text.lower() for token in tokenise(before) if token.start >= match.start()}
    return said.isdisjoint(_OTHER_WORDS)


def names_of(frame: QueryFrame) -> tuple[str, ...]:
    """How the book may print what is asked about, one of which a passage must hold."""
    (name,) = frame.partners
    printed = [phrase for key in sorted(partner_subject(name).classes) for phrase in printed_of(key)]
    return tuple(dict.fromkeys((*printed, *_members(name), *(() if class_titled(name) else (name,)))))


def _members(name: str) -> tuple[str, ...]:
    """The drugs of a class that is asked about: where one of them is named, the class is."""
    known = class_titled(name)
    return members_of(known.key) if known else ()


def is_asked_of_all(frame: QueryFrame) -> bool:
    """Whether a frame asks which monographs name something in their interactions."""
    return frame.condition_relation is Relation.INTERACTION and len(frame.partners) == 1


def decide_named(frame: QueryFrame, corpus: Corpus, evidence: Sequence[EvidenceBlock]) -> Selection | Stop:
    """The passages on interactions that name what is asked about, drug by drug in the book's order."""
    (name,) = frame.partners
    subject = replace(partner_subject(name), called=tuple(map(spelled_keys, _members(name))))
    naming = Naming({}, (subject,), corpus.names)
    found = [block for block in evidence if block.section is SectionKey.TUONG_TAC and naming.partner(block)]
    if found:
        return listed(found, NOTE)
    terms = f"{name} (mục {SECTION_FACTS[SectionKey.TUONG_TAC].title})"
    return Stop(Reason.INSUFFICIENT_EVIDENCE, {"drug": "các chuyên luận", "terms": terms})
