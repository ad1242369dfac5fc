"""What a question asked again answers otherwise than it did: decision, edition, and claim by claim."""

from __future__ import annotations

from dataclasses import dataclass

from chat.contract import Answer, Claim


@dataclass(frozen=True, slots=True)
class Changes:
    """From an earlier answer to a later one. gone, new: claims that only one of them makes, in its order."""

    other_edition: bool
    other_outcome: bool
    gone: tuple[Claim, ...]
    new: tuple[Claim, ...]

    @property
    def none(self) -> bool:
        """Whether both say the same of the same book."""
        return not (self.other_edition or self.other_outcome or self.gone or self.new)


def compare_answers(before: Answer, after: Answer) -> Changes:
    """Claims are the same where text, section, labels and drug are; pages may have moved."""
    told, tells = {_key(claim) for claim in before.claims}, {_key(claim) for claim in after.claims}
    return Changes(
        other_edition=_edition(before) != _edition(after),
        other_outcome=(before.decision, before.reason) != (after.decision, after.reason),
        gone=tuple(claim for claim in before.claims if _key(claim) not in tells),
        new=tuple(claim for claim in after.claims if _key(claim) not in told),
    )


def _key(claim: Claim) -> tuple[str, str, tuple[str, ...], str]:
    first = claim.citations[0]
    return first.drug_id, first.section, first.labels, claim.claim


def _edition(answer: Answer) -> str:
    return answer.edition.corpus_version if answer.edition else ""
