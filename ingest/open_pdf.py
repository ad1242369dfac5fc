"""The first look at a file: is it a PDF that can be parsed, and if not, why, in a sentence a person can act on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

MAX_BYTES = 400 * 1024 * 1024
MAX_PAGES = 4_000
MIN_PAGE_POINTS, MAX_PAGE_POINTS = 72.0, 3_000.0
HEADER_WINDOW = 1_024


class Refusal(StrEnum):
    """Why a file was not turned into an edition."""

    MISSING = "missing"
    NOT_A_PDF = "not_a_pdf"
    ENCRYPTED = "encrypted"
    DAMAGED = "damaged"
    TOO_DAMAGED = "too_damaged"
    TOO_LARGE = "too_large"
    TOO_MANY_PAGES = "too_many_pages"
    PAGE_SIZE = "page_size"
    NO_TEXT = "no_text"
    INVISIBLE_TEXT = "invisible_text"
    NO_MONOGRAPHS = "no_monographs"
    OUT_OF_MEMORY = "out_of_memory"
    TOO_SLOW = "too_slow"
    CRASHED = "crashed"


REFUSAL_TEXTS: dict[Refusal, str] = {
    Refusal.MISSING: "Không tìm thấy hoặc không đọc được tệp. Hãy kiểm tra đường dẫn và quyền đọc.",
    Refusal.NOT_A_PDF: "Tệp không phải là PDF. Hãy chọn đúng tệp PDF của cuốn Dược thư.",
    Refusal.ENCRYPTED: "Tệp PDF được bảo vệ bằng mật khẩu. Hãy gỡ mật khẩu rồi nạp lại.",
    Refusal.DAMAGED: "Tệp PDF bị hỏng, không mở được. Hãy tải lại hoặc xin bản khác.",
    Refusal.TOO_DAMAGED: "Nhiều trang của tệp PDF bị trống hoặc hỏng. Hãy tải lại hoặc xin bản khác đầy đủ hơn.",
    Refusal.TOO_LARGE: "Tệp PDF lớn hơn giới hạn cho phép. Hãy nén hoặc tách tệp rồi nạp lại.",
    Refusal.TOO_MANY_PAGES: "Tệp PDF có quá nhiều trang. Hãy tách riêng phần Dược thư rồi nạp lại.",
    Refusal.PAGE_SIZE: "Khổ trang của tệp PDF bất thường. Hãy xuất lại tệp theo khổ giấy in thông thường.",
    Refusal.NO_TEXT: "Tệp PDF chỉ là ảnh quét, không có lớp chữ. Hãy dùng bản PDF gốc có chữ.",
    Refusal.INVISIBLE_TEXT: "Tệp PDF chỉ có lớp chữ ẩn do máy nhận dạng, không đủ tin cậy. Hãy dùng bản PDF gốc.",
    Refusal.NO_MONOGRAPHS: "Không tìm thấy chuyên luận thuốc nào trong tệp. Hãy kiểm tra đây có phải Dược thư không.",
    Refusal.OUT_OF_MEMORY: "Tệp PDF cần nhiều bộ nhớ hơn mức cho phép. Hãy kiểm tra tệp có bình thường không.",
    Refusal.TOO_SLOW: "Xử lý tệp PDF vượt quá thời gian cho phép. Hãy kiểm tra tệp có bình thường không.",
    Refusal.CRASHED: "Bộ đọc PDF dừng đột ngột khi xử lý tệp. Hãy kiểm tra tệp có bị hỏng không.",
}


class PdfRefused(Exception):
    """A file that gives no edition. str() is the Vietnamese sentence; detail is for the log."""

    def __init__(self, refusal: Refusal, detail: str = "") -> None:
        super().__init__(REFUSAL_TEXTS[refusal])
        self.refusal = refusal
        self.detail = detail

    def __reduce__(self) -> tuple[type[PdfRefused], tuple[Refusal, str]]:
        """Exceptions are rebuilt from their arguments when they cross processes."""
        return (PdfRefused, (self.refusal, self.detail))


@dataclass(frozen=True, slots=True)
class OpenedPdf:
    """A file that passed the first look."""

    path: Path
    page_count: int


def open_pdf(path: Path) -> OpenedPdf:
    """Check size, header, encryption, page count and the first pages' size. Raises PdfRefused."""
    _check_bytes(path)
    document = load_document(path)
    try:
        page_count = len(document)
        if page_count > MAX_PAGES:
            raise PdfRefused(Refusal.TOO_MANY_PAGES, f"{page_count} pages")
        if page_count == 0:
            raise PdfRefused(Refusal.DAMAGED, "no pages")
        _check_page_sizes(document, page_count)
    finally:
        document.close()
    return OpenedPdf(path, page_count)


def load_document(path: Path) -> pdfium.PdfDocument:
    """Open with PDFium. Raises PdfRefused when it is encrypted or damaged."""
    try:
        return pdfium.PdfDocument(path)
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) in {pdfium_c.FPDF_ERR_PASSWORD, pdfium_c.FPDF_ERR_SECURITY}:
            raise PdfRefused(Refusal.ENCRYPTED, str(error)) from error
        raise PdfRefused(Refusal.DAMAGED, str(error)) from error


def _check_bytes(path: Path) -> None:
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(HEADER_WINDOW)
    except OSError as error:
        raise PdfRefused(Refusal.MISSING, str(error)) from error
    if b"%PDF-" not in head:
        raise PdfRefused(Refusal.NOT_A_PDF, f"{size} bytes")
    if size > MAX_BYTES:
        raise PdfRefused(Refusal.TOO_LARGE, f"{size} bytes")


def _check_page_sizes(document: pdfium.PdfDocument, page_count: int) -> None:
    """A spread of pages is enough: a page of odd size later on becomes a finding of its own."""
    for index in range(0, page_count, max(1, page_count // 16)):
        try:
            width, height = document.get_page_size(index)
        except pdfium.PdfiumError as error:
            raise PdfRefused(Refusal.DAMAGED, f"page {index + 1}: {error}") from error
        if not _printable(width, height):
            raise PdfRefused(Refusal.PAGE_SIZE, f"page {index + 1}: {width:.0f} x {height:.0f} pt")


def _printable(width: float, height: float) -> bool:
    return all(MIN_PAGE_POINTS <= side <= MAX_PAGE_POINTS for side in (width, height))
