"""The deterministic gates: pure functions that say why a claim may not be shown, or None. All fail closed.

Citation gates look at (claim, evidence). Wording gates look at (part of the claim, stretch of one cited passage): a
part passes where one and the same stretch satisfies all of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

from chat.alignment import Stretch, best_first, is_printed, parts_of, stretches_of
from chat.branches import AGE_GROUPS
from chat.cues import cue_table
from chat.domain import DraftClaim, EvidenceBlock, Population, Reason
from chat.gate_words import gate_words
from chat.numbers import NUMBER_WORDS, Bound, NumericToken
from chat.segments import CONDITION_UNITS, Segment, clauses_of, segments_of
from monographs.domain import SECTION_FACTS
from monographs.text import words

Gate = Callable[[DraftClaim, Sequence[EvidenceBlock]], Reason | None]
WordingGate = Callable[[Segment, Stretch], Reason | None]
_NEGATED_REACH = 3
# Verbs of direction, each with its opposite.
_DIRECTIONS = {"tăng": "giảm", "giảm": "tăng", "cản": "", "ức": "", "kéo": "", "đối": ""}
_NEUTRAL_BEFORE = frozenset({"", "liều", "dùng", "là"})
_SEQUENCE = re.compile(
    r"\b(?:sau đó|tiếp theo|rồi|khởi đầu|duy trì|liều đầu|ngày đầu|liều nạp|liều tải)\b", re.IGNORECASE
)
# Not at a decimal comma.
_CLAUSE = re.compile(r"[;.:](?:\s|$)|,\s|[()]")


# --- citations -------------------------------------------------------------------------------------------------


def check_citations(claim: DraftClaim, evidence: Sequence[EvidenceBlock]) -> Reason | None:
    """Every claim cites at least one passage, and only passages that were retrieved."""
    if not claim.citations:
        return Reason.UNCITED_CLAIM
    return None if all(0 <= index < len(evidence) for index in claim.citations) else Reason.INVALID_CITATION


def check_printed_page(claim: DraftClaim, evidence: Sequence[EvidenceBlock]) -> Reason | None:
    """A passage without a printed page cannot be cited."""
    pages = [evidence[index].printed_page for index in claim.citations]
    return Reason.MISSING_PRINTED_PAGE if None in pages else None


def check_quarantine(claim: DraftClaim, evidence: Sequence[EvidenceBlock]) -> Reason | None:
    """No claim is ever made from a passage whose text is held back."""
    held = any(evidence[index].is_held for index in claim.citations)
    return Reason.SOURCE_QUARANTINED if held else None


def check_drug(claim: DraftClaim, evidence: Sequence[EvidenceBlock]) -> Reason | None:
    """A claim about a drug cites that drug's own monograph."""
    if claim.drug_id is None:
        return None
    own = all(evidence[index].drug.drug_id == claim.drug_id for index in claim.citations)
    return None if own else Reason.UNSUPPORTED_DRUG


def check_verbatim(claim: DraftClaim, evidence: Sequence[EvidenceBlock]) -> Reason | None:
    """Without a model nothing but the book's own words is shown: the claim is a cited passage, to the letter."""
    return None if any(claim.text == evidence[index].text for index in claim.citations) else Reason.UNSUPPORTED_CLAIM


def check_wording(claim: DraftClaim, evidence: Sequence[EvidenceBlock]) -> Reason | None:
    """Every part of the claim rests on one stretch of one cited passage, by all the wording gates at once."""
    cited = [evidence[index] for index in claim.citations]
    if not claim.text.strip():
        return Reason.UNSUPPORTED_CLAIM
    for part in parts_of(claim.text):
        reason = part_reason(part, cited)
        if reason is not None:
            return reason
    return None


def part_reason(part: Segment, cited: Sequence[EvidenceBlock]) -> Reason | None:
    """None where the part is print itself, where some stretch satisfies every wording gate, or where each of its
    clauses does; else why the likest stretch does not."""
    if any(is_printed(part.text, block) for block in cited):
        return None
    reasons = [_first_reason(part, stretch) for stretch in best_first(part, cited)]
    if None in reasons or _holds_by_clauses(part, cited):
        return None
    return reasons[0] if reasons else Reason.UNSUPPORTED_CLAIM


def _holds_by_clauses(part: Segment, cited: Sequence[EvidenceBlock]) -> bool:
    """Whether each clause rests whole on some passage: one that names no condition on the passage of the clause
    before it, so that no branch's limit is put to another's dose."""
    clauses = clauses_of(part)
    if _amount_counts([part]) - _amount_counts([stretch for block in cited for stretch in segments_of(block.text)]):
        return False
    resting: set[str] = set()
    for clause in clauses:
        holds = {block.passage_uid for block in cited if _rests_on(clause, block)}
        resting = holds if clause.states_condition or not resting else holds & resting
        if not resting:
            return False
    return len(clauses) > 1


