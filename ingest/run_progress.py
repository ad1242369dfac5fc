"""A run as it is watched: its stages with times and shares, how long it has been silent, what may be done to it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from ingest.models import IngestRun, RunState
from ingest.run_control import is_abandoned

STAGES: dict[str, str] = {
    "open": "Mở tệp",
    "pages": "Đọc các trang",
    "monographs": "Ghép chuyên luận",
    "findings": "Kiểm tra lại",
    "store": "Lưu ấn bản",
    "publish": "Công bố",
}
COUNTS: dict[str, str] = {
    "monographs": "chuyên luận",
    "sections": "mục",
    "passages": "đoạn",
    "quarantined": "đoạn giữ lại",
    "aliases": "tên gọi",
    "findings": "ghi nhận",
}


@dataclass(frozen=True, slots=True)
class Stage:
    """One line of the progress. seconds: once it is over; done, total: while it is worked on."""

    title: str
    is_current: bool
    seconds: float | None
    done: int = 0
    total: int = 0

    @property
    def percent(self) -> int:
        """0 to 100."""
        return min(100, 100 * self.done // self.total) if self.total else 0


@dataclass(frozen=True, slots=True)
class Watched:
    """A run at a moment."""

    run: IngestRun
    now: datetime

    @property
    def is_abandoned(self) -> bool:
        """Whether its worker is taken for dead."""
        return is_abandoned(self.run)

    @property
    def is_live(self) -> bool:
        """Whether it is worth looking again in a second."""
        return not self.run.is_settled

    @property
    def elapsed(self) -> timedelta:
        """From the request to the end, or until now; whole seconds."""
        return _whole(max(timedelta(), (self.run.finished_at or self.now) - self.run.created_at))

    @property
    def silent_for(self) -> timedelta | None:
        """How long ago its worker last showed that it lives, while there is one; whole seconds."""
        if not self.is_live or self.run.heartbeat_at is None or self.run.state == RunState.QUEUED:
            return None
        return _whole(max(timedelta(), self.now - self.run.heartbeat_at))

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Every stage in order, those to come included."""
        return tuple(self._stage(name) for name in STAGES)

    @property
    def current(self) -> Stage | None:
        """The stage that is worked on."""
        return next((stage for stage in self.stages if stage.is_current), None)

    @property
    def counts(self) -> tuple[tuple[str, int], ...]:
        """What the edition came to hold, in words."""
        return tuple((title, int(self.run.counts[name])) for name, title in COUNTS.items() if name in self.run.counts)

    @property
    def can_cancel(self) -> bool:
        """Whether there is anything to stop."""
        working = self.run.state in {RunState.QUEUED, RunState.RUNNING} or self.is_abandoned
        return working and not self.run.cancel_requested

    @property
    def is_stopping(self) -> bool:
        """Whether it was asked to stop and has not yet."""
        return self.run.cancel_requested and self.is_live

    @property
    def can_resume(self) -> bool:
        """Whether nobody works on it though somebody should."""
        return (self.run.state == RunState.QUEUED or self.is_abandoned) and not self.run.cancel_requested

    @property
    def can_run_again(self) -> bool:
        """Whether it ended without an edition."""
        return self.run.state in {RunState.FAILED, RunState.CANCELLED, RunState.DISCARDED}

    @property
    def can_publish(self) -> bool:
        """Whether its edition waits for a decision."""
        return self.run.state == RunState.BUILT and self.run.edition_id is not None

    def _stage(self, name: str) -> Stage:
        progress = self.run.progress if isinstance(self.run.progress, dict) else {}
        is_current = self.run.state in {RunState.RUNNING, RunState.PUBLISHING} and self.run.stage == name
        seconds = None if is_current else self.run.timings.get(name)
        done, total = (progress.get("done", 0), progress.get("total", 0)) if is_current else (0, 0)
        return Stage(STAGES[name], is_current, seconds, int(done), int(total))


def watch(run: IngestRun) -> Watched:
    """The run as it stands now."""
    return Watched(run, timezone.now())


def _whole(span: timedelta) -> timedelta:
    return timedelta(seconds=int(span.total_seconds()))
