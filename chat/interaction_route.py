"""Two to eight drugs taken together: what the book says of every pair, of the patient, and of what else is asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from chat.beside_pairs import doses_at_clearance, on_doubling
from chat.condition_names import Condition, is_forbidden, longest_part, speaks_of
from chat.conditions import told_of
from chat.decide import decide
from chat.domain import EvidenceBlock, Pair, PairStatus, QueryFrame, Reason, Stop, Term
from chat.drug_classes import classes_asked, classes_of, classes_printed, kin_of
from chat.interactions import READ_SECTIONS, find_pairs, pair_evidence
from chat.naming_clauses import spelled_keys
from chat.outcomes import OUTCOMES, render
from chat.pair_prior import EXCHANGED
from chat.pair_subjects import Subject, shared_name, subjects_of, unresolved_names
from chat.patient_facts import about_patient, at_lab_values
from chat.question_parts import Part, split_parts
from chat.selection import Selection, is_held, needs_section
from chat.terms import is_name_like
from chat.unknown_drug import near_names
from monographs.domain import SECTION_FACTS, DrugRef, SectionKey
from monographs.names import Corpus
from monographs.text import fold

MOST_DRUGS, MOST_IN_WORDS = 8, "tám"
SILENCE = "Không thấy nêu trong Dược thư không có nghĩa là dùng cùng nhau được."
_READ = ", ".join(SECTION_FACTS[key].title for key in READ_SECTIONS)
_MAX_REPLIES, _LONGEST_REPLY, _SHORTEST_NAME, _PART = 4, 40, 4, 2
_ALLERGIC_TO = re.compile(r"\b(?:di ung|soc|phan ve|qua man) (?:(?:voi|thuoc|nhom|nang) )*([a-z0-9-]{4,})")
_ONCE_A_WEEK = re.compile(r"\bmỗi tuần một lần\b", re.IGNORECASE)
_FORBIDS_OR_CAUTIONS = frozenset({SectionKey.CHONG_CHI_DINH, SectionKey.THAN_TRONG})
# A section as the start of a question about one drug.
_ASKED_AS = {SectionKey.LIEU_DUNG: "Liều", SectionKey.ADR: "Tác dụng phụ", SectionKey.QUA_LIEU: "Quá liều"}


@dataclass(frozen=True, slots=True)
class _Answered:
    part: Part
    found: Selection | Stop


def is_too_many(frame: QueryFrame) -> bool:
    """Whether more is named than can be laid side by side."""
    return len(frame.drugs) + len(unresolved_names(frame)) > MOST_DRUGS


def decide_interaction(
    frame: QueryFrame, corpus: Corpus, evidence: Sequence[EvidenceBlock], streak: int = 0
) -> Selection | Stop:
    """The pairs with the passages that name them, what forbids first, behind what the patient's facts bring.

    evidence: all that the monographs of the drugs say. Silence alone is no answer: it stops, with the pairs shown.
    """
    if is_too_many(frame):
        return Stop(Reason.TOO_MANY_DRUGS, {"terms": MOST_IN_WORDS})
    subjects = subjects_of(frame, evidence, corpus)
    doubled = _on_doubled(frame, evidence, corpus)
    if len(subjects) < 2:
        note = _note(frame, subjects, corpus)
        return Selection(doubled, note=note) if doubled else replace(needs_section(frame), note=note)
    pairs = _of_exchanged(find_pairs(subjects, evidence, corpus.names), frame)
    parts = [_answer(part, evidence, streak) for part in split_parts(frame, corpus)]
    named = pair_evidence(pairs)
    others = [block for part in parts for block in part.found.evidence if isinstance(part.found, Selection)]
    urgent = others if frame.attribute is SectionKey.QUA_LIEU else []
    shown = tuple(dict.fromkeys([*urgent, *_facts(frame, evidence), *doubled, *named, *others]))
    note = _note(frame, subjects, corpus)
    asks = _asks(frame, corpus, parts)
    if not shown:
        return replace(asks or _nothing(frame, subjects, pairs), pairs=pairs, note=note)
    if any(block.printed_page is None for block in shown):
        return Stop(Reason.MISSING_PRINTED_PAGE, pairs=pairs, note=note)
    if all(is_held(block) for block in shown):
        return Stop(Reason.SOURCE_QUARANTINED, evidence=shown, pairs=pairs, note=note)
    missing = (*_silent(pairs, named), *_unread(pairs), *(text for part in parts for text in _missing(part, asks)))
    absent = _nameless(frame, subjects)
    return Selection(shown, tuple(dict.fromkeys(missing)), asks, absent, pairs, note=note)


def _of_exchanged(pairs: tuple[Pair, ...], frame: QueryFrame) -> tuple[Pair, ...]:
    """Of a drug that is to stand in the place of one asked about before only its own pairs."""
    new = {drug.name for drug in frame.drugs if drug.drug_id == frame.raw.get(EXCHANGED)}
    return tuple(pair for pair in pairs if not new or new & {pair.first, pair.second})


def _answer(part: Part, evidence: Sequence[EvidenceBlock], streak: int) -> _Answered:
    own = tuple(block for block in evidence if block.drug == part.drug)
    return _Answered(part, decide(part.frame, own, part.asked, clarify_streak=streak))


def _facts(frame: QueryFrame, evidence: Sequence[EvidenceBlock]) -> list[EvidenceBlock]:
    """What the monographs say of the patient, in the order of the drugs: of the facts told, and of allergies."""
    found: list[EvidenceBlock] = []
    for drug in frame.drugs:
        own = tuple(block for block in evidence if block.drug == drug)
        alone = replace(frame, drugs=(drug,), attribute=SectionKey.TUONG_TAC, also=())
        found += [*about_patient(own, alone), *at_lab_values(own, alone), *_on_allergy(own, frame)]
        found += [*_on_conditions(own, frame), *_on_interval(own), *doses_at_clearance(own, frame)]
    return list(dict.fromkeys(found))


def _on_doubled(frame: QueryFrame, evidence: Sequence[EvidenceBlock], corpus: Corpus) -> tuple[EvidenceBlock, ...]:
    """What is said of taking a drug twice, of each that is named by two names."""
    own = [[block for block in evidence if block.drug == drug] for drug in _named_twice(frame, corpus)]
    return tuple(block for blocks in own for block in on_doubling(blocks))


def _on_conditions(own: Sequence[EvidenceBlock], frame: QueryFrame) -> list[EvidenceBlock]:
    """What forbids or cautions for a condition that is told of the patient: "nhược cơ", "thiếu G6PD"."""
    told = told_of(frame)
    runs = [run for condition in (told.condition, *told.beside) for run in condition.runs]
    return [
        block for block in own if block.section in _FORBIDS_OR_CAUTIONS and any(_tells_of(block, run) for run in runs)
    ]


def _on_interval(own: Sequence[EvidenceBlock]) -> list[EvidenceBlock]:
    """The warning that a drug is taken once a week: beside others taken daily it is the one to be seen."""
    return [b for b in own if b.section in _FORBIDS_OR_CAUTIONS and _ONCE_A_WEEK.search(b.text) and not b.is_held]


def _tells_of(block: EvidenceBlock, run: tuple[Term, ...]) -> bool:
    """Whether a passage names what a run of terms says: whole; by a name in it ("thiếu men G6PD"); or, where it
    forbids, by most of it."""
    whole = sum(len(term.typed) for term in run) > 1
    names = [(term,) for term in run if is_name_like(term) and len(str(term)) >= _SHORTEST_NAME]
    part = longest_part(block, Condition((run,)))
    # The end of a name is another one: "huyết áp" of "tăng huyết áp".
    parts = [part] if part and (part[0] == run[0] or len(part) > _PART) else []
    named = [*([run] if whole else []), *names, *(parts if block.section is SectionKey.CHONG_CHI_DINH else [])]
    return any(speaks_of(block, Condition((part,)), counts=is_forbidden) for part in named)


def _on_allergy(own: Sequence[EvidenceBlock], frame: QueryFrame) -> list[EvidenceBlock]:
    told = [fold(name) for name in frame.allergies] or _ALLERGIC_TO.findall(fold(frame.standalone_query or ""))
    forbidding = [block for block in own if block.section is SectionKey.CHONG_CHI_DINH]
    return [block for block in forbidding if any(_names_allergen(block.text, name) for name in told)]


def _names_allergen(text: str, name: str) -> bool:
    """Whether a text names what the patient does not bear, however it is spelled, or a class that it belongs to."""
    if set(spelled_keys(name).split()) <= set(spelled_keys(text).split()):
        return True
    kin = {key for mention in classes_asked(name) for key in kin_of(mention.key)}
    return any(mention.key in kin | classes_of("", [name]) for mention in classes_printed(text))


def _nothing(frame: QueryFrame, subjects: Sequence[Subject], pairs: Sequence[Pair]) -> Stop:
    if frame.unknown_drugs and all(pair.status is PairStatus.NOT_CHECKED for pair in pairs):
        return Stop(Reason.UNKNOWN_DRUG, {"terms": ", ".join(frame.unknown_drugs)})
    readers = [subject.name for subject in subjects if subject.drug is not None]
    said = [subject.name.lower() if subject.is_class else subject.name for subject in subjects]
    terms = f"dùng {said[0]} cùng {said[1]}" if len(said) == 2 else "dùng các thuốc này cùng nhau"
    return Stop(Reason.INSUFFICIENT_EVIDENCE, {"drug": ", ".join(readers), "terms": terms})


def _silent(pairs: Sequence[Pair], named: Sequence[EvidenceBlock]) -> tuple[str, ...]:
    """Beside what else is shown, that nothing is said of any pair."""
    if named:
        return ()
    silent = [pair for pair in pairs if pair.status is PairStatus.SILENT]
    return tuple(f"{pair.first} – {pair.second}: không thấy nêu trong Dược thư" for pair in silent)


def _unread(pairs: Sequence[Pair]) -> tuple[str, ...]:
    sides = [side for pair in pairs for side in pair.sides if side.status is PairStatus.NOT_CHECKED and side.unread]
    return tuple(f"{side.reader.name}: chưa đọc được mục {', '.join(side.unread)}" for side in sides)


def _missing(part: _Answered, asks: Stop | None) -> tuple[str, ...]:
    """What is not there of a part, and what must be asked for it where something else is asked first."""
    name, left = part.part.drug.name, _open(part)
    told = part.found.missing if isinstance(part.found, Selection) else ()
    if left is None or (asks is not None and (left.reason, left.detail) == (asks.reason, asks.detail)):
        return tuple(f"{name}: {text}" for text in told)
    said = render(OUTCOMES[left.reason].text, left.detail)
    return (*(f"{name}: {text}" for text in told), said if name in said else f"{name}: {said}")


def _asks(frame: QueryFrame, corpus: Corpus, parts: Sequence[_Answered]) -> Stop | None:
    """What is left to ask: which drug was meant, and the parts that could not be answered, each for itself."""
    names = _unclear_name(frame, corpus)
    open_parts = [(part, _open(part)) for part in parts]
    replies = [reply for part, stop in open_parts if stop for reply in _asked_alone(part.part)]
    if names is not None:
        return replace(names, quick_replies=(*names.quick_replies, *replies)[:_MAX_REPLIES])
    first = next((stop for _, stop in open_parts if stop), None)
    return replace(first, quick_replies=tuple(replies[:_MAX_REPLIES]), evidence=()) if first and replies else None


def _open(part: _Answered) -> Stop | None:
    return part.found if isinstance(part.found, Stop) else part.found.ask


def _asked_alone(part: Part) -> list[str]:
    """The question that asks for a part by itself: "Liều Ibuprofen"."""
    asked = [f"{_ASKED_AS.get(key, SECTION_FACTS[key].title)} {part.drug.name}" for key in part.sections[:1]]
    return [text for text in asked if len(text) <= _LONGEST_REPLY]


def _unclear_name(frame: QueryFrame, corpus: Corpus) -> Stop | None:
    """Names that several drugs share, or that are nearly a drug's: never read as one of them."""
    if frame.options:
        return Stop(
            Reason.AMBIGUOUS_DRUG,
            {"terms": shared_name(frame)},
            tuple(drug.name for drug in frame.options)[:_MAX_REPLIES],
        )
    for name in frame.unknown_drugs:
        # "Coumadine (warfarin)" says itself which was meant.
        near = [s.drug.name for s in near_names(name, corpus) if s.drug not in frame.drugs]
        if near:
            return Stop(Reason.SUGGESTED_DRUG, {"terms": name}, tuple(dict.fromkeys(near))[:_MAX_REPLIES])
    return None


