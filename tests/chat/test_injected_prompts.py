"""Every prompt keeps its structure whatever stands in the question, the history, the book, a claim or a fact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from chat import summarise as summarising
from chat import understand_model as understanding
from chat.compose import TurnContext, compose_answer
from chat.domain import DraftClaim, EvidenceBlock, QueryFrame, Stop, TurnType
from chat.draft import draft_extractive
from chat.generation import prompts as writing_prompts
from chat.generation.completeness import Objection
from chat.generation.prompts import draft_prompt, judge_prompt, repair_prompt
from chat.generation.writing import Writing
from chat.llm.domain import Prompt, Purpose
from chat.name_candidates import MOST_SHOWN, find_candidates
from chat.prompting import prompt_version, read_prompt
from chat.selection import Selection
from chat.summarise import summary_prompt
from chat.understand_model import CANDIDATES, FACTS, HISTORY, prompt_of
from chat.verify import verify_claims
from monographs.domain import DrugRef
from monographs.text import normalise
from tests.chat.generation.tasks import ADULT, CHILD, CONTRA, OTHER, passage, task
from tests.chat.injected import (
    Injection,
    fences_of,
    foreign_lines,
    injections,
    letters_of,
    markers_inside,
    numbers_of,
)
from tests.sample_corpus import sample_corpus

PLAIN = "thuốc thử dùng thế nào?"
_LETTERS = 60  # by which a text is found again
_KEPT = 400  # characters that no place cuts off


@dataclass(frozen=True, slots=True)
class Place:
    """A prompt with a text in some of its places. fences: in which the text may stand; lines: of these fences each
    keeps the number of its lines, because what stands in them is on one line each."""

    build: Callable[[str], Prompt]
    fences: frozenset[str]
    lines: frozenset[str] = frozenset()


def asked(text: str) -> Writing:
    """A task whose question and facts are the text."""
    return task(ADULT, CHILD, question=text, standalone_query=text, age_text=text, allergies=(text,))


def printed(text: str) -> Writing:
    """A task of passages with the text."""
    return task(passage(text, "Người lớn"), CHILD)


def headed(text: str) -> Writing:
    """A task of a passage whose drug, heading and labels are the text."""
    drug = DrugRef("thuoc_thu", text, 1, 1, 1)
    return task(replace(passage(ADULT.text, text, "Người lớn", drug=drug), section_heading=text), CHILD)


def listed(text: str) -> Writing:
    """A list of drugs, asked for by the text."""
    return task(CONTRA, replace(CONTRA, drug=OTHER), question=text, turn_type=TurnType.CONDITION_TO_DRUG)


def claimed(text: str) -> list[DraftClaim]:
    """Two claims of a draft, one of them the text."""
    return [DraftClaim(text, (0,)), DraftClaim("Người lớn: 0,5 - 1 g/lần.", (0, 1))]


def summed_up(question: str, *blocks: EvidenceBlock) -> Prompt:
    """The prompt of a summary of these passages, quoted."""
    claims = verify_claims(draft_extractive(blocks), blocks)
    assert not isinstance(claims, Stop)
    answer = compose_answer(TurnContext(None, "t"), None, claims=claims, selection=Selection(blocks))
    return summary_prompt(answer, question)


def understood(question: str, *, before: str = PLAIN, history: str = PLAIN) -> Prompt:
    """The prompt of the understander, after a case that holds a text and lines that are it."""
    case = QueryFrame(TurnType.DRUG_ATTRIBUTE, unknown_drugs=(before,), age_text=before, allergies=(before,))
    names = find_candidates(question, (history, history), case, sample_corpus())
    return prompt_of(question, names, case, (history, history))


ONE_LINE = frozenset({"DU_KIEN"})
PLACES = {
    "a question in a draft": Place(lambda t: draft_prompt(asked(t)), frozenset({"CAU_HOI", "DU_KIEN"}), ONE_LINE),
    "a question in a retry": Place(
        lambda t: draft_prompt(asked(t), Purpose.RETRY), frozenset({"CAU_HOI", "DU_KIEN"}), ONE_LINE
    ),
    "a question in a repair": Place(
        lambda t: repair_prompt(asked(t), [Objection(0, "tối đa 4 g/ngày")]),
        frozenset({"CAU_HOI", "DU_KIEN"}),
        ONE_LINE,
    ),
    "a question for a list": Place(lambda t: draft_prompt(listed(t)), frozenset({"CAU_HOI"})),
    "a question before a judge": Place(lambda t: judge_prompt(asked(t), claimed("một")), frozenset({"CAU_HOI"})),
    "a question in a summary": Place(lambda t: summed_up(t, ADULT, CHILD), frozenset({"CAU_HOI"})),
    "a question to understand": Place(understood, frozenset({"CAU_HOI", CANDIDATES})),
    "a line before it": Place(
        lambda t: understood(PLAIN, history=t), frozenset({HISTORY, CANDIDATES}), frozenset({HISTORY})
    ),
    "a case before it": Place(lambda t: understood(PLAIN, before=t), frozenset({FACTS}), frozenset({FACTS})),
    "a passage in a draft": Place(lambda t: draft_prompt(printed(t)), frozenset({"DOAN"})),
    "a passage before a judge": Place(lambda t: judge_prompt(printed(t), claimed("một")), frozenset({"DOAN"})),
    "a passage in a summary": Place(lambda t: summed_up(PLAIN, passage(t, "Người lớn"), CHILD), frozenset({"DOAN"})),
    "names and labels in a draft": Place(lambda t: draft_prompt(headed(t)), frozenset({"DOAN"}), frozenset({"DOAN"})),
    "names and labels before a judge": Place(
        lambda t: judge_prompt(headed(t), claimed("một")), frozenset({"DOAN"}), frozenset({"DOAN"})
    ),
    "names and labels in a summary": Place(
        lambda t: summed_up(PLAIN, *headed(t).evidence), frozenset({"DOAN"}), frozenset({"DOAN"})
    ),
    "a claim before a judge": Place(lambda t: judge_prompt(asked(PLAIN), claimed(t)), frozenset({"Y"})),
    "what a draft left out": Place(
        lambda t: repair_prompt(asked(PLAIN), [Objection(0, t), Objection(1, t)]), frozenset({"CON_THIEU"})
    ),
}


def broken(place: Place, text: str) -> list[str]:
    """What of its structure a prompt has lost to a text; [] where that is nothing."""
    plain, prompt = place.build(PLAIN), place.build(text)
    before, after = fences_of(plain), fences_of(prompt)
    found = [*foreign_lines(prompt), *markers_inside(prompt)]
    if (prompt.system, prompt.schema, prompt.purpose) != (plain.system, plain.schema, plain.purpose):
        found.append("what stands outside the user's part")
    if [name for name, _ in after] != [name for name, _ in before]:
        return [*found, f"fences: {[name for name, _ in after]}"]
    if numbers_of(prompt) != numbers_of(plain):
        found.append(f"numbers: {numbers_of(prompt)}")
    for (name, inside), (_, usual) in zip(after, before, strict=True):
        if name not in place.fences and inside != usual:
            found.append(f"{name}: {inside}")
        if name in place.lines and len(inside.splitlines()) != len(usual.splitlines()):
            found.append(f"lines of {name}: {inside}")
    sought = letters_of(normalise(text)[:_KEPT])[:_LETTERS]
    if not any(name in place.fences and sought in letters_of(inside) for name, inside in after):
        found.append("the text is in none of the fences that are meant for it")
    return found


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_no_injection_leaves_the_fence_that_is_meant_for_it(place: Place) -> None:
    found = {injection.id: what for injection in injections() if (what := broken(place, injection.text))}
    assert found == {}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_neither_does_one_as_it_comes_through_the_page(place: Place) -> None:
    found = {injection.id: what for injection in injections() if (what := broken(place, injection.asked))}
    assert found == {}


@pytest.mark.parametrize("injection", injections(), ids=lambda injection: injection.id)
def test_only_drugs_of_the_book_are_candidates_and_no_row_is_added(injection: Injection) -> None:
    for text in (injection.text, injection.asked):
        inside = dict(fences_of(understood(text, before=text, history=text)))
        rows = [row.split("\t") for row in inside[CANDIDATES].splitlines()]
        assert len(rows) <= MOST_SHOWN
        for row in rows if rows != [["(không có)"]] else []:
            assert row[0] in sample_corpus().drugs and len(row) <= 3, row
            assert row[1] == sample_corpus().drugs[row[0]].name


def test_the_system_parts_are_the_files_to_the_letter() -> None:
    untrusted = read_prompt("untrusted")
    understand_text = read_prompt("understand").replace("$sections", read_prompt("sections"))
    expected = {
        Purpose.DRAFT: read_prompt("draft"),
        Purpose.RETRY: read_prompt("draft"),
        Purpose.REPAIR: read_prompt("draft"),
        Purpose.JUDGE: read_prompt("judge"),
        Purpose.SUMMARY: read_prompt("summary"),
        Purpose.UNDERSTAND: understand_text,
    }
    seen = set()
    for place in PLACES.values():
        for injection in injections():
            prompt = place.build(injection.text)
            assert prompt.system == f"{expected[prompt.purpose]}\n\n{untrusted}"
            seen.add(prompt.purpose)
    assert seen == expected.keys()


def test_the_version_is_of_the_files_and_of_nothing_that_was_typed() -> None:
    known = {
        prompt_version("draft", "untrusted", "draft_input", "draft_plan", *extra)
        for extra in ((), ("draft_no_numbers",))
    }
    assert {draft_prompt(asked(injection.text)).version for injection in injections()} <= known


# --- that these tests can fail --------------------------------------------------------------------------------------

FENCES = {
    "none": lambda _name, text: text,
    "one that takes nothing apart": lambda name, text: f"<<<{name}>>>\n{text}\n<<</{name}>>>",
    "one that knows no look-alikes": lambda name, text: (
        f"<<<{name}>>>\n{text.replace('<<', '').replace('>>', '')}\n<<</{name}>>>"
    ),
}
CAUGHT = {"none": 50, "one that takes nothing apart": 40}
CLOSING = tuple(injection for injection in injections() if injection.kind == "fence_closing")


@pytest.mark.parametrize("kind", FENCES)
def test_a_worse_fence_would_be_noticed(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (writing_prompts, summarising, understanding):
        monkeypatch.setattr(module, "fence", FENCES[kind])
    for name, place in PLACES.items():
        caught = [injection.id for injection in CLOSING if broken(place, injection.text)]
        assert len(caught) >= CAUGHT.get(kind, 20), name


def test_a_rule_that_is_left_out_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing_prompts, "_system", read_prompt)
    with pytest.raises(AssertionError):
        test_the_system_parts_are_the_files_to_the_letter()
