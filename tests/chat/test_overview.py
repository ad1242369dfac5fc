"""A drug and a word, without a section: the drug's own passages that speak of it."""

from __future__ import annotations

import pytest

from chat.branches import is_manner_path
from chat.domain import EvidenceBlock, Term
from chat.overview import MOST_SHOWN, passages_with_item, search_passages
from chat.terms import question_terms, terms_of
from chat.understand import understand
from monographs.domain import PassageKind, SectionKey
from monographs.text import fold, folded_words, words
from tests.chat.faults import fault
from tests.sample_corpus import sample_corpus
from tests.sample_evidence import sample_evidence


def _search(question: str) -> tuple[EvidenceBlock, ...]:
    frame = understand(question, sample_corpus())
    blocks = [block for block in sample_evidence() if block.drug == _shown(frame.drugs[0].drug_id)]
    return search_passages(blocks, terms_of(frame))


def _terms(text: str) -> tuple[Term, ...]:
    return question_terms(text, sample_corpus().vocabulary, sample_corpus().accents)


def _shown(drug_id: str) -> object:
    return next(block.drug for block in sample_evidence() if block.drug.drug_id == drug_id)


FOUND = [
    ("paracetamol glutathion", "glutathion"),
    ("metformin toan lactic", "nhiễm toan lactic"),
    ("aspirin hội chứng Reye", "hội chứng Reye"),
    ("gentamicin điếc", "điếc"),
    ("warfarin INR", "INR"),
    ("omeprazol gãy xương", "gãy xương"),
    ("digoxin rung nhĩ", "rung nhĩ"),
    ("insulin loạn dưỡng mỡ", "loạn dưỡng mỡ"),
    ("levothyroxin suy tim", "suy tim"),
]


@pytest.mark.parametrize(("question", "text"), FOUND, ids=[question for question, _ in FOUND])
def test_passages_that_speak_of_it_are_found(question: str, text: str) -> None:
    found = _search(question)
    assert found and text.lower() in " ".join((*found[0].labels, found[0].text)).lower()
    # A bare word may be others as well, and meets theirs.
    assert set(found) <= set(_search(fold(question)))


@pytest.mark.parametrize(
    "question", ["paracetamol xyzxyz", "levothyroxin qwerty zxcv", "metformin Reye", "nystatin glutathion"]
)
def test_what_no_passage_says_finds_nothing(question: str) -> None:
    assert _search(question) == ()


def test_an_accented_word_is_not_met_by_another_one() -> None:
    assert all("nghiện" in " ".join((*block.labels, block.text)).lower() for block in _search("morphin nghiện"))


@pytest.mark.parametrize("question", [question for question, _ in FOUND])
def test_few_passages_of_the_drug_itself_and_no_bare_labels(question: str) -> None:
    found = _search(question)
    texts = [block for block in found if block.kind is PassageKind.TEXT]
    assert len(texts) <= MOST_SHOWN and len(set(found)) == len(found)
    assert len({block.drug for block in found}) == 1 and not any(block.is_label for block in found)


def test_tables_under_the_labels_that_answer_come_with_them() -> None:
    blocks = sample_evidence()
    tables = [b for b in blocks if b.kind is PassageKind.TABLE and b.labels]
    checked = 0
    for table in tables:
        beside = next((b for b in blocks if b.drug == table.drug and b.labels == table.labels and b.text), None)
        if beside is None or beside.is_label or beside.section is not table.section:
            continue
        if table.section is SectionKey.LIEU_DUNG and not is_manner_path(table.labels):
            # A dose of one branch is never shown for words alone.
            assert table not in search_passages([b for b in blocks if b.drug == table.drug], _terms(beside.text))
            continue
        own = [block for block in blocks if block.drug == table.drug]
        found = search_passages(own, question_terms(beside.text, frozenset(folded_words(beside.text))))
        assert beside in found and table in found
        checked += 1
    assert checked


def test_the_rarer_word_decides_the_order() -> None:
    blocks = [block for block in sample_evidence() if block.drug.drug_id == "warfarin"]
    found = search_passages(blocks, _terms("inr chay mau"))
    assert found and "INR" in found[0].text


