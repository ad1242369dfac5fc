"""The staff pages of runs and editions: who may open them, what an upload may be, what is asked before it is done."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from ingest import run_views, uploads
from ingest.library import stored_pdf
from ingest.models import Finding, IngestRun, RunState, WorkerHeartbeat
from ingest.open_pdf import REFUSAL_TEXTS, Refusal
from ingest.pipeline import PARSER_VERSION
from monographs.corpus import current_edition
from monographs.domain import PassageState, SectionKey
from monographs.models import Edition, EditionState, Passage
from tests.factories import make_edition, make_held_back, make_monograph, make_section
from tests.markup import open_page, read

pytestmark = pytest.mark.django_db
PDF = b"%PDF-1.7\n" + b"x" * 4096
HTMX = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def data_dir(settings: Settings, tmp_path: Path) -> Path:
    settings.DUOCTHU_DATA_DIR = tmp_path
    return tmp_path


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The runs that were handed to a worker, none of which is executed here."""
    found: list[int] = []
    monkeypatch.setattr(run_views, "send_run", found.append)
    return found


def staff(*permissions: str) -> Client:
    user = User.objects.create_user("nhanvien", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def operator() -> Client:
    return staff("operate_runs")


@pytest.fixture
def watcher() -> Client:
    return staff("view_ingestrun", "view_edition")


def make_run(**fields: Any) -> IngestRun:
    values: dict[str, Any] = {"file_name": "a.pdf", "sha256": "ab" * 32, "title": "Bản thử", "year": 2027}
    return IngestRun.objects.create(**values | fields)


def make_ready(**fields: Any) -> Edition:
    edition = make_edition(**{"state": EditionState.READY, "title": "Bản chờ"} | fields)
    make_section(make_monograph(edition), SectionKey.CHI_DINH, "Đau.")
    return edition


def upload(client: Client, content: bytes = PDF, name: str = "sach.pdf", **fields: Any) -> Any:
    data = {**fields, "file": SimpleUploadedFile(name, content, "application/pdf")}
    return client.post(reverse("admin:ingest_run_upload"), data)


def pages(run: IngestRun, edition: Edition) -> dict[str, list[str]]:
    """Every address here: those that only show, and those that do something."""
    own = [reverse(f"admin:ingest_{name}") for name in ("dashboard", "editions", "compare", "coverage", "coverage_csv")]
    shown = [reverse(f"admin:ingest_run{part}", args=[run.pk]) for part in ("", "_progress")]
    actions = [reverse(f"admin:ingest_run_{name}", args=[run.pk]) for name in ("cancel", "resume", "again")]
    confirmed = [reverse(f"admin:ingest_edition_{name}", args=[edition.pk]) for name in ("publish", "discard")]
    return {
        "shown": [*own, *shown, reverse("admin:ingest_edition", args=[edition.pk])],
        "operated": [reverse("admin:ingest_run_upload"), *confirmed],
        "posted": [*actions, *confirmed, reverse("admin:ingest_run_repeat", args=[edition.pk])],
    }


class TestAccess:
    """Checked on the server, whatever the pages offer."""

    def test_a_stranger_is_sent_to_the_login(self, client: Client) -> None:
        for address in (each for group in pages(make_run(), make_ready()).values() for each in group):
            assert client.post(address).status_code == 302, address
            assert reverse("admin:login") in client.get(address).headers.get("Location", "/admin/login/")

    def test_staff_without_permissions_see_and_do_nothing(self) -> None:
        client, edition = staff(), make_ready()
        run = make_run(state=RunState.BUILT, edition=edition)
        groups = pages(run, edition)
        for address in groups["shown"] + groups["operated"]:
            assert client.get(address).status_code == 403, address
        for address in groups["posted"]:
            assert client.post(address).status_code == 403, address
        run.refresh_from_db()
        assert run.state == RunState.BUILT and current_edition() is None

    def test_a_reviewer_may_look_and_not_touch(self, watcher: Client) -> None:
        edition = make_ready()
        groups = pages(make_run(state=RunState.BUILT, edition=edition), edition)
        for address in groups["shown"]:
            assert watcher.get(address).status_code == 200, address
        for address in groups["operated"]:
            assert watcher.get(address).status_code == 403, address
        for address in groups["posted"]:
            assert watcher.post(address).status_code == 403, address

    def test_an_operator_may_open_everything(self, operator: Client) -> None:
        edition = make_ready()
        groups = pages(make_run(state=RunState.BUILT, edition=edition), edition)
        for address in groups["shown"] + groups["operated"]:
            assert operator.get(address).status_code == 200, address

    def test_nothing_is_done_by_a_link(self, operator: Client) -> None:
        for name in ("cancel", "resume", "again"):
            assert operator.get(reverse(f"admin:ingest_run_{name}", args=[make_run().pk])).status_code == 405

    def test_a_post_without_its_token_is_refused(self, operator: Client) -> None:
        strict = Client(enforce_csrf_checks=True)
        strict.force_login(User.objects.get())
        edition = make_ready()
        for address in pages(make_run(), edition)["posted"]:
            assert strict.post(address).status_code == 403, address
        assert upload(strict).status_code == 403
        assert IngestRun.objects.count() == 1 and current_edition() is None

    def test_no_byte_of_a_strangers_file_is_kept(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        touched: list[object] = []
        monkeypatch.setattr(uploads.PdfUploadHandler, "new_file", lambda *a, **k: touched.append(a))
        assert upload(client).status_code == 302
        assert upload(staff("view_ingestrun")).status_code == 403
        assert touched == []

    @pytest.mark.parametrize("state", [EditionState.BUILDING, EditionState.READY, EditionState.DISCARDED])
    def test_what_is_not_published_cannot_be_read_anywhere(self, client: Client, state: EditionState) -> None:
        edition = make_ready(state=state)
        held = make_held_back(make_section(edition.monographs.get(), SectionKey.LIEU_DUNG))
        make_monograph(make_edition(), "Khác")
        passage = Passage.objects.get(text="Đau.")
        addresses = [
            f"/monographs/paracetamol/?edition={edition.pk}",
            f"/monographs/paracetamol/chi-dinh/?edition={edition.pk}",
            "/monographs/paracetamol/",
            *(reverse(name, args=[each.pk]) for name in ("passage-source", "passage-crop") for each in (passage, held)),
        ]
        for address in addresses:
            answer = client.get(address)
            assert answer.status_code == 404 and "Đau." not in answer.content.decode(), address
        assert "paracetamol" not in client.get("/monographs/?q=paracetamol").content.decode().replace(
            'value="paracetamol"', ""
        ).replace("“paracetamol”", "")


class TestUpload:
    """A file is taken in whole or not at all."""

    def test_a_pdf_becomes_a_run(self, operator: Client, sent: list[int], data_dir: Path) -> None:
        answer = upload(operator, title="Dược thư 2030", year="2030", auto_publish="on")
        run = IngestRun.objects.get()
        assert answer.headers["Location"] == reverse("admin:ingest_run", args=[run.pk])
        assert (run.title, run.year, run.auto_publish, run.file_name) == ("Dược thư 2030", 2030, True, "sach.pdf")
        assert run.requested_by == User.objects.get() and run.state == RunState.QUEUED
        assert stored_pdf(run.sha256).read_bytes() == PDF

    def test_it_is_handed_to_a_worker_once_it_is_committed(
        self, operator: Client, sent: list[int], django_capture_on_commit_callbacks: Any
    ) -> None:
        with django_capture_on_commit_callbacks(execute=True):
            upload(operator)
        assert sent == [IngestRun.objects.get().pk]

    def test_without_a_word_it_waits_to_be_published_under_the_books_name(self, operator: Client) -> None:
        upload(operator)
        run = IngestRun.objects.get()
        assert (run.auto_publish, run.title, run.year) == (False, "Dược thư Quốc gia Việt Nam", 2018)

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (b"x" * 5000, REFUSAL_TEXTS[Refusal.NOT_A_PDF]),
            (b"short", REFUSAL_TEXTS[Refusal.NOT_A_PDF]),
            (b"", "trống"),
            (b"x" * 1024 + b"%PDF-1.7", REFUSAL_TEXTS[Refusal.NOT_A_PDF]),
        ],
        ids=["other", "short", "empty", "mark too late"],
    )
    def test_what_is_no_pdf_is_refused_and_not_kept(
        self, operator: Client, content: bytes, said: str, data_dir: Path, settings: Settings, tmp_path: Path
    ) -> None:
        settings.FILE_UPLOAD_TEMP_DIR = tmp_path
        answer = upload(operator, content)
        assert answer.status_code == 422 and said in read(answer).text
        assert not IngestRun.objects.exists()
        assert [path for path in data_dir.rglob("*") if path.is_file()] == []

    def test_no_file_is_told(self, operator: Client) -> None:
        answer = operator.post(reverse("admin:ingest_run_upload"), {"title": "x"})
        assert answer.status_code == 422 and "Hãy chọn tệp PDF" in read(answer).text

    def test_a_file_beyond_the_limit_is_refused_on_the_way(
        self, operator: Client, monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path
    ) -> None:
        settings.FILE_UPLOAD_TEMP_DIR = tmp_path
        limited = lambda request: uploads.PdfUploadHandler(request, most_bytes=1000)  # noqa: E731
        monkeypatch.setattr(run_views, "PdfUploadHandler", limited)
        answer = upload(operator, PDF * 40, title="giữ lại")
        assert answer.status_code == 422 and "Tệp lớn hơn" in read(answer).text
        assert 'value="giữ lại"' in answer.content.decode(), "what was typed is not lost"
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("failing", ["write", "new_file"])
    def test_a_full_disk_is_told_and_leaves_nothing(
        self, operator: Client, monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path, failing: str
    ) -> None:
        settings.FILE_UPLOAD_TEMP_DIR = tmp_path
        fill_disk(monkeypatch, failing)
        answer = upload(operator, PDF * 40)
        assert answer.status_code == 422 and uploads.NO_ROOM in read(answer).text
        assert not IngestRun.objects.exists() and list(tmp_path.iterdir()) == []

    def test_a_disk_that_fills_while_it_is_copied_is_told(
        self, operator: Client, monkeypatch: pytest.MonkeyPatch, data_dir: Path
    ) -> None:
        def fail(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("shutil.copyfileobj", fail)
        answer = upload(operator)
        assert answer.status_code == 507 and uploads.NO_ROOM in read(answer).text
        assert not IngestRun.objects.exists() and list((data_dir / "editions").iterdir()) == []

    def test_a_known_file_names_its_edition_and_offers_to_go_on(self, operator: Client, sent: list[int]) -> None:
        upload(operator)
        run = IngestRun.objects.get()
        edition = make_ready(sha256=run.sha256, parser_version=PARSER_VERSION)
        IngestRun.objects.update(state=RunState.BUILT, edition=edition)
        answer = upload(operator)
        page = read(answer)
        assert answer.status_code == 409 and "đã được nạp" in page.text
        assert reverse("admin:ingest_edition", args=[edition.pk]) in page.hrefs
        operator.post(reverse("admin:ingest_run_repeat", args=[edition.pk]))
        newest = IngestRun.objects.order_by("-pk").first()
        assert newest is not None and newest != run
        assert (newest.file_name, newest.title, newest.auto_publish) == (run.file_name, edition.title, False)

    def test_force_repeats_what_is_known(self, operator: Client) -> None:
        upload(operator)
        IngestRun.objects.update(state=RunState.PUBLISHED)
        make_ready(sha256=IngestRun.objects.get().sha256, parser_version=PARSER_VERSION)
        assert upload(operator, force="on").status_code == 302
        assert IngestRun.objects.count() == 2

    def test_a_file_that_is_under_way_leads_to_its_run(self, operator: Client) -> None:
        upload(operator)
        answer = upload(operator)
        assert answer.headers["Location"] == reverse("admin:ingest_run", args=[IngestRun.objects.get().pk])

    def test_a_kept_pdf_that_is_gone_is_told(self, operator: Client) -> None:
        answer = operator.post(reverse("admin:ingest_run_repeat", args=[make_ready().pk]), follow=True)
        assert run_views.NOT_KEPT in read(answer).text

    def test_hostile_names_are_shown_as_text(self, operator: Client) -> None:
        upload(operator, name='"><script>alert(1)</script>.pdf', title="<img src=x onerror=alert(1)>")
        run = IngestRun.objects.get()
        page = operator.get(reverse("admin:ingest_run", args=[run.pk])).content.decode()
        assert "<script>alert" not in page and "<img src=x" not in page
        assert "&lt;img src=x" in page

    @pytest.mark.parametrize("year", ["1", "99999", "hai nghìn"])
    def test_a_year_that_is_none_is_refused(self, operator: Client, year: str) -> None:
        assert upload(operator, year=year).status_code == 422
        assert not IngestRun.objects.exists()


class TestRun:
    """One run, watched."""

    def test_a_running_one_asks_for_itself_again_and_an_ended_one_does_not(self, watcher: Client) -> None:
        run = make_run(state=RunState.RUNNING, lease_until=timezone.now() + timedelta(minutes=1))
        address = reverse("admin:ingest_run_progress", args=[run.pk])
        assert 'hx-trigger="every 1s"' in watcher.get(address, headers=HTMX).content.decode()
        IngestRun.objects.update(state=RunState.FAILED, error="Hỏng.", error_code="damaged")
        ended = watcher.get(address, headers=HTMX).content.decode()
        assert "hx-trigger" not in ended and "Hỏng." in ended and 'hx-swap-oob="innerHTML"' in ended

    def test_without_scripts_the_page_reloads_itself_while_it_runs(self, watcher: Client) -> None:
        run = make_run()
        address = reverse("admin:ingest_run", args=[run.pk])
        assert '<noscript><meta http-equiv="refresh"' in watcher.get(address).content.decode()
        IngestRun.objects.update(state=RunState.CANCELLED)
        assert "refresh" not in watcher.get(address).content.decode()

    def test_progress_is_told_in_words_and_numbers(self, watcher: Client) -> None:
        now = timezone.now()
        run = make_run(
            state=RunState.RUNNING,
            stage="pages",
            progress={"done": 400, "total": 1600},
            timings={"open": 3.5},
            attempts=2,
            heartbeat_at=now,
            lease_until=now + timedelta(minutes=1),
        )
        text = open_page(watcher, reverse("admin:ingest_run", args=[run.pk])).text
        assert "400/1600, 25 %" in text and "3,5 giây" in text and "Lần thử 2" in text

    def test_what_is_offered_depends_on_the_state(self, operator: Client) -> None:
        gone, soon = timezone.now() - timedelta(seconds=1), timezone.now() + timedelta(minutes=1)
        offers: dict[str, tuple[dict[str, Any], set[str]]] = {
            "queued": ({"state": RunState.QUEUED}, {"cancel", "resume"}),
            "running": ({"state": RunState.RUNNING, "lease_until": soon}, {"cancel"}),
            "stopping": ({"state": RunState.RUNNING, "lease_until": soon, "cancel_requested": True}, set()),
            "abandoned": ({"state": RunState.RUNNING, "lease_until": gone}, {"cancel", "resume"}),
            "failed": ({"state": RunState.FAILED}, {"again"}),
            "published": ({"state": RunState.PUBLISHED}, set()),
        }
        for name, (fields, expected) in offers.items():
            run = make_run(**fields)
            page = operator.get(reverse("admin:ingest_run", args=[run.pk])).content.decode()
            found = {
                act
                for act in ("cancel", "resume", "again")
                if reverse(f"admin:ingest_run_{act}", args=[run.pk]) in page
            }
            assert found == expected, name

    def test_cancelling_is_recorded(self, operator: Client) -> None:
        run = make_run()
        operator.post(reverse("admin:ingest_run_cancel", args=[run.pk]))
        run.refresh_from_db()
        assert run.state == RunState.CANCELLED
        assert "Yêu cầu huỷ" in open_page(operator, reverse("admin:ingest_run", args=[run.pk])).text

    def test_what_cannot_be_done_is_told_on_the_run(self, operator: Client, sent: list[int]) -> None:
        run = make_run(state=RunState.PUBLISHED)
        for name, said in (("cancel", "đã kết thúc"), ("resume", "Chạy lại"), ("again", "Chỉ chạy lại được")):
            answer = operator.post(reverse(f"admin:ingest_run_{name}", args=[run.pk]), follow=True)
            assert said in read(answer).text
        assert sent == []

    def test_again_leads_to_the_new_run(
        self, operator: Client, sent: list[int], django_capture_on_commit_callbacks: Any
    ) -> None:
        run = make_run(state=RunState.FAILED)
        with django_capture_on_commit_callbacks(execute=True):
            answer = operator.post(reverse("admin:ingest_run_again", args=[run.pk]))
        newest = IngestRun.objects.latest("pk")
        assert answer.headers["Location"] == reverse("admin:ingest_run", args=[newest.pk])
        assert sent == [newest.pk] and newest.requested_by == User.objects.get()

    def test_the_list_opens_the_page_of_a_run(self, operator: Client) -> None:
        run = make_run()
        listed = operator.get(reverse("admin:ingest_ingestrun_changelist"))
        assert reverse("admin:ingest_ingestrun_change", args=[run.pk]) in listed.content.decode()
        assert "Đang chờ" in open_page(operator, reverse("admin:ingest_ingestrun_change", args=[run.pk])).text
        for number in ("0", "abc", "9" * 30):
            assert operator.get(f"/admin/ingest/ingestrun/{number}/change/").status_code == 404

    def test_a_poll_is_cheap(self, watcher: Client, django_assert_max_num_queries: Callable[..., Any]) -> None:
        run = make_run(state=RunState.RUNNING, lease_until=timezone.now() + timedelta(minutes=1))
        with django_assert_max_num_queries(6):
            watcher.get(reverse("admin:ingest_run_progress", args=[run.pk]), headers=HTMX)


class TestEdition:
    """Published, put back, thrown away, always asked first."""

    def test_what_is_served_and_what_will_be_is_said_first(self, operator: Client) -> None:
        served, ready = make_edition(title="Bản đang dùng"), make_ready()
        make_monograph(served)
        address = reverse("admin:ingest_edition_publish", args=[ready.pk])
        page = open_page(operator, address)
        assert "Bản đang dùng" in page.text and "Bản chờ" in page.text and "Sẽ phục vụ" in page.text
        operator.post(address, {"seen": served.pk})
        assert current_edition() == ready

    def test_who_published_when_is_kept(self, operator: Client) -> None:
        ready = make_ready()
        operator.post(reverse("admin:ingest_edition_publish", args=[ready.pk]), {"seen": ""})
        entry = LogEntry.objects.get()
        assert entry.user == User.objects.get() and entry.object_id == str(ready.pk)
        assert "Công bố ấn bản" in open_page(operator, reverse("admin:ingest_edition", args=[ready.pk])).text

    def test_an_older_edition_is_served_again(self, operator: Client) -> None:
        old, new = make_ready(state=EditionState.SUPERSEDED, title="Bản trước"), make_edition()
        address = reverse("admin:ingest_edition_publish", args=[old.pk])
        assert "Sẽ phục vụ lại" in open_page(operator, address).text
        operator.post(address, {"seen": new.pk})
        new.refresh_from_db()
        assert current_edition() == old and new.state == EditionState.SUPERSEDED

    @pytest.mark.parametrize("seen", ["", "7", "abc", "9" * 40, "٣"])
    def test_an_answer_to_an_outdated_question_changes_nothing(self, operator: Client, seen: str) -> None:
        served, ready = make_edition(), make_ready()
        answer = operator.post(reverse("admin:ingest_edition_publish", args=[ready.pk]), {"seen": seen}, follow=True)
        assert "đã đổi" in read(answer).text and current_edition() == served

    def test_a_sample_over_the_real_book_is_warned_of(self, operator: Client) -> None:
        make_edition()
        ready = make_ready(is_sample=True)
        page = open_page(operator, reverse("admin:ingest_edition_publish", args=[ready.pk]))
        assert "BẢN MẪU, không dùng cho lâm sàng" in page.text

    def test_a_waiting_edition_is_thrown_away_after_a_question(self, operator: Client) -> None:
        ready = make_ready()
        run = make_run(state=RunState.BUILT, edition=ready)
        address = reverse("admin:ingest_edition_discard", args=[ready.pk])
        assert "Bỏ" in open_page(operator, address).text
        assert Edition.objects.get().state == EditionState.READY
        operator.post(address)
        run.refresh_from_db()
        assert (Edition.objects.get().state, run.state) == (EditionState.DISCARDED, RunState.DISCARDED)

    @pytest.mark.parametrize("name", ["publish", "discard"])
    def test_what_is_impossible_is_said_instead_of_asked(self, operator: Client, name: str) -> None:
        edition = make_ready(state=EditionState.DISCARDED)
        page = open_page(operator, reverse(f"admin:ingest_edition_{name}", args=[edition.pk]))
        assert "đã huỷ" in page.text

    def test_the_record_of_an_edition_leads_here(self, operator: Client) -> None:
        edition = make_ready()
        client = superuser()
        page = client.get(reverse("admin:monographs_edition_change", args=[edition.pk])).content.decode()
        assert reverse("admin:ingest_edition", args=[edition.pk]) in page


class TestReports:
    """The pages that only tell."""

    def test_the_dashboard_says_when_nothing_is_served(self, operator: Client) -> None:
        text = open_page(operator, reverse("admin:ingest_dashboard")).text
        assert "Chưa có ấn bản nào được công bố" in text and "Không có tiến trình nền nào" in text

    def test_the_dashboard_tells_what_is_served_and_held_back(self) -> None:
        edition = make_edition(title="Bản đang dùng")
        table = make_held_back(make_section(make_monograph(edition), SectionKey.LIEU_DUNG, "Uống."))
        Finding.objects.create(edition=edition, passage=table, kind="table", quarantines=True, pdf_page=1)
        make_run(state=RunState.BUILT, edition=make_ready())
        WorkerHeartbeat.objects.create(name="celery@máy")
        page = open_page(superuser(), reverse("admin:ingest_dashboard"))
        assert "1 đoạn phục vụ nguyên văn" in page.text and "1 đoạn giữ lại" in page.text
        assert "đang sống celery@máy" in page.text and "chờ công bố" in page.text
        queue = f"{reverse('admin:ingest_review_queue')}?edition={edition.pk}&finding=table"
        assert queue in page.hrefs
        assert superuser().get(queue).status_code == 200

    def test_the_dashboard_stays_cheap(
        self, watcher: Client, django_assert_max_num_queries: Callable[..., Any]
    ) -> None:
        edition = make_edition()
        for number in range(12):
            make_section(make_monograph(edition, f"Thuốc {number}"), SectionKey.CHI_DINH, "Đau.")
            make_run(requested_by=User.objects.first(), edition=edition)
        with django_assert_max_num_queries(20):
            watcher.get(reverse("admin:ingest_dashboard"))

    def test_the_coverage_shows_what_is_missing(self, watcher: Client) -> None:
        edition = make_edition()
        make_held_back(make_section(make_monograph(edition), SectionKey.LIEU_DUNG))
        page = open_page(watcher, reverse("admin:ingest_coverage"))
        assert "1 trong 1 chuyên luận thuốc" in page.text
        assert "0 trong 1" in open_page(watcher, reverse("admin:ingest_coverage") + "?q=khong-co").text

    @pytest.mark.parametrize("query", ["?edition=999", "?edition=abc", "?edition=", "?cover=x&key=y&page=z", "?q=%00"])
    def test_odd_addresses_are_no_accident(self, watcher: Client, query: str) -> None:
        make_edition()
        for name in ("coverage", "coverage_csv"):
            assert watcher.get(reverse(f"admin:ingest_{name}") + query).status_code in {200, 404}

    def test_the_matrix_can_be_taken_away(self, watcher: Client) -> None:
        make_section(make_monograph(make_edition()), SectionKey.CHI_DINH, "Đau.")
        answer = watcher.get(reverse("admin:ingest_coverage_csv"))
        assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
        assert "attachment" in answer.headers["Content-Disposition"]
        lines = answer.content.decode("utf-8-sig").splitlines()
        assert len(lines) == 2 and lines[1].startswith("Paracetamol,101,")

    @pytest.mark.parametrize("name", ["coverage", "coverage_csv", "compare"])
    def test_what_is_half_built_is_not_reported_on(self, watcher: Client, name: str) -> None:
        edition = make_edition(state=EditionState.BUILDING)
        parameter = "new" if name == "compare" else "edition"
        assert watcher.get(reverse(f"admin:ingest_{name}") + f"?{parameter}={edition.pk}").status_code == 404

    def test_a_changed_dose_is_pointed_out(self, watcher: Client) -> None:
        old, new = make_edition(state=EditionState.SUPERSEDED, published_at=timezone.now()), make_edition()
        for edition, dose in ((old, "500"), (new, "50")):
            make_section(make_monograph(edition), SectionKey.LIEU_DUNG, f"Uống {dose} mg & hỏi <bác sĩ>.")
        answer = watcher.get(reverse("admin:ingest_compare"))
        html = answer.content.decode()
        assert read(answer).text.count("số liệu thay đổi") == 1
        assert 'class="compare-dose"' in html and "&lt;bác sĩ&gt;" in html
        for query, count in (("doses=1", 1), ("kind=only_old", 0), ("key=adr", 0), ("q=paracetamol", 1), ("q=khac", 0)):
            page = open_page(watcher, f"{reverse('admin:ingest_compare')}?old={old.pk}&new={new.pk}&{query}")
            assert f"{count} mục khác nhau" in page.text, query

    def test_a_long_comparison_is_paged(self, watcher: Client) -> None:
        old, new = make_edition(state=EditionState.SUPERSEDED), make_edition()
        for edition in (old, new):
            for number in range(25):
                make_section(make_monograph(edition, f"Thuốc {number}"), SectionKey.ADR, f"Nôn {edition.pk}")
        address = f"{reverse('admin:ingest_compare')}?old={old.pk}&new={new.pk}&doses=1"
        first = open_page(watcher, address)
        following = next(href for href in first.hrefs if "page=2" in href)
        assert "doses=1" in following and f"old={old.pk}" in following
        assert "Trang 2/2" in open_page(watcher, reverse("admin:ingest_compare") + following).text

    def test_one_edition_is_compared_with_nothing(self, watcher: Client) -> None:
        make_edition()
        assert "ít nhất hai ấn bản" in open_page(watcher, reverse("admin:ingest_compare")).text

    def test_a_corrected_passage_shows_up_in_the_comparison(self, watcher: Client) -> None:
        old, new = make_edition(state=EditionState.SUPERSEDED), make_edition()
        for edition in (old, new):
            make_section(make_monograph(edition), SectionKey.ADR, "Nôn.")
        Passage.objects.filter(section__monograph__edition=new).update(
            state=PassageState.CORRECTED, corrected_text="Buồn nôn."
        )
        page = open_page(watcher, f"{reverse('admin:ingest_compare')}?old={old.pk}&new={new.pk}")
        assert "Buồn" in page.text


def superuser() -> Client:
    user, _ = User.objects.get_or_create(username="quantri", is_staff=True, is_superuser=True)
    client = Client()
    client.force_login(user)
    return client


def fill_disk(monkeypatch: pytest.MonkeyPatch, failing: str) -> None:
    """Every write to the temporary file, or making one, fails as on a full disk."""

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    if failing == "new_file":
        monkeypatch.setattr("django.core.files.uploadhandler.TemporaryUploadedFile", fail)
        return
    whole = TemporaryFileUploadHandler.new_file

    def begin(handler: Any, *arguments: Any, **options: Any) -> None:
        whole(handler, *arguments, **options)
        monkeypatch.setattr(handler.file.file, "write", fail)

    monkeypatch.setattr(TemporaryFileUploadHandler, "new_file", begin)
