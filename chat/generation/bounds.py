"""What a written claim must keep to beyond the gates of wording: its task's drugs, its own citations, plain text.

A bound is a function of the claim and its task. To add one: write the function, add its row to BOUNDS.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import update_wrapper

from chat.domain import DraftClaim, EvidenceBlock, Reason
from chat.gates import CITATION_GATES, GENERATED_GATES, Gate
from chat.generation.writing import Writing
from monographs.names import NameSpan
from monographs.text import folded_words

Bound = Callable[[DraftClaim, Writing], Reason | None]
MARKERS = re.compile(r"\s*\[\s*\d+(?:\s*[,;–-]\s*\d+)*\s*\]")
_PLAIN = frozenset(".,;:()/-–—'\"“”‘’…")
_SEEN_AS_TEXT = frozenset("LNMZ")


def gates_of(writing: Writing) -> tuple[Gate, ...]:
    """Every gate of a written claim in its order: citations, which the later ones take for valid; bounds; wording."""
    wording = (gate for gate in GENERATED_GATES if gate not in CITATION_GATES)
    return (*CITATION_GATES, *(_bound_to(writing, bound) for bound in BOUNDS), *wording)


def _bound_to(writing: Writing, bound: Bound) -> Gate:
    def gate(claim: DraftClaim, _evidence: Sequence[EvidenceBlock]) -> Reason | None:
        return bound(claim, writing)

    return update_wrapper(gate, bound, assigned=("__name__", "__doc__"), updated=())


def check_markers(claim: DraftClaim, writing: Writing) -> Reason | None:
    """A claim writes no markers of its own: text behind one is cited by nobody, and a number in one may be another
    source than those cited."""
    return Reason.UNCITED_CLAIM if MARKERS.search(claim.text) and not _is_print(claim.text, claim, writing) else None


def check_candidate(claim: DraftClaim, writing: Writing) -> Reason | None:
    """In a list a claim is about one of its drugs, and cites the passages of no other."""
    if not writing.is_list:
        return None
    own = {writing.evidence[index].drug.drug_id for index in claim.citations}
    return None if claim.drug_id in writing.drug_ids and own == {claim.drug_id} else Reason.UNSUPPORTED_DRUG


def check_named_drugs(claim: DraftClaim, writing: Writing) -> Reason | None:
    """Every drug that a claim names is one whose monograph it cites, or stands in a passage that it cites."""
    cited = [writing.evidence[index] for index in claim.citations]
    foreign = any(not _is_named(span, cited) for span in writing.names.resolve(claim.text))
    return Reason.UNSUPPORTED_DRUG if foreign else None


def check_symbols(claim: DraftClaim, writing: Writing) -> Reason | None:
    """A sign that is no letter, number or punctuation (an arrow, a tick, an asterisk) says something without a word:
    it stands only where a cited passage prints it."""
    signs = {sign for sign in claim.text if unicodedata.category(sign)[0] not in _SEEN_AS_TEXT} - _PLAIN
    return None if all(_is_print(sign, claim, writing) for sign in signs) else Reason.UNSUPPORTED_CLAIM


BOUNDS: tuple[Bound, ...] = (check_markers, check_candidate, check_named_drugs, check_symbols)


def _is_named(span: NameSpan, cited: Sequence[EvidenceBlock]) -> bool:
    if any(block.drug in span.drugs for block in cited):
        return True
    said = f" {' '.join(folded_words(span.text))} "
    return any(said in f" {' '.join(folded_words(text_of(block)))} " for block in cited)


def _is_print(text: str, claim: DraftClaim, writing: Writing) -> bool:
    return any(text in text_of(writing.evidence[index]) for index in claim.citations)


def text_of(block: EvidenceBlock) -> str:
    """All that is printed of a passage: its drug, heading, labels and words."""
    return " ; ".join((block.drug.name, block.section_heading, *block.labels, block.text))
