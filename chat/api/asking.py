"""Questions and what became of them: asked, followed until they are answered, asked again, judged."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Router, Status

from chat.api.bodies import DrugSections, FeedbackIn, FeedbackOut, QueryIn, QueryOut, TurnOut
from chat.api.book import readable_sections, served_edition
from chat.api.refusals import Refused, refused_field
from chat.api.shown import show_drug, show_section, show_turn
from chat.compose import edition_ref, notice_of
from chat.masking import mask_personal_data
from chat.models import Conversation, Turn
from chat.ownership import owner_of
from chat.pages import NOT_YOURS, owned_turn
from chat.question import QuestionError, clean_question
from chat.tasks import dispatch_turn
from chat.turns import Chosen, cancel_turn, give_feedback, start_reading, start_rerun, start_turn
from chat.understand import understand
from chat.verbatim import NO_SUCH_DRUG, NO_SUCH_SECTION
from monographs.corpus import corpus_of
from monographs.domain import MonographKind
from monographs.htmx import NotShown
from monographs.models import Edition, Monograph, Section
from monographs.name_search import search_monographs

router = Router(tags=["Hỏi đáp"])
MOST_OFFERED = 8
BOTH_OR_NONE = "Hãy gửi cả drug_id và section, hoặc không gửi trường nào trong hai trường."
ONLY_MONOGRAPH = "Chỉ dùng drug_id và section với response_mode là monograph."


@router.post("query", response={200: QueryOut, 202: QueryOut}, operation_id="query", url_name="query")
def query(request: HttpRequest, response: HttpResponse, body: QueryIn) -> Status[QueryOut]:
    """Hỏi một câu, hoặc đọc nguyên văn một mục.

    202 khi có mô hình tham gia: câu trả lời được soạn ở tiến trình nền; gọi lại địa chỉ ở tiêu đề Location sau số giây
    ở tiêu đề Retry-After cho đến khi state là done, failed hoặc cancelled.
    """
    if (body.drug_id is None) != (body.section is None):
        raise refused_field("body.section", BOTH_OR_NONE)
    if body.response_mode == "answer":
        return _answered(request, response, body)
    if body.drug_id is None:
        return Status(200, _offered(served_edition(), _cleaned(body)))
    return _shown(response, body, _read(request, body))


@router.get("turns/{uuid:turn_id}", response=TurnOut, operation_id="turn", url_name="turn")
def turn(request: HttpRequest, response: HttpResponse, turn_id: UUID) -> TurnOut:
    """Một lượt hỏi với câu trả lời đã lưu; answer là null khi chưa xong."""
    return _followed(response, owned_turn(request, turn_id))


@router.post("turns/{uuid:turn_id}/cancel", response=TurnOut, operation_id="cancel", url_name="cancel")
def cancel(request: HttpRequest, turn_id: UUID) -> TurnOut:
    """Huỷ một lượt hỏi chưa xong; lượt đã xong giữ nguyên."""
    owned_turn(request, turn_id)
    cancel_turn(owner_of(request), turn_id)
    return show_turn(owned_turn(request, turn_id))


@router.post(
    "turns/{uuid:turn_id}/again", response={200: TurnOut, 202: TurnOut}, operation_id="again", url_name="again"
)
def again(request: HttpRequest, response: HttpResponse, turn_id: UUID) -> Status[TurnOut]:
    """Tra lại câu hỏi của một lượt trên ấn bản đang phục vụ, thành một lượt mới."""
    owned_turn(request, turn_id)
    asked = dispatch_turn(start_rerun(owner_of(request), turn_id, correlation_id=_correlation_id(request)))
    return Status(200 if asked.is_final else 202, _followed(response, asked))


@router.put("turns/{uuid:turn_id}/feedback", response=FeedbackOut, operation_id="feedback", url_name="feedback")
def feedback(request: HttpRequest, turn_id: UUID, body: FeedbackIn) -> FeedbackOut:
    """Nhận xét câu trả lời; nhận xét sau thay nhận xét trước."""
    owned_turn(request, turn_id)
    give_feedback(
        owner_of(request), turn_id, useful=body.useful, reason=body.reason or "", comment=body.comment.strip()
    )
    said = owned_turn(request, turn_id).feedback
    return FeedbackOut(useful=said.useful, reason=said.reason, comment=said.comment)


def _answered(request: HttpRequest, response: HttpResponse, body: QueryIn) -> Status[QueryOut]:
    if body.drug_id is not None:
        raise refused_field("body.drug_id", ONLY_MONOGRAPH)
    try:
        turn = start_turn(
            owner=owner_of(request),
            question=_cleaned(body),
            conversation_id=body.conversation_id,
            correlation_id=_correlation_id(request),
        )
    except Conversation.DoesNotExist as error:
        raise NotShown(NOT_YOURS) from error
    return _shown(response, body, turn)


def _read(request: HttpRequest, body: QueryIn) -> Turn:
    section = _chosen(served_edition(), body)
    try:
        return start_reading(
            owner=owner_of(request),
            chosen=Chosen(section.monograph.slug, section.anchor),
            called=(section.monograph.display_name, section.heading.rstrip(" :")),
            conversation_id=body.conversation_id,
            correlation_id=_correlation_id(request),
        )
    except Conversation.DoesNotExist as error:
        raise NotShown(NOT_YOURS) from error


def _shown(response: HttpResponse, body: QueryIn, turn: Turn) -> Status[QueryOut]:
    asked = dispatch_turn(turn)
    shown = _followed(response, asked)
    found = QueryOut(
        response_mode=body.response_mode,
        turn=shown,
        monographs=(),
        disclaimer=shown.disclaimer,
        edition=shown.edition,
    )
    return Status(200 if asked.is_final else 202, found)


def _followed(response: HttpResponse, turn: Turn) -> TurnOut:
    """The turn; where it goes on, with where and when to look again."""
    if not turn.is_final:
        response.headers["Location"] = reverse("api-v1:turn", args=[turn.pk])
        response.headers["Retry-After"] = "1"
    return show_turn(turn)


def _offered(edition: Edition, question: str) -> QueryOut:
    """The drugs that a question names, or that are called so, each with its sections."""
    masked = mask_personal_data(question)
    named = [drug.drug_id for drug in understand(masked, corpus_of(edition)).drugs]
    found = Monograph.objects.filter(edition=edition, slug__in=named) if named else None
    monographs = list(found or (hit.monograph for hit in search_monographs(edition, masked[:200])))
    drugs = [monograph for monograph in monographs if monograph.kind == MonographKind.DRUG][:MOST_OFFERED]
    if not drugs:
        raise Refused(NO_SUCH_DRUG)
    return QueryOut(
        response_mode="monograph",
        turn=None,
        monographs=tuple(
            DrugSections(drug=show_drug(drug), sections=tuple(map(show_section, readable_sections(drug))))
            for drug in drugs
        ),
        disclaimer=notice_of(edition),
        edition=edition_ref(edition),
    )


def _chosen(edition: Edition, body: QueryIn) -> Section:
    sections = Section.objects.filter(
        monograph__edition=edition,
        monograph__slug=body.drug_id,
        monograph__kind=MonographKind.DRUG,
        anchor=body.section,
    )
    found = sections.exclude(key="").select_related("monograph").first()
    if found is None:
        raise NotShown(NO_SUCH_SECTION)
    return found


def _correlation_id(request: HttpRequest) -> str:
    """The id that the site gave to this request, or its caller."""
    return str(getattr(request, "correlation_id", ""))


def _cleaned(body: QueryIn) -> str:
    try:
        return clean_question(body.question)
    except QuestionError as error:
        raise refused_field("body.question", str(error)) from error
