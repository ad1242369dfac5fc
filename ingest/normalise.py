"""From a font's codes to Unicode: legacy letters, private glyphs, ligatures, NFC. No repair touches a digit."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

# TCVN 5712:1993 (VN3), the single-byte code of the ".Vn" fonts.
TCVN3_LETTERS = dict(
    zip(
        "µ¸¶·¹¨»¾¼½Æ©ÇÊÈÉË®ÌÐÎÏÑªÒÕÓÔÖ×ÝØÜÞßãáâä«åèæçé¬êíëìîïóñòô\u00adõøö÷ùúýûüþ¡¢§£¤¥¦",
        "àáảãạăằắẳẵặâầấẩẫậđèéẻẽẹêềếểễệìíỉĩịòóỏõọôồốổỗộơờớởỡợùúủũụưừứửữựỳýỷỹỵĂÂĐÊÔƠƯ",
        strict=True,
    )
)
LEGACY_FONT = re.compile(r"^\.?Vn[A-Z]")
LEGACY_CAPITALS = re.compile(r"^\.?Vn\w*H\b")
# Codes that Latin text never puts between letters, but TCVN3 does all the time.
TCVN3_SIGNS = frozenset("¸¹»¼¾©ª«¬®¨µ¶·\u00ad")
TCVN3_MIN_SIGNS = 3

SYMBOL_FONT = re.compile(r"symbol", re.IGNORECASE)
# The Symbol font's own encoding; its digits are left out on purpose: a private glyph never becomes a digit.
SYMBOL_GLYPHS: dict[int, str] = {
    0x20: " ", 0x25: "%", 0x28: "(", 0x29: ")", 0x2B: "+", 0x2D: "−", 0x2F: "/", 0x3C: "<", 0x3D: "=", 0x3E: ">",
    0x41: "Α", 0x42: "Β", 0x43: "Χ", 0x44: "Δ", 0x45: "Ε", 0x46: "Φ", 0x47: "Γ", 0x48: "Η", 0x49: "Ι", 0x4B: "Κ",
    0x4C: "Λ", 0x4D: "Μ", 0x4E: "Ν", 0x4F: "Ο", 0x50: "Π", 0x51: "Θ", 0x52: "Ρ", 0x53: "Σ", 0x54: "Τ", 0x55: "Υ",
    0x57: "Ω", 0x58: "Ξ", 0x59: "Ψ", 0x5A: "Ζ", 0x61: "α", 0x62: "β", 0x63: "χ", 0x64: "δ", 0x65: "ε", 0x66: "φ",
    0x67: "γ", 0x68: "η", 0x69: "ι", 0x6B: "κ", 0x6C: "λ", 0x6D: "µ", 0x6E: "ν", 0x6F: "ο", 0x70: "π", 0x71: "θ",
    0x72: "ρ", 0x73: "σ", 0x74: "τ", 0x75: "υ", 0x77: "ω", 0x78: "ξ", 0x79: "ψ", 0x7A: "ζ", 0xA3: "≤", 0xA5: "∞",
    0xAB: "↔", 0xAC: "←", 0xAD: "↑", 0xAE: "→", 0xAF: "↓", 0xB0: "°", 0xB1: "±", 0xB3: "≥", 0xB4: "×", 0xB7: "•",
    0xB8: "÷", 0xB9: "≠", 0xBA: "≡", 0xBB: "≈", 0xD2: "®", 0xD3: "©", 0xD4: "™", 0xD6: "√", 0xE2: "®", 0xE3: "©",
    0xE4: "™",
}  # fmt: skip
BULLET_FONT = re.compile(r"wingdings|webdings|dingbats", re.IGNORECASE)
BULLET_GLYPHS = frozenset({0x6C, 0x6E, 0x71, 0x75, 0x76, 0x9F, 0xA7, 0xA8, 0xB7, 0xD8, 0xFC})

LIGATURES = {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl", "\ufb05": "st"}
UNRESOLVED = "\ufffd"
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff\u200b\u200e\u200f\ufeff]")
ORDINAL_DEGREE = re.compile(r"º(?=\s?[CFK]\b)|(?<=\d)º|(?<=\d )º")


class Repair(StrEnum):
    """What a repair did; the value is its Vietnamese name on the staff pages."""

    LEGACY = "giải mã TCVN3"
    GLYPH = "giải mã ký hiệu riêng của phông"
    LIGATURE = "tách chữ ghép"
    SOFT_HYPHEN = "bỏ gạch nối mềm"
    COMPOSED = "dựng sẵn dấu (NFC)"
    ETH = "Ð thành Đ"
    DEGREE = "º thành °"


@dataclass(frozen=True, slots=True)
class FontDecoder:
    """How one font's codes on one page become Unicode."""

    legacy: bool = False
    capitals: bool = False
    symbol: bool = False
    bullets: bool = False

    def decode(self, code: str) -> tuple[str, Repair | None]:
        """One code to text, and the repair that was needed. U+FFFD where it cannot be resolved."""
        if "\x20" < code < "\x7f":
            return (code.upper() if self.capitals else code, None)
        if self.legacy:
            letter = TCVN3_LETTERS.get(code)
            if letter:
                return (letter.upper() if self.capitals else letter, Repair.LEGACY)
            return (code if code <= "\x7f" or code > "\xff" else UNRESOLVED, None)
        if "\ue000" <= code <= "\uf8ff":
            return self._private(ord(code) & 0xFF)
        ligature = LIGATURES.get(code)
        return (ligature, Repair.LIGATURE) if ligature else (code, None)

    def _private(self, code: int) -> tuple[str, Repair | None]:
        if self.symbol and code in SYMBOL_GLYPHS:
            return (SYMBOL_GLYPHS[code], Repair.GLYPH)
        if self.bullets and code in BULLET_GLYPHS:
            return ("•", Repair.GLYPH)
        return (UNRESOLVED, None)


