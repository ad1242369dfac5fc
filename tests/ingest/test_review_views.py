"""The review pages: who may open them, what they show, what is sent back."""

from __future__ import annotations

import csv
import io
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings
from reportlab.pdfgen.canvas import Canvas

from ingest.models import Review, ReviewClaim
from ingest.review_claims import LEASE, claim_passage
from ingest.review_export import all_reviews, csv_lines
from ingest.review_views import NOTHING_LEFT, PERMISSION, review_urls
from ingest.reviews import decide, undo
from monographs.domain import PassageKind, PassageState
from monographs.models import Edition, EditionState, Passage
from tests.ingest.reviewing import build, doubtful, make_reviewer, only_passage, passages_in, sure

pytestmark = pytest.mark.django_db
QUEUE = "/admin/ingest/review/queue/"
ROUTES: list[tuple[str, str]] = [
    ("get", "queue/"),
    ("post", "next/"),
    ("get", "passage/{passage}/"),
    ("get", "passage/{passage}/crop.png?page=1"),
    ("post", "passage/{passage}/decide/"),
    ("post", "passage/{passage}/claim/"),
    ("post", "passage/{passage}/release/"),
    ("post", "{review}/undo/"),
    ("get", "export.csv"),
    ("get", "export.jsonl"),
]


@pytest.fixture
def reviewer() -> User:
    return make_reviewer()


@pytest.fixture
def client(client: Client, reviewer: User) -> Client:
    client.force_login(reviewer)
    return client


@pytest.fixture
def edition() -> Edition:
    """Three passages wait, one is served."""
    return build([*(doubtful(f"Đoạn số {n}.", y=100 + 40 * n) for n in range(3)), sure("Đã rõ.", y=400)], publish=True)


def item_url(passage: Passage, step: str = "") -> str:
    return f"/admin/ingest/review/passage/{passage.pk}/{step}"


def sent(client: Client, passage: Passage, decision: str, **more: str) -> Any:
    return client.post(item_url(passage, "decide/"), {"decision": decision, **more})


def text_of(response: Any) -> str:
    return str(response.content.decode())


class TestAccess:
    """Reviewers only, on the server, at every address."""

    def test_every_address_is_tried_here(self) -> None:
        tried = {route.split("?")[0].format(passage=1, review=1) for _, route in ROUTES}
        names = {url.name for url in review_urls()}
        assert len(names) == len(tried) - 1  # both exports are one address

    def address(self, route: str, edition: Edition) -> str:
        passage = passages_in(edition)[0]
        review = Review.objects.first() or decide(
            passages_in(edition)[2].pk, reviewer=User.objects.all()[0], decision=PassageState.SERVED
        )
        return "/admin/ingest/review/" + route.format(passage=passage.pk, review=review.pk)

    @pytest.mark.parametrize(("method", "route"), ROUTES)
    @pytest.mark.parametrize("permission", ["", "view_review", "operate_runs"])
    def test_staff_without_the_permission_are_refused(
        self, edition: Edition, reviewer: User, method: str, route: str, permission: str
    ) -> None:
        other = Client()
        address = self.address(route, edition)
        before = list(Passage.objects.values()), list(Review.objects.values())
        other.force_login(make_reviewer("khac", permission=permission))
        assert getattr(other, method)(address).status_code == 403
        assert (list(Passage.objects.values()), list(Review.objects.values())) == before
        assert not ReviewClaim.objects.exists()

    @pytest.mark.parametrize(("method", "route"), ROUTES)
    @pytest.mark.parametrize("who", ["nobody", "no staff"])
    def test_others_are_sent_to_log_in(
        self, edition: Edition, reviewer: User, method: str, route: str, who: str
    ) -> None:
        other = Client()
        if who == "no staff":
            User.objects.filter(pk=reviewer.pk).update(is_staff=False)
            other.force_login(reviewer)
        response = getattr(other, method)(self.address(route, edition))
        assert response.status_code == 302 and response.headers["Location"].startswith("/admin/login/")

    @pytest.mark.parametrize(("method", "route"), ROUTES)
    def test_wrong_method_is_refused(self, client: Client, edition: Edition, method: str, route: str) -> None:
        wrong = "post" if method == "get" else "get"
        assert getattr(client, wrong)(self.address(route, edition)).status_code == 405

    @pytest.mark.parametrize("route", [route for method, route in ROUTES if method == "post"])
    def test_forged_request_is_refused(self, edition: Edition, reviewer: User, route: str) -> None:
        strict = Client(enforce_csrf_checks=True)
        strict.force_login(reviewer)
        assert strict.post(self.address(route, edition)).status_code == 403

    def test_permission_exists(self, reviewer: User) -> None:
        assert reviewer.has_perm(PERMISSION)


