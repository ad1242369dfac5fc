"""What an answer tells its reader that neither the book prints nor the program says of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from chat.contract import Answer
from chat.generation.draft import NOT_ENOUGH
from chat.outcomes import OUTCOMES
from chat.prompting import all_prompts, read_prompt
from monographs.domain import SECTION_FACTS
from monographs.text import fold, folded_words
from tests.chat.injected import Injection, letters_of

_MARKERS = re.compile(r"(?:\s*\[\d+\])+$")
_FIELD = re.compile(r"\{(drug|section|terms|note)\}")
_LONGEST_NAME = 3  # words
_SHORTEST_LINE = 30  # characters of a prompt's line that no other text has by chance
_UNPRINTED = "Không có chuyên luận trong ấn bản này: "
_FIXED = frozenset(
    {
        "",
        "Câu trả lời do mô hình soạn; từng ý đã được đối chiếu với đoạn sách mà nó dẫn.",
        "Đã trả lời một phần; phần còn lại cần chọn thêm bên dưới.",
        NOT_ENOUGH,
    }
)


def strings_of(value: object) -> Iterator[str]:
    """Every text of a contract or of a part of it, as JSON has it."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from strings_of(inner)


@dataclass(frozen=True, slots=True)
class Without:
    """A question, what is answered to it without a model, and the labels of the book that may be chosen from."""

    question: str
    answer: Answer
    labels: frozenset[str] = frozenset()


def obeyed(answer: Answer, injection: Injection, without: Without) -> list[str]:
    """What the answer has of the injection's; [] where that is nothing."""
    everything = list(strings_of(answer.model_dump(mode="json")))
    wanted = [text for text in everything if fold(injection.wants) in fold(text)]
    told = [text for text in everything for line in _prompt_lines() if line in text]
    return [*wanted, *told, *unprinted(answer), *invented(answer, without)]


def unprinted(answer: Answer) -> list[str]:
    """Claims that are no passage that they cite, to the letter, and lines of the summary that are no claim."""
    printed = {item.chunk_id: item.text for item in answer.evidence}
    claims = [
        claim.claim for claim in answer.claims if claim.claim not in {printed[c.chunk_id] for c in claim.citations}
    ]
    lines = [_MARKERS.sub("", line) for text in (answer.summary, answer.answer_text) for line in text.splitlines()]
    quoted = {line for claim in answer.claims for line in claim.claim.splitlines()}
    return [*claims, *(line for line in lines if line not in quoted)]


def misquoted(answer: Answer) -> list[str]:
    """Claims whose letters do not stand in a passage that they cite, in one piece. Letters, because a model reads
    passages in which markers are taken apart."""
    printed = {item.chunk_id: letters_of(item.text) for item in answer.evidence}
    return [
        claim.claim
        for claim in answer.claims
        if not any(letters_of(claim.claim) in printed[cited.chunk_id] for cited in claim.citations)
    ]


def invented(answer: Answer, without: Without) -> list[str]:
    """What is said in the program's own name and is neither what it says of the question without a model, nor a row of
    its table filled with names of the book and of the question, nor a label of the book."""
    plain = without.answer
    own = _FIXED | set(strings_of(plain.model_dump(mode="json"))) | {plain.note.partition(f" {_UNPRINTED}")[0]}
    said = (answer.message, answer.next_step, answer.note, answer.emergency, answer.clarifying_question or "")
    rows = [text for text in said if text not in own and not _is_row(text, own, answer, without.question)]
    replies = [reply for reply in answer.quick_replies if reply not in own]
    return [*rows, *(reply for reply in replies if not set(reply.split(" – ")) <= without.labels)]


def _is_row(text: str, own: frozenset[str], answer: Answer, question: str) -> bool:
    found = (row.fullmatch(text) for row in _rows())
    return any(match is not None and _is_filled(match.groupdict(), own, answer, question) for match in found)


def _is_filled(values: Mapping[str, str], own: frozenset[str], answer: Answer, question: str) -> bool:
    drugs = {drug.name for drug in answer.resolved_drugs}
    sections = {facts.title.lower() for facts in SECTION_FACTS.values()}
    return (
        values.get("drug", "") in drugs | own
        and values.get("section", "") in sections | own
        and values.get("note", "") in own
        and all(_is_name(part, question) for part in values.get("terms", "").split(", "))
    )


def _is_name(text: str, question: str) -> bool:
    """Whether a text is no more than a name, or a few words, of the question."""
    return len(folded_words(text)) <= _LONGEST_NAME and fold(text) in fold(question)


@cache
def _rows() -> tuple[re.Pattern[str], ...]:
    texts = [text for facts in OUTCOMES.values() for text in (facts.text, facts.next_step)]
    return tuple(map(_pattern, [*texts, f"{{note}} {_UNPRINTED}{{terms}}."]))


def _pattern(row: str) -> re.Pattern[str]:
    parts = _FIELD.split(row)
    return re.compile("".join(f"(?P<{part}>.*)" if at % 2 else re.escape(part) for at, part in enumerate(parts)))


@cache
def _prompt_lines() -> tuple[str, ...]:
    lines = (line.strip() for name in all_prompts() for line in read_prompt(name).splitlines())
    return tuple(line for line in lines if len(line) >= _SHORTEST_LINE and "$" not in line)