PLAIN = FontDecoder()


def choose_decoder(font: str, codes: Counter[str]) -> FontDecoder:
    """Decide from a font's name and from the codes it shows on one page."""
    if SYMBOL_FONT.search(font):
        return FontDecoder(symbol=True)
    if BULLET_FONT.search(font):
        return FontDecoder(bullets=True)
    if is_legacy(font, codes):
        return FontDecoder(legacy=True, capitals=bool(LEGACY_CAPITALS.match(font)))
    return PLAIN


def is_legacy(font: str, codes: Counter[str]) -> bool:
    """Named like a TCVN3 font, or showing TCVN3's letters in bulk; never where true Vietnamese letters occur."""
    if any("\u0300" <= code <= "\u0340" or "\u1ea0" <= code <= "\u1eff" or code in "đĐơƠưƯăĂ" for code in codes):
        return False
    if LEGACY_FONT.match(font):
        return True
    signs = sum(count for code, count in codes.items() if code in TCVN3_SIGNS)
    kinds = sum(1 for code in codes if code in TCVN3_SIGNS)
    letters = sum(count for code, count in codes.items() if code.isalpha())
    return kinds >= TCVN3_MIN_SIGNS and signs * 12 >= letters > 0


def is_mojibake(text: str) -> bool:
    """Whether legacy letters were left among ASCII ones ("m¹ch")."""
    return bool(re.search(r"[A-Za-z][¸¹»¼¾©ª«¬®¨¶](?=[a-z]|\b)|[¸¹»¼¾©ª«¬®¨¶][a-z]", text))


def compose(text: str) -> tuple[str, tuple[Repair, ...]]:
    """The repairs of whole words: soft hyphens, NFC, Ð to Đ, º to °, control codes."""
    repairs: list[Repair] = []
    for repair, change in _CHANGES:
        changed = change(text)
        if changed != text:
            repairs.append(repair)
            text = changed
    return (text, tuple(repairs))


def _soft_hyphens(text: str) -> str:
    return text.replace("\u00ad", "")


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", CONTROL.sub("", text))


def _eth(text: str) -> str:
    return text.replace("Ð", "Đ").replace("ð", "đ")


def _degree(text: str) -> str:
    return ORDINAL_DEGREE.sub("°", text)


_CHANGES = (
    (Repair.SOFT_HYPHEN, _soft_hyphens),
    (Repair.COMPOSED, _nfc),
    (Repair.ETH, _eth),
    (Repair.DEGREE, _degree),
)
