"""manage.py ask, alone and in batches."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from chat.contract import Answer
from chat.models import Turn
from tests.sample_edition import publish_sample

pytestmark = pytest.mark.django_db


def _ask(*arguments: str) -> str:
    out = StringIO()
    call_command("ask", *arguments, stdout=out)
    return out.getvalue()


def test_a_question_is_answered_in_text_with_page_and_disclaimer() -> None:
    publish_sample()
    said = _ask("liều paracetamol người lớn đường uống")
    assert "0,5 - 1 g/lần" in said and "[tr. " in said and "bản mẫu" in said


def test_json_is_the_contract_and_nothing_is_stored() -> None:
    publish_sample()
    answer = Answer.model_validate_json(_ask("chống chỉ định ibuprofen", "--json"))
    assert answer.claims
    assert not Turn.objects.exists()


@pytest.mark.parametrize("arguments", [(), ("   ",)], ids=["none", "blank"])
def test_no_question_is_told(arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError, match=r"câu hỏi"):
        _ask(*arguments)


def test_a_batch_answers_each_line_with_its_history(tmp_path: Path) -> None:
    publish_sample()
    rows = [
        {"id": "a", "question": "liều paracetamol người lớn đường uống"},
        {"id": 2, "question": "Đường trực tràng", "history": ["liều paracetamol người lớn"]},
        {"id": "c", "question": ""},
    ]
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("\n".join(json.dumps(row) for row in rows) + "\n\n", "utf-8")
    _ask("--batch", str(source), str(target))
    first, second, third = [json.loads(line) for line in target.read_text("utf-8").splitlines()]
    assert first["id"] == "a" and first["decision"] == "answerable"
    assert second["id"] == 2 and second["claims"][0]["citations"][0]["labels"] == ["Người lớn", "Đường trực tràng"]
    assert third["id"] == "c" and "Chưa có câu hỏi" in third["error"]


def test_a_bad_line_is_named(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text('{"id": 1, "question": "x y"}\nnot json\n', "utf-8")
    with pytest.raises(CommandError, match="Dòng 2"):
        _ask("--batch", str(source), str(tmp_path / "out.jsonl"))


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="Không đọc hoặc ghi được"):
        _ask("--batch", str(tmp_path / "no.jsonl"), str(tmp_path / "out.jsonl"))
