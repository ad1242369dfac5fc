"""Personal data is masked before a question is stored or leaves the machine."""

from __future__ import annotations

import re

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_PHONE = re.compile(r"(?<![\d.,])(?:\+?84|0)[ .-]?[35789](?:[ .-]?\d){8}(?![\d])")
_LANDLINE = re.compile(r"(?<![\d.,])0?2\d{1,2}[ .-]\d{3,4}[ .-]?\d{4}(?!\d)")
_CITIZEN_ID = re.compile(r"(?<![\d.,])0\d{11}(?!\d)")
_INSURANCE = re.compile(r"(?<!\w)[A-Z]{2}[ -]?\d(?:[ -]?\d){12}(?!\d)")
PHONE, EMAIL, IDENTITY, RECORD, NAME = "[số điện thoại]", "[email]", "[số định danh]", "[mã hồ sơ]", "[họ tên]"
_CUES = {
    PHONE: "sđt|sdt|điện thoại|dien thoai|đt",
    IDENTITY: "cccd|cmnd|cmt|căn cước(?: công dân)?|can cuoc|chứng minh(?: nhân dân| thư)?|chung minh|bhyt"
    "|số (?:thẻ )?bhyt|so bhyt",
    RECORD: "mã (?:bn|bệnh nhân|ba|bệnh án|hồ sơ|hsba|y tế)|ma (?:bn|benh nhan|ba|benh an|ho so)"
    "|số (?:bệnh án|hồ sơ|vào viện)|so (?:benh an|ho so)|hsba|mrn|pid",
}
_CUED_NUMBERS = {
    mask: re.compile(rf"(?i)(?<!\w)((?:{cues})\s*(?:số|so|là|la)?\s*[:.#-]?\s*)[A-Z]{{0,4}}[ -]?\d[\d .-]{{3,}}\d")
    for mask, cues in _CUES.items()
}
_LATIN = [chr(code) for code in range(0x41, 0x1F00) if chr(code).isalpha() and (code < 0x250 or code >= 0x1E00)]
_UPPER, _LOWER = "".join(filter(str.isupper, _LATIN)), "".join(filter(str.islower, _LATIN))
_NAME_WORD = f"(?<![^\\W_])[{_UPPER}][{_LOWER}]*"
_PERSON = "bệnh nhân|người bệnh|bn|tên(?: là)?|họ tên(?: là)?|họ và tên|ông|bà|anh|chị|cháu|bé|cô|chú"
_NAME = re.compile(rf"(?<!\w)((?i:{_PERSON})\s*:?\s+)({_NAME_WORD}(?:\s+{_NAME_WORD}){{1,4}})")

_MASKS = "|".join(re.escape(mask) for mask in (PHONE, EMAIL, IDENTITY, RECORD))
_NAME_BESIDE = re.compile(rf"{_NAME_WORD}(?:\s+{_NAME_WORD}){{1,4}}(?=\s*[,;:(–-]?\s*(?:{_MASKS}))")


def mask_personal_data(text: str) -> str:
    """The text with phone numbers, e-mail, identity, insurance and record numbers, and names, replaced.

    A name is masked where it follows a word for a person, or stands right beside another masked item; drug
    names, doses and laboratory values stay: a bare number is masked only by its shape or beside its cue.
    """
    text = _EMAIL.sub(EMAIL, text)
    for mask, pattern in _CUED_NUMBERS.items():
        text = pattern.sub(rf"\g<1>{mask}", text)
    text = _INSURANCE.sub(IDENTITY, text)
    text = _CITIZEN_ID.sub(IDENTITY, text)
    text = _PHONE.sub(PHONE, text)
    text = _LANDLINE.sub(PHONE, text)
    text = _NAME.sub(lambda m: m.group(1) + NAME, text)
    return _NAME_BESIDE.sub(NAME, text)
