"""PDFs whose contents are hostile: bombs, endless drawing, fonts, and nothing to read."""

from __future__ import annotations

import random
import zlib
from functools import partial

from tests.pages.harm import Made, always
from tests.pages.raw_pdf import FONT_OBJECT, lines, one_page, packed_zeros, pages, stream
from tests.pages.raw_pdf import raw_stream as raw


def bombs() -> Made:
    """Little data that unpack to much, and pictures."""
    for megabytes in (50, 200, 800):
        yield f"nội dung {megabytes} MB", partial(_bomb, megabytes)
    for depth in (2, 3, 4):
        yield f"nén {depth} lần", partial(_nested, depth)
    yield "chữ lặp 100 MB", lambda: one_page(raw(zlib.compress((TEXT_UNIT * 1_000_000), 9), b"/Filter/FlateDecode"))
    yield "ký tự lạ 50 MB", lambda: one_page(raw(packed_zeros(50, filling=b"("), b"/Filter/FlateDecode"))
    yield "RunLength", lambda: one_page(raw(bytes((129, 32)) * 2_000_000, b"/Filter/RunLengthDecode"))
    yield "LZW rác", lambda: one_page(raw(random.Random(1).randbytes(200_000), b"/Filter/LZWDecode"))
    yield (
        "ASCIIHex rồi nén",
        lambda: one_page(raw(packed_zeros(100, filling=b"2"), b"/Filter[/FlateDecode/ASCIIHexDecode]")),
    )
    yield (
        "ASCII85 rồi nén",
        lambda: one_page(raw(packed_zeros(100, filling=b"z"), b"/Filter[/FlateDecode/ASCII85Decode]")),
    )
    yield "nghìn bộ lọc", lambda: one_page(raw(b"41" * 999, b"/Filter[" + b"/ASCIIHexDecode" * 1000 + b"]"))
    for columns in (1, 99_999_999, -1):
        parameters = (
            b"/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns %d/Colors 99/BitsPerComponent 16>>" % columns
        )
        yield f"Predictor {columns} cột", partial(_bomb, 20, parameters)
    for name, image in (
        ("ảnh 60000 x 60000", b"/Width 60000/Height 60000/ColorSpace/DeviceRGB/BitsPerComponent 8"),
        ("ảnh 2^31", b"/Width 2147483647/Height 2147483647/ColorSpace/DeviceGray/BitsPerComponent 1"),
        ("ảnh âm", b"/Width -1/Height -1/ColorSpace/DeviceCMYK/BitsPerComponent 32"),
    ):
        picture = raw(packed_zeros(20), b"/Type/XObject/Subtype/Image/Filter/FlateDecode" + image)
        yield (
            name,
            always(one_page(stream(b"600 0 0 800 0 0 cm /X Do"), resources=b"/XObject<</X 6 0 R>>", extra=[picture])),
        )
    for kind in ("JBIG2Decode", "JPXDecode", "CCITTFaxDecode", "DCTDecode"):
        picture = raw(
            random.Random(kind).randbytes(5000),
            b"/Type/XObject/Subtype/Image/Width 9999/Height 9999/ColorSpace/DeviceGray/BitsPerComponent 1/Filter/"
            + kind.encode(),
        )
        yield (
            f"ảnh {kind} rác",
            always(one_page(stream(b"600 0 0 800 0 0 cm /X Do"), resources=b"/XObject<</X 6 0 R>>", extra=[picture])),
        )
    yield (
        "ảnh trong dòng",
        lambda: one_page(stream(b"q BI /W 60000 /H 60000 /BPC 8 /CS /RGB ID " + b"x" * 999 + b" EI Q")),
    )
    yield (
        "dòng đối tượng 300 MB",
        lambda: one_page(extra=[raw(packed_zeros(300), b"/Type/ObjStm/N 2/First 9/Filter/FlateDecode")]),
    )


TEXT_UNIT = b"BT /F1 11 Tf 60 700 Td (Thuoc 250 mg) Tj ET "


def _bomb(megabytes: int, filters: bytes = b"/Filter/FlateDecode") -> bytes:
    return one_page(raw(packed_zeros(megabytes), filters))


def _nested(depth: int) -> bytes:
    data = packed_zeros(200)
    for _ in range(depth - 1):
        data = zlib.compress(data, 9)
    return one_page(raw(data, b"/Filter[" + b"/FlateDecode" * depth + b"]"))


def operators() -> Made:
    """Contents that never end."""
    for name, unit, times in (
        ("đường thẳng", b"0 0 m 9 9 l S ", 1_000_000),
        ("một đường dài", b"%d %d l " % (5, 7), 2_000_000),
        ("khung chữ nhật", b"10 10 50 50 re f ", 500_000),
        ("đường cong", b"1 2 3 4 5 6 c ", 700_000),
        ("cắt", b"0 0 9 9 re W n ", 500_000),
        ("q không Q", b"q ", 3_000_000),
        ("Q không q", b"Q ", 3_000_000),
        ("cm", b"2 0 0 2 0 0 cm ", 1_000_000),
        ("chữ", TEXT_UNIT, 200_000),
        ("BT không ET", b"BT ", 2_000_000),
        ("nét đứt", b"[" + b"1 " * 1000 + b"] 0 d ", 2_000),
        ("chuỗi không đóng", b"(abc", 500_000),
        ("ngoặc lồng", b"((a)", 500_000),
        ("ảnh không kết thúc", b"BI ID x ", 300_000),
        ("toán hạng thừa", b"1 ", 5_000_000),
        ("lệnh lạ", b"zz ", 2_000_000),
        ("chữ nhỏ vô cùng", b"BT /F1 .0000001 Tf (abc) Tj ET ", 100_000),
        ("phông lạ", b"BT /F%d 9 Tf (abc) Tj ET " % 77, 200_000),
    ):
        yield name, partial(_repeated, unit, times)
    grid = b"".join(b"%d 0 m %d 842 l S 0 %d m 595 %d l S " % (n, n, n, n) for n in range(590))
    yield "lưới kẻ dày", always(one_page(stream(grid * 4 + lines(40))))


