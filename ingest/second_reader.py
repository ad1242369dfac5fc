"""An independent reading of a page's digits: pypdf for structure and fonts, the content stream read here.

Nothing of PDFium is used: other code finds the streams, maps the fonts' codes and follows the text operators.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pypdf import PdfReader
from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject, StreamObject

from ingest.geometry import PageSpace
from ingest.sound_streams import broken_streams

TOKEN = re.compile(
    rb"%[^\r\n]*"
    rb"|\((?:[^()\\]|\\.|\((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\))*\)"
    rb"|<<|>>|<[0-9A-Fa-f\s]*>|[\[\]]|/[^\s()<>\[\]{}/%]*|[+-]?(?:\d+\.?\d*|\.\d+)|[A-Za-z][A-Za-z0-9]*\*?|['\"]",
    re.DOTALL,
)
ESCAPE = re.compile(rb"\\([nrtbf()\\]|[0-7]{1,3}|\r\n|[\r\n]|.)", re.DOTALL)
ESCAPED = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f", b"(": b"(", b")": b")", b"\\": b"\\"}
INLINE_IMAGE = re.compile(rb"\bID\s.*?\sEI\b", re.DOTALL)
HEX_PAIR = re.compile(rb"<([0-9A-Fa-f\s]*)>\s*<([0-9A-Fa-f\s]*)>")
HEX_RANGE = re.compile(rb"<([0-9A-Fa-f\s]+)>\s*<([0-9A-Fa-f\s]+)>\s*(<[0-9A-Fa-f\s]*>|\[[^\]]*\])")
DIGIT_NAMES = {
    name: str(value)
    for value, name in enumerate(("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"))
} | {"comma": ",", "period": ".", "slash": "/", "percent": "%"}
MAX_FORM_DEPTH = 8
MAX_RANGE = 65_536
UNKNOWN = "\ufffd"
Matrix = tuple[float, float, float, float, float, float]
IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Fragment:
    """Text shown from one place on: x, y of the baseline in displayed points; U+FFFD where a code has no meaning."""

    x: float
    y: float
    size: float
    text: str


@dataclass(frozen=True, slots=True)
class _Font:
    """Codes of one or two bytes to text; known is False when nothing tells what they mean."""

    width: int
    codes: dict[int, str]
    known: bool

    def decode(self, raw: bytes) -> str:
        if self.width == 1:
            if not self.codes:
                return raw.decode("latin-1") if self.known else UNKNOWN * len(raw)
            return "".join(self.codes.get(code, UNKNOWN if not self.known else chr(code)) for code in raw)
        pairs = (raw[at] << 8 | raw[at + 1] for at in range(0, len(raw) - 1, 2))
        return "".join(self.codes.get(code, UNKNOWN) for code in pairs)


@dataclass(slots=True)
class _State:
    """The graphics state as far as text needs it."""

    matrix: Matrix = IDENTITY
    font: _Font | None = None
    size: float = 0.0
    leading: float = 0.0
    rise: float = 0.0
    mode: int = 0

    def copy(self) -> _State:
        return _State(self.matrix, self.font, self.size, self.leading, self.rise, self.mode)


@dataclass(slots=True)
class _Walk:
    """Interpreting one page: where the next text goes, and what was found."""

    space: PageSpace
    state: _State = field(default_factory=_State)
    stack: list[_State] = field(default_factory=list)
    line: Matrix = IDENTITY
    moved: bool = True
    fragments: list[Fragment] = field(default_factory=list)


class SecondReader:
    """The same document, opened with pypdf."""

    def __init__(self, path: Path) -> None:
        self._reader = PdfReader(path)
        self._fonts: dict[tuple[int, int], _Font] = {}
        self._sound: dict[int, bool] = {}

    @property
    def page_count(self) -> int:
        """How many pages its page tree holds."""
        return len(self._reader.pages)

    def damage(self, number: int) -> str:
        """What the text of a PDF page (from 1) depends on and is broken, in a few words; "" for a sound page."""
        return next(broken_streams(self._reader.pages[number - 1], self._sound), "")

    def fragments(self, number: int) -> list[Fragment]:
        """The upright, visible text of a PDF page (from 1), in the file's order."""
        page = self._reader.pages[number - 1]
        box = page.cropbox
        space = PageSpace.of_page(
            float(box.left), float(box.bottom), float(box.right), float(box.top), int(page.rotation) // 90
        )
        contents = page.get_contents()
        walk = _Walk(space)
        if contents is not None:
            self._run(walk, contents.get_data(), _resources(page), 0)
        return walk.fragments

    def _run(self, walk: _Walk, data: bytes, resources: DictionaryObject, depth: int) -> None:
        if b"ID" in data and b"EI" in data:
            data = INLINE_IMAGE.sub(b" ", data)
        operands: list[bytes] = []
        for token in TOKEN.findall(data):
            first = token[:1]
            if first.isalpha() or token in (b"'", b'"'):
                self._operate(walk, token, operands, resources, depth)
                operands.clear()
            elif first != b"%":
                operands.append(token)

    def _operate(
        self, walk: _Walk, operator: bytes, operands: list[bytes], resources: DictionaryObject, depth: int
    ) -> None:
        if operator == b"Tf" and len(operands) >= 2:
            walk.state.font = self._font(resources, operands[-2])
            walk.state.size = float(operands[-1])
        elif operator == b"Do" and operands and depth < MAX_FORM_DEPTH:
            self._run_form(walk, operands[-1], resources, depth)
        else:
            handler = _OPERATORS.get(operator)
            if handler is not None:
                handler(walk, operands)

    def _run_form(self, walk: _Walk, name: bytes, resources: DictionaryObject, depth: int) -> None:
        form = _get(_get(resources, "/XObject"), name.decode("latin-1"))
        if not isinstance(form, StreamObject) or form.get("/Subtype") != "/Form":
            return
        walk.stack.append(walk.state.copy())
        matrix = form.get("/Matrix")
        if isinstance(matrix, ArrayObject) and len(matrix) == 6:
            walk.state.matrix = _times(_matrix([float(value) for value in matrix]), walk.state.matrix)
        inner = _get(form, "/Resources")
        self._run(walk, form.get_data(), inner if isinstance(inner, DictionaryObject) else resources, depth + 1)
        walk.state = walk.stack.pop()

    def _font(self, resources: DictionaryObject, name: bytes) -> _Font | None:
        fonts = _get(resources, "/Font")
        if not isinstance(fonts, DictionaryObject):
            return None
        reference = fonts.raw_get(name.decode("latin-1")) if name.decode("latin-1") in fonts else None
        if isinstance(reference, IndirectObject):
            key = (reference.idnum, reference.generation)
            if key not in self._fonts:
                self._fonts[key] = _read_font(reference.get_object())
            return self._fonts[key]
        return _read_font(reference) if reference is not None else None


