"""The book by the API: the edition, drugs by name, their sections, a section word for word, pictures of its lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from chat.api.bodies import (
    Count,
    DrugsOut,
    EditionOut,
    FoundDrug,
    Offset,
    SectionsOut,
    SectionTextOut,
    Words,
)
from chat.api.openapi import CROP_RESPONSES
from chat.api.problems import PROBLEMS, ProblemCode
from chat.api.refusals import Refused
from chat.api.shown import section_address, show_drug, show_passage, show_section
from chat.compose import edition_ref, notice_of
from chat.verbatim import NO_SUCH_DRUG, NO_SUCH_SECTION
from monographs.corpus import current_edition
from monographs.htmx import NotShown
from monographs.models import Edition, Monograph, Section
from monographs.name_search import Hit, search_monographs, suggest_monographs
from monographs.reading import find_monograph, monographs_of, readable_edition
from monographs.views import NOT_READABLE, passage_crop

router = Router(tags=["Dược thư"])
EditionNumber = Annotated[int | None, Query(ge=1, le=2_147_483_647)]


@router.get("edition", response=EditionOut, operation_id="edition", url_name="edition")
def edition(request: HttpRequest) -> EditionOut:
    """Ấn bản đang phục vụ; edition là null khi chưa có ấn bản nào."""
    served = current_edition()
    return EditionOut(disclaimer=notice_of(served), edition=edition_ref(served))


@router.get("drugs", response=DrugsOut, operation_id="drugs", url_name="drugs")
def drugs(
    request: HttpRequest, q: Annotated[Words | None, Query()] = None, limit: Count = 20, offset: Offset = 0
) -> DrugsOut:
    """Tìm chuyên luận theo tên gốc, tên tiếng Việt hoặc biệt dược; không có q thì liệt kê cả cuốn."""
    served = served_edition()
    if q is None:
        return _listed(served, limit, offset)
    hits = search_monographs(served, q)
    suggestions = () if hits else suggest_monographs(served, q)
    return DrugsOut(
        found=_found(hits[offset : offset + limit]),
        suggestions=_found(suggestions),
        total=len(hits),
        disclaimer=notice_of(served),
        edition=edition_ref(served),
    )


@router.get("drugs/{slug:drug_id}/sections", response=SectionsOut, operation_id="sections", url_name="sections")
def sections(request: HttpRequest, drug_id: str, edition: EditionNumber = None) -> SectionsOut:
    """Các mục của một chuyên luận, theo thứ tự trong sách."""
    monograph = _monograph(drug_id, edition)
    return SectionsOut(
        drug=show_drug(monograph),
        sections=tuple(map(show_section, monograph.sections.order_by("order"))),
        disclaimer=notice_of(monograph.edition),
        edition=edition_ref(monograph.edition),
    )


@router.get(
    "drugs/{slug:drug_id}/sections/{slug:section}",
    response=SectionTextOut,
    operation_id="sectionText",
    url_name="section-text",
)
def section_text(request: HttpRequest, drug_id: str, section: str, edition: EditionNumber = None) -> SectionTextOut:
    """Nguyên văn một mục; đoạn chỉ được xem bằng ảnh thì text để trống, ảnh ở địa chỉ crop."""
    monograph = _monograph(drug_id, edition)
    found = monograph.sections.filter(anchor=section).first()
    if found is None:
        raise NotShown(NO_SUCH_SECTION)
    return SectionTextOut(
        drug=show_drug(monograph),
        section=show_section(found),
        passages=tuple(map(show_passage, found.passages.order_by("order"))),
        url=section_address(monograph, found.anchor),
        disclaimer=notice_of(monograph.edition),
        edition=edition_ref(monograph.edition),
    )


@router.get(
    "passages/{int:passage_id}/crop.png",
    operation_id="crop",
    url_name="crop",
    openapi_extra={"responses": CROP_RESPONSES},
)
def crop(
    request: HttpRequest,
    passage_id: int,
    page: Annotated[int | None, Query(ge=1, le=999_999)] = None,
    part: Annotated[int, Query(ge=0, le=999_999)] = 0,
    view: Literal["lines", "page"] = "lines",
) -> HttpResponse:
    """Ảnh PNG của những dòng in một đoạn.

    page và part chọn một trong nhiều ảnh; view=page cho cả trang.
    """
    return passage_crop(request, passage_id)


def served_edition() -> Edition:
    """The edition being served. Raises Refused where there is none yet."""
    served = current_edition()
    if served is None:
        raise Refused(PROBLEMS[ProblemCode.NO_EDITION].detail, code=ProblemCode.NO_EDITION)
    return served


def readable_sections(monograph: Monograph) -> QuerySet[Section]:
    """The sections that can be read in a conversation, in the book's order."""
    return monograph.sections.exclude(key="").order_by("order")


def _monograph(slug: str, edition_id: int | None) -> Monograph:
    """A monograph of the edition being served, or of one that was."""
    asked = served_edition() if edition_id is None else readable_edition(edition_id)
    if asked is None:
        raise NotShown(NOT_READABLE)
    monograph = find_monograph(asked, slug)
    if monograph is None:
        raise NotShown(NO_SUCH_DRUG)
    return monograph


def _listed(served: Edition, limit: int, offset: int) -> DrugsOut:
    rows = monographs_of(served)
    shown = tuple(FoundDrug(drug=show_drug(row), matched=(), taken_for=()) for row in rows[offset : offset + limit])
    return DrugsOut(
        found=shown,
        suggestions=(),
        total=rows.count(),
        disclaimer=notice_of(served),
        edition=edition_ref(served),
    )


def _found(hits: Sequence[Hit]) -> tuple[FoundDrug, ...]:
    return tuple(
        FoundDrug(drug=show_drug(hit.monograph), matched=hit.names, taken_for=tuple(map(show_drug, hit.taken_for)))
        for hit in hits
    )