def test_nothing_to_search_in_finds_nothing() -> None:
    assert search_passages([], _terms("glutathion")) == ()


def _own(slug: str) -> list[EvidenceBlock]:
    return [block for block in sample_evidence() if block.drug.drug_id == slug]


def _items(slug: str, said: str) -> set[str]:
    return {block.text.rpartition(": ")[2] for block in passages_with_item(_own(slug), _terms(said))}


WHOLLY_SAID = [
    ("enalapril", "ho khan", "Ho."),
    ("enalapril", "ho nhiều cả tuần", "Ho."),
    ("enalapril", "phù mạch mặt lưỡi", "Ban da, phù mạch."),
    ("enalapril", "mất ngủ", "Lú lẫn, mất ngủ, dị cảm."),
    ("amoxicilin", "viêm gan", "Viêm gan, vàng da ứ mật."),
    ("amoxicilin", "tiêu chảy", "Ỉa chảy, buồn nôn."),
    ("amoxicilin", "đi ngoài 3 hôm", "Ỉa chảy, buồn nôn."),
    ("digoxin", "buồn nôn", "Buồn nôn, nôn, ỉa chảy, chán ăn."),
    ("sildenafil", "đau đầu", "Đau đầu."),
    ("warfarin", "rụng tóc", "Ban da, rụng tóc."),
    ("warfarin", "rụng nhiều tóc quá", "Ban da, rụng tóc."),
    ("metformin", "tanh như kim loại", "Rối loạn vị giác, vị kim loại."),
    ("nifedipin", "đỏ bừng mặt", "Phù cổ chân, giãn mạch, đỏ bừng mặt."),
    ("nifedipin", "sưng cổ chân", "Phù cổ chân, giãn mạch, đỏ bừng mặt."),
    ("ibuprofen", "đau bụng", "Khó tiêu, đau bụng, buồn nôn, nôn, ỉa chảy, đầy hơi."),
]


@pytest.mark.parametrize(
    ("slug", "said", "items"),
    [
        *WHOLLY_SAID,
        (
            "gentamicin",
            "ù tai",
            "Tổn thương tiền đình (chóng mặt, mất thăng bằng, rung giật nhãn cầu), ù tai, giảm thính lực ở tần số cao.",
        ),
        fault(
            "metformin",
            "vị kim loại",
            "Rối loạn vị giác, vị kim loại.",
            reason="`loại` is a filler: the book's own words find less than `tanh như kim loại`",
        ),
    ],
)
def test_an_item_of_the_unwanted_effects_that_is_wholly_said_is_found(slug: str, said: str, items: str) -> None:
    assert items in _items(slug, said)


@pytest.mark.parametrize(
    ("slug", "said", "items"),
    [
        *(row for row in WHOLLY_SAID if row[1] not in {"đỏ bừng mặt", "phù mạch mặt lưỡi"}),
        ("nifedipin", "đỏ bừng mặt", "Phù cổ chân, giãn mạch, đỏ bừng mặt."),
        ("enalapril", "phù mạch mặt lưỡi", "Ban da, phù mạch."),
        ("enalapril", "chóng mặt", "Chóng mặt."),
    ],
)
def test_the_same_item_is_found_without_accents(slug: str, said: str, items: str) -> None:
    assert items in _items(slug, fold(said))


@pytest.mark.parametrize(
    ("slug", "said"),
    [
        ("enalapril", "họ"),
        ("enalapril", "hô hấp"),
        ("enalapril", "đau"),
        ("paracetamol", "viêm da"),
        ("phenytoin", "viêm gan"),
        ("prednisolon", "viêm gan"),
        ("amoxicilin", "vàng da"),
        ("amoxicilin", "viêm"),
        ("spironolacton", "đau vú"),
        ("metformin", "xyzxyz"),
        ("metformin", ""),
    ],
)
def test_an_item_of_which_a_word_is_not_said_is_not(slug: str, said: str) -> None:
    assert _items(slug, said) == set()


def test_hepatitis_is_no_dermatitis() -> None:
    for slug in {block.drug.drug_id for block in sample_evidence()}:
        for block in passages_with_item(_own(slug), _terms("viêm gan")):
            assert "viêm gan" in block.text.lower()


