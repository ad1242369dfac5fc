"""Where a line of the book may not break, and which of its words are a run-in label. No character is changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

# A group wider than this would push a narrow column sideways, so it may break after all.
LONGEST_GROUP = 32

_SPACE = "[ \u00a0\u202f]"
_WHOLE = rf"(?:\d{{1,3}}(?:{_SPACE}\d{{3}}(?!\d))+(?:,\d+)?|\d+(?:[.,]\d+)*)"
_NUMBER = rf"{_WHOLE}(?:/{_WHOLE})?[²³⁰¹⁴-⁹]*"
_RANGE = rf"{_NUMBER}(?:(?:{_SPACE}?[-–—−÷]{_SPACE}?|{_SPACE}[:x×]{_SPACE}){_NUMBER})?"
_UNITS = (
    "microgam µg µmol µl CFU UFC microlit nanogam miligam mililit gam gram lít mcg ng mg kg g ml mL dl dL lit l L "
    "triệu nghìn đơn_vị đvqt IU UI U mmol micromol mol nmol mEq mOsm kcal cal mmHg cmH₂O kPa mm cm m² m2 m MBq kDa "
    "giờ phút giây ngày tuần tháng năm tuổi lần liều viên nang gói ống lọ giọt nhát thìa muỗng người "
    "% ‰ °C ºC ° ± độ"
)
_UNIT_WORDS = "|".join(re.escape(unit).replace("_", _SPACE) for unit in sorted(_UNITS.split(), key=len, reverse=True))
_UNIT = rf"(?:[°º]{_SPACE}C|{_UNIT_WORDS})(?![^\W\d_])"
_PER = rf"(?:/(?:{_RANGE}{_SPACE})?[^\W\d_]+[²³]?)*"
_GROUP = re.compile(
    rf"(?<![\w.,/])(?:(?:[<>≤≥≈~]|ADR{_SPACE}[<>≤≥]){_SPACE}?)?{_RANGE}(?:{_SPACE}?{_UNIT}{_PER}|/[^\W\d_]+)?(?!\d)"
)
_BREAKS = re.compile(r"[ /–—−-]")
_AFTER_LABEL = re.compile(r"\s*[:.]?\s*")
_LABEL_END = re.compile(r"\s*[:.]?")


def unbreakable_groups(text: str) -> Iterator[tuple[str, bool]]:
    """The text cut into pieces that join to it again; True marks a number with its unit that must not break."""
    at = 0
    for match in _GROUP.finditer(text):
        if not _BREAKS.search(match.group()) or len(match.group()) > LONGEST_GROUP:
            continue
        if match.start() > at:
            yield text[at : match.start()], False
        yield match.group(), True
        at = match.end()
    if at < len(text):
        yield text[at:], False


def split_run_in(text: str, labels: Sequence[str]) -> tuple[str, str]:
    """The labels printed at the head of a passage, with their colon, and the rest; head + rest == text.

    Labels that govern the passage from further up are not in its text and are passed over.
    """
    end = at = 0
    for label in labels:
        if label and text.startswith(label, at):
            end = _match_end(_LABEL_END, text, at + len(label))
            at = _match_end(_AFTER_LABEL, text, at + len(label))
    return text[:end], text[end:]


def inherited_labels(text: str, labels: Sequence[str]) -> tuple[str, ...]:
    """The labels that govern a passage without standing at its own head."""
    at = 0
    inherited = []
    for label in labels:
        if label and text.startswith(label, at):
            at = _match_end(_AFTER_LABEL, text, at + len(label))
        else:
            inherited.append(label)
    return tuple(inherited)


def _match_end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at
