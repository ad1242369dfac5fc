"""What was typed is told to nobody who reads the log."""

from __future__ import annotations

import pytest

from monographs.private_words import HIDDEN, hide_private, keep_private, keeping_private

QUESTION = "Liều paracetamol cho bà Nguyễn Thị Hoa 0912345678"


@pytest.mark.parametrize(
    ("line", "left"),
    [
        pytest.param(f"failing row: ({QUESTION})", f"failing row: ({HIDDEN})", id="whole"),
        pytest.param("row: cho bà Nguyễn Thị Hoa 0912345678", f"row: {HIDDEN}", id="its end"),
        pytest.param("row: Liều paracetamol cho bà Ng…", f"row: {HIDDEN} Ng…", id="cut off"),
        pytest.param(f"{QUESTION} and {QUESTION}", f"{HIDDEN} and {HIDDEN}", id="twice"),
        pytest.param("turn_failed reason=internal_error", "turn_failed reason=internal_error", id="nothing of it"),
        pytest.param("Liều paracetamol", "Liều paracetamol", id="two words alone name nobody"),
        pytest.param("", "", id="empty"),
    ],
)
def test_no_three_words_in_a_row_are_left(line: str, left: str) -> None:
    with keeping_private():
        keep_private(QUESTION)
        assert hide_private(line) == left


@pytest.mark.parametrize(("typed", "left"), [("0912345678", HIDDEN), ("Nguyễn Hoa", HIDDEN), ("abc", "abc")])
def test_what_is_short_is_hidden_whole_unless_it_is_too_short_to_be_told_apart(typed: str, left: str) -> None:
    with keeping_private():
        keep_private(typed)
        assert hide_private(f"<{typed}>") == f"<{left}>"


def test_it_is_forgotten_at_the_end_of_the_outermost() -> None:
    with keeping_private():
        with keeping_private():
            keep_private(QUESTION)
        assert hide_private(QUESTION) == HIDDEN
    assert hide_private(QUESTION) == QUESTION


def test_outside_of_it_nothing_is_kept() -> None:
    keep_private(QUESTION)
    assert hide_private(QUESTION) == QUESTION