@pytest.mark.parametrize("slug", sorted({block.drug.drug_id for block in sample_evidence()}))
def test_every_item_that_is_said_whole_finds_its_passage_among_the_unwanted_effects(slug: str) -> None:
    own = _own(slug)
    effects = [block for block in own if block.section is SectionKey.ADR and not block.is_label]
    assert effects
    for block in effects:
        # As terms of their own: fillers among the words of an effect are another matter.
        terms = tuple(Term((word,), (), place) for place, word in enumerate(words(block.text)))
        found = passages_with_item(own, terms)
        assert block in found and all(other in effects for other in found)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("ciprofloxacin nhà hàng xóm nhược cơ nặng lắm trời ơi", "nhược cơ nặng lên"),
        ("gentamicin bà hàng xóm nhược cơ trời ơi", "Nhược cơ."),
        ("omeprazol hàng xóm bảo dùng lâu gãy xương hông đó trời", "Gãy xương hông"),
        ("metformin hàng xóm chụp cản quang trời ơi khổ", "Thuốc cản quang chứa iod"),
        ("aspirin thằng nhóc hàng xóm sợ hội chứng Reye lắm luôn", "hội chứng Reye"),
        ("digoxin hội chứng Wolff hàng xóm trời", "Hội chứng Wolff - Parkinson - White"),
    ],
)
def test_a_phrase_that_few_passages_print_finds_them_in_a_long_story(question: str, text: str) -> None:
    found = _only_telling(question)
    assert 0 < len(found) <= MOST_SHOWN and any(text in block.text for block in found)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("bé trai nhà em bị thiếu men G6PD từ lúc sinh, isosorbid dinitrat", "thiếu G6PD"),
        ("aspirin bé trai nhà em thiếu men G6PD", "thiếu G6PD"),
        ("phenytoin bác gái nhà bên có HLA-B dương tính", "HLA-B"),
        ("clarithromycin ông hàng xóm QT dài ngoằng", "kéo dài QT"),
        ("warfarin ông hàng xóm mang gen CYP2C9 lạ", "CYP2C9"),
        ("aspirin thằng nhóc hàng xóm mắc Reye", "hội chứng Reye"),
    ],
)
def test_a_name_that_few_passages_print_finds_them_with_and_without_accents(question: str, text: str) -> None:
    for typed in (question, fold(question)):
        assert any(text in block.text for block in _only_telling(typed))


@pytest.mark.parametrize(
    "question",
    [
        "warfarin chảy máu",
        "levothyroxin bà hàng xóm đo TSH cao chót vót",
        "paracetamol đau",
        "metformin zolpixantel",
        "amoxicilin hàng xóm trời ơi",
    ],
)
def test_what_many_passages_print_or_none_tells_nothing_by_itself(question: str) -> None:
    assert _only_telling(question) == ()


def _only_telling(question: str) -> tuple[EvidenceBlock, ...]:
    """What is found where no share of the terms is enough."""
    frame = understand(question, sample_corpus())
    return search_passages(_own(frame.drugs[0].drug_id), terms_of(frame), least=1.1)


@pytest.mark.parametrize("slug", sorted({block.drug.drug_id for block in sample_evidence()}))
def test_a_dose_of_one_branch_is_never_found_by_words_alone(slug: str) -> None:
    # Nothing else to search in, so that nothing else can stand before it.
    section = [block for block in _own(slug) if block.section is SectionKey.LIEU_DUNG]
    doses = {block for block in section if not is_manner_path(block.labels)}
    assert doses
    for block in doses:
        text = " ".join((*block.labels, block.text))
        assert doses.isdisjoint(search_passages(section, _terms(text), least=0.1)), block.labels
        assert doses.isdisjoint(search_passages(section, _terms(fold(" ".join(block.labels))))), block.labels


def test_what_is_said_of_the_manner_of_giving_is_found_by_words() -> None:
    found = search_passages(_own("vancomycin"), _terms("tốc độ truyền 10 mg/phút 60 phút"))
    assert any(block.labels == ("Tốc độ truyền",) for block in found)
