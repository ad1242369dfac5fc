"""The route of a dose that is to be calculated, and the arithmetic beside an ordinary answer about a dose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chat.bands import BandKind
from chat.branch_choice import disagreeing_labels
from chat.branches import AGE_GROUPS, facets, qualifiers_of
from chat.calculation_gate import check_calculation
from chat.decide import decide
from chat.domain import Calculation, EvidenceBlock, Population, QueryFrame, Reason, Stop, TurnType
from chat.dosing import Lacking, amounts_of, calculate
from chat.fitting import fits_patient, route_fits
from chat.plausibility import implausible
from chat.selection import Selection, asked_sections, is_held
from chat.stated_dose import NO_WEIGHT_DOSE, Refused, beyond_all_maxima, is_weighed
from chat.terms import AskedWords
from chat.told import told_concentration, told_rate, told_surface
from monographs.domain import SectionKey

_CHILDREN = frozenset({Population.TRE_EM, Population.TRE_SO_SINH})
_ADULTS = frozenset({Population.NGUOI_LON, Population.NGUOI_CAO_TUOI})
# What is asked back about a dose: which of them, or what it is counted with.
_OF_DOSES = frozenset(
    {
        Reason.NEEDS_BRANCH,
        Reason.BANDS_DISAGREE,
        Reason.NEEDS_WEIGHT,
        Reason.NEEDS_SURFACE,
        Reason.NEEDS_CONCENTRATION,
        Reason.NEEDS_CLEARANCE,
    }
)
_UNSURE = "một bước tính không kiểm lại được từ nguồn"


def decide_calculation(
    frame: QueryFrame, evidence: tuple[EvidenceBlock, ...], question: str, *, clarify_streak: int = 0
) -> Selection | Stop:
    """The printed dose with its arithmetic; what is missing or hardly possible is asked, and what is not grounded is
    refused beside the printed dose."""
    frame = replace(frame, attribute=SectionKey.LIEU_DUNG, also=(), topics=(), dose_implied=False)
    doses = [block for block in evidence if block.section is SectionKey.LIEU_DUNG]
    asked = _asked_first(frame, doses, question)
    if asked:
        return asked
    decided = decide(frame, evidence, question, clarify_streak=clarify_streak)
    if isinstance(decided, Stop):
        return _weight_before_branch(decided, doses, frame)
    return _with_calculation(decided, frame, doses)


def doubt_told(decided: Selection | Stop, frame: QueryFrame) -> Stop | None:
    """The question whether what is told of the patient is right, in the place of an answer that shows a dose or asks
    for which one; None where nothing is hardly possible, or no dose is shown."""
    odd = implausible(frame)
    asks = decided.reason if isinstance(decided, Stop) else decided.ask and decided.ask.reason
    shows = isinstance(decided, Selection) and any(b.section is SectionKey.LIEU_DUNG for b in decided.evidence)
    return Stop(Reason.IMPLAUSIBLE_INPUT, {"terms": odd}) if odd and (shows or asks in _OF_DOSES) else None


def _asked_first(frame: QueryFrame, doses: Sequence[EvidenceBlock], question: str) -> Stop | None:
    """What must be asked before a branch is chosen."""
    drug, odd, lacking = frame.drugs[0].name, implausible(frame), _lacking_first(doses, frame)
    if odd:
        return Stop(Reason.IMPLAUSIBLE_INPUT, {"terms": odd})
    if lacking:
        return Stop(lacking.reason, {"drug": drug, "terms": lacking.terms})
    labels = disagreeing_labels(doses, frame)
    if labels and not _is_chosen(labels, question):
        return Stop(Reason.BANDS_DISAGREE, {"drug": drug}, labels)
    return None


def _with_calculation(decided: Selection, frame: QueryFrame, doses: Sequence[EvidenceBlock]) -> Selection | Stop:
    drug = frame.drugs[0].name
    match checked_calculation(decided.evidence, frame, doses):
        case Calculation() as found:
            return replace(decided, calculation=found)
        case Lacking(reason, terms):
            return Stop(reason, {"drug": drug, "terms": terms})
        case Refused(why) if why == NO_WEIGHT_DOSE and _goes_by_weight(doses, frame):
            return Stop(Reason.NEEDS_WEIGHT, {"drug": drug, "terms": "cân nặng"})
        case Refused(why) if _tells_patient(frame):
            return replace(decided, refused=Stop(Reason.CALCULATION_NOT_GROUNDED, {"drug": drug, "terms": why}))
        case _:
            return decided


def _tells_patient(frame: QueryFrame) -> bool:
    """Whether there is anything to count with: "chuyển sang tiêm tính liều thế nào" asks for what is printed."""
    return bool(frame.populations or frame.amounts or frame.weight_kg is not None or frame.age_months is not None)


def beside_the_answer(
    decided: Selection | Stop, frame: QueryFrame, evidence: Sequence[EvidenceBlock]
) -> Selection | Stop:
    """The answer about a dose with its arithmetic, where a weight is told and all of it is grounded; else as it was,
    but a weight that this age hardly has is asked about."""
    if not _asks_dose(frame):
        return decided
    odd, doses = implausible(frame), [block for block in evidence if block.section is SectionKey.LIEU_DUNG]
    if odd and any(is_weighed(block.text) for block in doses):
        return Stop(Reason.IMPLAUSIBLE_INPUT, {"terms": odd})
    if isinstance(decided, Stop) or decided.missing or decided.ask or not _is_measured(frame):
        return decided
    found = checked_calculation(decided.evidence, frame, doses)
    if isinstance(found, Refused) and told_surface(frame.amounts):
        # A body surface is told for nothing but to count with it.
        return replace(decided, missing=(f"phép tính từ diện tích cơ thể: {found.why}",))
    return replace(decided, calculation=found) if isinstance(found, Calculation) else decided


def _is_measured(frame: QueryFrame) -> bool:
    """Whether a weight or a body surface is told."""
    return frame.weight_kg is not None or told_surface(frame.amounts) is not None


def checked_calculation(
    shown: Sequence[EvidenceBlock], frame: QueryFrame, doses: Sequence[EvidenceBlock]
) -> Calculation | Refused | Lacking:
    """The calculation that its gate lets through, and that no maximum of the drug forbids. doses: all of the drug."""
    found = calculate(shown, frame, by_volume=asks_volume(frame))
    if not isinstance(found, Calculation):
        return found
    if check_calculation(found, frame) is not None:
        return Refused(_UNSURE)
    beside = _unsaid_beside(found.evidence[0], frame, doses)
    if beside:
        return Refused(f"câu hỏi chưa nói rõ trường hợp, và sách còn liều khác: “{beside}”")
    passed = beyond_all_maxima(amounts_of(found), [block for block in doses if not _is_childs_only(block, frame)])
    return Refused(f"kết quả vượt mức tối đa lớn nhất mà sách in cho thuốc này ({passed.text})") if passed else found


def _is_childs_only(block: EvidenceBlock, frame: QueryFrame) -> bool:
    """Whether a dose is labelled for children alone and the patient is none: what a newborn gets at most bounds no
    adult's dose."""
    ages = facets(" ; ".join(block.labels))[0] & AGE_GROUPS
    return bool(ages) and ages <= _CHILDREN and not frame.populations & _CHILDREN and bool(frame.populations & _ADULTS)


