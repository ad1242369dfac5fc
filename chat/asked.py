"""What a question asks for: sections, topics of use, a dose that only its patient implies; how of several drugs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from chat.branches import AGE_GROUPS
from chat.cues import cue_table
from chat.domain import Population
from chat.harm import Harm, told_harm
from chat.mixing import is_mixing
from chat.overdose import tells_overdose
from chat.partners import Partners, taken_together
from chat.patient import Patient, tells_clearance
from chat.topics import Topic, find_topics
from monographs.domain import DrugRef, SectionKey
from monographs.names import NameSpan, tokenise
from monographs.text import fold

_IS_ALLERGIC = re.compile(
    r"\b(?:(?<!mui )(?<!mac )(?<!da )(?<!hen )(?<!ngua )(?<!khong )(?<!chua )(?<!khong bi )di ung|"
    r"qua man|phan ve voi|soc voi)\b"
)
# Sections that a fact about the patient asks for by itself, not only as a topic.
_FACT_SECTIONS = {SectionKey.MANG_THAI: Population.MANG_THAI, SectionKey.CHO_CON_BU: Population.CHO_CON_BU}
_MONITORS = re.compile(r"\b(?:theo doi|xet nghiem|do lai|do tsh|thu lai|kiem tra|nong do (?:day|dinh))\b")
_SAYS_DOSE = re.compile(r"(?<!doi )(?<!thap )(?<!cao )\b(?:lieu|bao nhieu (?:mg|ml|vien|ong)|may (?:mg|ml|vien|ong))\b")
# Sections that are asked of drugs that are taken together.
_OF_TOGETHER = frozenset({SectionKey.LIEU_DUNG, SectionKey.TUONG_TAC, SectionKey.TUONG_KY})
_TAKES = re.compile(
    r"\b(?:dung|uong|tiem|truyen|chung|cung|duoc|phoi hop|ket hop|them|kem|dang|(?:phai|nen|can|gach|loai) bo|"
    r"toa|y lenh|(?<!ke )don(?! vi\b))\b"
)
# Asked of each of several, whatever joins their names.
_WHICH_BY_MEALS = (
    r"\b(?:thuoc|vien|loai|cai|mon) (?:nao|gi)\b[^.,;?]{0,25}?"
    r"\b(?:(?:truoc|sau|trong|cung|luc|khi|xa) (?:bua )?(?:an|doi|no|com)|bung doi)\b"
)
_BY_MEALS = re.compile(
    r"\btruoc (?:hay|hoac) sau (?:bua )?an\b|\bluc (?:doi|no) hay\b|\b(?:truoc|sau) an hay\b|" + _WHICH_BY_MEALS
)
_ASKS_WHEN = re.compile(
    _WHICH_BY_MEALS + r"|\btruoc (?:hay|hoac) sau\b|\b(?:luc|khi) nao\b|\bmay gio\b|\bluc (?:doi|no) (?:hay|hoac)\b|"
    r"\b(?:truoc|sau) an hay\b|\b(?:thuc an|bua an|sua|ca phe|buoi)\b"
)
_DOSE_OF_ROUTE = re.compile(r"\blieu (?:uong|tiem|truyen)\b")
_RIGHT_DOSE = re.compile(r"\blieu (?:cua )?(?:[2-6]|hai|ba|bon|ca|cac|tung) (?:\w+ )?thuoc\b")
_TOGETHER = re.compile(r"\b(?:chung|cung luc|phoi hop|ket hop|cach nhau|tuong tac|ky nhau)\b")
_RISKS = re.compile(
    r"\b(?:phoi hop|tuong tac|dung chung|dung cung|uong chung|(?:bi|co|gay) anh huong|anh huong (?:gi|den|toi))\b"
)
# "Tương kỵ của A, B và C", "đối chiếu mục tương kỵ: A, B": a section of each, and no mixing of them.
_OF_EACH = re.compile(
    r"(?:\btuong k[yi] (?:cua|tung|moi|rieng)\b|\b(?:muc|phan|doi chieu|so sanh)\b[^.?!]{0,30}?\btuong k[yi]\b)"
    r"(?!.*\b(?:tron|pha|chung|cung|voi nhau)\b)"
)
# "Thuốc nào làm thay đổi nồng độ ·": what acts on it.
_CHANGES_LEVEL = re.compile(
    r"\b(?:(?:thuoc|cai|thu) (?:nao|gi)|(?:nhung|cac|may) thuoc)\b[^.;?]{0,20}?"
    r"\b(?:tang|giam|mat|thay doi|anh huong|doi khang|can tro)(?: (?:den|toi))?"
    r"(?: (?:nong do|tac dung|hieu qua|hieu luc|doc tinh|hap thu|thai tru|chuyen hoa))+"
    r"(?: (?:cua|trong mau cua))? ·"
)
# "Suy thận, paracetamol hay ibuprofen".
_EITHER = re.compile(r"·\s*(?:hay|hoac)\s+(?:la\s+)?·+\s*(?:[?.!]|$|an toan|tot|duoc|thi)")
# "Có gì cần lưu ý", of several drugs: what they do together, and to this patient.
_ANYTHING = re.compile(
    r"\b(?:co )?(?:gi|dieu gi) (?:can )?(?:luu y|chu y)\b|\b(?:luu y|chu y|van de) (?:gi|nao)\b|\bco van de\b"
)
_SWITCHES = re.compile(
    r"^\W*(?:(?:vay|the|neu|con|thi|nay|gio)\W+)+(?:doi|chuyen|thay) (?:sang|qua|bang)\W+"
    r"(?:thi sao|duoc khong|thi the nao|sao)\W*$"
)
# "Uống · hết hôm qua", "uống hết · tuần trước": a course is over, where something else is asked and no child drank it.
_WHEN = (
    r" (?:roi |xong |tu |duoc )*(?:hom (?:qua|kia|nay|truoc)|bua (?:qua|hom|truoc)|dem qua|toi qua|sang nay|trua nay|"
    r"(?:tuan|thang) (?:truoc|roi)|\d+ (?:ngay|hom|tuan)|(?:ca )?(?:dot|lieu trinh|toa|don)\b)"
)
_COURSE_OVER = re.compile(
    rf"(?<=· )(?:da |thi )?het(?={_WHEN})|(?<=\buong )het(?= ·+{_WHEN})|"
    r"(?:(?<=\buong )|(?<=\bdung ))het(?= (?:ca )?(?:dot|lieu trinh)\b)"
)
_OF_CHILD = frozenset({"tre_em", "tre_so_sinh"})
# "Xử trí sao?" goes on with the case; a longer question without a drug is about something else.
_BRIEF = 6


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for: sections, topics of use, what is told of harm; implied: only a patient or a route asks
    for the dose."""

    sections: tuple[SectionKey, ...]
    topics: tuple[Topic, ...]
    harm: Harm
    effect: bool
    implied: bool