def _note(frame: QueryFrame, subjects: Sequence[Subject], corpus: Corpus) -> str:
    """What was read, what was not, and that silence says nothing."""
    classes = [subject.name for subject in subjects if subject.is_class]
    nameless = _nameless(frame, subjects)
    if len(subjects) < 2:
        return " ".join(_same_drug(frame, corpus))
    said = [f"Đã đọc ở chuyên luận của từng thuốc: {_READ}.", SILENCE]
    if classes:
        said.append(f"{', '.join(classes)}: không có chuyên luận riêng, chỉ đọc được ở chuyên luận của thuốc kia.")
    members = [drug.name for subject in subjects for drug in subject.readers]
    if members:
        said.append(f"Đọc thêm chuyên luận của thuốc trong nhóm: {', '.join(members)}.")
    if nameless:
        said.append(f"Không có chuyên luận trong ấn bản này: {', '.join(nameless)}.")
    return " ".join([*said, *_same_drug(frame, corpus)])


def _nameless(frame: QueryFrame, subjects: Sequence[Subject]) -> tuple[str, ...]:
    """The names that no monograph goes by."""
    named = [subject.name for subject in subjects if subject.drug is None and not subject.is_class]
    return tuple(name for name in named if name != shared_name(frame))


def _same_drug(frame: QueryFrame, corpus: Corpus) -> list[str]:
    """Two names of one drug: "Panadol và Hapacol cùng là Paracetamol"."""
    return [f"{' và '.join(texts)} cùng là {drug.name}." for drug, texts in _named_twice(frame, corpus).items()]


def _named_twice(frame: QueryFrame, corpus: Corpus) -> dict[DrugRef, list[str]]:
    """The drugs that go by two names in the question, with these."""
    spans = frame.raw.get("spans")
    typed: dict[DrugRef, list[str]] = {}
    for text in dict.fromkeys(map(str, spans)) if isinstance(spans, list) else ():
        for span in corpus.names.resolve(text):
            if len(span.drugs) == 1 and span.drugs[0] in frame.drugs:
                typed.setdefault(span.drugs[0], []).append(text)
    distinct: Callable[[list[str]], list[str]] = lambda texts: list({fold(text): text for text in texts}.values())  # noqa: E731
    named = {drug: distinct(texts) for drug, texts in typed.items()}
    return {drug: texts for drug, texts in named.items() if len(texts) > 1}
