"""The conventions of the sample's text, checked line by line over a source file."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ingest.sample.source import Monograph, SourceError
from ingest.sample.spelling import VIETNAMESE, misspelt

UNITS = "mg|g|kg|ml|lít|microgam|nanogam|mmol|micromol|mEq|giờ|phút|giây|ngày|tuần|tháng|năm|tuổi|lần|viên|đvqt|đơn"
ALLOWED = set(VIETNAMESE + VIETNAMESE.upper() + "°±×≥≤−→⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻₀₁₂₃₄₅₆₇₈₉₊₋") | {chr(n) for n in range(32, 127)}
YEAR = r"(?:19|20)\d\d"


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern that a text must not contain, and what to write instead."""

    pattern: re.Pattern[str]
    advice: str


def _rule(pattern: str, advice: str, flags: int = 0) -> Rule:
    return Rule(re.compile(pattern, flags), advice)


RULES = (
    _rule(r"[µμ]|\bmcg\b|\bug\b", "viết 'microgam'"),
    _rule(r"\b(?:UI|IU|IE)\b|\d U\b", "viết 'đvqt' hoặc 'đơn vị'"),
    _rule(r"\d,\d*0(?!\d)", "bỏ số 0 cuối phần thập phân"),
    _rule(r"(?<![\dA-Za-z])[,.]\d", "thêm số 0 trước dấu phẩy thập phân, hoặc khoảng trắng sau dấu câu"),
    _rule(r"\d\.\d", "dấu thập phân là dấu phẩy, hàng nghìn cách bằng khoảng trắng"),
    _rule(rf"\d(?:(?:{UNITS})(?!\w)|%|°)", "thêm khoảng trắng giữa số và đơn vị"),
    _rule(r"\d[-–−]\d|\d[-–−] |(?<=\d )[-–−]\d", "khoảng số viết ' - ' có khoảng trắng hai bên"),
    _rule(r"–|—", "dùng '-' có khoảng trắng hai bên"),
    _rule(rf"(?<![\dA-Za-z.,])(?!{YEAR}\b)\d{{4,}}", "hàng nghìn cách bằng khoảng trắng"),
    _rule(r"\d (?:mL|L|Kg|MG|cc|h|hr|gam)\b", "đơn vị viết ml, lít, kg, mg, giờ, g"),
    _rule(r" {2}", "bỏ khoảng trắng thừa"),
    _rule(r" [,;.](?!\w)| :(?! \d)(?!\*)|[,;]{2}|\.\.", "bỏ khoảng trắng hoặc dấu câu thừa"),
    _rule(r"[,;][^\W\d_]|[^\W\d_][,;]\d", "thêm khoảng trắng sau dấu câu"),
    _rule(r"o[àáảãạ]\b|o[èéẻẽẹ]\b|(?<!q)u[ỳýỷỹỵ]\b", "đặt dấu kiểu 'hóa, khỏe, tùy'", re.IGNORECASE),
    _rule(r"\bQ\.?D\b|\bb\.?i\.?d\b|\bt\.?i\.?d\b", "viết 'ngày 2 lần'", re.IGNORECASE),
    _rule(r"tác dụng phụ(?! thuộc)", "viết 'tác dụng không mong muốn'", re.IGNORECASE),
    _rule(r"\bbạn\b(?! tình)|\bhãy\b|\bquý khách\b", "văn phong dược thư, không nói với người bệnh", re.IGNORECASE),
)

