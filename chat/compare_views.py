"""Pages that lay drugs side by side: what the book says of every two of them. Nothing of what is asked is kept."""

from __future__ import annotations

from urllib.parse import urlencode
from uuid import uuid4

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from chat.answer import answer_question
from chat.display import ShownAnswer, show_answer
from chat.drug_list import ListedName, as_question, list_lines, read_names, without_line
from chat.interaction_route import MOST_DRUGS
from chat.masking import mask_personal_data
from chat.question import QuestionError, clean_question
from monographs.corpus import corpus_of, current_edition
from monographs.models import Edition

TOO_FEW = "Ghi ít nhất hai thuốc, mỗi dòng một thuốc."


@require_safe
@never_cache
def compare(request: HttpRequest) -> HttpResponse:
    """The two ways to lay drugs side by side."""
    return render(request, "chat/compare.html", {"area": "compare", "most": MOST_DRUGS})


@require_safe
@never_cache
def interactions(request: HttpRequest) -> HttpResponse:
    """A list of drugs, one a line or pasted from a prescription; then what the book says of every two of them."""
    lines = list_lines(_given(request, "thuoc"), _given(request, "them"))
    edition = current_edition()
    names = read_names(lines, corpus_of(edition)) if edition else ()
    shown, problem = _checked(lines, edition)
    context = {
        "area": "compare",
        "current_edition": edition,
        "listed": "\n".join(lines),
        "names": [(name, _links(lines, name)) for name in names],
        "known": sorted({drug.name for drug in corpus_of(edition).drugs.values()}) if edition else (),
        "shown": shown,
        "problem": problem,
        "most": MOST_DRUGS,
    }
    return render(request, "chat/compare_interactions.html", context, status=422 if problem and lines else 200)


def _checked(lines: tuple[str, ...], edition: Edition | None) -> tuple[ShownAnswer | None, str]:
    """The answer, or what is wrong with the list; neither where nothing was listed."""
    if not lines or edition is None:
        return None, ""
    if len(lines) < 2:
        return None, TOO_FEW
    try:
        question = clean_question(as_question(lines))
    except QuestionError as error:
        return None, str(error)
    answered = answer_question(mask_personal_data(question), trace_id=str(uuid4()))
    return show_answer(answered.answer), ""


def _links(lines: tuple[str, ...], name: ListedName) -> list[tuple[str, str]]:
    """(choice, address) of every other name that a line may have meant, and the list without the line at last."""
    chosen = [(choice, (*lines[: name.place], choice, *lines[name.place + 1 :])) for choice in name.choices]
    left = without_line(lines, name.place)
    return [(choice, _address(rest)) for choice, rest in chosen] + [("", _address(left))]


def _address(lines: tuple[str, ...]) -> str:
    return "?" + urlencode({"thuoc": "\n".join(lines)})


def _given(request: HttpRequest, key: str) -> str:
    return request.GET.get(key, "").replace("\0", "")[:4000]
