"""Reading instead of asking: choose a drug, see its sections, have one of them whole in the conversation."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from chat.forms import VerbatimForm
from chat.models import Conversation
from chat.ownership import owner_of
from chat.pages import NOT_YOURS, dispatched, history_context
from chat.turns import Chosen, start_reading
from monographs.corpus import current_edition
from monographs.domain import MonographKind
from monographs.htmx import HtmxHttpRequest, NotShown
from monographs.models import Section
from monographs.name_search import search_monographs, suggest_monographs
from monographs.reading import find_monograph

NO_SUCH_DRUG = "Ấn bản đang phục vụ không có thuốc này."
NO_SUCH_SECTION = "Ấn bản đang phục vụ không có mục này."


@require_safe
@never_cache
def choose(request: HttpRequest) -> HttpResponse:
    """A box for a drug's name; then the drugs found; then the sections of the one chosen."""
    edition, query, slug = current_edition(), _given(request, "q"), _given(request, "drug")
    drug = find_monograph(edition, slug) if edition and slug else None
    if edition and slug and (drug is None or drug.kind != MonographKind.DRUG):
        raise NotShown(NO_SUCH_DRUG)
    suggestions = suggest_monographs(edition, query) if edition and query else ()
    hits = search_monographs(edition, query) if edition and query else ()
    hits = tuple(hit for hit in hits if hit.monograph.kind == MonographKind.DRUG)
    context = {
        "current_edition": edition,
        "area": "chat",
        "query": query,
        "drug": drug,
        "sections": drug.sections.exclude(key="").order_by("order") if drug else (),
        "hits": hits,
        "suggestions": () if hits else tuple(s for s in suggestions if s.monograph.kind == MonographKind.DRUG),
        **history_context(request),
    }
    return render(request, "chat/verbatim.html", context)


@require_POST
@never_cache
def read(request: HtmxHttpRequest) -> HttpResponse:
    """A turn that shows the section chosen, whole."""
    form = VerbatimForm(request.POST)
    section = _chosen_section(form) if form.is_valid() else None
    if section is None:
        raise NotShown(NO_SUCH_SECTION)
    monograph = section.monograph
    try:
        turn = start_reading(
            owner=owner_of(request),
            chosen=Chosen(monograph.slug, section.anchor),
            called=(monograph.display_name, section.heading.rstrip(" :")),
            conversation_id=form.cleaned_data["conversation"],
        )
    except Conversation.DoesNotExist as error:
        raise NotShown(NOT_YOURS) from error
    return dispatched(request, turn)


def _given(request: HttpRequest, key: str) -> str:
    return request.GET.get(key, "").replace("\0", "").strip()[:200]


def _chosen_section(form: VerbatimForm) -> Section | None:
    sections = Section.objects.filter(
        monograph__edition=current_edition(),
        monograph__slug=form.cleaned_data["drug"],
        monograph__kind=MonographKind.DRUG,
        anchor=form.cleaned_data["section"],
    )
    return sections.exclude(key="").select_related("monograph").first()