def what_is_asked(
    rest: str, turns: set[str], patient: Patient, *, has_drug: bool, allergic: bool, several: bool = False
) -> Asked:
    harm, effect = told_harm(rest), "effect" in turns
    sections = () if several and _ANYTHING.search(fold(rest)) else _sections(rest)
    topics = _topics(rest, sections, harm)
    if several and not _ASKS_WHEN.search(fold(rest)):
        # "Losec trước ăn" on a prescription is how it is taken.
        topics = tuple(topic for topic in topics if topic.key != "food")
    if _SWITCHES.match(fold(rest)):
        # "vậy đổi sang X thì sao" asks of X what was asked before, and for no conversion.
        topics = tuple(topic for topic in topics if topic.key != "conversion")
    handling = "handling" in turns
    if SectionKey.ADR in sections and handling:
        sections = tuple(SectionKey.XU_TRI_ADR if key is SectionKey.ADR else key for key in sections)
    if not sections and handling and not has_drug and len(tokenise(rest)) <= _BRIEF:
        sections = (SectionKey.XU_TRI_ADR,)
    if sections or topics:
        return Asked(sections, topics, harm, effect, implied=False)
    if allergic or _IS_ALLERGIC.search(fold(rest)):
        return Asked((SectionKey.CHONG_CHI_DINH,), (), harm, effect, implied=False)
    how_much = "how_much" in turns
    if how_much and _is_given(patient) and not (effect or harm):
        return Asked((SectionKey.LIEU_DUNG,), (), harm, effect, implied=False)
    implied = not effect and ((how_much and has_drug) or _implies_dose(patient) or tells_clearance(rest))
    return Asked((SectionKey.LIEU_DUNG,) if implied else (), (), harm, effect, implied=implied)


def _topics(rest: str, sections: tuple[SectionKey, ...], harm: Harm) -> tuple[Topic, ...]:
    """The topics of use asked for; none where it is asked what changes a drug's level "trong máu"."""
    if _CHANGES_LEVEL.search(fold(rest)):
        return ()
    return tuple(topic for topic in find_topics(rest) if not _is_circumstance(topic, sections, harm))


def asked_together(rest: str, spans: list[NameSpan], asked: Asked, partners: Partners) -> bool:
    """Whether what is named is asked about as taken together, and not as a circumstance of something else asked."""
    several = {drug for span in spans for drug in span.drugs}
    twice = len(several) == 1 and len({fold(span.text) for span in spans}) > 1 and asked.implied | (not asked.sections)
    joined = taken_together(rest, spans)
    if (len(several) > 1 and joined) or (twice and (joined or _TOGETHER.search(fold(rest)))):
        return True
    other = set(asked.sections) - {SectionKey.TUONG_TAC, SectionKey.THAN_TRONG} if not asked.implied else set()
    of_use = {topic.key for topic in asked.topics} - {"food", "alcohol"}
    return partners.joined and not (other or of_use or asked.harm not in {Harm.NONE, Harm.SIGN} or asked.effect)


def among_several(turns: set[str], rest: str, asked: Asked, *, names_illness: bool) -> tuple[SectionKey, ...]:
    """The sections in which it is looked up which of several drugs causes something, is forbidden, or is for an illness
    ("giang mai thần kinh dùng A hay B")."""
    if "causes" in turns:
        return (SectionKey.ADR,)
    if names_illness and not (asked.sections or asked.topics) and _EITHER.search(fold(rest)):
        return (SectionKey.CHI_DINH,)
    return (SectionKey.CHONG_CHI_DINH, SectionKey.THAN_TRONG) if "forbidden_in" in turns else ()


