"""The drugs whose indications name a condition: whole, in part, or one of several told in one breath."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from chat.condition_forms import is_agent
from chat.condition_names import (
    Condition,
    agent_apart,
    halves_of,
    is_enough,
    is_treated,
    longest_part,
    names_something,
    printed_plainly,
    prints_as_item,
    sentences_on,
)
from chat.condition_runs import INFECTED
from chat.domain import EvidenceBlock
from chat.terms import is_name_like
from monographs.domain import DrugRef
from monographs.text import fold

_MOST_APART = 12
_ANY_AGENT = re.compile(r"\bdo (?:các )?vi khuẩn nhạy cảm\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Found:
    """A drug whose indications speak of the condition: passages, the sentences in them, what they lack; in_part: they
    name less than the condition, so that it is not indicated by what they say."""

    drug: DrugRef
    blocks: tuple[EvidenceBlock, ...]
    sentences: tuple[str, ...]
    lacks: tuple[str, ...] = ()
    in_part: bool = False


def find_indicated(blocks: Sequence[EvidenceBlock], condition: Condition) -> tuple[Found, ...]:
    """The drugs whose indications name the condition word for word; where none does, those that hold most of it."""
    if not condition:
        return ()
    plain = printed_plainly(blocks, condition)
    named = [(b, s) for b in blocks for s in sentences_on(b, condition, plain=plain)]
    caused = agent_apart(condition)
    if caused is not None:
        named += [(b, s) for b in blocks for s in _of_agent(b, caused) if (b, s) not in named]
    if named:
        treated = [
            (b, s)
            for b, s in named
            if s in sentences_on(b, condition, plain=plain, counts=is_treated(condition))
            or (caused is not None and s in _of_agent(b, caused))
        ]
        # Named as a cause or a circumstance only, it is not what the drug is for.
        return _by_drug(treated, ()) if treated else _in_part(_by_drug(named, (f"“{condition}” như một chỉ định",)))
    for halves in halves_of(condition):
        told = [(b, s) for b in blocks for s in sentences_on(b, halves, counts=is_treated(Condition(halves.runs[:1])))]
        if told:
            return _by_drug(told, ())
    if len(condition.runs) > 1:
        parts = (_find_in_part(blocks, Condition((run,))) for run in condition.runs)
        return _find_apart(blocks, condition, plain) or next(filter(None, parts), ())
    return _find_in_part(blocks, condition) or _find_beginning(blocks, condition)


def _of_agent(block: EvidenceBlock, caused: Condition) -> Iterator[str]:
    """The sentences that name a condition with the agent anywhere in them, or with every susceptible one."""
    for sentence in sentences_on(block, Condition(caused.runs[:1]), counts=is_treated(Condition(caused.runs[:1]))):
        if sentence in sentences_on(block, caused) or _ANY_AGENT.search(sentence):
            yield sentence


def _find_beginning(blocks: Sequence[EvidenceBlock], condition: Condition) -> tuple[Found, ...]:
    """The drugs whose indications print the beginning of the condition as a whole item of their list: "viêm họng" for
    "viêm họng liên cầu"; never one word alone."""
    parts = {block: part for block in blocks if len(part := prints_as_item(block, condition)) > 1}
    most = max(map(len, parts.values()), default=0)
    begun = {block: Condition((part,)) for block, part in parts.items() if len(part) == most}
    pairs = [(b, s) for b, part in begun.items() for s in sentences_on(b, part, counts=is_treated(part))]
    lacks = " ".join(str(term) for term in condition.terms[most:])
    if any(is_name_like(term) for term in condition.terms[most:]):
        return ()
    return _in_part(_by_drug(pairs, (lacks,)))


def _find_apart(blocks: Sequence[EvidenceBlock], condition: Condition, plain: frozenset[str]) -> tuple[Found, ...]:
    """The drugs whose indications name one of several conditions told in one breath; where those are more than can be
    read at once, the ones in whose passages most are named."""
    parts = [part for run in condition.runs if names_something(part := Condition((run,)))]
    named: dict[EvidenceBlock, dict[Condition, tuple[str, ...]]] = {}
    for block in blocks:
        found = {part: sentences_on(block, part, plain=plain, counts=is_treated(part)) for part in parts}
        named[block] = {part: sentences for part, sentences in found.items() if sentences}
    most = max(map(len, named.values()), default=0)
    least = 1 if len({block.drug for block, said in named.items() if said}) <= _MOST_APART else most
    kept = {block: said for block, said in named.items() if said and len(said) >= least}
    pairs = [(block, sentence) for block, said in kept.items() for part in said.values() for sentence in part]
    told = {part for said in kept.values() for part in said}
    unsaid = [part for part in parts if part not in told]
    listed = _by_drug(list(dict.fromkeys(pairs)), tuple(f"“{part}” ở mục Chỉ định" for part in unsaid))
    # "Viêm phổi (MRSA)": not for this agent, as far as the book says.
    return _in_part(listed) if _is_infection(parts) and any(is_agent(part.terms) for part in unsaid) else listed


def _is_infection(parts: Sequence[Condition]) -> bool:
    return bool(parts) and fold(parts[0].terms[0].typed[0]) in INFECTED


def _find_in_part(blocks: Sequence[EvidenceBlock], condition: Condition) -> tuple[Found, ...]:
    """The drugs whose indications print the longest phrase of the condition that any prints, where it is most of it."""
    parts = {block: part for block in blocks if is_enough(part := longest_part(block, condition), condition)}
    most = max(map(len, parts.values()), default=0)
    longest = {block: Condition((part,)) for block, part in parts.items() if len(part) == most}
    pairs = [(b, s) for b, part in longest.items() for s in sentences_on(b, part, counts=is_treated(part))]
    said = {term for part in parts.values() if len(part) == most for term in part}
    lacks = " ".join(str(term) for term in condition.terms if term not in said)
    if any(is_name_like(term) and term not in said for term in condition.terms):
        return ()
    return _in_part(_by_drug(pairs, (lacks or str(condition),)))


def _in_part(found: Sequence[Found]) -> tuple[Found, ...]:
    return tuple(replace(one, in_part=True) for one in found)


def _by_drug(pairs: Sequence[tuple[EvidenceBlock, str]], lacks: tuple[str, ...]) -> tuple[Found, ...]:
    drugs = dict.fromkeys(block.drug for block, _ in pairs)
    return tuple(
        Found(
            drug,
            tuple(dict.fromkeys(block for block, _ in pairs if block.drug == drug)),
            tuple(sentence for block, sentence in pairs if block.drug == drug),
            lacks,
        )
        for drug in drugs
    )
