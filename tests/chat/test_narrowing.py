"""Of a list, the passages that speak of what was named; silence is said."""

from __future__ import annotations

import pytest

from chat.domain import EvidenceBlock, QueryFrame
from chat.narrowing import narrow
from chat.terms import terms_of
from chat.understand import understand
from monographs.domain import SectionKey
from monographs.text import fold
from tests.sample_corpus import sample_corpus
from tests.sample_evidence import sample_evidence


def _frame(question: str) -> QueryFrame:
    return understand(question, sample_corpus())


def _narrow(question: str) -> tuple[tuple[EvidenceBlock, ...], tuple[EvidenceBlock, ...], tuple[str, ...]]:
    """(the section, what is shown of it, what it does not name)."""
    frame = _frame(question)
    key = frame.attribute
    assert key is not None
    section = tuple(b for b in sample_evidence() if b.drug.drug_id == frame.drugs[0].drug_id and b.section is key)
    return (section, *narrow(section, frame, key, terms_of(frame)))


def _fault(*values: object, reason: str) -> object:
    return pytest.param(*values, marks=pytest.mark.xfail(strict=True, reason=reason), id=str(values[0]))


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("tương tác digoxin với amiodaron", "amiodaron"),
        ("tương tác metformin với rượu không ạ", "ruou"),
        ("tác dụng phụ ho của enalapril", "ho"),
        ("chỉ định của metronidazol trong trichomonas", "trichomonas"),
        ("tương tác của warfarin", ""),
        ("chống chỉ định của metformin là gì", ""),
        ("cho em hỏi tác dụng phụ của amlodipin ạ", ""),
        ("tác dụng phụ của prednisolon ở trẻ em", ""),
        ("tác dụng phụ khi tiêm tĩnh mạch phenytoin", ""),
        ("tương tác digoxin 0,25 mg với [họ tên] amiodaron", "amiodaron"),
        ("xin chào, tương tác digoxin và amiodaron", "amiodaron"),
        ("chống chỉ định ibuprofen loét dạ dày", "loet da day"),
        _fault(
            "tương tác warfarin với thuốc chống nấm",
            "chong nam",
            reason="fillers are one word each: `chống` of a drug class is taken away",
        ),
    ],
)
def test_the_words_named_are_those_beside_names_cues_and_fillers(question: str, words: str) -> None:
    assert fold(" ".join(map(str, terms_of(_frame(question))))) == words


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("tương tác digoxin với amiodaron", "Amiodaron, verapamil, quinidin"),
        ("tương tác metformin với rượu", "Rượu: Tăng nguy cơ nhiễm toan lactic"),
        ("tác dụng phụ ho của enalapril", "Ho."),
        ("tác dụng phụ omeprazol xương", "Gãy xương hông"),
    ],
)
def test_a_list_is_narrowed_to_what_is_named(question: str, text: str) -> None:
    section, shown, missing = _narrow(question)
    assert 0 < len(shown) < len(section) and missing == ()
    assert any(text in block.text for block in shown)
    bare = _narrow(fold(question))
    assert bare[1:] == (shown, missing)


@pytest.mark.parametrize(
    "question",
    [
        "tương tác của warfarin",
        "toàn bộ tương tác digoxin với amiodaron",
        "tác dụng phụ enalapril bệnh nhân nữ mới phẫu thuật thay khớp háng trái",
        "liều digoxin rung nhĩ",
        "tương kỵ ceftriaxon với calci",
    ],
)
def test_the_whole_section_stands_where_nothing_or_too_much_is_named(question: str) -> None:
    section, shown, missing = _narrow(question)
    assert shown == section and missing == ()


@pytest.mark.parametrize(
    "question",
    ["chống chỉ định aspirin ở người hen", "thận trọng digoxin kali", "chống chỉ định metformin ngộ độc rượu"],
)
def test_what_forbids_or_warns_is_always_whole(question: str) -> None:
    section, shown, missing = _narrow(question)
    assert len(section) > 1 and shown == section and missing == ()


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("tương tác digoxin với zzzzzz", ("zzzzzz",)),
        ("tác dụng phụ của amoxicilin qwerty", ("qwerty",)),
        ("chống chỉ định aspirin xyzxyz", ("xyzxyz",)),
    ],
)
def test_what_the_section_does_not_name_is_said_beside_the_whole_of_it(question: str, missing: tuple[str, ...]) -> None:
    section, shown, found = _narrow(question)
    assert shown == section and found == missing


def test_an_accented_word_is_not_met_by_another_one() -> None:
    _, shown, _ = _narrow("tương tác warfarin với thuốc chống nấm")
    assert not any("nam việt quất" in block.text for block in shown) or any("azol" in b.text for b in shown)


def test_sections_that_are_no_lists_are_never_narrowed() -> None:
    frame = _frame("tương tác digoxin với amiodaron")
    blocks = tuple(b for b in sample_evidence() if b.drug.drug_id == "digoxin")
    for key in (SectionKey.LIEU_DUNG, SectionKey.BAO_QUAN, SectionKey.QUA_LIEU, SectionKey.MANG_THAI):
        assert narrow(blocks, frame, key, terms_of(frame)) == (blocks, ())
