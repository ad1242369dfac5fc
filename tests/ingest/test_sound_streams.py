"""Whether compressed data are whole."""

from __future__ import annotations

import zlib

import pytest

from ingest.sound_streams import is_whole

PACKED = zlib.compress(b"uong 250 mg, ngay 2 lan")


@pytest.mark.parametrize(
    ("data", "filters", "whole"),
    [
        (PACKED, ["/FlateDecode"], True),
        (PACKED + b"\r\n", ["/FlateDecode"], True),
        (zlib.compress(PACKED), ["/FlateDecode", "/FlateDecode"], True),
        (PACKED.hex().encode() + b">", ["/ASCIIHexDecode", "/Fl"], True),
        (PACKED[:-1] + bytes((PACKED[-1] ^ 1,)), ["/FlateDecode"], False),
        (PACKED[:9], ["/FlateDecode"], False),
        (zlib.compress(PACKED[:9]), ["/FlateDecode", "/FlateDecode"], False),
        (b"", ["/FlateDecode"], True),
        (b"anything", ["/LZWDecode"], True),
        (b"anything", [], True),
    ],
    ids=[
        "sound",
        "with a line end",
        "packed twice",
        "in hexadecimal",
        "wrong checksum",
        "breaks off",
        "breaks off inside",
        "empty",
        "no checksum",
        "plain",
    ],
)
def test_compressed_data_are_whole_or_not(data: bytes, filters: list[str], whole: bool) -> None:
    assert is_whole(data, filters) is whole