INN = {
    "amoxicillin": "amoxicilin", "ampicillin": "ampicilin", "penicillin": "penicilin", "cephalexin": "cefalexin",
    "cephalosporine": "cephalosporin", "gentamycin": "gentamicin", "gentamicine": "gentamicin",
    "vancomycine": "vancomycin", "warfarine": "warfarin", "metformine": "metformin", "adrenaline": "adrenalin",
    "epinephrine": "adrenalin", "noradrenaline": "noradrenalin", "albuterol": "salbutamol",
    "acetaminophen": "paracetamol", "acetaminophene": "paracetamol", "phenobarbitone": "phenobarbital",
    "cholestyramine": "colestyramin", "cholestyramin": "colestyramin", "cyclosporin": "ciclosporin",
    "cyclosporine": "ciclosporin", "allopurinol": "alopurinol", "aminophylline": "aminophylin",
    "theophylline": "theophylin", "aminophyllin": "aminophylin", "theophyllin": "theophylin",
    "chlorpromazine": "clorpromazin", "chlorpromazin": "clorpromazin", "chlorpheniramin": "clorpheniramin",
    "chloride": "clorid", "chlorid": "clorid", "hydrochloride": "hydroclorid", "hydrochlorid": "hydroclorid",
    "sulfate": "sulfat", "sulphate": "sulfat", "phosphate": "phosphat", "sodium": "natri", "potassium": "kali",
    "calcium": "calci", "canxi": "calci", "magnesium": "magnesi", "magiê": "magnesi", "insuline": "insulin",
    "methotrexate": "methotrexat", "furosemide": "furosemid", "prednisolone": "prednisolon",
    "dexamethasone": "dexamethason", "nifedipine": "nifedipin", "amlodipine": "amlodipin",
    "digoxine": "digoxin", "heparine": "heparin", "morphine": "morphin", "dopamine": "dopamin",
    "dobutamine": "dobutamin", "fluconazole": "fluconazol", "omeprazole": "omeprazol",
    "metronidazole": "metronidazol", "ciprofloxacine": "ciprofloxacin", "clarithromycine": "clarithromycin",
    "acetylcysteine": "acetylcystein", "spironolactone": "spironolacton", "levothyroxine": "levothyroxin",
    "diazépam": "diazepam", "phenytoine": "phenytoin", "enzyme": "enzym", "glucoza": "glucose",
    "tiêu chảy": "ỉa chảy",
}  # fmt: skip
FOREIGN = re.compile(rf"\b({'|'.join(sorted(INN, key=len, reverse=True))})\b", re.IGNORECASE)
UNCHECKED_SECTIONS = ("== ten_chung_quoc_te", "== ten_thuong_mai")


def broken_conventions(monograph: Monograph) -> list[SourceError]:
    """Every broken convention of the file, with its line."""
    return list(broken_in(monograph.path))


def broken_in(path: Path) -> Iterator[SourceError]:
    """Checks a source file as written; trade names and the international name keep their own spelling."""
    checked = True
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("=="):
            checked = not line.startswith(UNCHECKED_SECTIONS)
        yield from (SourceError(path, number, advice) for advice in _letters(line))
        if checked and not line.startswith(("#", "==", "synonyms:", "title:", "---", "[")):
            yield from (SourceError(path, number, advice) for advice in broken_rules(line))


def _letters(line: str) -> Iterator[str]:
    if not unicodedata.is_normalized("NFC", line):
        yield "chữ có dấu rời: lưu tệp ở dạng NFC"
    elif not line.startswith("#"):
        for char in sorted(set(line) - ALLOWED):
            yield f"ký tự '{char}' (U+{ord(char):04X}) không được dùng"


def broken_rules(line: str) -> Iterator[str]:
    """What is wrong with one line of text."""
    plain = line.replace("*", "").replace("_", "") if not line.count("\\") else line
    for rule in RULES:
        for found in rule.pattern.finditer(plain):
            yield f"'{_around(plain, found)}': {rule.advice}"
    for found in FOREIGN.finditer(plain):
        yield f"'{found[0]}': viết '{INN[found[0].lower()]}'"
    for word in misspelt(plain):
        yield f"'{word}' không phải âm tiết tiếng Việt: sửa chính tả"


def _around(text: str, found: re.Match[str]) -> str:
    return text[max(0, found.start() - 12) : found.end() + 8].strip()
