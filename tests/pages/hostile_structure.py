"""PDFs whose structure is hostile: tables, trees, references, boxes."""

from __future__ import annotations

from functools import partial

from tests.pages.harm import Made, always
from tests.pages.raw_pdf import A4, CONTENTS, FONT_OBJECT, PAGE, TREE, document, lines, one_page, pages, stream


def broken_tables() -> Made:
    """Cross-reference tables and trailers."""
    good = one_page()
    at = good.index(b"xref\n0")
    for name, start in (("đầu tệp", 0), ("ngoài tệp", 10**9), ("âm", -5), ("lệch một", at + 1), ("rất xa", 2**63)):
        yield f"startxref {name}", always(good[: good.rindex(b"startxref")] + b"startxref\n%d\n%%%%EOF" % start)
    yield "không bảng", always(document([b"<</Type/Catalog/Pages 2 0 R>>"], table=False))
    yield "không trailer", always(good[: good.index(b"trailer")])
    yield "Prev về chính nó", always(one_page(trailer=b"/Root 1 0 R/Prev %d" % at))
    for size in (0, -1, 2**31, 10**12):
        yield f"Size {size}", always(good.replace(b"/Size 6", b"/Size %d" % size))
    yield "bảng quá lớn", always(good.replace(b"xref\n0 6", b"xref\n0 99999999"))
    yield "Root là trang", always(one_page(trailer=b"/Root 3 0 R"))
    yield "Root vắng", always(one_page(trailer=b""))
    yield "Root là chính nó", always(one_page(replaced={1: b"1 0 R"}))
    for widths in (b"[1 2 1]", b"[8 8 8]", b"[0 0 0]", b"[99999999 9 9]", b"[-1 -1 -1]"):
        table = stream(b"\1\0\x10\0" * 50, b"/Type/XRef/Size 7/Root 1 0 R/Index[0 99999999]/W" + widths)
        head = b"%PDF-1.7\n"
        yield (
            f"dòng bảng {widths.decode()}",
            always(head + b"6 0 obj" + table + b"\nendobj\nstartxref\n%d\n%%%%EOF" % len(head)),
        )


def object_streams() -> Made:
    """Objects kept in streams."""
    inner = b"3 0 5 80 <</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R>>          <<>>"
    for name, entries, data in (
        ("N quá lớn", b"/N 99999999/First 9", inner),
        ("N âm", b"/N -1/First 9", inner),
        ("First ngoài", b"/N 2/First 99999999", inner),
        ("First âm", b"/N 2/First -9", inner),
        ("mở rộng chính nó", b"/N 2/First 9/Extends 6 0 R", inner),
        ("số đối tượng sai", b"/N 2/First 9", b"99999999 -5 6 7 " + inner),
        ("rỗng", b"/N 2/First 9", b""),
        ("chứa chính nó", b"/N 1/First 4", b"6 0 <</Type/ObjStm>>"),
        ("rác", b"/N 2/First 9", bytes(range(256)) * 20),
    ):
        holder = stream(data, b"/Type/ObjStm" + entries)
        yield name, always(one_page(extra=[holder], replaced={PAGE: b"null"}))
        yield f"{name}, nén hỏng", always(one_page(extra=[holder.replace(b"x\xda", b"x\0")], replaced={TREE: b"null"}))


def encrypted() -> Made:
    """Encryption that nobody can undo."""
    standard = b"<</Filter/Standard/V %d/R %d/Length %d/P -44/O(%b)/U(%b)>>"
    for version, revision, length in (
        (1, 2, 40),
        (2, 3, 128),
        (4, 4, 128),
        (5, 6, 256),
        (99, 99, 9_999_999),
        (2, 3, -8),
    ):
        owner, user = b"o" * 32, b"u" * 32
        entry = standard % (version, revision, length, owner, user)
        yield (
            f"khoá lạ V{version} R{revision} {length}",
            always(one_page(extra=[entry], trailer=b"/Root 1 0 R/Encrypt 6 0 R/ID[(a)(b)]")),
        )
    yield "bộ lọc lạ", always(one_page(extra=[b"<</Filter/La>>"], trailer=b"/Root 1 0 R/Encrypt 6 0 R"))
    yield "Encrypt là chính nó", always(one_page(trailer=b"/Root 1 0 R/Encrypt 7 0 R", extra=[b"null", b"7 0 R"]))