def _get(holder: Any, key: str) -> Any:
    value = holder.get(key) if isinstance(holder, DictionaryObject) else None
    return value.get_object() if value is not None else None


def _resources(page: Any) -> DictionaryObject:
    node = page
    while node is not None:
        found = _get(node, "/Resources")
        if isinstance(found, DictionaryObject):
            return found
        node = _get(node, "/Parent")
    return DictionaryObject()


def _read_font(font: Any) -> _Font:
    """What the font dictionary says of its codes: ToUnicode, over named differences, over plain ASCII."""
    double = _get_name(font, "/Subtype") == "/Type0"
    to_unicode = _get(font, "/ToUnicode")
    mapped = _read_cmap(to_unicode.get_data()) if isinstance(to_unicode, StreamObject) else {}
    if double:
        return _Font(2, mapped, known=False)
    encoding = _get(font, "/Encoding")
    named = isinstance(encoding, (str, DictionaryObject))
    codes = dict(_differences(encoding)) if isinstance(encoding, DictionaryObject) else {}
    return _Font(1, codes | mapped, known=named or not (_is_embedded(font) or mapped))


def _get_name(font: Any, key: str) -> str:
    return str(font.get(key, "")) if isinstance(font, DictionaryObject) else ""


def _is_embedded(font: Any) -> bool:
    descriptor = _get(font, "/FontDescriptor")
    return descriptor is not None and any(key in descriptor for key in ("/FontFile", "/FontFile2", "/FontFile3"))


def _differences(encoding: DictionaryObject) -> Iterator[tuple[int, str]]:
    code = 0
    for item in _get(encoding, "/Differences") or ():
        if isinstance(item, int):
            code = int(item)
        else:
            name = str(item).lstrip("/")
            yield code, DIGIT_NAMES.get(name, name if len(name) == 1 and not name.isdigit() else UNKNOWN)
            code += 1


def _read_cmap(data: bytes) -> dict[int, str]:
    codes: dict[int, str] = {}
    for block in re.findall(rb"beginbfchar(.*?)endbfchar", data, re.DOTALL):
        codes.update({_number(source): _text(target) for source, target in HEX_PAIR.findall(block)})
    for block in re.findall(rb"beginbfrange(.*?)endbfrange", data, re.DOTALL):
        for low, high, target in HEX_RANGE.findall(block):
            codes.update(_range(_number(low), _number(high), target))
    return codes


def _range(low: int, high: int, target: bytes) -> dict[int, str]:
    if high - low > MAX_RANGE:
        return {}
    if target.startswith(b"["):
        texts = [_text(item) for item in re.findall(rb"<([0-9A-Fa-f\s]*)>", target)]
        return dict(zip(range(low, high + 1), texts, strict=False))
    first = _text(target.strip(b"<>"))
    if not first:
        return {}
    return {low + step: first[:-1] + chr(min(ord(first[-1]) + step, 0x10FFFF)) for step in range(high - low + 1)}


