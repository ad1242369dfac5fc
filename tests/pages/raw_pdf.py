"""Writes PDFs object by object, so that anything in them can be wrong."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence

A4 = b"[0 0 595 842]"
FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Times-Roman/Encoding/WinAnsiEncoding>>"
TEXT = b"BT /F1 11 Tf 60 %d Td (Thuoc duoc hap thu nhanh, nong do dinh dat sau 1 - 2 gio, uong 250 mg.) Tj ET\n"
# The numbers that one_page() and pages() give their objects.
CATALOG, TREE, PAGE, CONTENTS, FONT_OBJECT, EXTRA = range(1, 7)


def stream(data: bytes, entries: bytes = b"", *, packed: bool = True) -> bytes:
    """A stream object; packed: deflated."""
    if packed:
        data, entries = zlib.compress(data, 9), b"/Filter/FlateDecode" + entries
    return b"<</Length %d%b>>stream\n%b\nendstream" % (len(data), entries, data)


def raw_stream(data: bytes, entries: bytes) -> bytes:
    """A stream whose filters the caller has applied and names."""
    return stream(data, entries, packed=False)


def document(
    objects: Sequence[bytes], *, trailer: bytes = b"/Root 1 0 R", header: bytes = b"%PDF-1.7\n", table: bool = True
) -> bytes:
    """Objects numbered from 1, with their cross-reference table or without one."""
    body, places = bytearray(header), []
    for number, content in enumerate(objects, start=1):
        places.append(len(body))
        body += b"%d 0 obj%b\nendobj\n" % (number, content)
    start = len(body)
    if table:
        body += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
        body += b"".join(b"%010d 00000 n \n" % place for place in places)
    return bytes(body) + b"trailer<</Size %d%b>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, start)


def one_page(
    contents: bytes | None = None,
    *,
    page: bytes = b"",
    box: bytes = b"/MediaBox" + A4,
    resources: bytes = b"",
    extra: Sequence[bytes] = (),
    replaced: Mapping[int, bytes] | None = None,
    trailer: bytes = b"/Root 1 0 R",
    catalog: bytes = b"",
) -> bytes:
    """A PDF of one page with a line of text, or the contents given (a whole stream object); extra: objects 6, 7…"""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R%b>>" % catalog,
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R%b/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>%b>>%b>>" % (box, resources, page),
        contents or stream(lines(30)),
        FONT,
        *extra,
    ]
    for number, content in (replaced or {}).items():
        objects[number - 1] = content
    return document(objects, trailer=trailer)


def pages(kids: bytes, count: int, *, extra: Sequence[bytes] = ()) -> bytes:
    """A PDF whose page tree says what the caller wants; object 3 is a page."""
    return one_page(replaced={TREE: b"<</Type/Pages/Kids[%b]/Count %d>>" % (kids, count)}, extra=extra)


def lines(count: int) -> bytes:
    """So many lines of text, one below the other."""
    return b"".join(TEXT % (780 - 12 * number) for number in range(count))


def packed_zeros(megabytes: int, *, filling: bytes = b" ") -> bytes:
    """The deflated form of so many megabytes of the same byte."""
    packer = zlib.compressobj(9)
    block = filling * 2**20
    return b"".join(packer.compress(block) for _ in range(megabytes)) + packer.flush()
