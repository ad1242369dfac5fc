"""What the API takes and gives, as JSON. What speaks of the book carries the disclaimer."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from ninja import Query
from pydantic import BaseModel, ConfigDict, Field, StrictBool

from chat.contract import Answer, EditionRef
from chat.models import FeedbackReason, TurnState
from chat.question import MAX_LENGTH
from monographs.domain import MonographKind, PassageKind, PassageState, SectionKey

# PostgreSQL keeps no NUL, and nobody types one.
_TEXT = r"^[^\x00]*$"
Slug = Annotated[str, Field(pattern=r"^[a-z0-9_-]+$", max_length=120)]
Words = Annotated[str, Field(min_length=1, max_length=200, pattern=_TEXT)]
Question = Annotated[str, Field(max_length=MAX_LENGTH)]
ResponseMode = Literal["answer", "monograph"]
Count = Annotated[int, Query(ge=1, le=100)]
# Of what carries whole answers.
FewCount = Annotated[int, Query(ge=1, le=50)]
Offset = Annotated[int, Query(ge=0, le=100_000)]


class _Taken(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Given(BaseModel):
    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)


class _OfTheBook(_Given):
    """disclaimer: fixed, to be shown wherever any of the rest is; edition: null where none is served."""

    disclaimer: str = Field(min_length=1)
    edition: EditionRef | None


class QueryIn(_Taken):
    """A question. conversation_id: the conversation it goes on with, a new one where it is null.

    response_mode "answer" answers it; "monograph" selects and words nothing: with drug_id and section it gives that
    section whole, as a turn, else the drugs that the question names, each with its sections to choose from.
    """

    question: Question = ""
    response_mode: ResponseMode = "answer"
    conversation_id: UUID | None = None
    drug_id: Slug | None = None
    section: Slug | None = None


class TitleIn(_Taken):
    """A title for a conversation."""

    title: Annotated[str, Field(min_length=1, max_length=120, pattern=_TEXT)]


class FeedbackIn(_Taken):
    """What the asker thinks of an answer; said again, it replaces what was said. reason: where it was of no use."""

    useful: StrictBool
    reason: FeedbackReason | None = None
    comment: Annotated[str, Field(max_length=1000, pattern=_TEXT)] = ""


class FeedbackOut(_Given):
    """What was said of an answer; reason is "" where none was given."""

    useful: bool
    reason: str
    comment: str


class TurnOut(_OfTheBook):
    """A question, masked, and its answer: the stored contract, null while it is pending or running.

    stage: how far it is, where a model takes part; edition: the one it was answered from; rerun_of: the turn whose
    question this asks again.
    """

    turn_id: UUID
    conversation_id: UUID
    state: TurnState
    stage: str
    question: str
    asked_at: datetime
    finished_at: datetime | None
    rerun_of: UUID | None
    feedback: FeedbackOut | None
    answer: Answer | None


class SectionOut(_Given):
    """A section; key is "" where the heading is none of the book's usual ones; section: by which it is asked for."""

    section: str
    key: SectionKey | Literal[""]
    heading: str
    printed_page: int | None
    pdf_page: int


class DrugOut(_Given):
    """A monograph, or another part of the book. url: its page here."""

    drug_id: str
    name: str
    kind: MonographKind
    inn: str
    atc_codes: tuple[str, ...]
    printed_page: int | None
    url: str


class FoundDrug(_Given):
    """A monograph that was found. matched: other names of it that matched; taken_for: look-alikes, to be told apart."""

    drug: DrugOut
    matched: tuple[str, ...]
    taken_for: tuple[DrugOut, ...]


class DrugsOut(_OfTheBook):
    """found: by a name that holds the words, or all of the book in its order; suggestions: names written like the
    words, where nothing was found; total: before limit and offset."""

    found: tuple[FoundDrug, ...]
    suggestions: tuple[FoundDrug, ...]
    total: int


class SectionsOut(_OfTheBook):
    """A monograph with its sections, in the book's order."""

    drug: DrugOut
    sections: tuple[SectionOut, ...]


class PassageOut(_Given):
    """A passage, word for word; text is "" where only its picture may be shown.

    chunk_id: as citations name it; crop: address of the picture of its lines; starts_paragraph: whether the book
    begins a paragraph with it.
    """

    passage_id: int
    chunk_id: str
    kind: PassageKind
    state: PassageState
    labels: tuple[str, ...]
    text: str
    starts_paragraph: bool
    printed_page: int | None
    printed_page_last: int | None
    pdf_page: int
    crop: str


class SectionTextOut(_OfTheBook):
    """A section, whole and word for word; url: its page here."""

    drug: DrugOut
    section: SectionOut
    passages: tuple[PassageOut, ...]
    url: str


class DrugSections(_Given):
    """A monograph to choose a section of."""

    drug: DrugOut
    sections: tuple[SectionOut, ...]


class QueryOut(_OfTheBook):
    """turn: the answer, or the section; null where monographs are offered to choose from."""

    response_mode: ResponseMode
    turn: TurnOut | None
    monographs: tuple[DrugSections, ...]


class ConversationOut(_Given):
    """A series of turns."""

    conversation_id: UUID
    title: str
    created_at: datetime
    updated_at: datetime


class ConversationsOut(_OfTheBook):
    """The asker's conversations, the latest first; total: before limit and offset."""

    conversations: tuple[ConversationOut, ...]
    total: int


class ConversationTurnsOut(_OfTheBook):
    """A conversation with its turns, in order; total: of turns, before limit and offset."""

    conversation: ConversationOut
    turns: tuple[TurnOut, ...]
    total: int


class EditionOut(_OfTheBook):
    """The edition that is served."""
