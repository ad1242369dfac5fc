"""How answers about several drugs are set: a comparison in columns, a list of drugs as entries with their status."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from chat.contract import Answer, Citation
from chat.domain import CANDIDATE_TITLES, TurnType
from monographs.domain import SECTION_FACTS, SectionKey


class OfDrug(Protocol):
    """A block of claims as it is shown."""

    @property
    def drug_name(self) -> str: ...


class Cited(Protocol):
    """A source as it is shown."""

    @property
    def citation(self) -> Citation: ...


class Held(Protocol):
    """Evidence of which only the picture is shown."""

    @property
    def source(self) -> Cited: ...


@dataclass(frozen=True, slots=True)
class Entry:
    """One drug with what is shown of it. status: in words, "" for none; key: of the status, for its look; blocks,
    held_back: as they are shown elsewhere."""

    drug_name: str
    status: str
    key: str
    blocks: tuple[OfDrug, ...]
    held_back: tuple[Held, ...]


@dataclass(frozen=True, slots=True)
class Lists:
    """What of an answer is set as columns, in the order of the question, or as entries, in the book's; rest, rest_held:
    what is set below them as always."""

    columns: tuple[Entry, ...] = ()
    entries: tuple[Entry, ...] = ()
    rest: tuple[OfDrug, ...] = ()
    rest_held: tuple[Held, ...] = ()


def lists_of(answer: Answer, blocks: Sequence[OfDrug], held_back: Sequence[Held]) -> Lists:
    """The lists of an answer; everything is the rest where it has none."""
    if answer.query_type == TurnType.COMPARISON.value and blocks:
        names = [drug.name for drug in answer.resolved_drugs]
        return Lists(columns=tuple(_entry(name, "", "", blocks, held_back) for name in names))
    if answer.candidate_assessments:
        return _of_candidates(answer, blocks, held_back)
    if answer.query_type == TurnType.CONDITION_RELATION.value and blocks:
        names = list(dict.fromkeys([*(b.drug_name for b in blocks), *map(_name_of, held_back)]))
        status = f"Có nêu ở mục {SECTION_FACTS[_section_of(answer)].title}"
        return Lists(entries=tuple(_entry(name, status, "named", blocks, held_back) for name in names))
    return Lists(rest=tuple(blocks), rest_held=tuple(held_back))


def status_lines(answer: Answer) -> tuple[str, ...]:
    """What an export says of each drug of a list before the quotes: "Ibuprofen: Sách có chỉ định"."""
    return tuple(f"{c.drug_name}: {CANDIDATE_TITLES[c.status]}" for c in answer.candidate_assessments)


def _of_candidates(answer: Answer, blocks: Sequence[OfDrug], held_back: Sequence[Held]) -> Lists:
    listed = answer.candidate_assessments
    names = {candidate.drug_name for candidate in listed}
    return Lists(
        entries=tuple(
            _entry(c.drug_name, CANDIDATE_TITLES[c.status], c.status.value, blocks, held_back) for c in listed
        ),
        rest=tuple(block for block in blocks if block.drug_name not in names),
        rest_held=tuple(held for held in held_back if _name_of(held) not in names),
    )


def _entry(name: str, status: str, key: str, blocks: Sequence[OfDrug], held_back: Sequence[Held]) -> Entry:
    return Entry(
        name,
        status,
        key,
        tuple(block for block in blocks if block.drug_name == name),
        tuple(held for held in held_back if _name_of(held) == name),
    )


def _name_of(held: Held) -> str:
    return held.source.citation.drug_name


def _section_of(answer: Answer) -> SectionKey:
    return answer.blocks[0].section
