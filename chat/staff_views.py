"""Staff pages of the chat inside the admin: the inbox of feedback."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from urllib.parse import parse_qsl

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.decorators import permission_required
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from chat.inbox import (
    PLACES,
    REASONS,
    VERDICTS,
    InboxFilter,
    export_rows,
    handle_feedback,
    inbox_counts,
    reopen_feedback,
    show_feedback,
)
from chat.models import Feedback

INBOX_PAGE = 20
NOTE_LENGTH = 500
NO_FEEDBACK = "Không tìm thấy phản hồi này."
sees_feedback = permission_required("chat.view_feedback", raise_exception=True)
handles_feedback = permission_required("chat.handle_feedback", raise_exception=True)


class HandleForm(forms.Form):
    """The note that is left with what was done about an opinion."""

    note = forms.CharField(
        max_length=NOTE_LENGTH,
        required=False,
        error_messages={"max_length": f"Ghi chú dài quá {NOTE_LENGTH} ký tự nên chưa được lưu."},
    )


@require_safe
@sees_feedback
def inbox(request: HttpRequest) -> HttpResponse:
    """A page of what askers said, the newest first, each beside its answer."""
    wanted = InboxFilter.read(request.GET)
    page = Paginator(wanted.rows(), INBOX_PAGE).get_page(request.GET.get("trang"))
    context = {
        **admin.site.each_context(request),
        "title": "Phản hồi của người hỏi",
        "page": page,
        "shown": [show_feedback(feedback) for feedback in page],
        "counts": inbox_counts(),
        "wanted": wanted,
        "filters": (
            ("xu-ly", "Trạng thái", PLACES, wanted.place),
            ("danh-gia", "Đánh giá", VERDICTS, wanted.verdict),
            ("ly-do", "Lý do", REASONS, wanted.reason),
        ),
        "note_length": NOTE_LENGTH,
    }
    return render(request, "admin/chat/feedback_inbox.html", context)


@require_POST
@handles_feedback
def handle(request: HttpRequest, feedback_id: int) -> HttpResponse:
    """Marks one as dealt with; then the inbox where it was."""
    form = HandleForm(request.POST)
    if not form.is_valid():
        messages.error(request, str(form.errors["note"][0]))
        return _back(request)
    assert isinstance(request.user, User)
    try:
        done = handle_feedback(feedback_id, request.user, form.cleaned_data["note"])
    except Feedback.DoesNotExist as error:
        raise Http404(NO_FEEDBACK) from error
    if done:
        messages.success(request, "Đã ghi là đã xử lý.")
    else:
        messages.warning(request, "Phản hồi này đã có người xử lý trước; ghi chú của bạn không được lưu.")
    return _back(request)


@require_POST
@handles_feedback
def reopen(request: HttpRequest, feedback_id: int) -> HttpResponse:
    """Lets one wait again; then the inbox where it was."""
    try:
        done = reopen_feedback(feedback_id)
    except Feedback.DoesNotExist as error:
        raise Http404(NO_FEEDBACK) from error
    messages.success(request, "Đã mở lại phản hồi." if done else "Phản hồi này vẫn đang chờ xử lý.")
    return _back(request)


@require_safe
@sees_feedback
def export(request: HttpRequest) -> StreamingHttpResponse:
    """What the inbox's filters let through, as CSV in UTF-8 with the mark that spreadsheets look for."""
    rows = export_rows(InboxFilter.read(request.GET).rows())
    response = StreamingHttpResponse(_lines(rows), content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = 'attachment; filename="phan-hoi.csv"'
    response.headers["Cache-Control"] = "no-store"
    return response


class _Line:
    """Gives back what a csv writer writes."""

    def write(self, text: str) -> str:
        return text


def _lines(rows: Iterator[tuple[str, ...]]) -> Iterator[str]:
    writer = csv.writer(_Line())
    yield "\ufeff"
    for row in rows:
        yield str(writer.writerow(row))


def _back(request: HttpRequest) -> HttpResponse:
    """The inbox as it was filtered; only known filters are taken from what the form brings along."""
    query = InboxFilter.read(dict(parse_qsl(request.POST.get("loc", "")))).query
    return redirect(reverse("admin:chat_feedback_inbox") + (f"?{query}" if query else ""))
