"""The book's section headings, in every spelling seen, found on their own line, run in, or glued to a sentence."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ingest.lines import Span
from monographs.domain import SectionKey

# Rules over folded text (letters only, no accents): one pattern for all spellings of a heading.
HEADING_RULES: dict[SectionKey, str] = {
    SectionKey.TEN_CHUNG_QUOC_TE: r"tenchungquocte",
    SectionKey.MA_ATC: r"ma(?:atc|act)",
    SectionKey.LOAI_THUOC: r"loaithuoc",
    SectionKey.DANG_THUOC_HAM_LUONG: r"dang(?:thuoc|baoche)(?:va)?hamluong",
    SectionKey.DUOC_LY_CO_CHE: r"duocl[yi](?:hoc)?(?:va)?cochetacdung|tacdungduocl[yi]",
    SectionKey.CHI_DINH: r"(?:congdung(?:va)?)?chidinh(?:chongchidinh|lieudung)?",
    SectionKey.CHONG_CHI_DINH: r"chongchidinh",
    SectionKey.THAN_TRONG: r"(?:canhbao(?:va)?)?thantrong(?:khisudung)?",
    SectionKey.MANG_THAI: r"thoik[yi]mangthai",
    SectionKey.CHO_CON_BU: r"thoik[yi]choconbu",
    SectionKey.ADR: r"tacdung(?:khongmongmuon(?:adr)?|phu)",
    SectionKey.XU_TRI_ADR: r"huongdan(?:cach)?xutri(?:adr)?",
    SectionKey.LIEU_DUNG: r"lieu(?:luong|dung)(?:va)?cach(?:su)?dung|cachdung(?:va)?lieu(?:luong|dung)",
    SectionKey.TUONG_TAC: r"tuongtac(?:thuoc)?",
    SectionKey.BAO_QUAN: r"(?:doondinh(?:va)?)?baoquan",
    SectionKey.TUONG_KY: r"tuongk[yi]",
    SectionKey.QUA_LIEU: r"[qo]ualieu(?:captinh|mantinh)?(?:va(?:cach)?xutri)?",
    SectionKey.QUY_CHE: r"thongtin(?:va)?qu[yi]che",
    SectionKey.TEN_THUONG_MAI: r"tenthuongmai",
}
_ANY_HEADING = re.compile("|".join(f"(?P<{key.value}>{rule})" for key, rule in HEADING_RULES.items()))
LONGEST = 60  # characters of the longest heading as printed, with stray spaces
OPENING = frozenset({SectionKey.TEN_CHUNG_QUOC_TE, SectionKey.MA_ATC, SectionKey.LOAI_THUOC})
SENTENCE_END = re.compile(r"[.;:!?)\]][\"”’]?\s*$")
# Headings whose bold was lost can only be trusted when a colon follows them ("B01AA07.Loại thuốc:").
# A sub-head set on the heading's own line, in the same bold: "Liều lượng và cách dùng Cách dùng:".
SUB_HEAD = re.compile(
    r"^(.{4,60}?)\s+((?:Cách dùng|Liều dùng|Liều lượng|Dược lực học|Dược động học|Cơ chế tác dụng)\s*:?)\s*$"
)
RUN_IN = re.compile(r"^\s*([^.;:!?]{4,60}):")
GLUED = re.compile(r"(?<=[.;:!?)\]])\s?(?=(?:Tên|Mã|Loại|Dạng|Dang)\s)([^.;:!?]{4,60}):")
GLUED_AT_END = re.compile(r"(?<=[^\W\d][.;:!?)\]])(?=\w)([^.;:!?]{4,60})$")


@dataclass(frozen=True, slots=True)
class HeadingFound:
    """A heading in a line: what comes before it, the heading as printed, what follows it."""

    key: SectionKey
    before: tuple[Span, ...]
    heading: str
    after: tuple[Span, ...]
    guessed: bool = False


@lru_cache(maxsize=1 << 16)
def fold_heading(text: str) -> str:
    """Letters only, lower case, without accents: "Độ ổn định" and "Ð ộ  ổn đ ịnh**" alike."""
    text = text.lower().replace("đ", "d").replace("ð", "d")
    return "".join(letter for letter in unicodedata.normalize("NFD", text) if "a" <= letter <= "z")


def match_heading(text: str) -> SectionKey | None:
    """The section a text is the heading of, and nothing else."""
    if len(text) > LONGEST:
        return None
    match = _ANY_HEADING.fullmatch(fold_heading(text))
    return SectionKey(match.lastgroup) if match and match.lastgroup else None


def find_heading(spans: Sequence[Span], before: str) -> HeadingFound | None:
    """The first heading in a line. before: the text above it, to know whether a sentence has ended."""
    for index, span in enumerate(spans):
        if not span.bold:
            continue
        lead = "".join(item.text for item in spans[:index])
        if lead.strip() and not SENTENCE_END.search(lead):
            continue
        found = _bold_heading(spans, index)
        if found is not None:
            return found
    return _plain_heading(spans, before)


def _bold_heading(spans: Sequence[Span], index: int) -> HeadingFound | None:
    """The longest run of spans from index, bold ones by weight of letters, that is a heading."""
    best: HeadingFound | None = None
    text = ""
    letters = bold = 0
    for end in range(index, len(spans)):
        span = spans[end]
        count = sum(1 for letter in span.text if letter.isalpha())
        cut = _until_colon(span.text) if not span.bold else span.text
        text += cut
        letters, bold = letters + count, bold + count * span.bold
        if len(text) > LONGEST + 30:
            break
        if 2 * bold < letters:
            continue
        heading, sub_head = _split_sub_head(text)
        key = match_heading(heading)
        if key is not None and sub_head:
            rest_of_line = (Span(sub_head, span.bold, span.italic), *spans[end + 1 :])
            return HeadingFound(key, tuple(spans[:index]), heading, rest_of_line)
        if key is not None and _may_follow(text, span, cut, spans[end + 1 :]):
            rest = span.text[len(cut) :]
            after = (*((Span(rest, span.bold, span.italic),) if rest.strip() else ()), *spans[end + 1 :])
            best = HeadingFound(key, tuple(spans[:index]), text.strip(), _trimmed(after))
    return best


def _split_sub_head(text: str) -> tuple[str, str]:
    """A heading and the sub-head after it; ("…", "") where there is none."""
    match = None if match_heading(text) else SUB_HEAD.match(text)
    return (match.group(1).strip(), match.group(2)) if match else (text, "")


def _until_colon(text: str) -> str:
    """Of a plain span only a colon at its head still belongs to the heading."""
    match = re.match(r"\s*:", text)
    return match.group() if match else text


def _may_follow(heading: str, span: Span, cut: str, after: Sequence[Span]) -> bool:
    """A bold word that a sentence simply goes on from ("Thận trọng khi dùng…") is no heading."""
    rest = span.text[len(cut) :] + "".join(item.text for item in after)
    rest = rest.strip()
    if not rest or heading.rstrip().endswith(":") or rest.startswith(":"):
        return True
    return not rest[0].islower() and rest[0] not in ",;.)"


def _trimmed(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """Without a colon and spaces at the head."""
    if not spans:
        return ()
    first = spans[0].text.lstrip(" :")
    rest = spans[1:]
    return (Span(first, spans[0].bold, spans[0].italic), *rest) if first else _trimmed(rest)


def _plain_heading(spans: Sequence[Span], before: str) -> HeadingFound | None:
    """A heading whose bold was lost: alone on its line after a sentence's end, or glued with a colon."""
    text = "".join(span.text for span in spans)
    key = match_heading(text)
    after_sentence = not before or SENTENCE_END.search(before)
    if key is not None and after_sentence and text.strip()[:1].isupper() and text.rstrip()[-1:] not in ".,;":
        return HeadingFound(key, (), text.strip(), (), guessed=True)
    run_in = RUN_IN.match(text)
    if run_in is not None and match_heading(run_in.group(1)) in OPENING:
        found = match_heading(run_in.group(1))
        assert found is not None
        return HeadingFound(found, (), run_in.group(1), cut_spans(spans, run_in.end()), guessed=True)
    for match in [*GLUED.finditer(text), *GLUED_AT_END.finditer(text)]:
        key = match_heading(match.group(1))
        if key is not None:
            lead, rest = cut_spans(spans, 0, match.start()), cut_spans(spans, match.end())
            return HeadingFound(key, lead, match.group().strip(), rest, guessed=True)
    return None


def cut_spans(spans: Sequence[Span], start: int, end: int | None = None) -> tuple[Span, ...]:
    """The spans of a stretch of the line, by character positions, without space around."""
    total = sum(len(span.text) for span in spans)
    end = total if end is None else end
    cut, at = [], 0
    for span in spans:
        text = span.text[max(0, start - at) : max(0, end - at)]
        at += len(span.text)
        if text:
            cut.append(Span(text, span.bold, span.italic))
    return _trimmed(tuple(cut)) if start else tuple(cut)
