"""From what was typed or pasted to the text of a question."""

from __future__ import annotations

import html
import re
import unicodedata

from monographs.text import normalise

MAX_LENGTH = 4000
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,500}>|<!--.*?-->", re.DOTALL)
_CODE = re.compile(r"<(script|style)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_INVISIBLE = {"Cf", "Co", "Cs"}


class QuestionError(ValueError):
    """The text cannot be a question; its message, in Vietnamese, says what to do."""


def clean_question(raw: str) -> str:
    """The question as one line of plain text: NFC, tags and invisible characters gone, white space collapsed.

    Raises QuestionError where nothing is left, where it is longer than MAX_LENGTH characters, or where it
    holds control characters that no keyboard types.
    """
    if any(unicodedata.category(c) == "Cc" and c not in "\t\n\r\v\f" for c in raw) or "\ufffd" in raw:
        raise QuestionError("Nội dung không phải văn bản (có ký tự điều khiển). Hãy gõ lại câu hỏi bằng chữ thường.")
    if len(raw) > MAX_LENGTH:
        raise QuestionError(
            f"Câu hỏi dài {len(raw)} ký tự, tối đa {MAX_LENGTH}. Hãy rút gọn hoặc tách thành nhiều câu."
        )
    text = html.unescape(_TAG.sub(" ", _CODE.sub(" ", raw)))
    text = "".join(c for c in text if unicodedata.category(c) not in _INVISIBLE and unicodedata.category(c) != "So")
    text = normalise(text)
    if not any(c.isalnum() for c in text):
        raise QuestionError("Chưa có câu hỏi. Hãy ghi tên thuốc và điều cần tra, ví dụ: liều paracetamol người lớn.")
    return text
