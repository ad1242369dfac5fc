"""Titles: bold capitals, wrapped, letter-spaced or split by kerning, with synonyms in brackets and a subtitle."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ingest.blocks import Item, Line
from ingest.headings import find_heading, fold_heading, match_heading
from monographs.domain import SectionKey

CAPITALS = 0.85  # share of a title's letters, outside brackets
LARGER = 1.08  # of the page's usual size: a title that is not bold must be larger
FIRST_LETTERS = 16
MAX_TITLE_LINES = 4
MAX_EXTRA_LINES = 3  # synonyms and subtitle between a title and its first heading
OPENING = frozenset(
    {
        SectionKey.TEN_CHUNG_QUOC_TE,
        SectionKey.MA_ATC,
        SectionKey.LOAI_THUOC,
        SectionKey.DANG_THUOC_HAM_LUONG,
        SectionKey.DUOC_LY_CO_CHE,
    }
)
OPEN_BRACKET = re.compile(r"\([^()]*\)?")  # closed, or on the next line
BRACKETS = re.compile(r"\(([^()]*)\)")


@dataclass(frozen=True, slots=True)
class TitleFound:
    """A drug's title: how many lines it takes, with synonyms and subtitle."""

    lines: int
    title: str
    subtitle: str
    synonyms: tuple[str, ...]


def is_title_line(line: Line, body_size: float, *, fewest: int = 3) -> bool:
    """Whether a line looks like (a part of) a title: capitals, bold or larger than the text."""
    return is_capitals(line, fewest=fewest) and (is_bold(line) or line.size >= LARGER * body_size)


def is_capitals(line: Line, *, fewest: int = 3) -> bool:
    """So many capitals outside brackets, and no heading or sentence."""
    text = line.text.strip()
    if sum(map(str.islower, text[:FIRST_LETTERS])) > FIRST_LETTERS / 2 and "(" not in text[:FIRST_LETTERS]:
        return False  # nearly every line ends here
    if match_heading(text.partition(":")[0]) is not None or text.endswith((":", ".", ";", ",")) or len(text) > 120:
        return False
    letters = [letter for letter in OPEN_BRACKET.sub("", text) if letter.isalpha()]
    return len(letters) >= fewest and sum(letter.isupper() for letter in letters) >= CAPITALS * len(letters)


def is_bold(line: Line) -> bool:
    """By majority of its letters."""
    bold = sum(len(span.text) for span in line.spans if span.bold)
    return 2 * bold > sum(len(span.text) for span in line.spans)


def find_title(items: Sequence[Item], body_size: float) -> TitleFound | None:
    """The drug title that starts at the first item: capitals, then at once the first heading.

    Where bold is lost and titles are no larger than the text, only the very first heading makes capitals a title.
    """
    count = _title_lines(items, body_size)
    plain = count == 0
    count = 1 if plain and isinstance(items[0], Line) and is_capitals(items[0]) else count
    if count == 0:
        return None
    extra: list[str] = []
    for item in items[count : count + MAX_EXTRA_LINES + 1]:
        if not isinstance(item, Line):
            return None
        heading = find_heading(item.spans, ".")
        if heading is not None and not heading.before:
            opens = heading.key is SectionKey.TEN_CHUNG_QUOC_TE or (heading.key in OPENING and not plain)
            return _title(items[:count], extra) if opens else None
        if plain or len(extra) == MAX_EXTRA_LINES or len(item.text) > 90:
            return None
        extra.append(item.text.strip())
    return None


def _title_lines(items: Sequence[Item], body_size: float) -> int:
    count = 0
    for item in items[:MAX_TITLE_LINES]:
        if not isinstance(item, Line):
            break
        inside_bracket = count > 0 and _opens_bracket(items[count - 1]) and ")" in item.text and is_bold(item)
        if not (inside_bracket or is_title_line(item, body_size, fewest=1 if count else 3)):
            break
        if count and not _goes_on(items[count - 1], item):
            break
        count += 1
    return count


def _opens_bracket(item: Item) -> bool:
    return isinstance(item, Line) and item.text.rfind("(") > item.text.rfind(")")


def _goes_on(before: Item, line: Line) -> bool:
    return isinstance(before, Line) and abs(before.size - line.size) <= 0.05 * line.size


def _title(lines: Sequence[Item], extra: list[str]) -> TitleFound:
    title = join_title([item.text.strip() for item in lines if isinstance(item, Line)])
    bracketed = [text for text in extra if text.startswith("(")]
    others = [text for text in extra if not text.startswith("(")]
    synonyms = [part for text in [title, *bracketed] for part in _bracket_parts(text)]
    return TitleFound(len(lines) + len(extra), title, " ".join(others), tuple(synonyms))


def _bracket_parts(text: str) -> list[str]:
    return [part.strip() for inner in BRACKETS.findall(text) for part in re.split(r"[;,]", inner) if part.strip()]


def join_title(parts: list[str]) -> str:
    """Wrapped lines as one; a hyphen at a line's end stays, without a space."""
    joined = ""
    for part in parts:
        joined += part if not joined or joined.endswith("-") else f" {part}"
    return re.sub(r"\s+", " ", joined)


def mend_title(title: str, text: str) -> str:
    """Join what kerning split ("V ANCOMYCIN", "A B A C A V I R"), when the monograph's text has the whole word."""
    words = {fold_heading(word) for word in re.findall(r"[^\W_]+", text)}
    tokens = title.split(" ")
    mended: list[str] = []
    at = 0
    while at < len(tokens):
        end = next((end for end in range(len(tokens), at + 1, -1) if _is_split(tokens[at:end], words)), at + 1)
        mended.append("".join(tokens[at:end]))
        at = end
    return " ".join(mended)


def _is_split(tokens: list[str], words: set[str]) -> bool:
    if not all(token.isalpha() for token in tokens):
        return False
    whole = fold_heading("".join(tokens))
    return whole in words and not all(fold_heading(token) in words and len(token) > 1 for token in tokens)
