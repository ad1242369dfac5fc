"""PDFs that carry something: deep nesting, scripts, files; and files that only pretend to be PDFs."""

from __future__ import annotations

import random
import zipfile
from functools import partial
from io import BytesIO

from tests.pages.harm import Made, always
from tests.pages.raw_pdf import one_page, packed_zeros, stream
from tests.pages.raw_pdf import raw_stream as raw


def nestings() -> Made:
    """Arrays in arrays in arrays."""
    for depth in (1_000, 100_000, 1_000_000):
        yield f"mảng trong mảng {depth}", partial(_arrays, depth)
    yield "từ điển trong từ điển", lambda: one_page(page=b"/X" + b"<</A" * 100_000 + b" 1" + b">>" * 100_000)
    yield "mảng không đóng", lambda: one_page(page=b"/X" + b"[" * 500_000)
    yield "chuỗi trong chuỗi", lambda: one_page(page=b"/X" + b"(" * 500_000 + b")" * 500_000)
    yield "mảng trong nội dung", lambda: one_page(stream(b"[" * 1_000_000 + b"] TJ"))
    yield "từ điển trong nội dung", lambda: one_page(stream(b"/A " + b"<</B " * 300_000 + b">> BDC"))
    yield "mảng trong trailer", lambda: one_page(trailer=b"/Root 1 0 R/X" + b"[" * 200_000 + b"]" * 200_000)
    yield (
        "tham chiếu nối đuôi",
        lambda: one_page(extra=[b"%d 0 R" % (number + 7) for number in range(50_000)], page=b"/X 6 0 R"),
    )
    yield "tên dài", lambda: one_page(page=b"/" + b"A" * 3_000_000 + b" 1")
    yield "số dài", lambda: one_page(page=b"/X " + b"9" * 1_000_000)


def _arrays(depth: int) -> bytes:
    return one_page(page=b"/X" + b"[" * depth + b"]" * depth)


def actions() -> Made:
    """Scripts, programs and files inside."""
    for name, action in (
        ("JavaScript", b"<</S/JavaScript/JS(while(1){app.alert('x')})>>"),
        ("Launch", b"<</S/Launch/F(/bin/sh)/Win<</F(cmd.exe)/P(/c calc)>>>>"),
        ("URI", b"<</S/URI/URI(file:///etc/passwd)>>"),
        ("SubmitForm", b"<</S/SubmitForm/F(http://127.0.0.1:1/)>>"),
        ("GoToR", b"<</S/GoToR/F(\\\\\\\\127.0.0.1\\\\x)/D[0/Fit]>>"),
        ("nối vòng", b"<</S/Named/N/NextPage/Next 6 0 R>>"),
    ):
        yield name, always(one_page(catalog=b"/OpenAction 6 0 R", page=b"/AA<</O 6 0 R>>", extra=[action]))
    files = b"/Names<</EmbeddedFiles<</Names[(a)6 0 R]>>>>"
    yield (
        "tệp kèm",
        always(one_page(catalog=files, extra=[b"<</Type/Filespec/F(a.exe)/EF<</F 7 0 R>>>>", stream(b"MZ" * 999)])),
    )
    yield (
        "tệp kèm là bom",
        lambda: one_page(
            catalog=files,
            extra=[b"<</Type/Filespec/F(a)/EF<</F 7 0 R>>>>", raw(packed_zeros(300), b"/Filter/FlateDecode")],
        ),
    )
    yield (
        "XFA",
        always(
            one_page(
                catalog=b"/AcroForm<</XFA 6 0 R/Fields[]>>",
                extra=[stream(b"<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>")],
            )
        ),
    )
    yield "dòng ở tệp ngoài", always(one_page(b"<</Length 0/F(/etc/passwd)>>stream\n\nendstream"))
    yield "ảnh ở tệp ngoài", always(
        one_page(
            stream(b"/X Do"), resources=b"/XObject<</X 6 0 R>>",
            extra=[b"<</Type/XObject/Subtype/Image/Width 9/Height 9/Length 0/F(http://127.0.0.1:1/)>>stream\n\nendstream"],
        )
    )  # fmt: skip


def pretenders() -> Made:
    """Files of another kind."""
    yield "rỗng", always(b"")
    yield "một byte", always(b"%")
    yield "toàn NUL", always(bytes(100_000))
    yield "NUL rồi PDF", always(bytes(2_000) + one_page())
    yield "NUL xen giữa", always(b"\0".join(bytes((byte,)) for byte in one_page()))
    yield "HTML", always(b"<!doctype html><title>x</title>" * 50)
    yield "HTML có %PDF-", always(b"<!doctype html><!-- %PDF-1.7 --><script>alert(1)</script>")
    yield "PNG có %PDF-", always(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR%PDF-1.4" + random.Random(3).randbytes(5_000))
    yield "JPEG", always(b"\xff\xd8\xff\xe0" + random.Random(4).randbytes(5_000))
    yield "ZIP", lambda: _zip("a.txt", b"x" * 5_000)
    yield "ZIP chứa PDF", lambda: _zip("%PDF-1.7", one_page())
    yield "DOCX đổi đuôi", lambda: _zip("word/document.xml", b"<w:document/>")
    yield "văn bản", always("Dược thư Quốc gia".encode() * 500)
    yield "UTF-16", always(one_page().decode("latin-1").encode("utf-16"))
    yield "chỉ đầu đề", always(b"%PDF-1.7\n")
    yield "đầu đề rồi rác", always(b"%PDF-1.7\n" + random.Random(5).randbytes(100_000))
    yield "đầu đề lạ", always(one_page().replace(b"%PDF-1.7", b"%PDF-9.999999999999"))
    yield "PostScript", always(b"%!PS-Adobe-3.0\n%%PDF-\n{loop} loop\n" * 20)
    yield "ELF", always(b"\x7fELF" + bytes(5_000))


def _zip(name: str, content: bytes) -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), content)
    return made.getvalue()