def _rests_on(clause: Segment, block: EvidenceBlock) -> bool:
    return any(_first_reason(clause, stretch) is None for stretch in stretches_of(block))


def _first_reason(part: Segment, stretch: Stretch) -> Reason | None:
    return next((reason for gate in WORDING_GATES if (reason := gate(part, stretch)) is not None), None)


# --- wording ---------------------------------------------------------------------------------------------------


def check_numbers(part: Segment, stretch: Stretch) -> Reason | None:
    """Every numeric token and number word stands, character for character and with the same bound, in the stretch.

    One that the passage prints only for another condition is a label mismatch, not an invented number.
    """
    printed = {(number.text, number.bound) for number in stretch.numbers}
    for number in part.numbers:
        if (number.text, number.bound) not in printed:
            return Reason.LABEL_MISMATCH if _elsewhere(number, stretch) else Reason.UNGROUNDED_NUMBER
    said = {word for word in part.words & NUMBER_WORDS if word != "một"}
    return Reason.UNGROUNDED_NUMBER if said - stretch.words else None


def check_units(part: Segment, stretch: Stretch) -> Reason | None:
    """The whole unit of each number is the printed one, and none is said more often than it is printed."""
    claimed, printed = _amount_counts([part]), _amount_counts([stretch.labels, *stretch.segments])
    return None if claimed <= printed else Reason.UNIT_MISMATCH


def check_number_places(part: Segment, stretch: Stretch) -> Reason | None:
    """Each number follows the word that it follows in print ("ngày 3 lần" is not "chia 3 lần"), or begins a clause;
    it keeps its proviso ("khi có theo dõi"); and where the part tells a sequence, the numbers keep theirs."""
    printed = {(number.text, number.unit, number.before) for number in stretch.numbers}
    framing = _NEUTRAL_BEFORE | gate_words("connectives") | stretch.known
    moved = any(
        (n.text, n.unit, n.before) not in printed
        and n.before not in _NEUTRAL_BEFORE
        and not (n.before in framing and (n.text, n.unit, "") in printed)
        for n in part.numbers
    )
    provisos = [{other.proviso for other in stretch.numbers if _same(other, n)} for n in part.numbers]
    freed = any(
        "" not in printed and number.proviso not in printed
        for number, printed in zip(part.numbers, provisos, strict=True)
        if printed
    )
    if moved or freed or (_SEQUENCE.search(part.text) and not _in_printed_order(part, stretch)):
        return Reason.LABEL_MISMATCH
    return None


def check_labels(part: Segment, stretch: Stretch) -> Reason | None:
    """The part names no population or route that the stretch and its labels do not, and heads itself with none
    that the labels exclude; where it takes a number from a segment that names a condition in its own words, it
    names that condition too; and it does not drop the "này" by which print refers to what went before.
    """
    if part.populations - stretch.populations or part.routes - stretch.routes:
        return Reason.LABEL_MISMATCH
    heading = _ages_before_numbers(part)
    if heading and stretch.labels.populations & AGE_GROUPS and heading.isdisjoint(stretch.labels.populations):
        return Reason.LABEL_MISMATCH
    dropped = _drops_condition(part, stretch) or _drops_reference(part, stretch)
    return Reason.LABEL_MISMATCH if dropped else None


def check_direction(part: Segment, stretch: Stretch) -> Reason | None:
    """What raises or lowers what: a word that print has only as the object of such a verb is no subject of it, and
    the other way round; and no subject's verb is exchanged for its opposite."""
    printed = [words(clause) for clause in _CLAUSE.split(stretch.text)]
    drug = frozenset(words(stretch.block.drug.name))
    turned = any(_turns_round(words(clause), printed, drug) for clause in _CLAUSE.split(part.text))
    return Reason.UNSUPPORTED_CLAIM if turned else None


def check_coverage(part: Segment, stretch: Stretch) -> Reason | None:
    """Every content word stands in the labels, the metadata or the segments whose numbers the part takes (any
    segment where it takes none), or is a connective; and the part says something of a segment itself, not of the
    labels alone."""
    content = {word for word in part.words if not any(c.isdigit() for c in word)} - gate_words("connectives")
    content |= _codes(part)
    named = {(number.text, number.unit) for number in part.numbers}
    taken = [s for s in stretch.segments if named & {(number.text, number.unit) for number in s.numbers}]
    own = frozenset[str]().union(*(segment.words for segment in taken or stretch.segments))
    covered = content <= own | stretch.known
    says_something = bool(taken) or bool((content & own) - stretch.known)
    return None if covered and says_something else Reason.UNSUPPORTED_CLAIM


