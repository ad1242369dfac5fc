from __future__ import annotations

import pytest

from chat.denied import affirmed
from chat.understand import understand
from tests.sample_corpus import sample_corpus


@pytest.mark.parametrize(
    ("question", "gone", "kept"),
    [
        ("ceftriaxon nhiễm khuẩn nặng (không phải viêm màng não)", {"viêm", "màng", "não"}, {"nhiễm", "khuẩn"}),
        ("ceftriaxon nhiem khuan nang khong phai viem mang nao thi lieu", {"viem", "mang", "nao"}, {"lieu", "thi"}),
        ("ceftriaxon đã loại trừ viêm màng não, nhiễm khuẩn huyết", {"màng", "não"}, {"huyết", "nhiễm"}),
        # What stands outside the denial as well is said.
        ("amoxicilin viêm phổi, không phải viêm tai giữa", {"tai", "giữa"}, {"viêm", "phổi"}),
        # A label may say so itself, and a question may ask whether.
        ("ceftriaxon lậu không biến chứng", set(), {"lậu", "không", "biến", "chứng"}),
        ("methotrexat có phải giảm liều không", set(), {"giảm", "liều"}),
    ],
)
def test_words_that_are_only_denied_are_not_said(question: str, gone: set[str], kept: set[str]) -> None:
    before = understand(question, sample_corpus())
    after = affirmed(before)
    assert before.question_words - after.question_words >= gone
    assert kept <= after.question_words
    assert not {word for term in after.terms for word in term.typed} & gone
    if not gone:
        assert after == before