def recursions() -> Made:
    """What refers to itself."""
    form = b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X %d 0 R/Y %d 0 R>>>>"
    draw = stream(b"/X Do " * 10)
    yield "trang là cha của nó", always(pages(b"2 0 R", 1))
    yield "cây vòng", always(pages(b"6 0 R", 9, extra=[b"<</Type/Pages/Kids[2 0 R 3 0 R]/Count 9/Parent 2 0 R>>"]))
    yield "cha vòng", always(one_page(replaced={TREE: b"<</Type/Pages/Kids[3 0 R]/Count 1/Parent 2 0 R>>"}, box=b""))
    yield (
        "khung tự vẽ",
        always(one_page(draw, resources=b"/XObject<</X 6 0 R>>", extra=[stream(b"/X Do", form % (6, 6))])),
    )
    yield (
        "hai khung vẽ nhau",
        always(
            one_page(
                draw,
                resources=b"/XObject<</X 6 0 R>>",
                extra=[stream(b"/X Do /Y Do", form % (7, 7)), stream(b"/X Do /Y Do", form % (6, 6))],
            )
        ),
    )
    for depth in (6, 9, 20):
        laughing = [stream(b"/X Do /Y Do " * 5, form % (number + 1, number + 1)) for number in range(6, 6 + depth)]
        last = stream(lines(3), b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</Font<</F1 5 0 R>>>>")
        yield (
            f"khung nhân mười, {depth} tầng",
            always(one_page(draw, resources=b"/XObject<</X 6 0 R>>", extra=[*laughing, last])),
        )
    glyphs = (
        b"<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[.1 0 0 .1 0 0]/FirstChar 65/LastChar 65/Widths[9]"
    )
    glyphs += b"/Encoding<</Differences[65/a]>>/CharProcs<</a 6 0 R>>/Resources<</Font<</F1 5 0 R>>>>>>"
    yield (
        "chữ vẽ bằng chính nó",
        always(
            one_page(
                stream(b"BT /F1 20 Tf 60 700 Td (AAAA) Tj ET"),
                extra=[stream(b"9 0 d0 BT /F1 1 Tf (AA) Tj ET")],
                replaced={FONT_OBJECT: glyphs},
            )
        ),
    )
    for name, font in (
        (
            "phông con là chính nó",
            b"<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/DescendantFonts[5 0 R]>>",
        ),
        ("mô tả là chính nó", b"<</Type/Font/Subtype/TrueType/BaseFont/A/FontDescriptor 5 0 R/FontFile2 5 0 R>>"),
        ("ToUnicode là nội dung", b"<</Type/Font/Subtype/Type1/BaseFont/A/ToUnicode 4 0 R>>"),
        ("mã hoá là chính nó", b"<</Type/Font/Subtype/Type1/BaseFont/A/Encoding 5 0 R/Differences 5 0 R>>"),
        ("phông là chính nó", b"5 0 R"),
    ):
        yield name, always(one_page(replaced={FONT_OBJECT: font}))
    yield "nội dung là mảng của nó", always(one_page(replaced={CONTENTS: b"[4 0 R 4 0 R 4 0 R]"}))
    yield "nội dung là trang", always(one_page(replaced={CONTENTS: b"3 0 R"}))
    yield "độ dài là chính nó", always(one_page(b"<</Length 4 0 R>>stream\n" + lines(9) + b"endstream"))
    yield (
        "mục lục vòng",
        always(one_page(catalog=b"/Outlines 6 0 R", extra=[b"<</First 6 0 R/Last 6 0 R/Next 6 0 R/Count 9>>"])),
    )
    yield "cây tên vòng", always(one_page(catalog=b"/Names<</Dests 6 0 R>>", extra=[b"<</Kids[6 0 R 6 0 R]>>"]))


def boxes() -> Made:
    """Pages of impossible size or place."""
    for box in (
        "[0 0 9000000 9000000]", "[0 0 1e30 1e30]", "[0 0 1 1]", "[0 0 0 0]", "[0 0 0.0001 842]", "[595 842 0 0]",
        "[-595 -842 0 0]", "[0 0 -1 -1]", "[nan nan nan nan]", "[0 0 inf inf]", "[]", "[0 0]", "[(a) (b) (c) (d)]",
        "null", "[1 2 3 4 5 6 7 8]", "[0 0 595 99999]", "[0 0 3001 842]", "[2147483647 0 -2147483648 842]",
    ):  # fmt: skip
        yield f"MediaBox {box}", always(one_page(box=b"/MediaBox" + box.encode()))
    for name, more in (
        ("CropBox ngoài trang", b"/CropBox[9000 9000 9500 9500]"),
        ("CropBox rỗng", b"/CropBox[10 10 10 10]"),
        ("xoay 45", b"/Rotate 45"),
        ("xoay 2^31", b"/Rotate 2147483648"),
        ("UserUnit lớn", b"/UserUnit 1000000"),
        ("UserUnit âm", b"/UserUnit -3"),
    ):
        yield name, always(one_page(box=b"/MediaBox" + A4 + more))


def page_counts() -> Made:
    """Page trees that lie."""
    for count in (0, -1, 10**6, 2**31 - 1, 2**40):
        yield f"khai {count} trang", always(pages(b"3 0 R", count))
    for kids in (4_500, 200_000):
        yield f"{kids} lần một trang", partial(_one_page_often, kids)
    shared = [
        b"<</Type/Pages/Parent 2 0 R/Count %d/Kids[%b]>>" % (10 ** (6 - n), b"%d 0 R " % (7 + n) * 10) for n in range(5)
    ]
    leaf = b"<</Type/Pages/Parent 2 0 R/Count 10/Kids[" + b"3 0 R " * 10 + b"]>>"
    yield "triệu trang dùng chung", always(pages(b"6 0 R", 10**6, extra=[*shared, leaf]))
    yield "con vắng", always(pages(b"77 0 R 78 0 R 79 0 R", 3))
    yield "con không phải trang", always(pages(b"5 0 R 4 0 R 1 0 R", 3))
    yield "Kids là số", always(one_page(replaced={TREE: b"<</Type/Pages/Kids 5/Count 5>>"}))
    yield "không Kids", always(one_page(replaced={TREE: b"<</Type/Pages/Count 5>>"}))


def _one_page_often(times: int) -> bytes:
    return pages(b"3 0 R " * times, times)
