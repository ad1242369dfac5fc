"""Topics of use: what asks for them, and the passages of the sample that answer."""

from __future__ import annotations

import pytest

from chat.domain import EvidenceBlock
from chat.topics import find_topics, passages_on, topic_named
from monographs.domain import SectionKey
from monographs.text import fold, words
from tests.sample_evidence import sample_evidence

KEYS = ("crush", "missed", "food", "rate", "reconstituted", "diluent", "alcohol", "driving", "conversion", "level")

ASKED = [
    ("omeprazol nghiền bơm sonde được không", "crush"),
    ("nifedipin bẻ đôi được không", "crush"),
    ("viên này nhai được không", "crush"),
    ("cho qua ống thông dạ dày", "crush"),
    ("mở nang omeprazol", "crush"),
    ("quên liều warfarin", "missed"),
    ("quên 1 liều warfarin", "missed"),
    ("quên uống thuốc sáng nay", "missed"),
    ("lỡ liều", "missed"),
    ("uống trước ăn hay sau ăn", "food"),
    ("uống lúc đói hay lúc no", "food"),
    ("dùng với thức ăn", "food"),
    ("uống với cà phê", "food"),
    ("uống lúc mấy giờ", "food"),
    ("tốc độ truyền vancomycin", "rate"),
    ("tiêm trong bao lâu", "rate"),
    ("truyền mấy phút", "rate"),
    ("pha xong để được mấy giờ", "reconstituted"),
    ("lọ đã mở để được bao lâu", "reconstituted"),
    ("sau khi pha bảo quản sao", "reconstituted"),
    ("pha với dịch gì", "diluent"),
    ("pha ringer lactat được không", "diluent"),
    ("dung môi nào", "diluent"),
    ("uống rượu được không", "alcohol"),
    ("đang uống bia", "alcohol"),
    ("có lái xe được không", "driving"),
    ("vận hành máy", "driving"),
]


@pytest.mark.parametrize(("question", "key"), ASKED, ids=[question for question, _ in ASKED])
def test_a_question_asks_for_its_topic_with_and_without_accents(question: str, key: str) -> None:
    for typed in {question, question.upper()} | ({fold(question)} if "bẻ" not in question else set()):
        assert key in [topic.key for topic in find_topics(typed)]


@pytest.mark.parametrize(
    "question",
    [
        "liều paracetamol cho bé 10 kg",
        "lieu paracetamol cho be",
        "thói quen",
        "thoi quen dung thuoc",
        "chống chỉ định của warfarin",
        "bảo quản insulin",
        "liều ngày mấy lần",
        "",
        "thiếu máu tán huyết",
        "hai thuốc khác nhau thế nào",
        "hai thuoc uong cung nhau",
    ],
)
def test_other_questions_ask_for_none(question: str) -> None:
    assert find_topics(question) == ()


@pytest.mark.parametrize("key", KEYS)
def test_a_topic_is_found_by_its_key(key: str) -> None:
    topic = topic_named(key)
    assert topic is not None and topic.key == key and topic.title and topic.sections and topic.words


@pytest.mark.parametrize("key", ["", "weather"], ids=["empty", "unknown"])
def test_no_topic_without_its_key(key: str) -> None:
    assert topic_named(key) is None


def _blocks(slug: str) -> list[EvidenceBlock]:
    return [block for block in sample_evidence() if block.drug.drug_id == slug]


@pytest.mark.parametrize(
    ("key", "slug", "text"),
    [
        ("crush", "omeprazol", "nuốt nguyên viên nang"),
        ("crush", "omeprazol", "Mở nang, trộn vi hạt"),
        ("crush", "nifedipin", "Nghiền, nhai hoặc bẻ viên làm giải phóng cả liều"),
        ("missed", "levothyroxin", "Uống ngay khi nhớ ra trong ngày đó"),
        ("missed", "insulin", "Quên liều trước bữa ăn của insulin lispro"),
        ("food", "metformin", "Uống trong hoặc sau bữa ăn"),
        ("rate", "vancomycin", "Không quá 10 mg/phút"),
        ("reconstituted", "amoxicilin", "Hỗn dịch đã pha"),
        ("reconstituted", "insulin", "Để dưới 30 °C; nhiều loại bút tiêm đang dùng"),
        ("diluent", "ceftriaxon", "Không pha trong dung dịch chứa calci (Ringer, Ringer lactat)"),
        ("alcohol", "metronidazol", "kiêng rượu"),
        ("alcohol", "insulin", "Tăng và kéo dài hạ glucose huyết"),
        ("driving", "clorpheniramin", "không lái xe"),
    ],
)
def test_the_passage_that_answers_is_found(key: str, slug: str, text: str) -> None:
    topic = topic_named(key)
    assert topic is not None
    assert any(text in block.text for block in passages_on(topic, _blocks(slug)))


@pytest.mark.parametrize("key", KEYS)
def test_passages_come_from_the_topics_sections_in_its_order_and_hold_its_words(key: str) -> None:
    topic = topic_named(key)
    assert topic is not None
    some = 0
    for slug in {block.drug.drug_id for block in sample_evidence()}:
        found = passages_on(topic, _blocks(slug))
        order = [topic.sections.index(block.section) for block in found]
        assert order == sorted(order)
        for block in found:
            text = f" {' '.join(words(' '.join((*block.labels, block.text))))} "
            assert any(word in text for word in topic.words), block.text
        some += bool(found)
    assert some, "no drug of the sample speaks of it"


def test_a_word_inside_another_is_no_answer() -> None:
    topic = topic_named("alcohol")
    assert topic is not None
    (block,) = [b for b in _blocks("paracetamol") if b.section is SectionKey.MA_ATC]
    assert not topic.answered_by(block)
    assert passages_on(topic, []) == ()
