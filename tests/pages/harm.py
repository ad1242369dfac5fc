"""What hostile and damaged PDFs are: a class, a name, and how their bytes are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

Made = Iterable[tuple[str, Callable[[], bytes]]]


class Harm(StrEnum):
    """What a file tries, or what was done to it."""

    XREF = "bảng tham chiếu hỏng"
    OBJECT_STREAM = "dòng đối tượng hỏng"
    ENCRYPTED = "mã hoá"
    RECURSION = "tham chiếu vòng"
    PAGE_BOX = "khổ trang lạ"
    BOMB = "bom giải nén"
    OPERATORS = "hàng triệu lệnh vẽ"
    PAGE_COUNT = "số trang lạ"
    NO_TEXT = "không có chữ"
    FONT = "phông và bảng mã lạ"
    NESTING = "lồng sâu"
    ACTIONS = "mã và tệp kèm"
    NOT_A_PDF = "không phải PDF"
    TRUNCATED = "bị cắt"
    FLIPPED = "byte bị đổi"
    RANGES = "đoạn mất hoặc lặp"
    OBJECTS = "đối tượng bị đảo"
    NUMBERS = "số bị sửa"


@dataclass(frozen=True, slots=True)
class Hostile:
    """One file; make gives its bytes, the same ones each time. may_build: a book may be left of it."""

    harm: Harm
    name: str
    make: Callable[[], bytes]
    may_build: bool = False


def always(content: bytes) -> Callable[[], bytes]:
    """For bytes that are there already."""
    return lambda: content
