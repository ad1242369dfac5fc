"""What is deleted, what stays, and that it is recorded; counting first changes nothing."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db.models import Model
from django.utils import timezone
from pytest_django.fixtures import Settings

from chat import retention
from chat.models import Conversation, Feedback, Turn
from chat.retention import Cutoffs, count_old, remove_old
from duocthu_site.models import Removal, UsedRate
from duocthu_site.retention import Rule, apply_rule, is_due
from ingest.library import keep_pdf, sha256_of
from ingest.models import IngestRun, Review, RunState
from monographs.models import EditionState
from tests.factories import make_answer, make_conversation, make_edition, make_turn
from tests.site.staff_addresses import everything_kept, make_world

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


def aged(row: Any, days: float) -> Any:
    """The row, made so many days ago."""
    type(row).objects.filter(pk=row.pk).update(created_at=timezone.now() - days * DAY)
    return row


def asked(days: float, conversation: Conversation | None = None, **fields: Any) -> Turn:
    """A turn asked so many days ago, in a conversation of its own where none is given."""
    inside = conversation or aged(make_conversation(), days)
    return aged(make_turn(inside, make_answer(), **{"trace": {"versions": {}}} | fields), days)  # type: ignore[no-any-return]


def judged(turn: Turn, days: float) -> Feedback:
    return aged(Feedback.objects.create(turn=turn, useful=True), days)  # type: ignore[no-any-return]


def cutoffs(*, turns: int = 0, feedback: int = 0, traces: int = 0) -> Cutoffs:
    now = timezone.now()
    return Cutoffs(*(now - days * DAY if days else None for days in (turns, feedback, traces)))


def purge(**options: Any) -> str:
    out = io.StringIO()
    call_command("purge", stdout=out, **options)
    return out.getvalue()


def left(*rows: Model) -> list[bool]:
    return [type(row)._default_manager.filter(pk=row.pk).exists() for row in rows]


def test_turns_go_by_their_own_age_and_a_conversation_with_its_last() -> None:
    old, new = asked(181), asked(179)
    begun = aged(make_conversation(), 400)
    first, second = asked(400, begun), asked(1, begun)
    assert remove_old(cutoffs(turns=180)).turns == 2
    assert left(old, old.conversation, new, new.conversation) == [False, False, True, True]
    assert left(first, second, begun) == [False, True, True]


def test_a_title_that_was_a_question_goes_with_it_and_a_name_stays() -> None:
    """The first question would else live on above the conversation."""
    question, later = "Bà Lan 80 tuổi, liều digoxin?", "Còn furosemid?"
    untitled = aged(make_conversation(title=question), 400)
    named = aged(make_conversation(title="Ca trực"), 400)
    for each in (untitled, named):
        asked(400, each, question=question)
        asked(1, each, question=later)
    remove_old(cutoffs(turns=180))
    untitled.refresh_from_db()
    named.refresh_from_db()
    assert (untitled.title, named.title) == (later, "Ca trực")


@pytest.mark.parametrize(
    ("feedback_days", "given", "turn_stays", "feedback_stays"),
    [
        pytest.param(180, 200, False, False, id="both-old"),
        pytest.param(180, 10, True, True, id="opinion-of-an-old-turn-is-new"),
        pytest.param(0, 300, True, True, id="opinions-are-kept-for-ever"),
        pytest.param(365, 200, True, True, id="opinions-are-kept-longer"),
    ],
)
def test_a_turn_stays_as_long_as_what_was_said_of_it(
    feedback_days: int, given: int, turn_stays: bool, feedback_stays: bool
) -> None:
    turn = asked(300)
    feedback = judged(turn, given)
    remove_old(cutoffs(turns=180, feedback=feedback_days))
    assert left(turn, feedback) == [turn_stays, feedback_stays]


def test_opinions_and_traces_may_go_before_the_turn() -> None:
    turn = asked(100)
    feedback = judged(turn, 100)
    removed = remove_old(cutoffs(turns=180, feedback=90, traces=30))
    turn.refresh_from_db()
    assert (removed.turns, removed.feedback, removed.traces) == (0, 1, 1)
    assert turn.trace == {} and turn.contract and left(feedback) == [False]


def test_nothing_goes_where_no_age_is_set() -> None:
    judged(asked(5000), 5000)
    before = everything_kept()
    remove_old(cutoffs())
    assert everything_kept() == before


@pytest.mark.parametrize("ages", [{"turns": 180}, {"turns": 180, "feedback": 90, "traces": 30}, {"traces": 10}])
def test_what_is_counted_is_what_goes(monkeypatch: pytest.MonkeyPatch, ages: dict[str, int]) -> None:
    monkeypatch.setattr(retention, "_AT_ONCE", 2)
    for days in (1, 20, 100, 179, 181, 200, 400):
        asked(days)
        judged(asked(days), days / 2)
    begun = aged(make_conversation(), 400)
    for days in (400, 300, 1):
        asked(days, begun)
    aged(make_conversation(), 300)
    before = everything_kept()
    counted = count_old(cutoffs(**ages))
    assert everything_kept() == before
    assert remove_old(cutoffs(**ages)) == counted
    assert counted.turns + counted.traces > 0


def test_a_run_of_a_deleted_question_stays_on_its_own() -> None:
    original = asked(400)
    again = asked(1, rerun_of=original)
    remove_old(cutoffs(turns=180))
    again.refresh_from_db()
    assert again.rerun_of is None and again.contract


# --- the command ------------------------------------------------------------------------------------------------


def test_the_command_counts_unless_told_to_delete_and_records_what_it_did() -> None:
    turn = asked(400)
    assert "Sẽ xoá nếu chạy với --delete" in purge(older_than=180)
    assert left(turn) == [True] and not Removal.objects.exists()
    assert "Đã xoá" in purge(older_than=180, delete=True)
    assert left(turn) == [False]
    record = Removal.objects.get()
    assert record.counts["turns"] == 1 and record.rule["turns"] == 180 and record.removed_by.startswith("purge (")
    assert "lượt hỏi: 1" in purge(log=True)


def test_the_configured_ages_are_the_default(settings: Settings) -> None:
    settings.RETENTION_DAYS, settings.RETENTION_FEEDBACK_DAYS, settings.RETENTION_TRACE_DAYS = 0, 0, 30
    turn = asked(400)
    purge(delete=True)
    turn.refresh_from_db()
    assert turn.trace == {}


def test_all_of_one_user_goes_whatever_its_age_and_nothing_of_another() -> None:
    user, other = User.objects.create_user("a"), User.objects.create_user("b")
    own = asked(0, make_conversation(owner=f"user:{user.pk}"))
    judged(own, 0)
    others = asked(0, make_conversation(owner=f"user:{other.pk}"))
    assert "1  lượt hỏi" in purge(user="a")
    purge(user="a", delete=True)
    assert left(own, own.conversation, others) == [False, False, True]
    assert Removal.objects.get().rule == {"owner": f"user:{user.pk}"}


def test_whoever_has_no_account_is_known_by_a_turn_and_the_record_keeps_no_secret() -> None:
    token = "anon:bi-mat"
    turns = [asked(0, make_conversation(owner=token)) for _ in range(2)]
    purge(asker_of=turns[0].pk, delete=True)
    assert left(*turns) == [False, False]
    record = Removal.objects.get()
    assert record.rule == {"owner": f"turn:{turns[0].pk}"} and "bi-mat" not in str(record.__dict__)


@pytest.mark.parametrize(
    "options",
    [{"user": "khong-co"}, {"asker_of": "00000000-0000-0000-0000-000000000000"}, {"older_than": 0}, {"older_than": -5}],
)
def test_what_cannot_be_done_is_told_and_nothing_goes(options: dict[str, Any]) -> None:
    asked(400)
    before = everything_kept()
    with pytest.raises(CommandError):
        purge(delete=True, **options)
    assert everything_kept() == before


def test_reviews_and_the_book_are_never_deleted(settings: Settings, tmp_path: Path) -> None:
    settings.DUOCTHU_DATA_DIR = tmp_path
    world = make_world()
    aged(world["ingestrun"], 9000)
    Review.objects.update(decided_at=timezone.now() - 9000 * DAY)
    before = everything_kept()
    purge(older_than=1, delete=True)
    after = everything_kept()
    kept = {label for label in before if label.startswith(("monographs.", "ingest.", "auth.", "admin."))}
    assert kept and all(before[label] == after[label] for label in kept)


def test_it_is_due_once_in_so_many_hours() -> None:
    assert is_due(24)
    apply_rule(Rule.of_age(180), delete=True, by="thử")
    assert not is_due(24)
    Removal.objects.update(removed_at=timezone.now() - timedelta(hours=25))
    assert is_due(24)


def test_what_counts_for_nothing_any_more_goes_too() -> None:
    now = timezone.now()
    Session.objects.create(session_key="cu", expire_date=now - DAY)
    Session.objects.create(session_key="moi", expire_date=now + DAY)
    UsedRate.objects.create(key="cu", used_until=now - DAY)
    UsedRate.objects.create(key="moi", used_until=now + DAY)
    AccessAttempt.objects.create(username="a", ip_address="203.0.113.5", failures_since_start=1, get_data="")
    AccessAttempt.objects.update(attempt_time=now - DAY)
    counts = apply_rule(Rule(0, 0, 0, 0, 1), delete=True, by="thử")
    assert (counts["sessions"], counts["rates"], counts["sign_in_failures"]) == (1, 1, 1)
    assert Session.objects.get().session_key == "moi" and UsedRate.objects.get().key == "moi"


# --- files ------------------------------------------------------------------------------------------------------


@pytest.fixture
def uploaded(settings: Settings, tmp_path: Path) -> Callable[[str, float], Path]:
    """uploaded("a", 40): a PDF that was sent in 40 days ago, kept by its digest."""
    settings.DUOCTHU_DATA_DIR = tmp_path / "data"

    def upload(text: str, days: float) -> Path:
        source = tmp_path / f"{text}.pdf"
        source.write_text(f"%PDF-1.7 {text}")
        kept = keep_pdf(source, sha256_of(source))
        then = (timezone.now() - days * DAY).timestamp()
        os.utime(kept, (then, then))
        return kept

    return upload


def test_uploads_go_of_which_nothing_came(uploaded: Callable[[str, float], Path]) -> None:
    served, replaced, waiting, failed, fresh, thrown = (
        uploaded(name, 40 if name != "fresh" else 1)
        for name in ("served", "replaced", "waiting", "failed", "fresh", "thrown")
    )
    make_edition(sha256=served.stem)
    make_edition(sha256=replaced.stem, state=EditionState.SUPERSEDED)
    make_edition(sha256=thrown.stem, state=EditionState.DISCARDED)
    for path, state in ((waiting, RunState.QUEUED), (failed, RunState.FAILED)):
        IngestRun.objects.create(file_name="a.pdf", sha256=path.stem, title="x", year=2020, state=state)
    counts = apply_rule(Rule(0, 0, 0, 30, 2048), delete=False, by="thử")
    assert counts["uploads"] == 2 and failed.exists()
    apply_rule(Rule(0, 0, 0, 30, 2048), delete=True, by="thử")
    assert [path.exists() for path in (served, replaced, waiting, fresh)] == [True] * 4
    assert not failed.exists() and not thrown.exists()


def test_a_file_that_is_sent_in_again_is_as_new(uploaded: Callable[[str, float], Path], tmp_path: Path) -> None:
    kept = uploaded("a", 400)
    keep_pdf(tmp_path / "a.pdf", kept.stem)
    apply_rule(Rule(0, 0, 0, 30, 2048), delete=True, by="thử")
    assert kept.exists()


def test_the_oldest_pictures_make_room(settings: Settings, tmp_path: Path) -> None:
    settings.DUOCTHU_DATA_DIR = tmp_path
    folder = tmp_path / "crops" / "abc"
    folder.mkdir(parents=True)
    for age in range(5):
        picture = folder / f"{age}.png"
        picture.write_bytes(b"x" * 400_000)
        then = (timezone.now() - age * DAY).timestamp()
        os.utime(picture, (then, then))
    apply_rule(Rule(0, 0, 0, 0, 1), delete=True, by="thử")
    assert sorted(path.name for path in folder.iterdir()) == ["0.png", "1.png"]
