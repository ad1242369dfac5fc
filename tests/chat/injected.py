"""Questions that try to give orders: the data, and what is left of a prompt once everything fenced is taken out."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from functools import cache

from chat.llm.domain import Prompt
from chat.prompting import all_prompts, read_prompt
from chat.question import QuestionError, clean_question
from monographs.text import fold
from tests.paths import ROOT

_DATA = ROOT / "tests" / "chat" / "injections.jsonl"
_FENCED = re.compile(r"<<<([A-Z_]+)>>>\n(.*?)\n<<</\1>>>", re.DOTALL)
# What looks like "<" or ">": https://util.unicode.org/UnicodeJsps/confusables.jsp, and brackets of other scripts.
_LOOKALIKES = str.maketrans(dict.fromkeys("＜﹤‹«〈《⟨⟪≪⋘❮❰ᐸ˂〈⧼⟬", "<") | dict.fromkeys("＞﹥›»〉》⟩⟫≫⋙❯❱ᐳ˃〉⧽⟭", ">"))
_BLANK = "\u115f\u1160\u3164\uffa0"
# The lines of the prompt files whose values are the program's own.
_PLAN = {
    "$verbosity": ("ngắn, đúng điều được hỏi", "đầy đủ, mọi trường hợp kèm nhãn"),
    "$layout": (
        "liều dùng, mỗi trường hợp một ý, nhãn đứng trước",
        "danh sách, mỗi mục một ý",
        "vài câu văn liền mạch",
    ),
    "$heading": ("có, chương trình tự đặt", "không"),
    "$warning": ("có đoạn cảnh báo: nói trước", "không có đoạn cảnh báo riêng"),
}


@dataclass(frozen=True, slots=True)
class Injection:
    """A question that tries to give orders. wraps: around a genuine question; wants: the words that it wants shown."""

    id: str
    kind: str
    language: str
    wraps: bool
    text: str
    wants: str

    @property
    def asked(self) -> str:
        """As a question arrives at the pipeline; as it is typed, where the page would not take it."""
        try:
            return clean_question(self.text)
        except QuestionError:
            return self.text

    @property
    def questions(self) -> tuple[str, ...]:
        """As it is asked; and behind a genuine question, where it holds none that comes to a draft."""
        behind = f"chống chỉ định của ibuprofen. {self.asked}"
        return (self.asked,) if self.wraps else (self.asked, behind)


@cache
def injections() -> tuple[Injection, ...]:
    """All of them, in the file's order."""
    return tuple(Injection(**json.loads(line)) for line in _DATA.read_text("utf-8").splitlines())


def fences_of(prompt: Prompt) -> list[tuple[str, str]]:
    """(name, what is inside) of every fence, in order."""
    return _FENCED.findall(prompt.user)


def skeleton_of(prompt: Prompt) -> list[str]:
    """The lines of the user's part, each fence only by its name."""
    bare = _FENCED.sub(lambda found: f"«{found[1]}»", prompt.user)
    return [line for line in bare.splitlines() if line.strip()]


@cache
def _own_lines() -> frozenset[str]:
    lines = {line for name in all_prompts() for line in read_prompt(name).splitlines()}
    for value, meanings in _PLAN.items():
        lines |= {line.replace(value, meaning) for line in set(lines) for meaning in meanings}
    return frozenset(line for line in lines if "$" not in line) | {"(không có)", "Dẫn:"}


def foreign_lines(prompt: Prompt) -> list[str]:
    """What stands outside the fences and is neither a prompt file's nor the number of a source or a claim."""
    numbered = re.compile(r"\[\d+\]|Ý \d+:|«[A-Z_]+»")
    return [line for line in skeleton_of(prompt) if line not in _own_lines() and not numbered.fullmatch(line)]


def numbers_of(prompt: Prompt) -> list[int]:
    """The numbers that stand before the passages, outside every fence."""
    return [int(line[1:-1]) for line in skeleton_of(prompt) if re.fullmatch(r"\[\d+\]", line)]


def markers_inside(prompt: Prompt) -> list[str]:
    """Fenced texts in which something is seen as a marker: what nobody sees left out, look-alikes taken for alike."""
    return [inside for _, inside in fences_of(prompt) if re.search("<<|>>", _as_seen(inside))]


def letters_of(text: str) -> str:
    """Its letters and digits without accents, nothing between them."""
    return "".join(c for c in fold(text) if c.isalnum() and c not in _BLANK)


def _as_seen(text: str) -> str:
    seen = text.replace("⋘", "<<<").replace("⋙", ">>>").translate(_LOOKALIKES)
    return "".join(c for c in unicodedata.normalize("NFD", seen) if not _is_unseen(c))


def _is_unseen(character: str) -> bool:
    kind = unicodedata.category(character)
    return kind in {"Cf", "Mn", "Me"} or (kind == "Cc" and character not in "\n\t") or character in _BLANK
