"""What is kept of a turn while it is answered: how long each stage took, what was drafted, what each check said."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from chat.domain import DraftClaim, EvidenceBlock, QueryFrame, Reason
from chat.gates import Gate
from chat.llm.domain import Usage
from chat.prompting import all_prompts, prompt_version
from chat.trace import Trace, checked, considered
from chat.verify import Check, gate_name
from chat.versions import versions_of
from monographs.models import Edition
from monographs.spans import span

JUDGE = "judge"
OnStage = Callable[[str], None]


@dataclass(slots=True)
class Record:
    """Filled by the stages in their order; no stage reads it. on_stage: told the name of each stage as it begins;
    timings: milliseconds by stage, the last one last; drafts, checks: of the latest draft; left_out: what an earlier
    one lacked."""

    on_stage: OnStage = lambda _name: None
    timings: dict[str, float] = field(default_factory=dict)
    calls: list[Usage] = field(default_factory=list)
    evidence: tuple[EvidenceBlock, ...] = ()
    cited: tuple[EvidenceBlock, ...] = ()
    drafts: tuple[DraftClaim, ...] = ()
    gates: tuple[str, ...] = ()
    checks: list[Check] = field(default_factory=list)
    left_out: tuple[str, ...] = ()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measures what is done inside; a stage that is gone through again adds to its time."""
        self.on_stage(name)
        before, start = self.timings.pop(name, 0.0), time.perf_counter()
        try:
            with span(f"turn.{name}"):
                yield
        finally:
            self.timings[name] = round(before + (time.perf_counter() - start) * 1000, 2)

    def drafted(self, drafts: tuple[DraftClaim, ...], cited: tuple[EvidenceBlock, ...], gates: Sequence[Gate]) -> None:
        """A draft is about to be checked by these gates; cited: what its citations are indices into."""
        self.drafts, self.cited, self.checks = drafts, cited, []
        self.gates = tuple(gate_name(gate) for gate in gates)

    def judged(self, entailed: Sequence[bool]) -> None:
        """The judge's verdict on each of the drafts, all of which passed the gates."""
        self.gates = (*self.gates, JUDGE)
        self.checks = [
            check if said else replace(check, gate=JUDGE, reason=Reason.UNSUPPORTED_CLAIM)
            for check, said in zip(self.checks, entailed, strict=True)
        ]

    def trace(
        self, edition: Edition | None, frame: QueryFrame | None, chosen: Sequence[EvidenceBlock], *, ended_in: str
    ) -> Trace:
        """What of it is stored with the turn."""
        versions = versions_of(edition, frame)
        return Trace(
            ended_in,
            considered(self.evidence, chosen),
            self.gates if self.drafts else (),
            checked(len(self.drafts), self.checks, self.cited),
            replace(versions, prompt=prompt_version(*all_prompts())) if self.calls else versions,
            tuple(self.calls),
            self.left_out,
        )
