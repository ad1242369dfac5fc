"""From rows to the bodies of the API."""

from __future__ import annotations

from django.urls import reverse

from chat.api.bodies import ConversationOut, DrugOut, FeedbackOut, PassageOut, SectionOut, TurnOut
from chat.compose import edition_ref, notice_of
from chat.display import stored_answer
from chat.models import Conversation, Turn, TurnState
from monographs.corpus import current_edition
from monographs.domain import MonographKind, PassageKind, PassageState, SectionKey
from monographs.models import Edition, Monograph, Passage, Section
from monographs.reading import is_picture
from monographs.views import section_url


def show_turn(turn: Turn, edition: Edition | None = None) -> TurnOut:
    """A turn; the disclaimer and the edition are its answer's, or those of the one being served (edition)."""
    answer = stored_answer(turn)
    served = edition or (None if answer else current_edition())
    said = getattr(turn, "feedback", None)
    return TurnOut(
        turn_id=turn.pk,
        conversation_id=turn.conversation_id,
        state=TurnState(turn.state),
        stage=turn.stage,
        question=turn.question,
        asked_at=turn.created_at,
        finished_at=turn.finished_at,
        rerun_of=turn.rerun_of_id,
        feedback=FeedbackOut(useful=said.useful, reason=said.reason, comment=said.comment) if said else None,
        answer=answer,
        disclaimer=answer.disclaimer if answer else notice_of(served),
        edition=answer.edition if answer else edition_ref(served),
    )


def show_conversation(conversation: Conversation) -> ConversationOut:
    """A conversation without its turns."""
    return ConversationOut(
        conversation_id=conversation.pk,
        title=conversation.title,
        created_at=conversation.created_at,
        updated_at=conversation.updated_at,
    )


def show_drug(monograph: Monograph) -> DrugOut:
    """A monograph without its text."""
    return DrugOut(
        drug_id=monograph.slug,
        name=monograph.display_name,
        kind=MonographKind(monograph.kind),
        inn=monograph.inn,
        atc_codes=tuple(monograph.atc_codes),
        printed_page=monograph.printed_page,
        url=reverse("monograph", args=[monograph.slug]),
    )


def show_section(section: Section) -> SectionOut:
    """A section without its text."""
    return SectionOut(
        section=section.anchor,
        key=SectionKey(section.key) if section.key else "",
        heading=section.heading.rstrip(" :"),
        printed_page=section.printed_page,
        pdf_page=section.pdf_page,
    )


def show_passage(passage: Passage) -> PassageOut:
    """A passage as the book's pages show it: words, or only the address of their picture."""
    return PassageOut(
        passage_id=passage.pk,
        chunk_id=passage.uid,
        kind=PassageKind(passage.kind),
        state=PassageState(passage.state),
        labels=tuple(passage.labels),
        text="" if is_picture(passage) else passage.shown_text,
        starts_paragraph=passage.starts_paragraph,
        printed_page=passage.printed_page,
        printed_page_last=passage.printed_page_last,
        pdf_page=passage.pdf_page,
        crop=reverse("api-v1:crop", args=[passage.pk]),
    )


def section_address(monograph: Monograph, anchor: str) -> str:
    """The permanent address of a section."""
    return section_url(monograph, anchor, monograph.edition)
