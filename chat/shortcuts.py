"""The keys of the pages, in one table: the help sheet and the page on them are set from it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shortcut:
    """keys: as they are pressed one after another; does: in Vietnamese."""

    keys: tuple[str, ...]
    does: str


SHORTCUTS = (
    Shortcut(("/",), "Tới ô câu hỏi, hoặc ô tìm chuyên luận"),
    Shortcut(("Enter",), "Gửi câu hỏi; Shift + Enter xuống dòng"),
    Shortcut(("n",), "Hỏi câu mới"),
    Shortcut(("j",), "Xuống lượt hỏi dưới"),
    Shortcut(("k",), "Lên lượt hỏi trên"),
    Shortcut(("o",), "Mở nguồn đầu tiên của lượt đang xem"),
    Shortcut(("c",), "Chép câu trả lời kèm nguồn"),
    Shortcut(("p",), "In"),
    Shortcut(("g", "h"), "Tới trang hỏi đáp"),
    Shortcut(("g", "c"), "Tới danh mục chuyên luận"),
    Shortcut(("g", "s"), "Tới trang so sánh"),
    Shortcut(("Esc",), "Đóng nguồn hoặc bảng phím tắt"),
    Shortcut(("?",), "Mở bảng phím tắt này"),
)