def _unsaid_beside(block: EvidenceBlock, frame: QueryFrame, doses: Sequence[EvidenceBlock]) -> str:
    """The label beside a dose's own that may be the patient's as well, where the question says nothing of its own: a
    dose that is chosen only because its label names a child is no answer for every child."""
    asked = AskedWords(frame.question_words | frame.prior_words)
    own = _case_of(block)
    if not own or any(word in asked for word in own):
        return ""
    others = (other for other in doses if _is_beside(other, block) and _case_of(other) != own)
    return next((other.labels[-1] for other in others if _may_be(other, frame)), "")


def _case_of(block: EvidenceBlock) -> tuple[str, ...]:
    """What the innermost label says beyond patient, route, weight and age."""
    return qualifiers_of(block.labels[-1], settled=tuple(BandKind)) if len(block.labels) > 1 else ()


def _is_beside(other: EvidenceBlock, block: EvidenceBlock) -> bool:
    same_head = other.labels[:-1] == block.labels[:-1] and other.labels != block.labels
    return same_head and len(other.labels) == len(block.labels) and is_weighed(other.text) and not is_held(other)


def _may_be(other: EvidenceBlock, frame: QueryFrame) -> bool:
    """Whether a dose that names no patient of its own is for this one's age and route."""
    populations, routes = facets(other.labels[-1])
    return not populations and fits_patient(other.labels, frame) and route_fits(routes, frame)


def asks_volume(frame: QueryFrame) -> bool:
    """Whether ml are asked for, here or in the question that this goes on with."""
    return "ml" in frame.question_words | frame.prior_words or told_concentration(frame.amounts) is not None


def _asks_dose(frame: QueryFrame) -> bool:
    told = frame.weight_kg is not None or frame.age_months is not None or bool(told_surface(frame.amounts))
    one = frame.turn_type in {TurnType.DRUG_ATTRIBUTE, TurnType.DRUG_OVERVIEW} and len(frame.drugs) == 1
    return one and told and asked_sections(frame) == (SectionKey.LIEU_DUNG,) and not frame.topics


def _lacking_first(doses: Sequence[EvidenceBlock], frame: QueryFrame) -> Lacking | None:
    """What a rate in ml needs whatever the branch is."""
    if told_rate(frame.amounts) is None or not asks_volume(frame):
        return None
    if not any(is_weighed(block.text) and not is_held(block) for block in doses):
        return None
    weight = frame.weight_kg is None
    if told_concentration(frame.amounts) is None:
        parts = [*(["cân nặng (kg)"] if weight else []), "nồng độ dịch truyền (mg/ml)"]
        return Lacking(Reason.NEEDS_CONCENTRATION, " và ".join(parts))
    return Lacking(Reason.NEEDS_WEIGHT, "cân nặng (mỗi kg)") if weight else None


def _weight_before_branch(stop: Stop, doses: Sequence[EvidenceBlock], frame: QueryFrame) -> Stop:
    """Of a child the weight is asked before the branch: it may select it, and is needed anyway."""
    if stop.reason is not Reason.NEEDS_BRANCH or not _goes_by_weight(doses, frame):
        return stop
    return Stop(Reason.NEEDS_WEIGHT, {"drug": frame.drugs[0].name, "terms": "cân nặng"})


def _goes_by_weight(doses: Sequence[EvidenceBlock], frame: QueryFrame) -> bool:
    """Whether doses for a child of no told weight go by it."""
    untold = frame.weight_kg is None and bool(_CHILDREN & frame.populations)
    return untold and any(fits_patient(b.labels, frame) and is_weighed(b.text) for b in doses if not is_held(b))


def _is_chosen(labels: Sequence[str], question: str) -> bool:
    return question.strip().lower() in {label.lower() for label in labels}
