"""Pages of the book: index, monograph, section, and the printed source of a passage."""

from __future__ import annotations

import re
from collections.abc import Iterable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import quote_etag
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from monographs import reading
from monographs.corpus import current_edition
from monographs.crops import CropError, Region, SourceFileMissing, crop_name, crop_png, edition_pdf
from monographs.htmx import HtmxHttpRequest, NotShown
from monographs.models import Edition, EditionState, Monograph
from monographs.name_search import search_monographs, suggest_monographs
from monographs.offline import allow_keeping

MOST_QUERY_CHARACTERS = 200
NO_EDITION = "Chưa có ấn bản dược thư nào được công bố."
NOT_READABLE = "Ấn bản này chưa được công bố hoặc đã bị huỷ nên không mở được."
NO_MONOGRAPH = "Không có chuyên luận này trong {edition}."
NO_SECTION = "Chuyên luận {monograph} không có mục này."
NO_PASSAGE = "Đoạn này không còn, hoặc thuộc một ấn bản chưa được công bố."
NO_PICTURE = "Không có ảnh cho trang được yêu cầu: đoạn này không nằm trên trang đó."
FILE_MISSING = "Tệp PDF của ấn bản không có trên máy chủ nên không hiển thị được ảnh trang in."
NOT_DRAWN = "Không dựng được ảnh của trang này."
_ATC_PREFIX = re.compile(r"[A-Z](?:\d{2}(?:[A-Z]{1,2}(?:\d{2})?)?)?")


@require_safe
def monograph_list(request: HttpRequest) -> HttpResponse:
    """The index: by letter, by ATC branch, or the names found."""
    edition = current_edition()
    query = request.GET.get("q", "").replace("\0", "").strip()[:MOST_QUERY_CHARACTERS]
    atc = request.GET.get("atc")
    context: dict[str, object] = {"current_edition": edition, "query": query, "area": "book"}
    if edition is None:
        return render(request, "monographs/list.html", context)
    if query:
        hits = search_monographs(edition, query)
        suggestions = () if hits else suggest_monographs(edition, query)
        return render(request, "monographs/search.html", context | {"hits": hits, "suggestions": suggestions})
    monographs = list(reading.monographs_of(edition))
    if atc is not None:
        if atc and not _ATC_PREFIX.fullmatch(atc):
            raise NotShown("Mã ATC không đúng dạng.")
        return render(request, "monographs/atc.html", context | {"view": reading.atc_view(monographs, atc)})
    groups, parts = reading.letter_groups(monographs), reading.general_parts(monographs)
    return render(request, "monographs/list.html", context | {"groups": groups, "parts": parts})


@require_safe
def monograph(request: HttpRequest, slug: str) -> HttpResponse:
    """A whole monograph, verbatim."""
    current, edition = _editions(request)
    found = reading.read_monograph(edition, slug)
    if found is None:
        raise NotShown(NO_MONOGRAPH.format(edition=edition.title))
    shown, sections = found
    response = render(
        request,
        "monographs/monograph.html",
        {
            "current_edition": current,
            "area": "book",
            "edition": edition,
            "monograph": shown,
            "sections": sections,
            "edition_query": _edition_query(current, edition),
            "pictures_missing": _pictures_missing(edition, sections),
        },
    )
    if edition == current:
        allow_keeping(response, shown, edition, request.user.pk)
    return response


@require_safe
def section(request: HttpRequest, slug: str, anchor: str) -> HttpResponse:
    """The permanent address of one section: on a page of its own, so that it opens in place on a phone too."""
    current, edition = _editions(request)
    parent = reading.find_monograph(edition, slug)
    if parent is None:
        raise NotShown(NO_MONOGRAPH.format(edition=edition.title))
    page = reading.read_section(parent, anchor)
    if page is None:
        raise NotShown(NO_SECTION.format(monograph=parent.display_name))
    return render(
        request,
        "monographs/section.html",
        {
            "current_edition": current,
            "area": "book",
            "edition": edition,
            "monograph": parent,
            "page": page,
            "edition_query": _edition_query(current, edition),
            "pictures_missing": _pictures_missing(edition, (page.text,)),
        },
    )


