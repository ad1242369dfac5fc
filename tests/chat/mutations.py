"""False claims made from true passages, one class of falsehood at a time; deterministic for a seed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from chat.domain import DraftClaim, EvidenceBlock
from chat.numbers import numeric_tokens
from monographs.domain import SectionKey


@dataclass(frozen=True, slots=True)
class FalseClaim:
    """A claim that must not pass, with the evidence it is checked against and its class."""

    kind: str
    claim: DraftClaim
    evidence: tuple[EvidenceBlock, ...]


Mutation = Callable[[EvidenceBlock, Sequence[EvidenceBlock], random.Random], str | DraftClaim | None]

_DOSE_UNITS = ["mg", "g", "microgam", "ml", "mg/kg", "mg/kg/ngày", "mg/kg/lần", "g/ngày", "mg/ngày"]
_POPULATIONS = [
    "Người lớn",
    "Trẻ em",
    "Trẻ sơ sinh",
    "Người cao tuổi",
    "Phụ nữ có thai",
    "Người suy thận",
    "Người suy gan",
]
_ROUTES = ["Uống", "Tiêm tĩnh mạch", "Tiêm bắp", "Đặt trực tràng", "Nhỏ mắt", "Khí dung", "Ngậm dưới lưỡi"]
_INVENTED = [
    "ung thư vú",
    "đau nửa đầu",
    "bệnh Parkinson",
    "lupus ban đỏ",
    "loãng xương",
    "trầm cảm",
    "hen phế quản",
    "bệnh gút",
]
_DRUGS = ["Digoxin", "Amiodaron", "Colchicin", "Tacrolimus", "Ketoconazol", "Lithi", "Theophylin"]


def false_claims(blocks: Sequence[EvidenceBlock], *, per_class: int, seed: int = 1) -> Iterator[FalseClaim]:
    """At most per_class claims of each class, from passages drawn at random."""
    for kind, mutate in MUTATIONS.items():
        rng = random.Random(f"{seed}:{kind}")
        made = 0
        for block in rng.sample(list(blocks), len(blocks)):
            mutated = mutate(block, blocks, rng)
            if mutated is None or (isinstance(mutated, str) and mutated == block.text):
                continue
            claim = mutated if isinstance(mutated, DraftClaim) else DraftClaim(mutated, (0,), block.drug.drug_id)
            yield FalseClaim(kind, claim, (block, *_beside(block, blocks)))
            made += 1
            if made == per_class:
                break


def _beside(block: EvidenceBlock, blocks: Sequence[EvidenceBlock]) -> tuple[EvidenceBlock, ...]:
    same = [
        b for b in blocks if b.drug == block.drug and b.section is block.section and b is not block and not b.is_label
    ]
    return tuple(same[:3])


def _replace_token(block: EvidenceBlock, rng: random.Random, change: Callable[[str], str]) -> str | None:
    tokens = [t for t in numeric_tokens(block.text) if t.unit]
    if not tokens:
        return None
    token = rng.choice(tokens)
    piece = block.text[token.start : token.end]
    changed = change(piece)
    mutated = block.text[: token.start] + changed + block.text[token.end :]
    return None if changed == piece else mutated


def _first_number(change: Callable[[str], str]) -> Callable[[str], str]:
    return lambda piece: re.sub(r"\d+(?:,\d+)?", lambda m: change(m.group()), piece, count=1)


def _number(block: EvidenceBlock, _: Sequence[EvidenceBlock], rng: random.Random) -> str | None:
    return _replace_token(block, rng, _first_number(lambda digits: str(int(re.sub(",.*", "", digits)) + 1)))


def _tenfold(block: EvidenceBlock, _: Sequence[EvidenceBlock], rng: random.Random) -> str | None:
    return _replace_token(
        block, rng, _first_number(lambda digits: digits + "0" if "," not in digits else digits.replace(",", ""))
    )


def _decimal(block: EvidenceBlock, _: Sequence[EvidenceBlock], rng: random.Random) -> str | None:
    return _replace_token(
        block,
        rng,
        _first_number(lambda d: d.replace(",", ".") if "," in d else f"0,{d}" if len(d) == 1 else f"{d[0]},{d[1:]}"),
    )


def _range_end(block: EvidenceBlock, _: Sequence[EvidenceBlock], rng: random.Random) -> str | None:
    ranges = [t for t in numeric_tokens(block.text) if " - " in t.text]
    if not ranges:
        return None
    token = rng.choice(ranges)
    piece = block.text[token.start : token.end]
    low, high = token.text.split(" - ", 1)
    return block.text[: token.start] + piece.replace(token.text, rng.choice([low, high])) + block.text[token.end :]


def _unit(block: EvidenceBlock, _: Sequence[EvidenceBlock], rng: random.Random) -> str | None:
    tokens = [t for t in numeric_tokens(block.text) if t.unit in {u.replace(" ", "") for u in _DOSE_UNITS}]
    if not tokens:
        return None
    token = rng.choice(tokens)
    other = rng.choice([unit for unit in _DOSE_UNITS if unit != token.unit])
    return block.text[: token.start] + f"{token.text} {other}" + block.text[token.end :]


def _bound(block: EvidenceBlock, _: Sequence[EvidenceBlock], __: random.Random) -> str | None:
    for old, new in (
        ("tối đa ", ""),
        ("dưới ", "trên "),
        ("ít nhất ", "không quá "),
        ("trên ", "dưới "),
        ("không quá ", ""),
    ):
        found = re.search(rf"\b{old}(?=\d)", block.text)
        if found:
            return block.text[: found.start()] + new + block.text[found.end() :]
    return None


def _number_word(block: EvidenceBlock, _: Sequence[EvidenceBlock], rng: random.Random) -> str | None:
    tail = rng.choice(["gấp đôi liều thường dùng", "giảm một nửa liều", "chia hai lần", "gấp ba liều"])
    words = tail.split()
    return None if all(word in block.text for word in words) else f"{block.text.rstrip('.')}, {tail}."


def _population(block: EvidenceBlock, _: Sequence[EvidenceBlock], rng: random.Random) -> str | None:
    if block.section is not SectionKey.LIEU_DUNG or not numeric_tokens(block.text):
        return None
    lower = f"{' '.join(block.labels)} {block.text}".lower()
    others = [p for p in _POPULATIONS if p.lower() not in lower and p.split()[-1].lower() not in lower]
    return f"{rng.choice(others)}: {_without_label(block)}" if others else None


def _route(block: EvidenceBlock, _: Sequence[EvidenceBlock], rng: random.Random) -> str | None:
    if block.section is not SectionKey.LIEU_DUNG or not numeric_tokens(block.text):
        return None
    lower = f"{' '.join(block.labels)} {block.text}".lower()
    others = [route for route in _ROUTES if route.split()[-1].lower() not in lower]
    return f"{rng.choice(others)}: {_without_label(block)}" if others else None


def _indication(block: EvidenceBlock, blocks: Sequence[EvidenceBlock], rng: random.Random) -> str | None:
    """The dose of one label under the label of another."""
    if block.section is not SectionKey.LIEU_DUNG or len(block.labels) < 2:
        return None
    labels = {
        b.labels[-1]
        for b in blocks
        if b.drug == block.drug and b.section is block.section and b.labels and b.labels[-1] not in block.labels
    }
    labels = {label for label in labels if not label.startswith("Cách")}
    known = set(f"{' '.join(block.labels)} {block.text}".lower().replace(",", " ").split())
    others = sorted(label for label in labels if not set(label.lower().replace(",", " ").split()) <= known)
    return f"{rng.choice(others)}: {_without_label(block)}" if others and numeric_tokens(block.text) else None


def _invented(block: EvidenceBlock, _: Sequence[EvidenceBlock], rng: random.Random) -> str | None:
    others = [name for name in _INVENTED if name not in block.text.lower()]
    if block.section is SectionKey.CHI_DINH:
        return rng.choice([f"Điều trị {rng.choice(others)}.", f"{block.text.rstrip('.')}, {rng.choice(others)}."])
    return None


def _polarity(block: EvidenceBlock, _: Sequence[EvidenceBlock], rng: random.Random) -> str | None:
    match = re.search(r"\b[Kk]hông (?:được |nên )?(?=\w)", block.text)
    if match:
        return block.text[: match.start()] + block.text[match.end() :]
    verb = re.search(r"\b(dùng|làm tăng|làm giảm|uống|gây)\b", block.text)
    if verb and "không" not in block.text:
        return block.text[: verb.start()] + "không " + block.text[verb.start() :]
    return None


def _ranking(block: EvidenceBlock, _: Sequence[EvidenceBlock], rng: random.Random) -> str | None:
    phrase = rng.choice(["là thuốc đầu tay", "là lựa chọn hàng đầu", "được ưu tiên", "là thuốc tốt nhất"])
    return f"{block.drug.name} {phrase}. {block.text}" if "hàng đầu" not in block.text else None


def _absence(block: EvidenceBlock, _: Sequence[EvidenceBlock], rng: random.Random) -> str | None:
    phrase = rng.choice(["Dùng an toàn", "Không có tương tác", "Không có chống chỉ định", "Không cần chỉnh liều"])
    return None if phrase.lower() in block.text.lower() else f"{phrase}. {block.text}"


def _other_drug(block: EvidenceBlock, _: Sequence[EvidenceBlock], rng: random.Random) -> str | None:
    if block.section is not SectionKey.TUONG_TAC:
        return None
    others = [drug for drug in _DRUGS if drug.lower() not in block.text.lower()]
    return f"{rng.choice(others)}: {_without_label(block)}"


def _wrong_passage(block: EvidenceBlock, blocks: Sequence[EvidenceBlock], _: random.Random) -> DraftClaim | None:
    beside = _beside(block, blocks)
    if not beside or _without_label(block) in beside[0].text or _without_label(beside[0]) in block.text:
        return None
    return DraftClaim(block.text, (1,), block.drug.drug_id)


def _uncited_tail(block: EvidenceBlock, _: Sequence[EvidenceBlock], rng: random.Random) -> DraftClaim | None:
    tail = rng.choice(["Nên theo dõi men gan hằng tuần.", "Ngừng thuốc khi hết sốt.", "Uống nhiều nước ép bưởi."])
    return None if tail in block.text else DraftClaim(f"{block.text} {tail}", (0,), block.drug.drug_id)


def _merged(block: EvidenceBlock, blocks: Sequence[EvidenceBlock], rng: random.Random) -> DraftClaim | None:
    """The label of one branch with the dose of another, citing both."""
    # "Cách dùng" is no branch: what stands under it holds for all.
    if block.section is not SectionKey.LIEU_DUNG or not block.labels or "Cách dùng" in block.labels:
        return None
    for index, other in enumerate(_beside(block, blocks), start=1):
        text = f"{block.labels[-1]}: {_without_label(other)}"
        if other.labels and other.labels[-1] != block.labels[-1] and numeric_tokens(_without_label(other)):
            own = {(t.text, t.unit) for t in numeric_tokens(block.text)}
            if not {(t.text, t.unit) for t in numeric_tokens(_without_label(other))} <= own:
                return DraftClaim(text, (0, index), block.drug.drug_id)
    return None


def _without_label(block: EvidenceBlock) -> str:
    label = block.labels[-1] if block.labels else ""
    return block.text[len(label) :].lstrip(" :") if label and block.text.startswith(label) else block.text


MUTATIONS: dict[str, Mutation] = {
    "number": _number,
    "number_word": _number_word,
    "unit": _unit,
    "decimal_comma": _decimal,
    "tenfold": _tenfold,
    "range_end": _range_end,
    "bound": _bound,
    "population": _population,
    "route": _route,
    "indication": _indication,
    "invented_indication": _invented,
    "polarity": _polarity,
    "ranking": _ranking,
    "absence_as_safety": _absence,
    "other_drug": _other_drug,
    "wrong_passage": _wrong_passage,
    "uncited_tail": _uncited_tail,
    "merged_branches": _merged,
}
