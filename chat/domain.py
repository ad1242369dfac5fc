"""The words of a turn: frame, evidence, claim, block, outcome. Values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType

from monographs.domain import BlockKind, Box, DrugRef, PassageKind, PassageState, SectionKey


class Decision(StrEnum):
    """How a turn ends."""

    ANSWERABLE = "answerable"
    CLARIFY = "clarify"
    VERIFY_PDF = "verify_pdf"
    ABSTAIN = "abstain"


class TurnType(StrEnum):
    """What is being asked."""

    DRUG_ATTRIBUTE = "drug_attribute"
    DRUG_OVERVIEW = "drug_overview"
    INTERACTION = "interaction"
    COMPARISON = "comparison"
    SYMPTOM_TO_DRUG = "symptom_to_drug"
    CONDITION_TO_DRUG = "condition_to_drug"
    DRUG_TO_CONDITION = "drug_to_condition"
    CONDITION_RELATION = "condition_relation"
    INCOMPATIBILITY = "incompatibility"
    DOSING_CALC = "dosing_calc"
    SMALLTALK = "smalltalk"
    OUT_OF_SCOPE = "out_of_scope"


class Population(StrEnum):
    """Whom a dose is for; a question and a label may name several."""

    TRE_SO_SINH = "tre_so_sinh"
    TRE_EM = "tre_em"
    NGUOI_LON = "nguoi_lon"
    NGUOI_CAO_TUOI = "nguoi_cao_tuoi"
    MANG_THAI = "mang_thai"
    CHO_CON_BU = "cho_con_bu"
    SUY_THAN = "suy_than"
    SUY_GAN = "suy_gan"


POPULATION_TITLES: dict[Population, str] = {
    Population.TRE_SO_SINH: "Trẻ sơ sinh",
    Population.TRE_EM: "Trẻ em",
    Population.NGUOI_LON: "Người lớn",
    Population.NGUOI_CAO_TUOI: "Người cao tuổi",
    Population.MANG_THAI: "Phụ nữ có thai",
    Population.CHO_CON_BU: "Phụ nữ cho con bú",
    Population.SUY_THAN: "Suy thận",
    Population.SUY_GAN: "Suy gan",
}


class Route(StrEnum):
    """How a dose is given."""

    UONG = "uong"
    DUOI_LUOI = "duoi_luoi"
    TIEM_TINH_MACH = "tiem_tinh_mach"
    TRUYEN_TINH_MACH = "truyen_tinh_mach"
    TIEM_BAP = "tiem_bap"
    TIEM_DUOI_DA = "tiem_duoi_da"
    DAT_TRUC_TRANG = "dat_truc_trang"
    DAT_AM_DAO = "dat_am_dao"
    BOI_NGOAI = "boi_ngoai"
    NHO_MAT = "nho_mat"
    NHO_TAI = "nho_tai"
    NHO_MUI = "nho_mui"
    HIT = "hit"
    KHI_DUNG = "khi_dung"
    MIENG_DAN = "mieng_dan"


ROUTE_TITLES: dict[Route, str] = {
    Route.UONG: "Đường uống",
    Route.DUOI_LUOI: "Ngậm dưới lưỡi",
    Route.TIEM_TINH_MACH: "Tiêm tĩnh mạch",
    Route.TRUYEN_TINH_MACH: "Truyền tĩnh mạch",
    Route.TIEM_BAP: "Tiêm bắp",
    Route.TIEM_DUOI_DA: "Tiêm dưới da",
    Route.DAT_TRUC_TRANG: "Đặt trực tràng",
    Route.DAT_AM_DAO: "Đặt âm đạo",
    Route.BOI_NGOAI: "Bôi ngoài da",
    Route.NHO_MAT: "Nhỏ mắt",
    Route.NHO_TAI: "Nhỏ tai",
    Route.NHO_MUI: "Nhỏ mũi",
    Route.HIT: "Hít",
    Route.KHI_DUNG: "Khí dung",
    Route.MIENG_DAN: "Miếng dán",
}


class Relation(StrEnum):
    """How a condition and a drug are asked to stand to each other."""

    INDICATION = "indication"
    ADVERSE_EFFECT = "adverse_effect"
    CONTRAINDICATION = "contraindication"
    CAUTION = "caution"
    INTERACTION = "interaction"
    UNKNOWN = "unknown"


class PairStatus(StrEnum):
    """What one monograph says of another drug; four different things, none of which means safe."""

    NAMED = "named"
    PRINTED_ABSENCE = "printed_absence"
    SILENT = "silent"
    NOT_CHECKED = "not_checked"


PAIR_TITLES: dict[PairStatus, str] = {
    PairStatus.NAMED: "Có nêu",
    PairStatus.PRINTED_ABSENCE: "Sách ghi là không có",
    PairStatus.SILENT: "Không thấy nêu trong Dược thư",
    PairStatus.NOT_CHECKED: "Chưa đối chiếu được",
}


class CandidateStatus(StrEnum):
    """What the book says of a candidate drug for this patient; indicated is never shown as appropriate."""

    INDICATED = "indicated"
    INDICATED_WITH_CAUTION = "indicated_with_caution"
    CONTRAINDICATED = "contraindicated"
    INTERACTION_NAMED = "interaction_named"
    NOT_MENTIONED = "not_mentioned"
    NOT_CHECKED = "not_checked"


CANDIDATE_TITLES: dict[CandidateStatus, str] = {
    CandidateStatus.INDICATED: "Sách có chỉ định",
    CandidateStatus.INDICATED_WITH_CAUTION: "Có chỉ định, kèm thận trọng",
    CandidateStatus.CONTRAINDICATED: "Chống chỉ định với người bệnh này",
    CandidateStatus.INTERACTION_NAMED: "Có nêu tương tác với thuốc đang dùng",
    CandidateStatus.NOT_MENTIONED: "Không thấy nêu",
    CandidateStatus.NOT_CHECKED: "Chưa đối chiếu được",
}


class ContextAction(StrEnum):
    """Whether the turn goes on with the case before it."""

    NONE = "none"
    CONTINUE = "continue"
    NEW = "new"


class Reason(StrEnum):
    """Why a turn ended as it did; chat/outcomes.py says what each means to the reader."""

    # answerable
    VERIFIED = "verified"
    PARTIAL_COMPARISON = "partial_comparison"
    PARTIAL_TOPIC_GROUNDING = "partial_topic_grounding"
    MISSING_REQUESTED_ENTITY = "missing_requested_entity"
    PARTIAL_QUARANTINED = "partial_quarantined"
    VERBATIM_SECTION = "verbatim_section"
    SMALLTALK = "smalltalk"
    # clarify
    NEEDS_DRUG = "needs_drug"
    NEEDS_SECTION = "needs_section"
    NEEDS_CONDITION = "needs_condition"
    NEEDS_BRANCH = "needs_branch"
    NEEDS_DETAIL = "needs_detail"
    NEEDS_CLEARANCE = "needs_clearance"
    NEEDS_WEIGHT = "needs_weight"
    NEEDS_SURFACE = "needs_surface"
    NEEDS_CONCENTRATION = "needs_concentration"
    IMPLAUSIBLE_INPUT = "implausible_input"
    BANDS_DISAGREE = "bands_disagree"
    TOO_MANY_DRUGS = "too_many_drugs"
    AMBIGUOUS_DRUG = "ambiguous_drug"
    SUGGESTED_DRUG = "suggested_drug"
    AMBIGUOUS_TERM = "ambiguous_term"
    # verify_pdf
    SOURCE_QUARANTINED = "source_quarantined"
    # abstain, before evidence
    NON_HUMAN_SCOPE = "non_human_scope"
    OUT_OF_SCOPE = "out_of_scope"
    UNKNOWN_DRUG = "unknown_drug"
    UNSUPPORTED_QUESTION = "unsupported_question"
    NO_EDITION = "no_edition"
    UNDERSTANDING_PROVIDER_UNAVAILABLE = "understanding_provider_unavailable"
    UNDERSTANDING_MALFORMED_OUTPUT = "understanding_malformed_output"
    # abstain, on evidence
    SECTION_NOT_IN_MONOGRAPH = "section_not_in_monograph"
    MISSING_PRINTED_PAGE = "missing_printed_page"
    INSUFFICIENT_EVIDENCE = "insufficient_evidence"
    CALCULATION_NOT_GROUNDED = "calculation_not_grounded"
    CLARIFY_NOT_CONVERGING = "clarify_not_converging"
    # abstain, a gate said no
    INVALID_CITATION = "invalid_citation"
    UNCITED_CLAIM = "uncited_claim"
    UNGROUNDED_NUMBER = "ungrounded_number"
    UNIT_MISMATCH = "unit_mismatch"
    LABEL_MISMATCH = "label_mismatch"
    UNSUPPORTED_CLAIM = "unsupported_claim"
    UNSUPPORTED_DRUG = "unsupported_drug"
    POLARITY_MISMATCH = "polarity_mismatch"
    UNSUPPORTED_RANKING = "unsupported_ranking"
    ABSENCE_AS_SAFETY = "absence_as_safety"
    INCOMPLETE_ANSWER = "incomplete_answer"
    # abstain, a check did not run
    PROVIDER_UNAVAILABLE = "provider_unavailable"
    MALFORMED_OUTPUT = "malformed_output"
    REQUEST_BUDGET_EXHAUSTED = "request_budget_exhausted"
    INTERNAL_ERROR = "internal_error"


@dataclass(frozen=True, slots=True)
class Term:
    """Something a question speaks of: its words as typed, those by which the book calls it (none where the same), at
    which word of the question it begins; is_talk: the book never prints it, and it looks like an everyday word;
    is_named: with the word beside it, it is what the book prints as a name.
    """

    typed: tuple[str, ...]
    book: tuple[str, ...]
    place: int
    is_talk: bool = False
    is_named: bool = False

    def __str__(self) -> str:
        return " ".join(self.typed)


@dataclass(frozen=True, slots=True)
class QueryFrame:
    """What was understood of a question; intent only, never an answer.

    weight_kg: in (0, 500]; topics: keys of chat/data/topics.toml; also: further sections asked for in the same
    question; partners: what drugs are taken with and has no monograph: titles of classes, names as typed;
    standalone_query: the question spelled out; question_words: its words in small letters; prior_words:
    those of the case before it;
    serum_creatinine: a creatinine of the blood is told, from which the book gives no dose;
    labs: laboratory values by BandKind (chat/bands.py), in its unit;
    amounts: a rate, a concentration, a body surface or grams that are told (chat/told.py), spelled as the book does;
    terms: what it speaks of beside names and cues; dose_implied: no section is named, but a patient or a route;
    harm: what is told of harm (chat/harm.py); allergies: names of drugs that are only what the patient is allergic to;
    medicines: drugs that the patient takes, where another one is asked for; solutions: names of solutions that a drug
    is mixed with (chat/mixing.py);
    asks_effect: whether the drug does something to the patient; asks_suitability: whether it may
    be given at all;
    quick_replies: at most 4, at most 40 characters each, distinct; options: the drugs that a shared name may mean;
    guessed_names: the unknown names stand in the book, as words at least; bare_reply: an answer to a question back
    that by itself asks for nothing: a label, or talk;
    raw: what the understander returned, for audit, not part of equality.
    """

    turn_type: TurnType
    drugs: tuple[DrugRef, ...] = ()
    unknown_drugs: tuple[str, ...] = ()
    partners: tuple[str, ...] = ()
    attribute: SectionKey | None = None
    condition_relation: Relation | None = None
    populations: frozenset[Population] = frozenset()
    route: Route | None = None
    weight_kg: Decimal | None = None
    age_text: str | None = None
    age_months: Decimal | None = None
    clearance_ml_min: Decimal | None = None
    serum_creatinine: bool = False
    labs: tuple[tuple[str, Decimal], ...] = ()
    amounts: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    also: tuple[SectionKey, ...] = ()
    standalone_query: str | None = None
    question_words: frozenset[str] = frozenset()
    prior_words: frozenset[str] = frozenset()
    terms: tuple[Term, ...] = ()
    dose_implied: bool = False
    harm: str = ""
    allergies: tuple[str, ...] = ()
    medicines: tuple[DrugRef, ...] = ()
    solutions: tuple[str, ...] = ()
    asks_effect: bool = False
    asks_suitability: bool = False
    section_overview: bool = False
    context_action: ContextAction = ContextAction.NONE
    depends_on_previous_turn: bool = False
    needs_clarify: Reason | None = None
    quick_replies: tuple[str, ...] = ()
    options: tuple[DrugRef, ...] = ()
    guessed_names: bool = False
    bare_reply: bool = False
    system_error: Reason | None = None
    raw: dict[str, object] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class EvidenceBlock:
    """A passage as retrieved: what it says, what governs it, and where it is printed.

    boxes: line boxes in PDF points, origin top left; labels: the label path as printed, outermost first; keyed: False
    for an appendix (drug is then the appendix), whose sections have no key: section is what it is shown as.
    """

    passage_id: int
    passage_uid: str
    edition_id: int
    drug: DrugRef
    section: SectionKey
    section_heading: str
    section_anchor: str
    labels: tuple[str, ...]
    text: str
    kind: PassageKind
    state: PassageState
    order: int
    pdf_page: int
    printed_page: int | None
    printed_page_last: int | None
    boxes: tuple[Box, ...]
    keyed: bool = True

    @property
    def is_held(self) -> bool:
        """Whether only its picture may be shown: not yet reviewed, or no running text that nobody put into words."""
        in_words = self.kind is PassageKind.TEXT or self.state is PassageState.CORRECTED
        return not (self.state.shows_text and in_words)

    @property
    def is_label(self) -> bool:
        """Whether it prints nothing but its own label: a heading for what follows, and no statement."""
        return bool(self.labels) and self.text.strip(" .:") == self.labels[-1].strip(" .:")


@dataclass(frozen=True, slots=True)
class DraftClaim:
    """A claim that nobody has checked; citations are indices into the evidence, from 0."""

    text: str
    citations: tuple[int, ...]
    drug_id: str | None = None


@dataclass(frozen=True, slots=True)
class PairSide:
    """What the monograph of one drug (reader) says of another; about: its name, as resolved or as typed.

    evidence: the passages that speak of it; unread: Vietnamese titles of the sections that could not be read; by: the
    words by which it is named, its own or those of its class.
    """

    reader: DrugRef
    about: str
    status: PairStatus
    evidence: tuple[EvidenceBlock, ...] = ()
    unread: tuple[str, ...] = ()
    by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pair:
    """Two drugs with what each monograph says of the other; a name that is in no index reads nothing (one side)."""

    first: str
    second: str
    sides: tuple[PairSide, ...]

    @property
    def status(self) -> PairStatus:
        """Of both directions together: what is named counts most, then what could not be checked."""
        found = {side.status for side in self.sides}
        ranked = (PairStatus.NAMED, PairStatus.NOT_CHECKED, PairStatus.PRINTED_ABSENCE, PairStatus.SILENT)
        return next((status for status in ranked if status in found), PairStatus.NOT_CHECKED)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A drug of a list, and what the book says of it for this patient."""

    drug: DrugRef
    status: CandidateStatus
    evidence: tuple[EvidenceBlock, ...] = ()