def _is_circumstance(topic: Topic, sections: tuple[SectionKey, ...], harm: Harm) -> bool:
    """Whether a topic only tells how harm came about: too much taken, "với rượu"; "truyền nhanh quá"."""
    if SectionKey.QUA_LIEU in sections:
        return topic.key != "missed"
    return harm is Harm.AFTER and topic.key == "rate"


def _is_given(patient: Patient) -> bool:
    return patient.route is not None or patient.weight_kg is not None or patient.age is not None


def _implies_dose(patient: Patient) -> bool:
    """ "paracetamol người lớn", "vanco tiêm": a patient or a route without any other topic asks for the dose."""
    if patient.populations & {Population.MANG_THAI, Population.CHO_CON_BU}:
        return False
    ages = patient.populations & (AGE_GROUPS - {Population.MANG_THAI})
    return bool(ages) or patient.route is not None or patient.weight_kg is not None


def is_diluted(drugs: tuple[DrugRef, ...], asked: Asked) -> bool:
    """Whether it is asked what one drug is dissolved in: its monograph and the appendix tell."""
    return len(drugs) == 1 and [topic.key for topic in asked.topics] == ["diluent"] and not asked.sections


def only_lists(rest: str, asked: Asked, *, versus: bool = False) -> bool:
    """Whether sections of several drugs are asked for, and nothing is said to be taken: "CCĐ losartan vs enalapril";
    versus: "vs" is typed, which sets doses side by side as well ("dopamin vs dobutamin liều người lớn")."""
    folded = fold(rest)
    if _BY_MEALS.search(folded) or (asked.sections == (SectionKey.LIEU_DUNG,) and _RIGHT_DOSE.search(folded)):
        return not asked.implied and not _TOGETHER.search(folded)
    listed = bool(asked.sections) and _OF_TOGETHER.isdisjoint(asked.sections)
    if versus and asked.sections == (SectionKey.LIEU_DUNG,):
        # "Liều uống A vs B" asks for doses of a route.
        listed, folded = True, _DOSE_OF_ROUTE.sub("lieu", folded)
    return listed and not asked.implied and not _TAKES.search(folded)


def mixes(rest: str, drugs: tuple[DrugRef, ...], solutions: tuple[str, ...], partners: Partners) -> bool:
    """Whether it is asked what a drug may be mixed with: another drug, be it one without a monograph, or a solution;
    "tương kỵ của A, B và C" asks for one section of each."""
    several = len(drugs) > 1 or bool(drugs and partners.joined)
    if several and (_OF_EACH.search(fold(rest)) or (_RISKS.search(fold(rest)) and not is_mixing(rest))):
        return False
    return (several and is_mixing(rest)) or (bool(drugs) and bool(solutions))


def _sections(rest: str) -> tuple[SectionKey, ...]:
    """The sections asked for, in order; one that a patient's fact names is a topic only where it stands alone."""
    rest = _without_course_over(rest)
    if _CHANGES_LEVEL.search(fold(rest)):
        return (SectionKey.TUONG_TAC,)
    keys = _as_monitoring([SectionKey(hit) for hit in cue_table("section").meanings(rest)], rest)
    topics = [key for key in keys if key not in _FACT_SECTIONS]
    if SectionKey.QUA_LIEU in topics or tells_overdose(rest):
        # Who took too much is never shown an ordinary dose.
        return (SectionKey.QUA_LIEU,)
    return tuple(dict.fromkeys(topics or keys[:1]))


def _without_course_over(rest: str) -> str:
    """The question without the "hết" by which a course has ended, where it asks for a topic of use: "uống · hết hôm
    qua, nay uống bia được chưa"; where nothing else is asked, or a child may have drunk it all, it stays."""
    folded = fold(rest)
    of_child = _OF_CHILD.intersection(cue_table("population").meanings(rest))
    if len(folded) != len(rest) or of_child or not find_topics(rest):
        return rest
    for match in _COURSE_OVER.finditer(folded):
        rest = rest[: match.start()] + "·" * len(match.group()) + rest[match.end() :]
    return rest


def _as_monitoring(keys: list[SectionKey], rest: str) -> list[SectionKey]:
    """ "theo dõi INR bao lâu 1 lần" asks how often something is watched, and for no dose."""
    if not _MONITORS.search(fold(rest)) or SectionKey.LIEU_DUNG not in keys or _SAYS_DOSE.search(fold(rest)):
        return keys
    return [SectionKey.THAN_TRONG if key is SectionKey.LIEU_DUNG else key for key in keys]


def asks_of_each(rest: str) -> bool:
    """ "tương kỵ của A, B và C" asks for a section of each, and not of mixing them; "suy thận, A hay B" sets both
    side by side."""
    return _OF_EACH.search(fold(rest)) is not None or _EITHER.search(fold(rest)) is not None
