"""What a draft leaves out: objections of the judge that hold, and those that follow from the evidence itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chat.domain import DraftClaim, EvidenceBlock
from chat.gate_words import gate_words
from chat.generation.floor import untold_words
from chat.generation.payloads import MissingPayload
from chat.generation.writing import Writing
from chat.numbers import numeric_tokens
from monographs.text import fold, normalise, words

# How much of what an objection says must stand in the words that it quotes.
LEAST_SHARED = 0.5
# Words by which an objection speaks of the answer, not of the evidence.
_META = frozenset(
    ("thiếu", "sót", "chưa", "không", "câu", "trả", "lời", "ý", "nói", "đề", "cập", "nhắc", "thông", "tin", "đoạn",
     "bỏ", "qua", "rõ", "đủ")
)  # fmt: skip
_AROUND = " .;:,…\"'“”‘’"


@dataclass(frozen=True, slots=True)
class Objection:
    """What no claim says. index: of its passage in the evidence; quote: its words, as printed."""

    index: int
    quote: str


def find_objections(
    missing: Sequence[MissingPayload], claims: Sequence[DraftClaim], writing: Writing
) -> tuple[Objection, ...]:
    """Those of the judge's that hold, and what the evidence itself asks to be told; each passage's words once.

    An objection is a statement about the evidence, and is checked like one: its quote is verbatim in a passage, shares
    half of the words of its description and all its numbers, and no claim says it already.
    """
    grounded = (found for each in missing if (found := _grounded(each, claims, writing)) is not None)
    floor = (Objection(index, quote) for index, quote in untold_words(claims, writing))
    return tuple(dict.fromkeys([*floor, *grounded]))


def _grounded(missing: MissingPayload, claims: Sequence[DraftClaim], writing: Writing) -> Objection | None:
    quote = normalise(missing.evidence_quote).strip(_AROUND)
    index = next((i for i in writing.sources if quote and quote in _printed(writing.evidence[i])), None)
    if index is None or not _supports(quote, missing.description):
        return None
    return None if any(_says(claim.text, quote) for claim in claims) else Objection(index, quote)


def _printed(block: EvidenceBlock) -> str:
    return normalise(block.text)


def _supports(quote: str, description: str) -> bool:
    said, quoted = _content(description), _content(quote)
    return bool(said) and len(said & quoted) >= LEAST_SHARED * len(said) and _numbers(description) <= _numbers(quote)


def _says(text: str, quote: str) -> bool:
    """Whether a claim says the quoted words already, in whatever order."""
    if fold(quote) in fold(text):
        return True
    return set(words(quote)) - gate_words("connectives") <= set(words(text)) and _numbers(quote) <= _numbers(text)


def _content(text: str) -> set[str]:
    return {word for word in words(text) if not word[0].isdigit()} - gate_words("connectives") - _META


def _numbers(text: str) -> set[str]:
    return {number.text for number in numeric_tokens(text)}