class TestQueue:
    """The list."""

    def test_it_lists_what_waits_with_counts(self, client: Client, edition: Edition) -> None:
        page = text_of(client.get(QUEUE))
        assert all(f"Đoạn số {n}." in page for n in range(3)) and "Đã rõ." not in page
        assert "Chờ duyệt (3)" in page and "Mọi đoạn (4)" in page and "Số bị ngắt qua hai dòng (3)" in page

    def test_filters_of_the_address_are_kept_and_unknown_ones_ignored(self, client: Client, edition: Edition) -> None:
        page = text_of(client.get(QUEUE, {"state": "all", "kind": "x", "section": "y\0", "finding": "z", "q": "PARA"}))
        assert "Đã rõ." in page and f"?edition={edition.pk}&amp;state=all&amp;q=PARA" in page
        assert "Không có đoạn nào." in text_of(client.get(QUEUE, {"q": "aspirin"}))

    def test_edition_not_yet_published_is_reviewed_too(self, client: Client, edition: Edition) -> None:
        ready = build([doubtful("Bản mới.")], sha256="8d" * 32)
        assert "Bản mới." not in text_of(client.get(QUEUE))
        assert "Bản mới." in text_of(client.get(QUEUE, {"edition": ready.pk}))
        assert client.get(item_url(only_passage(ready))).status_code == 200

    def test_without_an_edition_it_says_so(self, client: Client) -> None:
        assert "Chưa có ấn bản nào để duyệt" in text_of(client.get(QUEUE))
        assert client.post("/admin/ingest/review/next/").status_code == 404

    def test_words_that_changed_are_marked_and_lost_decisions_told(self, client: Client, reviewer: User) -> None:
        first, second = passages_in(build([doubtful("Cũ."), doubtful("Mất.", y=300)]))
        for passage in (first, second):
            decide(passage.pk, reviewer=reviewer, decision=PassageState.REJECTED, reason="Sai.")
        build([sure("Mới.")], publish=True, parser_version="2")
        page = text_of(client.get(QUEUE))
        assert "Chữ đã đổi: trước đây lan đã loại" in page
        assert "1 quyết định cũ không còn đoạn nào cùng chỗ" in page and "“Mất.”" in page

    def test_it_takes_as_many_queries_for_many_passages(self, client: Client, edition: Edition) -> None:
        def queries() -> int:
            with CaptureQueriesContext(connection) as done:
                assert "đang duyệt" in text_of(client.get(QUEUE))
            return len(done)

        waiting = passages_in(edition)[:3]
        claim_passage(waiting[0].pk, make_reviewer("minh"))
        with_one = queries()
        for passage in waiting[1:]:
            claim_passage(passage.pk, make_reviewer(f"nguoi{passage.pk}"))
        assert queries() == with_one <= 16

    def test_records_lead_to_it(self, client: Client, edition: Edition, reviewer: User) -> None:
        decide(passages_in(edition)[0].pk, reviewer=reviewer, decision=PassageState.REJECTED, reason="Sai.")
        assert client.get("/admin/ingest/review/").status_code == 403
        client.force_login(User.objects.create_superuser("quan-tri"))
        page = text_of(client.get("/admin/ingest/review/"))
        assert f'href="{QUEUE}"' in page and "paracetamol / lieu_dung, trang PDF 1" in page