def check_polarity(part: Segment, stretch: Stretch) -> Reason | None:
    """What is negated or forbidden on one side is so on the other: no word stands more often with or without a
    negation than it is printed so; each clause negates as its likest printed clause does; and a word that is
    printed only right after a negation ("không steroid") stands after one.
    """
    text = _without_title(part, stretch)
    claimed, printed = _signed_words(text), _signed_words(stretch.text)
    known = {word for word, _ in printed}
    turned = any(word in known and count > printed[word, sign] for (word, sign), count in claimed.items())
    clauses = _clauses(stretch.text)
    turned = turned or any(not _agrees(clause, clauses) for clause in _clauses(text))
    turned = turned or bool((_only_negated(stretch.text) & part.words) - _after_negation(part.text))
    return Reason.POLARITY_MISMATCH if turned else None


def check_ranking(part: Segment, stretch: Stretch) -> Reason | None:
    """First-line, preferred, best: only where the stretch prints the same words."""
    return Reason.UNSUPPORTED_RANKING if _unprinted_phrase(part, stretch, "ranking") else None


def check_absence(part: Segment, stretch: Stretch) -> Reason | None:
    """Safe, no interaction, no contraindication: only where the stretch prints the same words."""
    return Reason.ABSENCE_AS_SAFETY if _unprinted_phrase(part, stretch, "absence") else None


def check_orders(part: Segment, stretch: Stretch) -> Reason | None:
    """Nothing is told to be given or taken: only where the stretch prints the same words."""
    return Reason.UNSUPPORTED_CLAIM if _unprinted_phrase(part, stretch, "orders") else None


# Special words before general ones, so that the reason says what is wrong most closely.
WORDING_GATES: tuple[WordingGate, ...] = (
    check_ranking,
    check_absence,
    check_orders,
    check_numbers,
    check_units,
    check_number_places,
    check_labels,
    check_coverage,
    check_direction,
    check_polarity,
)
# The later ones take the citations for valid.
CITATION_GATES: tuple[Gate, ...] = (check_citations, check_printed_page, check_quarantine, check_drug)
EXTRACTIVE_GATES: tuple[Gate, ...] = (*CITATION_GATES, check_verbatim, check_wording)
GENERATED_GATES: tuple[Gate, ...] = (*CITATION_GATES, check_wording)


def _codes(part: Segment) -> set[str]:
    """The words with digits that are no number as numbers are read: "b12", "x5", "⑤"."""
    parts = list(part.text)
    for number in part.numbers:
        parts[number.start : number.end] = " " * (number.end - number.start)
    return {word for word in words("".join(parts)) if any(character.isdigit() for character in word)}


def _elsewhere(number: NumericToken, stretch: Stretch) -> bool:
    whole = Segment(stretch.block.text, frozenset(), (), frozenset(), frozenset())
    return any(other.text == number.text for part in parts_of(whole.text) for other in part.numbers)


def _ages_before_numbers(part: Segment) -> frozenset[Population]:
    """The age groups that a part names before its first number: whom the number is said to be for."""
    start = part.numbers[0].start if part.numbers else 0
    named = cue_table("population").meanings(part.text[:start], printed=True)
    return frozenset(Population(meaning) for meaning in named) & AGE_GROUPS


def _drops_condition(part: Segment, stretch: Stretch) -> bool:
    source = stretch.conditioned
    if source is None:
        return False
    own = set(_amounts(source)) - {n for segment in stretch.general for n in _amounts(segment)}
    if not own & set(_amounts(part)):
        return False
    conditions = {(n.text, n.unit) for n in source.numbers if n.unit in CONDITION_UNITS}
    named = {(n.text, n.unit) for n in part.numbers}
    head = source.head - gate_words("connectives") - part.words - stretch.known
    return bool(conditions - named or head or source.populations - part.populations - stretch.labels.populations)


def _drops_reference(part: Segment, stretch: Stretch) -> bool:
    """Whether the printed clause likest to one of the part refers back ("liều này") and the part does not."""
    printed = _clauses(stretch.text)
    for clause in _clauses(part.text):
        likest = max(printed, key=lambda other: len(clause & other) - 0.1 * len(other - clause), default=frozenset())
        if "này" in likest and "này" not in clause:
            return True
    return False


def _turns_round(claimed: list[str], printed: Sequence[list[str]], drug: frozenset[str]) -> bool:
    for place, verb in enumerate(claimed):
        if verb in _DIRECTIONS:
            # The monograph's own drug is the subject of many sentences that do not name it, but never where they
            # name it as the object.
            if drug <= set(claimed[:place]) and all(_sides(word, printed) == {"object"} for word in drug):
                return True
            before = [word for word in _content(claimed[:place]) if word not in drug]
            after = _content(claimed[place + 1 :])
            sides = [_sides(word, printed) for word in before]
            if any(side == {"object"} for side in sides) or any(_sides(w, printed, verb) == {"subject"} for w in after):
                return True
            if any(_opposed(word, verb, printed) for word in before):
                return True
    return False


