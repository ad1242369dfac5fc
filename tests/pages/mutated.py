"""The bundled sample damaged in every way, always the same ones: a few of its pages, and the whole of it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from functools import cache
from io import BytesIO

from pypdf import PdfReader, PdfWriter
from pypdf.generic import ContentStream, DecodedStreamObject, NameObject

from ingest.library import bundled_sample
from tests.pages.harm import Harm, Hostile

FIRST, LAST = 13, 22  # PDF pages of the excerpt: monographs from the middle of one to the middle of another
OBJECT = re.compile(rb"^\d+ 0 obj\b.*?^endobj\b", re.DOTALL | re.MULTILINE)
NUMBER = re.compile(rb"\d+")
TIMES = 12
WHOLE_TIMES = 3

Damage = Callable[[bytes, random.Random], bytes]


@cache
def excerpt() -> bytes:
    """A few pages of the sample as a PDF of their own, which parses as a small book."""
    return _written(PdfReader(bundled_sample()).pages[FIRST - 1 : LAST])


def mutated() -> Iterator[Hostile]:
    """Damaged copies: what of them still is a book may be built."""
    for harm, name, damage in DAMAGES:
        for number in range(TIMES):
            yield Hostile(harm, f"{name} {number + 1}", _damaged(excerpt, damage, f"{name} {number}"), may_build=True)
        for number in range(WHOLE_TIMES):
            make = _damaged(lambda: bundled_sample().read_bytes(), damage, f"{name} {number}")
            yield Hostile(harm, f"{name} {number + 1}, cả cuốn", make, may_build=True)
    yield from _locked()
    for name, change in (
        ("một trang trống", lambda: with_blanks(6)),
        ("bốn trang trống", lambda: with_blanks(1, 4, 7, 10)),
        ("nội dung thiếu một nửa", lambda: with_half_a_page(5)),
        ("phông bị ghi đè", without_a_font),
    ):
        yield Hostile(Harm.RANGES, name, change, may_build=True)


def _damaged(source: Callable[[], bytes], damage: Damage, seed: str) -> Callable[[], bytes]:
    return lambda: damage(source(), random.Random(seed))


def _truncate(content: bytes, source: random.Random) -> bytes:
    return content[: source.randrange(len(content))]


def _flip_few(content: bytes, source: random.Random) -> bytes:
    return _flip(content, source, source.choice((1, 3, 10)))


def _flip_many(content: bytes, source: random.Random) -> bytes:
    return _flip(content, source, source.choice((100, 1_000, 10_000)))


def _flip(content: bytes, source: random.Random, times: int) -> bytes:
    changed = bytearray(content)
    for _ in range(times):
        changed[source.randrange(len(changed))] ^= 1 << source.randrange(8)
    return bytes(changed)


def _delete(content: bytes, source: random.Random) -> bytes:
    start = source.randrange(len(content))
    return content[:start] + content[start + source.choice((1, 100, 10_000)) :]


def _duplicate(content: bytes, source: random.Random) -> bytes:
    start = source.randrange(len(content))
    end = start + source.choice((1, 100, 10_000))
    return content[:end] + content[start:end] + content[end:]


def _swap(content: bytes, source: random.Random) -> bytes:
    """Two objects change places but keep each other's numbers."""
    found = list(OBJECT.finditer(content))
    one, other = sorted(source.sample(found, 2), key=lambda match: match.start())
    bodies = [match.group().partition(b"obj")[2] for match in (one, other)]
    heads = [match.group().partition(b"obj")[0] + b"obj" for match in (one, other)]
    return (
        content[: one.start()] + heads[0] + bodies[1] + content[one.end() : other.start()]
        + heads[1] + bodies[0] + content[other.end() :]
    )  # fmt: skip


def _drop_object(content: bytes, source: random.Random) -> bytes:
    found = source.choice(list(OBJECT.finditer(content)))
    return content[: found.start()] + content[found.end() :]


def _alter_numbers(content: bytes, source: random.Random) -> bytes:
    """Numbers of one page's content stream, position and size among them, written anew."""
    reader = PdfReader(BytesIO(content))
    writer = PdfWriter()
    changed = source.randrange(len(reader.pages))
    for index, page in enumerate(reader.pages):
        copy = writer.add_page(page)
        if index == changed:
            data = page.get_contents().get_data()  # type: ignore[union-attr]
            fresh = DecodedStreamObject()
            fresh.set_data(_other_numbers(data, source))
            copy[NameObject("/Contents")] = writer._add_object(fresh.flate_encode())
    return _bytes_of(writer)


def _other_numbers(data: bytes, source: random.Random) -> bytes:
    share = source.choice((0.002, 0.05, 1.0))

    def other(match: re.Match[bytes]) -> bytes:
        return b"%d" % source.randrange(10 ** len(match.group())) if source.random() < share else match.group()

    return NUMBER.sub(other, data)


DAMAGES: tuple[tuple[Harm, str, Damage], ...] = (
    (Harm.TRUNCATED, "bị cắt", _truncate),
    (Harm.FLIPPED, "vài byte", _flip_few),
    (Harm.FLIPPED, "nhiều byte", _flip_many),
    (Harm.RANGES, "đoạn mất", _delete),
    (Harm.RANGES, "đoạn lặp", _duplicate),
    (Harm.OBJECTS, "đổi chỗ", _swap),
    (Harm.OBJECTS, "mất đối tượng", _drop_object),
    (Harm.NUMBERS, "số trong nội dung", _alter_numbers),
)


def _locked() -> Iterator[Hostile]:
    for name, user, owner, built in (("mật khẩu mở", "bi-mat", "chu", False), ("mật khẩu quyền", "", "chu", True)):
        for algorithm in ("RC4-40", "RC4-128"):
            make = _locking(user, owner, algorithm)
            yield Hostile(Harm.ENCRYPTED, f"{name} {algorithm}", make, may_build=built)


def _locking(user: str, owner: str, algorithm: str) -> Callable[[], bytes]:
    def make() -> bytes:
        writer = PdfWriter(clone_from=BytesIO(excerpt()))
        writer.encrypt(user, owner, algorithm=algorithm)
        return _bytes_of(writer)

    return make


def with_blanks(*numbers: int) -> bytes:
    """The excerpt, some of its pages (from 1) without their content."""
    writer = PdfWriter(clone_from=BytesIO(excerpt()))
    for number in numbers:
        writer.pages[number - 1][NameObject("/Contents")] = ContentStream(None, writer)
    return _bytes_of(writer)


def with_half_a_page(number: int) -> bytes:
    """The excerpt, the compressed content of a page breaking off in the middle, as it does on a bad disk."""
    writer = PdfWriter(clone_from=BytesIO(excerpt()))
    page = writer.pages[number - 1]
    holder = page.get_contents()
    assert holder is not None
    fresh = DecodedStreamObject()
    fresh.set_data(holder.get_data())
    packed = fresh.flate_encode()
    packed._data = packed._data[: len(packed._data) // 2]
    page[NameObject("/Contents")] = writer._add_object(packed)
    return _bytes_of(writer)


def without_a_font() -> bytes:
    """The excerpt, the file of one of its fonts overwritten."""
    content = excerpt()
    start = content.index(b"stream", content.index(b"/Length1")) + 200
    return content[:start] + b"\0" * 400 + content[start + 400 :]


def _written(pages: object) -> bytes:
    writer = PdfWriter()
    for page in pages:  # type: ignore[attr-defined]
        writer.add_page(page)
    return _bytes_of(writer)


def _bytes_of(writer: PdfWriter) -> bytes:
    made = BytesIO()
    writer.write(made)
    return made.getvalue()
