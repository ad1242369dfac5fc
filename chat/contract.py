"""The stored answer, schema_version 2: what every turn is kept, shown and exported as."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from chat.domain import CandidateStatus, Decision, PairStatus, Reason
from chat.outcomes import Status, StatusCode
from monographs.domain import BlockKind, PassageKind, PassageState, SectionKey

SCHEMA_VERSION: Final = 2


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_serialization_defaults_required=True)


class StatusReason(_Value):
    """Why the status is what it is; verification_reasons such as "missing_requested_entity:xyz"."""

    code: StatusCode
    verified: bool
    verification_reasons: tuple[str, ...] = ()


class EditionRef(_Value):
    """The edition an answer was taken from."""

    id: int
    title: str
    year: int
    is_sample: bool
    corpus_version: str


class Citation(_Value):
    """Where a claim is printed.

    page_span: first and last printed page; pdf_pages: PDF pages from 1; regions: one
    [pdf_page, x0, y0, x1, y1] per printed line, PDF points, origin top left; crop: address of the picture.
    """

    doc_id: str
    chunk_id: str
    passage_id: int
    section: SectionKey
    section_heading: str
    section_url: str
    drug_id: str
    drug_name: str
    labels: tuple[str, ...]
    page_span: tuple[int, int]
    pdf_pages: tuple[int, ...]
    regions: tuple[tuple[float, float, float, float, float], ...]
    crop: str
    state: PassageState
    kind: PassageKind


class Claim(_Value):
    """A verified claim: target is the drug it is about, support the cited words."""

    target: str
    claim: str
    support: str
    citations: tuple[Citation, ...] = Field(min_length=1)
    verbatim: bool = True


class EvidenceItem(_Value):
    """A passage the answer was decided on, as it stood then. text is empty where it may not be shown."""

    chunk_id: str
    drug_id: str
    section: SectionKey
    labels: tuple[str, ...]
    text: str
    state: PassageState
    kind: PassageKind
    citation: Citation | None


class AnswerBlock(_Value):
    """Claims of one section; claims are indices into the contract's claims."""

    kind: BlockKind
    title: str
    section: SectionKey
    drug_id: str
    drug_name: str
    claims: tuple[int, ...]


class AnswerPlan(_Value):
    """How the answer is laid out; no medical fact."""

    verbosity: Literal["brief", "full"] = "brief"
    layout: Literal["dosage", "bullet_list", "prose"] = "bullet_list"
    reasoning_mode: Literal["extractive", "generated"] = "extractive"
    show_heading: bool = True
    needs_warning: bool = False


class Insufficiency(_Value):
    """What is missing."""

    reasons: tuple[str, ...] = ()
    missing_targets: tuple[str, ...] = ()
    missing_topics: tuple[str, ...] = ()


class CandidateAssessment(_Value):
    """What the book says of one candidate drug for this patient; never a recommendation."""

    drug_id: str
    drug_name: str
    status: CandidateStatus
    citations: tuple[Citation, ...] = ()


class PairSideAssessment(_Value):
    """What the monograph of one drug says of the other; claims are indices into the contract's claims; by: the words
    by which it is named."""

    reader_id: str
    reader_name: str
    about: str
    status: PairStatus
    claims: tuple[int, ...] = ()
    held_back: tuple[Citation, ...] = ()
    unread: tuple[str, ...] = ()
    by: tuple[str, ...] = ()


class PairAssessment(_Value):
    """Two drugs read in both directions; silence, a printed absence and what was not checked are kept apart."""

    first: str
    second: str
    status: PairStatus
    sides: tuple[PairSideAssessment, ...]


class CalculationResult(_Value):
    """Arithmetic from cited statements; inputs are (name, value) pairs, all values as shown."""

    inputs: tuple[tuple[str, str], ...]
    steps: tuple[str, ...]
    result: str
    maximum: str = ""
    capped: bool = False
    rounding: str = ""
    citations: tuple[Citation, ...] = Field(min_length=1)


class ResolvedDrug(_Value):
    """A drug the question names."""

    drug_id: str
    name: str


class SectionLink(_Value):
    """A verbatim section that can be opened instead."""

    label: str
    url: str


class SummarySentence(_Value):
    """A sentence of a summary; chunk_ids: the passages it rests on, as the claims cite them."""

    text: str
    chunk_ids: tuple[str, ...] = Field(min_length=1)


class SummaryStatus(_Value):
    """Whether a model's summary stands in summary and answer_text. provider: as configured; fallback_reason: why the
    text derived from the claims was kept, "" where the summary is used; sentences: the summary with its sources."""

    provider: str
    used: bool
    fallback_reason: str = ""
    sentences: tuple[SummarySentence, ...] = ()


class Answer(_Value):
    """The whole contract. Additions keep the version; anything that breaks a consumer raises it."""

    schema_version: Literal[2] = SCHEMA_VERSION
    decision: Decision
    reason: Reason
    status: Status
    status_reason: StatusReason
    query_type: str
    message: str
    next_step: str = ""
    note: str = ""
    emergency: str = ""
    claims: tuple[Claim, ...] = ()
    insufficiency: Insufficiency | None = None
    evidence: tuple[EvidenceItem, ...] = ()
    blocks: tuple[AnswerBlock, ...] = ()
    plan: AnswerPlan = AnswerPlan()
    candidate_assessments: tuple[CandidateAssessment, ...] = ()
    pairs: tuple[PairAssessment, ...] = ()
    calculation: CalculationResult | None = None
    resolved_drugs: tuple[ResolvedDrug, ...] = ()
    quick_replies: tuple[str, ...] = ()
    clarifying_question: str | None = None
    related_sections: tuple[SectionLink, ...] = ()
    summary: str = ""
    answer_text: str = ""
    summary_status: SummaryStatus | None = None
    disclaimer: str = Field(min_length=1)
    edition: EditionRef | None = None
    trace_id: str
    correlation_id: str = ""
    otel_trace_id: str = ""
