"""Personal data is masked before a question is stored or leaves the machine."""

from __future__ import annotations

import re

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_PHONE = re.compile(r"(?<![\d.,])(?:\+?84|0)[ .-]?[35789](?:[ .-]?\d){8}(?![\d])")
_LANDLINE = re.compile(r"(?<![\d.,])0?2\d{1,2}[ .-]\d{3,4}[ .-]?\d{4}(?!\d)")
_CITIZEN_ID = re.compile(r"(?<![\d.,])0\d{11}(?!\d)")
_INSURANCE = re.compile(r"(?<!\w)[A-Z]{2}[ -]?\d(?:[ -]?\d){12}(?!\d)")
_CUED_NUMBER = re.compile(
    r"(?i)(?<!\w)((?:cccd|cmnd|cmt|căn cước(?: công dân)?|chứng minh(?: nhân dân| thư)?|can cuoc|chung minh|mã (?:bn|bệnh nhân|"
    r"ba|bệnh án|hồ sơ|hsba|y tế)|ma (?:bn|benh nhan|ba|benh an|ho so)|số (?:bệnh án|hồ sơ|vào viện|bhyt|thẻ bhyt)|so (?:benh an|"
    r"ho so|bhyt)|bhyt|hsba|mrn|pid|sđt|sdt|điện thoại|dien thoai|đt)\s*(?:số|so|là|la)?\s*[:.#-]?\s*)"
    r"([A-Z]{0,4}[ -]?\d[\d .-]{3,}\d)"
)
_NAME_WORD = r"[A-ZÀ-ỸĐ][a-zà-ỹđ]*"
_NAME = re.compile(
    r"(?<!\w)((?:[Bb]ệnh nhân|[Nn]gười bệnh|BN|[Tt]ên(?: là)?|[Hh]ọ tên(?: là)?|[Hh]ọ và tên|[Ôô]ng|[Bb]à|[Aa]nh|[Cc]hị|[Cc]háu|"
    rf"[Bb]é|[Cc]ô|[Cc]hú)\s*:?\s+)({_NAME_WORD}(?:\s+{_NAME_WORD}){{1,4}})"
)

PHONE, EMAIL, IDENTITY, RECORD, NAME = "[số điện thoại]", "[email]", "[số định danh]", "[mã hồ sơ]", "[họ tên]"
_MASKS = "|".join(re.escape(mask) for mask in (PHONE, EMAIL, IDENTITY, RECORD))
_NAME_BESIDE = re.compile(rf"{_NAME_WORD}(?:\s+{_NAME_WORD}){{1,4}}(?=\s*[,;:(–-]?\s*(?:{_MASKS}))")


def mask_personal_data(text: str) -> str:
    """The text with phone numbers, e-mail, identity, insurance and record numbers, and names, replaced.

    A name is masked where it follows a word for a person, or stands right beside another masked item; drug
    names, doses and laboratory values stay: a bare number is masked only by its shape or beside its cue.
    """
    text = _EMAIL.sub(EMAIL, text)
    text = _CUED_NUMBER.sub(_mask_cued, text)
    text = _INSURANCE.sub(IDENTITY, text)
    text = _CITIZEN_ID.sub(IDENTITY, text)
    text = _PHONE.sub(PHONE, text)
    text = _LANDLINE.sub(PHONE, text)
    text = _NAME.sub(lambda m: m.group(1) + NAME, text)
    return _NAME_BESIDE.sub(NAME, text)


def _mask_cued(match: re.Match[str]) -> str:
    cue = match.group(1).lower()
    if any(word in cue for word in ("sđt", "sdt", "điện thoại", "dien thoai", "đt")):
        return match.group(1) + PHONE
    if any(word in cue for word in ("cccd", "cmnd", "cmt", "căn cước", "can cuoc", "chứng minh", "chung minh", "bhyt")):
        return match.group(1) + IDENTITY
    return match.group(1) + RECORD