class TestItem:
    """One passage."""

    def test_it_shows_the_words_their_doubts_and_neighbours(self, client: Client, edition: Edition) -> None:
        page = text_of(client.get(item_url(passages_in(edition)[1])))
        assert "<mark>Đoạn số 1.</mark>" in page and "Số bị ngắt qua hai dòng" in page
        assert "Đoạn số 0." in page and "Đoạn số 2." in page
        assert "<textarea" in page and "Còn <strong>3</strong>" in page

    def test_another_ones_passage_is_shown_without_a_form(self, client: Client, edition: Edition) -> None:
        passage = passages_in(edition)[0]
        claim_passage(passage.pk, make_reviewer("minh"))
        page = text_of(client.get(item_url(passage)))
        assert "minh đang duyệt đoạn này đến" in page
        assert "data-decide" not in page and "data-claim" not in page

    @pytest.mark.parametrize("kind", [PassageKind.TABLE, PassageKind.FORMULA, PassageKind.FIGURE])
    def test_picture_says_that_it_stays_one(self, client: Client, kind: PassageKind) -> None:
        passage = only_passage(build([doubtful("Ô một", kind=kind)]))
        assert "duyệt vẫn chỉ hiện bằng ảnh trang in" in text_of(client.get(item_url(passage)))
        sent(client, passage, "served")
        assert "Đã duyệt, hiện ảnh trang in" in text_of(client.get(item_url(passage)))

    def test_earlier_decision_on_other_words_is_filled_in(self, client: Client, reviewer: User) -> None:
        first = only_passage(build([doubtful("Cũ.")]))
        decide(first.pk, reviewer=reviewer, decision=PassageState.CORRECTED, corrected_text="Đúng.", reason="Vì thế.")
        again = only_passage(build([sure("Mới.")], parser_version="2"))
        page = text_of(client.get(item_url(again)))
        assert "Chữ đã đổi" in page and "lan đã sửa lúc" in page
        assert "\nĐúng.</textarea>" in page and "\nVì thế.</textarea>" in page

    @pytest.mark.parametrize("state", [EditionState.BUILDING, EditionState.DISCARDED])
    def test_edition_that_is_not_to_be_reviewed(self, client: Client, edition: Edition, state: EditionState) -> None:
        Edition.objects.update(state=state)
        response = client.get(item_url(passages_in(edition)[0]))
        assert response.status_code == 404 and "Đoạn này không còn nữa" in text_of(response)

    def test_it_takes_few_queries(
        self, client: Client, edition: Edition, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        with django_assert_max_num_queries(18):
            client.get(item_url(passages_in(edition)[1]))


class TestDeciding:
    """What is sent, and where it leads."""

    @pytest.mark.parametrize(
        ("decision", "more"),
        [
            ("served", {}),
            ("corrected", {"corrected_text": "Đúng."}),
            ("rejected", {"reason": "Sai."}),
            ("quarantined", {"reason": "Sai."}),
        ],
    )
    def test_next_passage_is_opened_and_held(
        self, client: Client, edition: Edition, reviewer: User, decision: str, more: dict[str, str]
    ) -> None:
        first, second, *_ = passages_in(edition)
        response = sent(client, first, decision, **more)
        assert response.status_code == 302 and response.headers["Location"].startswith(item_url(second))
        first.refresh_from_db()
        assert first.state == decision and first.corrected_text == more.get("corrected_text", "")
        (claim,) = ReviewClaim.objects.all()
        assert (claim.passage, claim.reviewer) == (second, reviewer)
        page = text_of(client.get(response.headers["Location"]))
        assert "Vừa" in page and 'data-key="u"' in page and "hôm nay bạn đã duyệt <strong>1</strong>" in page

    def test_filter_is_carried_on(self, client: Client, edition: Edition) -> None:
        first, _, third, _ = passages_in(edition)
        Passage.objects.filter(pk=third.pk).update(kind=PassageKind.TABLE)
        response = client.post(f"{item_url(first, 'decide/')}?kind=table", {"decision": "served"})
        assert response.headers["Location"] == f"{item_url(third)}?edition={edition.pk}&kind=table&state=waiting"

    def test_after_the_last_the_queue_says_so(self, client: Client, edition: Edition) -> None:
        for passage in passages_in(edition)[:3]:
            response = client.post(item_url(passage, "decide/"), {"decision": "served"}, follow=True)
        assert response.redirect_chain[-1][0].startswith(QUEUE)
        assert NOTHING_LEFT in text_of(response) and "Vừa duyệt" in text_of(response)

    @pytest.mark.parametrize(
        ("more", "status", "said"),
        [
            ({"decision": "rejected"}, 422, "Cần ghi lý do"),
            ({"decision": "served", "begun": "gõ"}, 422, "lại chọn duyệt nguyên văn"),
            ({"decision": "corrected", "corrected_text": "<b>\x07"}, 422, "ký tự ẩn (U+0007"),
            ({"decision": "served", "seen": "x", "begun": "<b>gõ"}, 409, "đã thay đổi từ lúc bạn mở"),
        ],
    )
    def test_refusal_comes_back_with_what_was_typed(
        self, client: Client, edition: Edition, more: dict[str, str], status: int, said: str
    ) -> None:
        passage = passages_in(edition)[0]
        response = client.post(item_url(passage, "decide/"), {"corrected_text": "<b>gõ", "reason": "", **more})
        assert response.status_code == status and said in text_of(response)
        assert "&lt;b&gt;" in text_of(response) and "<b>gõ" not in text_of(response)
        assert not Review.objects.exists()

    def test_passage_that_another_took_is_refused(self, client: Client, edition: Edition) -> None:
        passage = passages_in(edition)[0]
        claim_passage(passage.pk, make_reviewer("minh"))
        response = sent(client, passage, "served")
        assert response.status_code == 409 and "minh đang duyệt đoạn này" in text_of(response)

    def test_words_left_as_they_were_are_approved_whatever_their_line_ends(
        self, client: Client, edition: Edition
    ) -> None:
        passage = passages_in(edition)[0]
        response = sent(client, passage, "served", begun="a\nb", corrected_text="a\r\nb\r\n")
        assert response.status_code == 302

    @pytest.mark.parametrize("decision", ["", "x"])
    def test_unknown_decision(self, client: Client, edition: Edition, decision: str) -> None:
        assert sent(client, passages_in(edition)[0], decision).status_code == 404

    def test_undo_goes_back_to_the_passage(self, client: Client, edition: Edition) -> None:
        passage = passages_in(edition)[0]
        sent(client, passage, "served")
        review = Review.objects.get()
        response = client.post(f"/admin/ingest/review/{review.pk}/undo/", {"reason": "Nhầm."}, follow=True)
        assert response.redirect_chain[-1][0].startswith(item_url(passage))
        passage.refresh_from_db()
        assert passage.state == PassageState.QUARANTINED and "Đã hoàn tác: duyệt." in text_of(response)
        again = client.post(f"/admin/ingest/review/{review.pk}/undo/", {"left": passage.pk}, follow=True)
        assert "Lan đã hoàn tác hoặc thay quyết định này lúc" in text_of(again)

    def test_history_tells_every_decision(self, client: Client, edition: Edition, reviewer: User) -> None:
        passage = passages_in(edition)[0]
        sent(client, passage, "rejected", reason="Sai số.")
        undo(Review.objects.get().pk, reviewer=reviewer, reason="Nhầm trang.")
        page = text_of(client.get(item_url(passage)))
        assert all(said in page for said in ("Loại", "Sai số.", "Nhầm trang.", "lan"))


class TestGoingAround:
    """Next, back, and the lease."""

    def test_start_next_and_back(self, client: Client, edition: Edition, reviewer: User) -> None:
        one, two, three, _ = passages_in(edition)
        at = client.post("/admin/ingest/review/next/")
        assert at.headers["Location"].startswith(item_url(one))
        for back, left, expected in (("", one, two), ("", two, three), ("1", three, two), ("", three, one)):
            at = client.post("/admin/ingest/review/next/", {"left": left.pk, "back": back})
            assert at.headers["Location"].startswith(item_url(expected))
        assert {claim.passage for claim in ReviewClaim.objects.filter(reviewer=reviewer)} == {one, two}

    def test_two_reviewers_are_led_to_different_passages(self, client: Client, edition: Edition) -> None:
        other = Client()
        other.force_login(make_reviewer("minh"))
        first = client.post("/admin/ingest/review/next/").headers["Location"]
        second = other.post("/admin/ingest/review/next/").headers["Location"]
        assert first != second

    def test_page_holds_its_passage_and_renews(self, client: Client, edition: Edition, reviewer: User) -> None:
        passage = passages_in(edition)[0]
        assert "Bạn đang giữ đoạn này đến" in text_of(client.post(item_url(passage, "claim/")))
        ReviewClaim.objects.update(until=timezone.now() + timedelta(minutes=1))
        client.post(item_url(passage, "claim/"))
        claim = ReviewClaim.objects.get()
        assert claim.reviewer == reviewer and claim.until > timezone.now() + LEASE - timedelta(minutes=1)

    def test_page_of_a_passage_that_another_took_says_so(self, client: Client, edition: Edition) -> None:
        passage = passages_in(edition)[0]
        claim_passage(passage.pk, make_reviewer("minh"))
        page = text_of(client.post(item_url(passage, "claim/")))
        assert "minh đang duyệt" in page and "data-until" not in page
        assert client.post("/admin/ingest/review/passage/0/claim/").status_code == 404

    @pytest.mark.parametrize(("until", "left"), [("own", 0), ("2026-01-01T00:00:00+07:00", 1), ("", 1), ("x", 1)])
    def test_leaving_gives_up_the_claim_of_that_page(
        self, client: Client, edition: Edition, reviewer: User, until: str, left: int
    ) -> None:
        passage = passages_in(edition)[0]
        claim = claim_passage(passage.pk, reviewer)
        assert claim is not None
        moment = claim.until.isoformat() if until == "own" else until
        assert client.post(item_url(passage, "release/"), {"until": moment}).status_code == 204
        assert ReviewClaim.objects.count() == left


class TestCrop:
    """The picture, of editions that readers cannot open yet too."""

    @pytest.fixture
    def ready(self, settings: Settings, tmp_path: Path) -> Passage:
        settings.DUOCTHU_DATA_DIR = tmp_path
        passage = only_passage(build([doubtful("Bản mới.")]))
        path = tmp_path / "editions" / f"{Edition.objects.get().sha256}.pdf"
        path.parent.mkdir()
        canvas = Canvas(str(path), pagesize=(595, 842))
        canvas.showPage()
        canvas.save()
        return passage

    @pytest.mark.parametrize("asked", ["page=1&part=0", "page=1", "page=1&view=page"])
    def test_picture(self, client: Client, ready: Passage, asked: str) -> None:
        response = client.get(f"{item_url(ready, 'crop.png')}?{asked}")
        assert response.status_code == 200 and response.content.startswith(b"\x89PNG")
        assert "private" in response.headers["Cache-Control"]
        assert client.get(reverse("passage-crop", args=[ready.pk]) + f"?{asked}").status_code == 404

    @pytest.mark.parametrize("asked", ["page=2", "page=1&part=1", "page=9&view=page", "page=x", ""])
    def test_place_without_a_picture(self, client: Client, ready: Passage, asked: str) -> None:
        assert client.get(f"{item_url(ready, 'crop.png')}?{asked}").status_code == 404

    def test_item_shows_it(self, client: Client, ready: Passage) -> None:
        assert f'src="{item_url(ready, "crop.png")}?page=1&amp;part=0"' in text_of(client.get(item_url(ready)))

    def test_file_that_is_missing_is_told(self, client: Client, edition: Edition) -> None:
        passage = passages_in(edition)[0]
        assert "Tệp PDF của ấn bản không có trên máy chủ" in text_of(client.get(item_url(passage)))
        assert client.get(f"{item_url(passage, 'crop.png')}?page=1").status_code == 404


class TestExport:
    """Everything that was decided, as a file."""

    @pytest.fixture
    def decided(self, edition: Edition, reviewer: User) -> list[Review]:
        one, two, _, _ = passages_in(edition)
        first = decide(one.pk, reviewer=reviewer, decision=PassageState.CORRECTED, corrected_text='=1+1\n"Đúng"')
        second = decide(two.pk, reviewer=reviewer, decision=PassageState.REJECTED, reason="- sai, thiếu chữ")
        return [first, undo(second.pk, reviewer=make_reviewer("minh"), reason="Nhầm.")]

    def csv_of(self, content: bytes) -> list[dict[str, str]]:
        assert content.startswith(b"\xef\xbb\xbf")
        return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))

    def test_csv_is_safe_to_open_in_a_spreadsheet(self, client: Client, decided: list[Review]) -> None:
        response = client.get("/admin/ingest/review/export.csv")
        first, second = self.csv_of(b"".join(response))
        assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
        assert "attachment" in response.headers["Content-Disposition"]
        assert (first["Bản sửa"], first["Nguyên văn lúc duyệt"]) == ('\'=1+1\n"Đúng"', "Đoạn số 0.")
        assert (second["Lý do"], second["Người hoàn tác"], second["Lý do hoàn tác"]) == (
            "'- sai, thiếu chữ",
            "minh",
            "Nhầm.",
        )
        for row in (first, second):
            assert not any(value.lstrip().startswith(("=", "+", "-", "@", "\t")) for value in row.values())

    @pytest.mark.parametrize("text", ["=1", "+1", "-1", "@x", "\t=1", " =1", "\r=1", "＝1", "-"])
    def test_cell_that_would_run_begins_with_an_apostrophe(
        self, client: Client, decided: list[Review], text: str
    ) -> None:
        Review.objects.update(reason=text)
        for row in self.csv_of("".join(csv_lines(all_reviews())).encode()):
            assert row["Lý do"] == f"'{text}"

    @pytest.mark.parametrize("text", ["Uống - nghỉ", "", "a=b", "'=1", "1 + 1"])
    def test_harmless_cell_is_left_alone(self, client: Client, decided: list[Review], text: str) -> None:
        Review.objects.update(reason=text)
        for row in self.csv_of("".join(csv_lines(all_reviews())).encode()):
            assert row["Lý do"] == text

    def test_json_lines_keep_every_text_as_it_is(self, client: Client, decided: list[Review]) -> None:
        response = client.get("/admin/ingest/review/export.jsonl")
        lines = b"".join(response).decode().splitlines()
        first, second = map(json.loads, lines)
        assert first["corrected_text"] == '=1+1\n"Đúng"' and first["boxes"] == [[1, 50, 100, 280, 112]]
        assert (first["reviewer"], first["undone_at"], second["undone_by"]) == ("lan", "", "minh")
        assert first["decided_at"].endswith("+07:00") and first["decision_title"] == "sửa"

    def test_unknown_form(self, client: Client) -> None:
        assert client.get("/admin/ingest/review/export.xlsx").status_code == 404

    @pytest.mark.parametrize(("name", "options"), [("out.csv", {}), ("out.jsonl", {}), ("out", {"format": "csv"})])
    def test_command_writes_the_same(
        self, client: Client, decided: list[Review], tmp_path: Path, name: str, options: dict[str, str]
    ) -> None:
        path = tmp_path / name
        call_command("export_reviews", str(path), stdout=io.StringIO(), **options)
        form = options.get("format", path.suffix[1:])
        response = client.get(f"/admin/ingest/review/export.{form}")
        assert path.read_bytes() == b"".join(response)

    @pytest.mark.parametrize("name", ["out.txt", "no/such/folder.csv"])
    def test_command_says_what_is_wrong(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(CommandError):
            call_command("export_reviews", str(tmp_path / name))
