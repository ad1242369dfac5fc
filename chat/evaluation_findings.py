"""What a golden question owes beside claims: pairs of drugs, candidates, arithmetic; and what an answer lacks of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydantic import BaseModel, ConfigDict

from chat.contract import Answer, CalculationResult, PairAssessment
from chat.domain import PairStatus
from monographs.text import fold

_EITHER = "|"


class CalculationOwed(BaseModel):
    """Substrings of the result and of the steps; absent: no arithmetic may be shown at all."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    result_contains: str = ""
    result_contains_any: tuple[str, ...] = ()
    result_not_contains: tuple[str, ...] = ()
    steps_contain: tuple[str, ...] = ()
    capped: bool | None = None
    maximum: str = ""
    absent: bool = False


def pair_faults(owed: Sequence[tuple[str, str, str]], answer: Answer, *, quoted: bool) -> Iterable[str]:
    """Pairs owed as (name, name, statuses), names loosely and in either order, statuses joined by "|".

    quoted: the passages that name them are owed as words; then an answer to one of the drugs alone may hold them too.
    """
    for first, second, statuses in owed:
        found = [pair for pair in answer.pairs if _is_of(pair, first, second)]
        said = [pair.status.value for pair in found] or ["no pair"]
        told_alone = not answer.pairs and quoted and PairStatus.NAMED in statuses.split(_EITHER)
        if not told_alone and not set(said) & set(statuses.split(_EITHER)):
            yield f"pair {first} – {second} {said[0]} for {statuses}"


def candidate_faults(owed: dict[str, str], answer: Answer) -> Iterable[str]:
    """Candidates owed as drug_id to statuses."""
    found = {candidate.drug_id: candidate.status.value for candidate in answer.candidate_assessments}
    for drug_id, statuses in owed.items():
        if found.get(drug_id, "none") not in statuses.split(_EITHER):
            yield f"candidate {drug_id} {found.get(drug_id, 'none')} for {statuses}"


def calculation_faults(owed: CalculationOwed | None, answer: Answer) -> Iterable[str]:
    """What the arithmetic lacks, or has too much."""
    if owed is None:
        return
    found = answer.calculation
    if owed.absent or found is None:
        if owed.absent is not (found is None):
            yield f"calculation {found.result if found else 'none'}"
        return
    yield from _unlike(owed, found)


def _unlike(owed: CalculationOwed, found: CalculationResult) -> Iterable[str]:
    steps = "\n".join((*found.steps, *(value for _, value in found.inputs)))
    wanted = [text for text in (owed.result_contains, *owed.result_contains_any) if text]
    if wanted and not any(text in found.result for text in wanted):
        yield f"result {found.result!r} for {wanted}"
    yield from (f"result has {text!r}" for text in owed.result_not_contains if text in found.result)
    yield from (f"steps lack {text!r}" for text in owed.steps_contain if text not in steps)
    if owed.capped is not None and found.capped is not owed.capped:
        yield f"capped {found.capped}"
    if owed.maximum and owed.maximum not in found.maximum:
        yield f"maximum {found.maximum!r} for {owed.maximum!r}"


def _is_of(pair: PairAssessment, first: str, second: str) -> bool:
    names = _called(pair, pair.first), _called(pair, pair.second)
    return any(_alike(one, _plain(first)) and _alike(other, _plain(second)) for one, other in (names, names[::-1]))


def _called(pair: PairAssessment, name: str) -> set[str]:
    """A drug's name as the pair is shown, and its monograph's: "atorvastatin" is read under the name of its group."""
    own = (side.reader_id for side in pair.sides if _plain(side.about) != _plain(name))
    return {_plain(name), *(reader.replace("_", " ") for reader in own)}


def _plain(name: str) -> str:
    return fold(name).replace("-", " ")


def _alike(names: set[str], owed: str) -> bool:
    return any(name in owed or owed in name for name in names)
