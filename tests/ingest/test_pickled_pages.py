"""What a page process hands back is what it read: lines and spans pickle by their own fields, none forgotten."""

from __future__ import annotations

import pickle
from dataclasses import fields

from ingest.blocks import Line
from ingest.domain import Finding, FindingKind
from ingest.lines import Span
from monographs.domain import Box


def test_a_line_comes_back_whole() -> None:
    box = Box(3, 42, 100, 289, 112)
    spans = (Span("Liều ", True, False), Span("thường dùng", False, True))
    line = Line(box, spans, 9.5, 110.0, 1.5, 2.5, 1.2, 1, (Finding(FindingKind.TABLE, 3, box),))
    values = [getattr(line, field.name) for field in fields(line)]
    assert len({repr(value) for value in values}) == len(values)
    assert pickle.loads(pickle.dumps(line, pickle.HIGHEST_PROTOCOL)) == line
