"""A PDF sent by a browser: streamed to the disk within limits, looked at only for its first bytes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NoReturn

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import StopUpload, TemporaryFileUploadHandler

from ingest.open_pdf import HEADER_WINDOW, MAX_BYTES, REFUSAL_TEXTS, Refusal

if TYPE_CHECKING:
    _File = UploadedFile[bytes]
else:
    _File = UploadedFile

PDF_MARK = b"%PDF-"
FIRST_YEAR, LAST_YEAR = 1970, 2100
NO_ROOM = "Máy chủ không ghi được tệp (có thể đã đầy đĩa). Hãy báo người quản trị máy, rồi nạp lại."
TOO_LARGE = f"Tệp lớn hơn {MAX_BYTES // 1024**2} MB. Hãy nén hoặc tách tệp rồi nạp lại."


class PdfUploadHandler(TemporaryFileUploadHandler):
    """Writes the file to a temporary one; stops, with the problem as a sentence, where it is none of ours.

    What was written by then is deleted. The rest of the request is read past, so that the browser gets its answer.
    """

    def __init__(self, *args: Any, most_bytes: int = MAX_BYTES, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.problem = ""
        self._most_bytes = most_bytes
        self._head = b""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """A file begins."""
        self._head = b""
        try:
            super().new_file(*args, **kwargs)
        except OSError as error:
            self._stop(NO_ROOM, error)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Some more of it."""
        if start + len(raw_data) > self._most_bytes:
            self._stop(TOO_LARGE)
        if len(self._head) < HEADER_WINDOW:
            self._head += raw_data[:HEADER_WINDOW]
            if len(self._head) >= HEADER_WINDOW and PDF_MARK not in self._head[:HEADER_WINDOW]:
                self._stop(REFUSAL_TEXTS[Refusal.NOT_A_PDF])
        try:
            self.file.write(raw_data)
        except OSError as error:
            self._stop(NO_ROOM, error)

    def file_complete(self, file_size: int) -> _File | None:
        """All of it is there; what the disk still owes it says now."""
        try:
            self.file.flush()
            os.fsync(self.file.fileno())
        except OSError as error:
            self._stop(NO_ROOM, error)
        return super().file_complete(file_size)

    def _stop(self, problem: str, cause: OSError | None = None) -> NoReturn:
        self.problem = problem
        if hasattr(self, "file"):
            self.file.close()
        raise StopUpload(connection_reset=False) from cause


class UploadForm(forms.Form):
    """What is asked of an upload. The file comes last, so that the rest is known when it is refused on the way."""

    title = forms.CharField(
        label="Tên ấn bản",
        max_length=200,
        required=False,
        help_text="Bỏ trống: Dược thư Quốc gia Việt Nam (bản mẫu đi kèm được tự nhận ra).",
    )
    year = forms.IntegerField(
        label="Năm", min_value=FIRST_YEAR, max_value=LAST_YEAR, required=False, help_text="Bỏ trống: 2018."
    )
    auto_publish = forms.BooleanField(
        label="Công bố ngay khi dựng xong",
        required=False,
        help_text="Không chọn: ấn bản dựng xong sẽ chờ người vận hành xem, so sánh rồi công bố.",
    )
    force = forms.BooleanField(
        label="Nạp lại dù tệp này đã được nạp",
        required=False,
        help_text="Cùng tệp và cùng bộ đọc cho cùng kết quả; chỉ cần khi muốn dựng lại ấn bản.",
    )
    file = forms.FileField(
        label="Tệp PDF",
        help_text=f"Tối đa {MAX_BYTES // 1024**2} MB.",
        widget=forms.ClearableFileInput(attrs={"accept": ".pdf,application/pdf"}),
        error_messages={"required": "Hãy chọn tệp PDF cần nạp.", "empty": "Tệp này trống. Hãy chọn tệp khác."},
    )

    def __init__(self, *args: Any, problem: str = "", **kwargs: Any) -> None:
        """problem: why the file was refused while it was being received."""
        super().__init__(*args, **kwargs)
        self._problem = problem
        for name, field in self.fields.items():
            field.widget.attrs["aria-describedby"] = f"help-{name}"

    def clean_title(self) -> str:
        """White space at the ends and what cannot be printed are left out."""
        return "".join(character for character in self.cleaned_data["title"] if character.isprintable()).strip()

    def clean_file(self) -> _File:
        """The file begins as a PDF does; more is looked at only in the parser's own process."""
        uploaded: _File = self.cleaned_data["file"]
        uploaded.seek(0)
        if PDF_MARK not in uploaded.read(HEADER_WINDOW):
            raise forms.ValidationError(REFUSAL_TEXTS[Refusal.NOT_A_PDF])
        uploaded.seek(0)
        return uploaded

    def clean(self) -> dict[str, Any] | None:
        """The handler's reason instead of "no file"."""
        if self._problem:
            self.errors.pop("file", None)
            self.add_error("file", self._problem)
        return super().clean()
