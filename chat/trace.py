"""What is kept of a turn for audit beside its answer: what was considered, what each gate said, and in which versions.

Kept short: a passage is a row of a few values, a label path stands once, and words that the answer already holds are
not kept again. Nothing of the asker is in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from chat.domain import EvidenceBlock, Reason
from chat.llm.domain import Usage
from chat.verify import Check
from monographs.domain import PassageKind, PassageState, SectionKey


@dataclass(frozen=True, slots=True)
class Considered:
    """A passage that was retrieved for the turn; chosen: the answer was drafted from it, or shows its picture."""

    passage_id: int
    uid: str
    section: SectionKey
    labels: tuple[str, ...]
    kind: PassageKind
    state: PassageState
    printed_page: int | None
    chosen: bool


@dataclass(frozen=True, slots=True)
class Checked:
    """A draft claim before the gates, by the passages it cites. gate, reason: the one that rejected it, and why; text:
    its words where it was rejected, "" where they stand in the answer; not_run: an earlier claim ended the check."""

    passages: tuple[int, ...]
    gate: str = ""
    reason: Reason | None = None
    text: str = ""
    not_run: bool = False


@dataclass(frozen=True, slots=True)
class Versions:
    """In what the turn was answered; "" for what took no part.

    rules: digest of the cue and gate tables; parser, accents, corpus: of the edition; embedder: the vector space.
    """

    app: str = ""
    rules: str = ""
    provider: str = ""
    prompt: str = ""
    parser: str = ""
    embedder: str = ""
    accents: str = ""
    corpus: str = ""


@dataclass(frozen=True, slots=True)
class Trace:
    """The trace of one turn. ended_in: the last stage before the answer was composed; gates: in the order they ran;
    calls: of models, in their order, failed ones too; left_out: words of the book that a draft lacked, and for which
    it was written once more."""

    ended_in: str = ""
    evidence: tuple[Considered, ...] = ()
    gates: tuple[str, ...] = ()
    claims: tuple[Checked, ...] = ()
    versions: Versions = field(default_factory=Versions)
    calls: tuple[Usage, ...] = ()
    left_out: tuple[str, ...] = ()


def considered(evidence: Sequence[EvidenceBlock], chosen: Sequence[EvidenceBlock]) -> tuple[Considered, ...]:
    """Every passage that was retrieved, in its order, each with whether it was chosen."""
    picked = {block.passage_id for block in chosen}
    return tuple(
        Considered(
            block.passage_id,
            block.passage_uid,
            block.section,
            block.labels,
            block.kind,
            block.state,
            block.printed_page,
            block.passage_id in picked,
        )
        for block in evidence
    )


def checked(drafted: int, checks: Sequence[Check], evidence: Sequence[EvidenceBlock]) -> tuple[Checked, ...]:
    """What became of each of the drafts: those checked, and as many again as were left after a rejected one.

    evidence: what the citations are indices into; an index outside it is left out.
    """
    done = [
        Checked(
            tuple(evidence[index].passage_id for index in check.draft.citations if 0 <= index < len(evidence)),
            check.gate,
            check.reason,
            check.draft.text if check.reason else "",
        )
        for check in checks
    ]
    return (*done, *[Checked((), not_run=True)] * (drafted - len(done)))


# --- as it is stored -------------------------------------------------------------------------------------------

_Row = tuple[int, str, SectionKey, int, PassageKind, PassageState, int | None, bool]


class _Stored(BaseModel):
    """The JSON of a trace; what a later version adds is passed over. A row's number points into labels."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    ended_in: str = ""
    labels: tuple[tuple[str, ...], ...] = ()
    evidence: tuple[_Row, ...] = ()
    gates: tuple[str, ...] = ()
    claims: tuple[Checked, ...] = ()
    versions: Versions = Versions()
    calls: tuple[Usage, ...] = ()
    left_out: tuple[str, ...] = ()


_CLAIMS: TypeAdapter[tuple[Checked, ...]] = TypeAdapter(tuple[Checked, ...])
_VERSIONS: TypeAdapter[Versions] = TypeAdapter(Versions)
_CALLS: TypeAdapter[tuple[Usage, ...]] = TypeAdapter(tuple[Usage, ...])


def dump_trace(trace: Trace) -> dict[str, object]:
    """The trace as JSON values: about 90 bytes for each passage."""
    paths = {path: place for place, path in enumerate(dict.fromkeys(item.labels for item in trace.evidence))}
    return {
        "ended_in": trace.ended_in,
        "labels": [list(path) for path in paths],
        "evidence": [_row(item, paths[item.labels]) for item in trace.evidence],
        "gates": list(trace.gates),
        "claims": _CLAIMS.dump_python(trace.claims, mode="json", exclude_defaults=True),
        "versions": _VERSIONS.dump_python(trace.versions, mode="json", exclude_defaults=True),
        "calls": _CALLS.dump_python(trace.calls, mode="json", exclude_defaults=True),
        "left_out": list(trace.left_out),
    }


def load_trace(values: dict[str, object]) -> Trace | None:
    """The inverse; None for a turn of the time before traces, or for one that is no longer understood."""
    if not values:
        return None
    try:
        stored = _Stored.model_validate(values)
        evidence = tuple(_considered(row, stored.labels) for row in stored.evidence)
    except (ValidationError, IndexError):
        return None
    return Trace(stored.ended_in, evidence, stored.gates, stored.claims, stored.versions, stored.calls, stored.left_out)


def _row(item: Considered, path: int) -> list[object]:
    return [
        item.passage_id,
        item.uid,
        item.section.value,
        path,
        item.kind.value,
        item.state.value,
        item.printed_page,
        item.chosen,
    ]


def _considered(row: _Row, labels: tuple[tuple[str, ...], ...]) -> Considered:
    passage_id, uid, section, path, kind, state, page, chosen = row
    return Considered(passage_id, uid, section, labels[path], kind, state, page, chosen)
