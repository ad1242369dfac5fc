"""What was typed or pasted becomes one line of text, or a clear refusal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.question import MAX_LENGTH, QuestionError, clean_question


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("  liều\t paracetamol \r\n người lớn ", "liều paracetamol người lớn"),
        ("<p>liều <b>paracetamol</b></p>", "liều paracetamol"),
        ("<script>alert(1)</script>liều paracetamol", "liều paracetamol"),
        ("li\u00ea\u0300u paracetamol", "liều paracetamol"),
        ("liều&nbsp;paracetamol", "liều paracetamol"),
        ("liều 💊 paracetamol 🙏", "liều paracetamol"),
        ("liều\u200b para\u00adcetamol", "liều paracetamol"),
        ("ClCr < 30 và > 10", "ClCr < 30 và > 10"),
        ("trẻ <5 tuổi và >2 tuổi", "trẻ <5 tuổi và >2 tuổi"),
    ],
)
def test_cleaning_keeps_the_words(raw: str, clean: str) -> None:
    assert clean_question(raw) == clean


@pytest.mark.parametrize("raw", ["", "   \n", "<b></b>", "???", "💊"], ids=["empty", "blank", "tags", "marks", "emoji"])
def test_nothing_to_ask_is_said(raw: str) -> None:
    with pytest.raises(QuestionError, match="Chưa có câu hỏi"):
        clean_question(raw)


def test_too_long_says_how_long() -> None:
    with pytest.raises(QuestionError, match="10000 ký tự, tối đa 4000"):
        clean_question("a" * 10_000)


@pytest.mark.parametrize("raw", ["liều\x00para", "\x89PNG\x1a", "abc\ufffddef"])
def test_binary_is_refused(raw: str) -> None:
    with pytest.raises(QuestionError, match="không phải văn bản"):
        clean_question(raw)


def test_three_thousand_characters_are_fine() -> None:
    assert clean_question("liều " * 600).startswith("liều liều")


@given(st.text(max_size=MAX_LENGTH))
def test_cleaning_never_fails_otherwise_and_is_stable(raw: str) -> None:
    try:
        once = clean_question(raw)
    except QuestionError:
        return
    assert "\n" not in once and once == once.strip()
