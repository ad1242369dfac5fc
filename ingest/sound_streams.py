"""Whether the compressed data of a page is whole: its checksum holds, and it does not break off.

Extractors are lenient: of a damaged stream they use what they can, and a lost line or a wrong digit goes unnoticed.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

from pypdf.filters import ASCII85Decode, ASCIIHexDecode
from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject, NullObject, StreamObject

LARGEST = 256 * 2**20
MAX_DEPTH = 8
DEFLATED = frozenset({"/FlateDecode", "/Fl"})
FONT_PARTS = ("/ToUnicode", "/Encoding", "/DescendantFonts", "/FontDescriptor", "/FontFile", "/FontFile2", "/FontFile3")
CONTENTS, FONT, FORM = "nội dung trang bị hỏng", "phông chữ bị hỏng", "khung vẽ bị hỏng"


def broken_streams(page: DictionaryObject, known: dict[int, bool]) -> Iterator[str]:
    """What of a page's contents, its fonts' code tables and its forms is broken. known: objects looked at before."""
    contents = _get(page, "/Contents")
    parts = list(contents) if isinstance(contents, ArrayObject) else [page.get("/Contents")]
    if not all(_is_sound(part, known) for part in parts):
        yield CONTENTS
    yield from _broken_resources(_resources(page), known, 0)


def _broken_resources(resources: Any, known: dict[int, bool], depth: int) -> Iterator[str]:
    if not all(_is_sound_font(font, known) for font in _values(_get(resources, "/Font"))):
        yield FONT
    for form in _values(_get(resources, "/XObject")):
        found = form.get_object()
        if not isinstance(found, StreamObject) or found.get("/Subtype") != "/Form":
            continue
        if isinstance(form, IndirectObject) and form.idnum in known:
            if not known[form.idnum]:
                yield FORM
            continue
        if not _is_sound(form, known):
            yield FORM
        if depth < MAX_DEPTH:
            yield from _broken_resources(_get(found, "/Resources"), known, depth + 1)


def _is_sound_font(font: Any, known: dict[int, bool]) -> bool:
    key = font.idnum if isinstance(font, IndirectObject) else None
    if key is None or key not in known:
        sound = _tells_its_letters(font.get_object(), known)
        if key is None:
            return sound
        known[key] = sound
    return known[key]


def _tells_its_letters(font: Any, known: dict[int, bool]) -> bool:
    """Whether all is there that tells which letters the font's codes mean, and whole."""
    if not isinstance(font, DictionaryObject) or "/Subtype" not in font:
        return False
    below = _get(font, "/DescendantFonts")
    described = [font, *(part.get_object() for part in below)] if isinstance(below, ArrayObject) else [font]
    holders = [*described, *(_get(part, "/FontDescriptor") for part in described)]
    parts = [_raw(holder, key) for holder in holders for key in FONT_PARTS]
    return all(_is_there(part) and _is_sound(part, known) for part in parts)


def _is_there(part: Any) -> bool:
    """False for a reference to nothing."""
    return not isinstance(part, IndirectObject) or not isinstance(part.get_object(), NullObject | None)


def _is_sound(part: Any, known: dict[int, bool]) -> bool:
    """A reference or a stream; what is no stream is sound."""
    key = part.idnum if isinstance(part, IndirectObject) else None
    if key is not None and key in known:
        return known[key]
    found = part.get_object() if part is not None else None
    sound = not isinstance(found, StreamObject) or is_whole(found._data, _filters(found))  # noqa: SLF001 - as stored
    if key is not None:
        known[key] = sound
    return sound


def is_whole(data: bytes, filters: list[str]) -> bool:
    """Whether stored data can be unpacked to its end; filters without a checksum, and empty data, are not judged."""
    if not data.strip():
        return True
    for name in filters:
        if name in DEFLATED:
            unpacked = _inflated(data)
            if unpacked is None:
                return False
            data = unpacked
        elif name in {"/ASCII85Decode", "/A85"}:
            data = ASCII85Decode.decode(data)
        elif name in {"/ASCIIHexDecode", "/AHx"}:
            data = bytes(ASCIIHexDecode.decode(data))
        else:
            break
    return True


def _inflated(data: bytes) -> bytes | None:
    unpacker = zlib.decompressobj()
    try:
        unpacked = unpacker.decompress(data, LARGEST)
    except zlib.error:
        return None
    return unpacked if unpacker.eof else None


def _filters(found: StreamObject) -> list[str]:
    named = _get(found, "/Filter")
    return [str(name.get_object()) for name in named] if isinstance(named, ArrayObject) else [str(named)]


def _resources(page: DictionaryObject) -> Any:
    node: Any = page
    for _ in range(MAX_DEPTH):
        if _get(node, "/Resources") is not None:
            return _get(node, "/Resources")
        node = _get(node, "/Parent")
    return None


def _values(holder: Any) -> list[Any]:
    return [holder.raw_get(key) for key in holder] if isinstance(holder, DictionaryObject) else []


def _raw(holder: Any, key: str) -> Any:
    return holder.raw_get(key) if isinstance(holder, DictionaryObject) and key in holder else None


def _get(holder: Any, key: str) -> Any:
    value = holder.get(key) if isinstance(holder, DictionaryObject) else None
    return value.get_object() if value is not None else None
