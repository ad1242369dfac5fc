"""The page that lays one section of several monographs side by side. Nothing of what is asked is kept."""

from __future__ import annotations

from uuid import uuid4

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from chat.answer import answer_question
from chat.comparison import MOST_DRUGS
from chat.display import ShownAnswer, show_answer
from chat.drug_list import list_lines
from chat.masking import mask_personal_data
from chat.question import QuestionError, clean_question
from monographs.corpus import corpus_of, current_edition
from monographs.domain import SECTION_FACTS, SectionKey
from monographs.models import Edition

TOO_FEW = "Ghi ít nhất hai thuốc, mỗi dòng một thuốc."
TOO_MANY = "Mỗi lần chỉ đặt cạnh nhau được từ hai đến sáu thuốc. Bớt số dòng."
NO_SECTION = "Chọn một mục để đặt cạnh nhau."
# The sections offered: those that a question names in one way; the first is chosen at first.
SECTIONS = (
    SectionKey.CHONG_CHI_DINH,
    SectionKey.CHI_DINH,
    SectionKey.LIEU_DUNG,
    SectionKey.THAN_TRONG,
    SectionKey.ADR,
    SectionKey.TUONG_TAC,
    SectionKey.MANG_THAI,
    SectionKey.CHO_CON_BU,
    SectionKey.BAO_QUAN,
    SectionKey.QUA_LIEU,
    SectionKey.DANG_THUOC_HAM_LUONG,
)


@require_safe
@never_cache
def sections(request: HttpRequest) -> HttpResponse:
    """Two to six drugs, one a line, and a section; then that section of each, in columns."""
    lines = list_lines(_given(request, "thuoc"), _given(request, "them"))
    edition, chosen = current_edition(), _section(_given(request, "muc"))
    shown, problem = _compared(lines, chosen, edition)
    context = {
        "area": "compare",
        "current_edition": edition,
        "listed": "\n".join(lines),
        "choices": [(key.value, SECTION_FACTS[key].title) for key in SECTIONS],
        "chosen": (chosen or SECTIONS[0]).value,
        "known": sorted({drug.name for drug in corpus_of(edition).drugs.values()}) if edition else (),
        "shown": shown,
        "problem": problem,
        "most": MOST_DRUGS,
    }
    return render(request, "chat/compare_sections.html", context, status=422 if problem and lines else 200)


def _compared(
    lines: tuple[str, ...], section: SectionKey | None, edition: Edition | None
) -> tuple[ShownAnswer | None, str]:
    """The answer, or what is wrong with what was chosen; neither where nothing was listed."""
    if not lines or edition is None:
        return None, ""
    problem = TOO_FEW if len(lines) < 2 else TOO_MANY if len(lines) > MOST_DRUGS else "" if section else NO_SECTION
    if problem or section is None:
        return None, problem
    try:
        question = clean_question(f"So sánh mục {_asked(section)} của {'; '.join(lines)}")
    except QuestionError as error:
        return None, str(error)
    answered = answer_question(mask_personal_data(question), trace_id=str(uuid4()))
    return show_answer(answered.answer), ""


def _asked(section: SectionKey) -> str:
    """A section as a question names it: a dose is shown whole, branch by branch."""
    title = SECTION_FACTS[section].title.split("(")[0].strip().lower()
    return f"{title}, tất cả các trường hợp," if section is SectionKey.LIEU_DUNG else title


def _section(given: str) -> SectionKey | None:
    return next((key for key in SECTIONS if key.value == given), None)


def _given(request: HttpRequest, key: str) -> str:
    return request.GET.get(key, "").replace("\0", "")[:4000]