def _number(digits: bytes) -> int:
    return int(b"".join(digits.split()) or b"0", 16)


def _text(digits: bytes) -> str:
    raw = bytes.fromhex(b"".join(digits.split()).decode("ascii").ljust(4, "0"))
    return raw.decode("utf-16-be", "replace")


def string_bytes(token: bytes) -> bytes:
    """The bytes a literal or hexadecimal string token stands for."""
    if token.startswith(b"<"):
        digits = b"".join(token[1:-1].split()).decode("ascii")
        return bytes.fromhex(digits + "0" * (len(digits) % 2))
    return ESCAPE.sub(_unescape, token[1:-1]) if b"\\" in token else token[1:-1]


def _unescape(match: re.Match[bytes]) -> bytes:
    code = match.group(1)
    if b"0" <= code[:1] <= b"7":
        return bytes([int(code, 8) & 0xFF])
    if code in (b"\n", b"\r", b"\r\n"):
        return b""
    return ESCAPED.get(code, code)


def _matrix(values: list[float]) -> Matrix:
    a, b, c, d, e, f = values
    return (a, b, c, d, e, f)


def _times(first: Matrix, then: Matrix) -> Matrix:
    a, b, c, d, e, f = first
    a2, b2, c2, d2, e2, f2 = then
    return (
        a * a2 + b * c2,
        a * b2 + b * d2,
        c * a2 + d * c2,
        c * b2 + d * d2,
        e * a2 + f * c2 + e2,
        e * b2 + f * d2 + f2,
    )


def _six(operands: list[bytes]) -> Matrix:
    return _matrix([float(value) for value in operands[-6:]])


def _save(walk: _Walk, _operands: list[bytes]) -> None:
    walk.stack.append(walk.state.copy())


def _restore(walk: _Walk, _operands: list[bytes]) -> None:
    if walk.stack:
        walk.state = walk.stack.pop()


def _concatenate(walk: _Walk, operands: list[bytes]) -> None:
    walk.state.matrix = _times(_six(operands), walk.state.matrix)


def _begin(walk: _Walk, _operands: list[bytes]) -> None:
    walk.line, walk.moved = IDENTITY, True


def _set_matrix(walk: _Walk, operands: list[bytes]) -> None:
    walk.line, walk.moved = _six(operands), True


def _move(walk: _Walk, operands: list[bytes]) -> None:
    x, y = float(operands[-2]), float(operands[-1])
    walk.line, walk.moved = _times((1, 0, 0, 1, x, y), walk.line), True


def _move_with_leading(walk: _Walk, operands: list[bytes]) -> None:
    walk.state.leading = -float(operands[-1])
    _move(walk, operands)


def _next_line(walk: _Walk, _operands: list[bytes]) -> None:
    walk.line, walk.moved = _times((1, 0, 0, 1, 0, -walk.state.leading), walk.line), True


def _show(walk: _Walk, operands: list[bytes]) -> None:
    """Tj and TJ: the strings among the operands, kerning numbers left out."""
    state = walk.state
    if state.font is None or state.mode in (3, 7):
        return
    raw = b"".join(string_bytes(token) for token in operands if token[:1] in (b"(", b"<"))
    text = state.font.decode(raw)
    if not walk.moved and walk.fragments and state.rise == 0:
        last = walk.fragments[-1]
        walk.fragments.append(Fragment(last.x, last.y, last.size, text))
        return
    a, b, c, d, e, f = _times((1, 0, 0, 1, 0, state.rise), _times(walk.line, state.matrix))
    dx, dy = walk.space.direction(a, b)
    if dx > 0 and abs(dy) < 0.03 * dx:
        x, y = walk.space.point(e, f)
        walk.fragments.append(Fragment(x, y, state.size * (c * c + d * d) ** 0.5, text))
        walk.moved = False


def _show_next_line(walk: _Walk, operands: list[bytes]) -> None:
    _next_line(walk, operands)
    _show(walk, operands)


def _set_leading(walk: _Walk, operands: list[bytes]) -> None:
    walk.state.leading = float(operands[-1])


def _set_rise(walk: _Walk, operands: list[bytes]) -> None:
    walk.state.rise = float(operands[-1])


def _set_mode(walk: _Walk, operands: list[bytes]) -> None:
    walk.state.mode = int(float(operands[-1]))


_OPERATORS = {
    b"q": _save,
    b"Q": _restore,
    b"cm": _concatenate,
    b"BT": _begin,
    b"Tm": _set_matrix,
    b"Td": _move,
    b"TD": _move_with_leading,
    b"T*": _next_line,
    b"Tj": _show,
    b"TJ": _show,
    b"'": _show_next_line,
    b'"': _show_next_line,
    b"TL": _set_leading,
    b"Ts": _set_rise,
    b"Tr": _set_mode,
}