@require_safe
@vary_on_headers("HX-Request")
def passage_source(request: HtmxHttpRequest, passage_id: int) -> HttpResponse:
    """Where a passage is printed: a fragment for the panel, a page of its own without htmx."""
    source = reading.passage_source(passage_id)
    if source is None:
        raise NotShown(NO_PASSAGE)
    passage = source.passage
    edition = passage.section.monograph.edition
    pages = [reading.page_of_source(source, page) for page in source.pdf_pages]
    context = {
        "source": source,
        "area": "book",
        "whole_page": request.GET.get("view") == "page",
        "regions": pages if request.GET.get("view") == "page" else source.regions,
        "passage": passage,
        "is_picture": reading.is_picture(passage),
        "section": passage.section,
        "monograph": passage.section.monograph,
        "edition": edition,
        "section_url": section_url(passage.section.monograph, passage.section.anchor, edition),
        "file_missing": not edition_pdf(edition.sha256).is_file(),
    }
    return render(request, "monographs/_source.html" if request.htmx else "monographs/source.html", context)


@require_safe
def passage_crop(request: HttpRequest, passage_id: int) -> HttpResponse:
    """PNG of the region around a passage; page and part choose among several, view=page gives the whole page."""
    source = reading.passage_source(passage_id)
    if source is None:
        raise NotShown(NO_PASSAGE)
    region = _wanted_region(request, source)
    if region is None:
        raise NotShown(NO_PICTURE)
    sha256 = source.passage.section.monograph.edition.sha256
    etag = quote_etag(crop_name(sha256, region))
    response = get_conditional_response(request, etag=etag) or _picture(sha256, region)
    if response.status_code == 200:
        response.headers["ETag"] = etag
        patch_cache_control(response, private=True, max_age=3600)
    return response


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404: with the reader's sentence where the view had one; a fragment where htmx asked."""
    message = str(exception) if isinstance(exception, NotShown) else ""
    template = "_not_found.html" if getattr(request, "htmx", False) else "404.html"
    return render(request, template, {"message": message}, status=404)


def section_url(parent: Monograph, anchor: str, edition: Edition) -> str:
    """The permanent address of a section; an edition that is not the one being served is named in it."""
    url = reverse("section", args=[parent.slug, anchor])
    return url if edition.state == EditionState.PUBLISHED else f"{url}?edition={edition.pk}"


def _editions(request: HttpRequest) -> tuple[Edition | None, Edition]:
    """The edition being served, and the one asked for."""
    current = current_edition()
    asked = request.GET.get("edition", "")
    if not asked:
        if current is None:
            raise NotShown(NO_EDITION)
        return current, current
    edition = reading.readable_edition(int(asked)) if asked.isascii() and asked.isdigit() and len(asked) < 10 else None
    if edition is None:
        raise NotShown(NOT_READABLE)
    return current, edition


def _edition_query(current: Edition | None, edition: Edition) -> str:
    return "" if current == edition else f"?edition={edition.pk}"


def _pictures_missing(edition: Edition, sections: Iterable[reading.SectionText]) -> bool:
    """Whether pictures are called for that cannot be drawn here."""
    wanted = any(paragraph.is_picture for section in sections for paragraph in section.paragraphs)
    return wanted and not edition_pdf(edition.sha256).is_file()


def _wanted_region(request: HttpRequest, source: reading.SourceOfPassage) -> Region | None:
    page, part = _number(request, "page", source.passage.pdf_page), _number(request, "part", 0)
    if request.GET.get("view") == "page":
        return reading.page_of_source(source, page)
    on_page = [region for region in source.regions if region.page == page]
    return on_page[part] if part < len(on_page) else None


def _number(request: HttpRequest, name: str, default: int) -> int:
    value = request.GET.get(name, "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 7 else default


def _picture(sha256: str, region: Region) -> HttpResponse:
    try:
        return HttpResponse(crop_png(sha256, region), content_type="image/png")
    except SourceFileMissing as error:
        raise NotShown(FILE_MISSING) from error
    except CropError:
        return HttpResponse(NOT_DRAWN, status=503, content_type="text/plain; charset=utf-8")