def _repeated(unit: bytes, times: int) -> bytes:
    return one_page(stream(b"0 0 m " + unit * times))


def textless() -> Made:
    """Nothing that can be read."""
    for count in (1, 3, 60):
        yield (
            f"{count} trang trống",
            always(pages(b"6 0 R " * count, count, extra=[b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>"])),
        )
    picture = stream(
        bytes(range(256)) * 64,
        b"/Type/XObject/Subtype/Image/Width 128/Height 128/ColorSpace/DeviceGray/BitsPerComponent 8",
    )
    scan = one_page(stream(b"595 0 0 842 0 0 cm /X Do"), resources=b"/XObject<</X 6 0 R>>", extra=[picture])
    yield "ảnh quét", always(scan)
    yield "chữ ẩn", always(one_page(stream(b"3 Tr " + lines(50))))
    yield (
        "chữ ẩn trên ảnh",
        always(
            one_page(
                stream(b"q 595 0 0 842 0 0 cm /X Do Q 3 Tr " + lines(50)),
                resources=b"/XObject<</X 6 0 R>>",
                extra=[picture],
            )
        ),
    )
    yield "chữ trắng", always(one_page(stream(b"1 g " + lines(50))))
    yield "chữ ngoài trang", always(one_page(stream(b"1 0 0 1 5000 5000 cm " + lines(50))))
    yield "chữ cắt hết", always(one_page(stream(b"0 0 0 0 re W n " + lines(50))))
    yield "chữ ngược", always(one_page(stream(b"-1 0 0 -1 595 842 cm " + lines(50))))
    yield "chữ bẹp", always(one_page(stream(b"0 0 0 0 0 0 cm " + lines(50))))
    yield "chữ thường", always(one_page(stream(lines(60))))


def fonts() -> Made:
    """Fonts and their code tables."""
    simple = b"<</Type/Font/Subtype/TrueType/BaseFont/A/FirstChar 32/LastChar 126/ToUnicode 6 0 R%b>>"
    double = b"<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/ToUnicode 6 0 R/DescendantFonts[7 0 R]>>"
    child = b"<</Type/Font/Subtype/CIDFontType2/BaseFont/A/CIDSystemInfo<</Registry(A)/Ordering(B)/Supplement 0>>%b>>"
    cmap = b"begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange %b endcmap"
    for name, rules in (
        ("dải mã 2^32", b"1 beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange"),
        ("nghìn dải mã", b"beginbfrange " + b"<0000> <FFFF> <0041> " * 1000 + b"endbfrange"),
        ("chữ thành 100 nghìn chữ", b"beginbfchar <41> <" + b"0042" * 100_000 + b"> endbfchar"),
        ("triệu mã", b"beginbfchar " + b"<0041> <0042> " * 1_000_000 + b"endbfchar"),
        ("dải ngược", b"beginbfrange <FFFF> <0000> <0041> endbfrange"),
        ("mã rỗng", b"beginbfchar <> <> endbfchar beginbfrange <> <> <> endbfrange"),
        ("nửa cặp thay thế", b"beginbfrange <0000> <00FF> <D800> endbfrange"),
        ("dùng chính nó", b"/A usecmap /A usecmap"),
        ("không kết thúc", b"beginbfchar " + b"<41> " * 100_000),
    ):
        for kind, font in (("đơn", simple % b""), ("kép", double)):
            yield (
                f"{name}, phông {kind}",
                always(one_page(extra=[stream(cmap % rules), child % b""], replaced={FONT_OBJECT: font})),
            )
    yield (
        "triệu độ rộng",
        lambda: one_page(
            extra=[stream(cmap % b""), child % (b"/W[" + b"1[500]" * 300_000 + b"]")], replaced={FONT_OBJECT: double}
        ),
    )
    yield (
        "triệu Differences",
        lambda: one_page(
            replaced={FONT_OBJECT: simple % (b"/Encoding<</Differences[1 " + b"/a " * 500_000 + b"]>>")},
            extra=[stream(b"")],
        ),
    )
    for key in ("FontFile", "FontFile2", "FontFile3"):
        descriptor = b"/FontDescriptor<</Type/FontDescriptor/FontName/A/Flags 4/%b 7 0 R>>" % key.encode()
        program = stream(random.Random(key).randbytes(60_000), b"/Length1 99999999/Subtype/Type1C")
        yield f"{key} rác", always(one_page(extra=[stream(b""), program], replaced={FONT_OBJECT: simple % descriptor}))
    for size in (b"1e30", b"-11", b"0", b"99999999999999999999"):
        yield (
            f"cỡ chữ {size.decode()}",
            always(one_page(stream(b"BT /F1 %b Tf 60 700 Td (Thuoc 250 mg) Tj ET " % size * 50))),
        )