def _sides(word: str, printed: Sequence[list[str]], verb: str | None = None) -> set[str]:
    """On which side of such a verb (of this one, where it is given) a word is printed; empty where on none."""
    sides: set[str] = set()
    for clause in printed:
        verbs = [i for i, w in enumerate(clause) if (w == verb if verb else w in _DIRECTIONS)]
        if word in clause and verbs:
            sides.add("subject" if clause.index(word) < verbs[0] else "object")
        elif word in clause and not verb:
            sides.add("elsewhere")
    return sides


def _opposed(word: str, verb: str, printed: Sequence[list[str]]) -> bool:
    """Whether print has the word as the subject of the opposite verb only."""
    opposite = _DIRECTIONS[verb]
    return _sides(word, printed, opposite) == {"subject"} and not _sides(word, printed, verb) if opposite else False


def _content(found: Sequence[str]) -> list[str]:
    return [word for word in found if word not in gate_words("connectives") and not word[0].isdigit()]


def _same(one: NumericToken, other: NumericToken) -> bool:
    return (one.text, one.unit) == (other.text, other.unit)


def _amount_counts(segments: Sequence[Segment]) -> Counter[tuple[str, Bound, str]]:
    return Counter((number.text, number.bound, number.unit) for segment in segments for number in segment.numbers)


def _in_printed_order(part: Segment, stretch: Stretch) -> bool:
    """Whether the numbers follow one another as they do in print: first dose, then maintenance."""
    printed = iter((number.text, number.unit) for number in stretch.numbers)
    return all((number.text, number.unit) in printed for number in part.numbers)


def _amounts(segment: Segment) -> list[tuple[str, str]]:
    return [(n.text, n.unit) for n in segment.numbers if n.unit not in CONDITION_UNITS]


def _without_title(part: Segment, stretch: Stretch) -> str:
    """The part without the section's own title, and without its drug's name as a heading: what stands in the monograph
    of ibuprofen under "Chống chỉ định" need not repeat that, and may."""
    title, drug = SECTION_FACTS[stretch.block.section].title, stretch.block.drug.name
    text = re.sub(rf"^\s*{re.escape(drug)}\s*:", " ", part.text, flags=re.IGNORECASE)
    return re.sub(re.escape(title), " ", text, flags=re.IGNORECASE)


def _signed_words(text: str) -> Counter[tuple[str, bool]]:
    """How often each content word stands negated by a word shortly before it, and how often not."""
    signed: Counter[tuple[str, bool]] = Counter()
    for clause in _CLAUSE.split(text):
        reach = 0
        for word in words(clause):
            if word in gate_words("negations"):
                reach = _NEGATED_REACH
            elif word not in gate_words("connectives"):
                signed[word, reach > 0] += 1
                reach -= 1
    return signed


def _after_negation(text: str) -> set[str]:
    """The words that stand right after a negation."""
    return {word for before, word in _neighbours(text) if before in gate_words("negations")}


def _only_negated(text: str) -> set[str]:
    """Those of them that nowhere stand without one."""
    plain = {word for before, word in _neighbours(text) if before not in gate_words("negations")}
    return _after_negation(text) - plain


def _neighbours(text: str) -> list[tuple[str, str]]:
    return [pair for clause in _CLAUSE.split(text) for pair in pairwise(["", *words(clause)])]


def _clauses(text: str) -> list[frozenset[str]]:
    return [frozenset(words(clause)) for clause in _CLAUSE.split(text) if clause.strip()]


def _agrees(clause: frozenset[str], printed: Sequence[frozenset[str]]) -> bool:
    """Whether the printed clauses that are most like it include one that negates as it does."""
    negations = gate_words("negations")
    alike = [len((clause & other) - negations) - 0.1 * len(other - clause - negations) for other in printed]
    best = max(alike, default=0.0)
    likest = [other for other, score in zip(printed, alike, strict=True) if score == best]
    return not likest or any(_negates_alike(clause, other) for other in likest)


def _negates_alike(clause: frozenset[str], other: frozenset[str]) -> bool:
    """The very same negations where the whole clause is said; any at all where it is shortened."""
    negations = gate_words("negations")
    if other - negations <= clause:
        return clause & negations == other & negations
    return bool(clause & negations) == bool(other & negations)


def _unprinted_phrase(part: Segment, stretch: Stretch, kind: str) -> bool:
    claimed, printed = _spaced(part.text), _spaced(stretch.text)
    return any(f" {phrase} " in claimed and f" {phrase} " not in printed for phrase in gate_words(kind))


def _spaced(text: str) -> str:
    return f" {' '.join(words(text))} "