@dataclass(frozen=True, slots=True)
class Calculation:
    """Arithmetic from a cited statement, as it is shown. Every number of it is printed, told, or follows from those.

    inputs: (name, value) as told; steps: one line each, "10 - 15 mg/kg/lần × 8 kg = 80 - 120 mg/lần"; result: the last
    line's right side; maximum: the book's own, as printed, or ""; capped: whether the maximum holds the result down;
    rounding: what was rounded and how, or ""; evidence: the passages that the numbers come from.
    """

    inputs: tuple[tuple[str, str], ...]
    steps: tuple[str, ...]
    result: str
    maximum: str = ""
    capped: bool = False
    rounding: str = ""
    evidence: tuple[EvidenceBlock, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """Verified claims of one section, presented as that section is."""

    kind: BlockKind
    title: str
    section: SectionKey
    drug_id: str
    drug_name: str
    claim_indices: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Stop:
    """A stage ended the turn: with its reason, and what the reader can choose or open next.

    detail: values for the outcome's Vietnamese text ({drug}, {section}, {terms}); pairs: of drugs read all the same;
    note: what must be said of them as a whole; message: in place of the outcome's text, where that would say too much.
    """

    reason: Reason
    detail: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    quick_replies: tuple[str, ...] = ()
    evidence: tuple[EvidenceBlock, ...] = ()
    pairs: tuple[Pair, ...] = ()
    note: str = ""
    message: str = ""
