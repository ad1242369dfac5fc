"""The staff pages of runs: sent in, watched, stopped, gone on with."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from ingest.library import stored_pdf
from ingest.models import IngestRun
from ingest.run_control import RunRefused, cancel_run, resume_run, run_again
from ingest.run_progress import watch
from ingest.runs import RunOptions, request_run
from ingest.staff_log import actions_on, log_action
from ingest.staff_pages import OPERATE, SEE_RUNS, may, staff_page, staff_view
from ingest.tasks import send_run
from ingest.uploads import NO_ROOM, PdfUploadHandler, UploadForm
from monographs.corpus import BULK
from monographs.models import Edition

NOT_KEPT = "Tệp PDF của lượt này không còn trên máy chủ. Hãy tải tệp lên lại."


def run_urls() -> list[URLPattern]:
    """The addresses below /admin/ingest/ingestrun/."""
    return [
        path("upload/", staff_view(upload, OPERATE), name="ingest_run_upload"),
        path("upload/again/<int:edition_id>/", staff_view(repeat, OPERATE), name="ingest_run_repeat"),
        path("<int:run_id>/", staff_view(show_run, SEE_RUNS, OPERATE), name="ingest_run"),
        path("<int:run_id>/progress/", staff_view(show_progress, SEE_RUNS, OPERATE), name="ingest_run_progress"),
        path("<int:run_id>/cancel/", staff_view(cancel, OPERATE), name="ingest_run_cancel"),
        path("<int:run_id>/resume/", staff_view(resume, OPERATE), name="ingest_run_resume"),
        path("<int:run_id>/again/", staff_view(again, OPERATE), name="ingest_run_again"),
    ]


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: HttpRequest) -> HttpResponse:
    """The form to send a PDF in.

    Exempt and then protected: only now, when the sender is known to be allowed to, may a byte of the file be read.
    """
    handler = PdfUploadHandler(request)
    request.upload_handlers = [handler]
    return _upload(request, handler)


@csrf_protect
def _upload(request: HttpRequest, handler: PdfUploadHandler) -> HttpResponse:
    if request.method != "POST":
        return _upload_page(request, UploadForm())
    files, values = request.FILES, request.POST
    form = UploadForm(values, files, problem=handler.problem)
    if not form.is_valid():
        return _upload_page(request, form, status=422)
    file = form.cleaned_data["file"]
    return _ask(request, Path(file.temporary_file_path()), file.name, _options(request, form), form)


def _options(request: HttpRequest, form: UploadForm) -> RunOptions:
    said = form.cleaned_data
    return RunOptions(
        title=said["title"] or None,
        year=said["year"],
        force=said["force"],
        auto_publish=said["auto_publish"],
        requested_by_id=request.user.pk,
    )


def _ask(request: HttpRequest, pdf: Path, name: str, options: RunOptions, form: UploadForm) -> HttpResponse:
    try:
        asked = request_run(pdf, options, file_name=name)
    except OSError:
        form.add_error("file", NO_ROOM)
        return _upload_page(request, form, status=507)
    if asked.run is None:
        return _upload_page(request, form, known=asked.edition, status=409)
    if asked.is_new:
        log_action(request.user.pk, asked.run, "Tải tệp lên và yêu cầu nạp.")
        messages.success(request, f"Đã nhận tệp. Lượt nạp {asked.run.pk} bắt đầu.")
        transaction.on_commit(partial(send_run, asked.run.pk))
    else:
        messages.info(request, f"Tệp này đang được nạp ở lượt {asked.run.pk}; không nạp thêm lần nữa.")
    return redirect("admin:ingest_run", asked.run.pk)


def _upload_page(
    request: HttpRequest, form: UploadForm, *, known: Edition | None = None, status: int = 200
) -> HttpResponse:
    return staff_page(request, "admin/ingest/run_upload.html", "Nạp tệp PDF", {"form": form, "known": known}, status)


@require_POST
def repeat(request: HttpRequest, edition_id: int) -> HttpResponse:
    """Ingests the kept PDF of an edition once more."""
    edition = get_object_or_404(Edition.objects.defer(*BULK), pk=edition_id)
    pdf, before = stored_pdf(edition.sha256), edition.runs.order_by("-created_at").first()
    options = RunOptions(
        title=edition.title, year=edition.year, force=True, auto_publish=False, requested_by_id=request.user.pk
    )
    try:
        asked = request_run(pdf, options, file_name=before.file_name if before else pdf.name)
    except OSError:
        messages.error(request, NOT_KEPT)
        return redirect("admin:ingest_run_upload")
    assert asked.run is not None
    log_action(request.user.pk, asked.run, f"Yêu cầu nạp lại tệp của ấn bản {edition.pk}.")
    transaction.on_commit(partial(send_run, asked.run.pk))
    return redirect("admin:ingest_run", asked.run.pk)


@require_safe
def show_run(request: HttpRequest, run_id: int) -> HttpResponse:
    """One run, watched until it ends."""
    run = _run(run_id)
    context = {"watched": watch(run), "log": actions_on(run)}
    return staff_page(request, "admin/ingest/run.html", f"Lượt nạp {run.pk}", context)


@require_safe
def show_progress(request: HttpRequest, run_id: int) -> HttpResponse:
    """The part of the page that changes, for htmx; it asks for itself again until the run is settled."""
    context = {"watched": watch(_run(run_id)), "may_operate": may(request.user, OPERATE), "is_fragment": True}
    return render(request, "admin/ingest/_run_progress.html", context)


@require_POST
def cancel(request: HttpRequest, run_id: int) -> HttpResponse:
    """Stops it."""
    return _act(request, run_id, cancel_run)


@require_POST
def resume(request: HttpRequest, run_id: int) -> HttpResponse:
    """Hands it to a worker again."""
    return _act(request, run_id, resume_run, send=True)


@require_POST
def again(request: HttpRequest, run_id: int) -> HttpResponse:
    """A new run for the same file."""
    return _act(request, run_id, run_again, send=True)


def _act(
    request: HttpRequest, run_id: int, action: Callable[..., IngestRun], *, send: bool = False
) -> HttpResponseRedirect:
    """Does it and shows the run; why it cannot be done is told there."""
    run = _run(run_id)
    try:
        run = action(run_id, by=request.user.pk)
    except RunRefused as refused:
        messages.error(request, str(refused))
    else:
        if send:
            transaction.on_commit(partial(send_run, run.pk))
    return redirect("admin:ingest_run", run.pk)


def _run(run_id: int) -> IngestRun:
    runs = IngestRun.objects.select_related("edition", "requested_by").defer(*(f"edition__{name}" for name in BULK))
    return get_object_or_404(runs, pk=run_id)
