"""Whether something dangerous is told of, and what of a monograph answers it."""

from __future__ import annotations

import pytest

from chat.domain import EvidenceBlock
from chat.harm import Harm, handling_of, is_because, is_treated, told_harm
from chat.understand import understand
from monographs.domain import SectionKey
from monographs.text import fold
from tests.chat.faults import fault
from tests.sample_corpus import sample_corpus
from tests.sample_evidence import sample_evidence


def _rest(question: str) -> str:
    """The question spelled out, with its drug names blanked."""
    return str(understand(question, sample_corpus()).raw["rest"])


def _told(question: str) -> set[Harm]:
    """What is told with and without accents: one and the same."""
    return {told_harm(_rest(typed)) for typed in (question, fold(question))}


def _own(slug: str) -> list[EvidenceBlock]:
    return [block for block in sample_evidence() if block.drug.drug_id == slug]


AFTER = [
    "tiêm ceftriaxon xong nổi mề đay khắp người",
    "vừa tiêm ceftriaxon xong tím tái",
    "sau khi tiêm ceftriaxon 10 phút thì khó thở",
    "sau uống aspirin đau dạ dày",
    "đang truyền vancomycin thì đỏ bừng mặt",
    "phenytoin đang truyền thấy nhịp chậm",
    "uống warfarin bị nôn ra máu",
    "uống enalapril thì ho khan suốt",
    "uống amlodipin rồi phù chân",
    "dùng metformin bị tiêu chảy",
    "tiêm insulin mà vã mồ hôi run tay",
    "uống amoxicilin được 3 ngày nổi ban",
    "uống metronidazol được 2 ngày thấy miệng tanh kim loại",
    "mới uống ciprofloxacin 2 hôm nay đau gân gót",
    "đang uống enalapril thấy ho khan",
    "đang dùng spironolacton thấy vú to",
    "ông cụ đang dùng digoxin thấy buồn nôn nhìn vàng",
    "vừa uống paracetamol nổi mẩn đỏ",
    "truyền vancomycin nhanh quá",
    "bơm furosemid nhanh quá bị ù tai",
    "tiêm phenytoin bị thoát mạch",
    "thoát mạch dopamin xử trí sao",
    "hôn mê do insulin",
    "hôn mê hạ đường huyết do insulin",
    "ngừng thở do dùng morphin",
    "co giật do ciprofloxacin",
    "sốc phản vệ do ceftriaxon",
    "phù môi tại enalapril",
    "khó thở vì dùng aspirin",
    "ngất do isosorbid dinitrat",
    "xịt salbutamol xong run tay tim đập nhanh",
    "hít salbutamol xong đánh trống ngực",
    "tiêm adrenalin xong tim đập thình thịch",
    "dùng sildenafil xong nhìn màu lạ",
    "nhỏ ciprofloxacin bị xót mắt",
    "bôi metronidazol bị rát da",
    "uống nifedipin mà nhức đầu quá",
    "bé uống amoxicilin bị đi ngoài",
    "uống levothyroxin rồi hồi hộp mất ngủ",
    "dùng prednisolon 2 tháng bị phù mặt",
    "uống ciprofloxacin 3 ngày thì đau gân",
    "bé tiêm ceftriaxon 5 phút sau tím tái",
    "mới tiêm ceftriaxon nổi mẩn đỏ",
    "từ khi uống amlodipin chân sưng",
]

SIGN = [
    "bé co giật, diazepam",
    "đang co giật liều diazepam",
    "co giật do sốt, liều diazepam",
    "sốc phản vệ, adrenalin",
    "sốc phản vệ do ong đốt, adrenalin liều",
    "khó thở morphin",
    "bệnh nhân gọi không dậy, gliclazid",
    "digoxin nhịp chậm phải làm sao",
    "enalapril phù mặt",
    "gliclazid tụt đường huyết làm gì",
    "aspirin nôn ra máu",
    "ngừng tim adrenalin",
    "cấp cứu ngừng tuần hoàn adrenalin liều",
    "lơ mơ insulin",
    "ho khan enalapril có sao không",
    "uống nhầm gliclazid",
    "tím tái, morphin",
    "thở rít, adrenalin",
    "metformin có phải ngưng không",
    "warfarin chảy máu cam xử trí sao",
    "vancomycin đỏ bừng mặt có nguy hiểm không",
    "ceftriaxon nổi mề đay giờ sao",
    "losartan tăng kali máu xử lý thế nào",
    "ngộ độc digoxin",
    "quá liều paracetamol",
    "bé sùi bọt mép, phenytoin",
    "isosorbid dinitrat ngất",
    "phenytoin sưng nướu khắc phục",
    "methotrexat loét miệng tính sao",
    "bệnh nhân hôn mê, insulin",
    "nghĩ quẩn, paracetamol",
    "ngưng thở, morphin",
    "kali clorid tiêm thẳng",
]

ORDINARY = [
    "liều paracetamol người lớn",
    "liều dùng diazepam trẻ em",
    "chống chỉ định của metformin",
    "chỉ định của adrenalin",
    "tác dụng phụ của enalapril",
    "tương tác digoxin với amiodaron",
    "bảo quản insulin",
    "ciprofloxacin thuộc nhóm nào",
    "hàm lượng clarithromycin",
    "giá của losartan",
    "amoxicilin uống trước ăn hay sau ăn",
    "uống metformin sau ăn",
    "uống levothyroxin lúc nào",
    "quên uống levothyroxin",
    "prednisolon uống buổi sáng hay tối",
    "aspirin uống mấy viên",
    "tiêm bắp gentamicin liều bao nhiêu",
    "morphin tiêm dưới da được không",
    "truyền vancomycin trong bao lâu",
    "truyền metronidazol mất bao lâu",
    "liều furosemid tiêm tĩnh mạch chậm",
    "phytomenadion tiêm tĩnh mạch chậm trong bao lâu",
    "digoxin tiêm tĩnh mạch rồi uống, liều?",
    "amoxicilin sau khi pha để được mấy ngày",
    "ceftriaxon pha với gì",
    "omeprazol nghiền bơm sonde được không",
    "ngưng omeprazol đột ngột được không",
    "đang dùng metformin có uống rượu được không",
    "đang dùng levothyroxin, có thai thì chỉnh liều ra sao",
    "đang uống warfarin, liều ibuprofen",
    "đang dùng thuốc chống đông, uống ibuprofen được không",
    "sau phẫu thuật dùng morphin liều bao nhiêu",
    "sildenafil trước khi quan hệ bao lâu",
    "mới dùng insulin liều bao nhiêu",
    "cách xịt salbutamol",
    "nifedipin có dùng cho bà bầu được không",
    "bé 3 tuổi, clorpheniramin siro",
    "amlodipin uống vào lúc nào",
    "nên tiêm insulin vào bụng hay đùi",
    "insulin tiêm vào đâu",
    "sau khi uống omeprazol bao lâu thì ăn",
    "sau khi dùng sildenafil bao lâu được dùng nitrat",
    "uống omeprazol rồi mới ăn được không",
    "quên uống thì sao levothyroxin",
    "thuốc tiêm thì bảo quản sao insulin",
]


@pytest.mark.parametrize(
    "question",
    [
        *AFTER,
        "uống ibuprofen vào đau bụng dữ",
        "em uống clorpheniramin vào buồn ngủ quá",
        "tiêm benzathin benzylpenicilin mới 5 phút tím tái",
        fault("tiêm tĩnh mạch adrenalin bị nhịp nhanh", reason="the whole route stands between `tiêm` and `bị`"),
    ],
)
def test_what_followed_the_drug_is_told_as_after(question: str) -> None:
    assert _told(question) == {Harm.AFTER}


@pytest.mark.parametrize("question", SIGN)
def test_an_alarming_sign_or_a_call_for_what_to_do_is_told_as_a_sign(question: str) -> None:
    assert _told(question) == {Harm.SIGN}


@pytest.mark.parametrize(
    "question",
    [
        *ORDINARY,
        fault(
            "đang truyền vancomycin đo nồng độ đáy khi nào", reason="`đo` is read as `đỏ`, in an accented question too"
        ),
    ],
)
def test_an_ordinary_question_tells_of_no_harm(question: str) -> None:
    assert _told(question) == {Harm.NONE}


def test_the_tables_are_large_and_the_frame_carries_what_is_told() -> None:
    assert len({*AFTER, *SIGN}) >= 40 and len({*ORDINARY}) >= 20
    for question, harm in [(AFTER[0], Harm.AFTER), (SIGN[0], Harm.SIGN), (ORDINARY[0], Harm.NONE)]:
        assert understand(question, sample_corpus()).harm == harm


@pytest.mark.parametrize(
    ("question", "slug"),
    [
        ("sốc phản vệ", "adrenalin"),
        ("bệnh nhân phản vệ", "adrenalin"),
        ("phan ve", "adrenalin"),
        ("ngừng tim", "adrenalin"),
        ("ngung tim", "adrenalin"),
        ("bé co giật", "diazepam"),
        ("be co giat", "diazepam"),
        ("đang co giật", "phenytoin"),
        ("khó thở", "morphin"),
        ("quá liều", "acetylcystein"),
        ("sốc phản vệ", "clorpheniramin"),
        ("phù mặt", "clorpheniramin"),
        ("bị ngộ độc", "diazepam"),
        ("hôn mê", "levothyroxin"),
    ],
)
def test_a_drug_given_for_the_sign_treats_it(question: str, slug: str) -> None:
    assert is_treated(question, _own(slug))


@pytest.mark.parametrize(
    ("question", "slug"),
    [
        ("sốc phản vệ", "ceftriaxon"),
        ("soc phan ve", "ceftriaxon"),
        ("phản vệ", "amoxicilin"),
        ("phản vệ", "insulin"),
        ("co giật", "ciprofloxacin"),
        ("co giat", "ciprofloxacin"),
        ("ngừng thở", "diazepam"),
        ("ngừng thở", "morphin"),
        ("hôn mê", "insulin"),
        ("hôn mê", "gliclazid"),
        ("phù mặt", "enalapril"),
        ("sưng môi", "losartan"),
        ("khó thở", "aspirin"),
        ("ngất", "isosorbid_dinitrat"),
        ("nôn ra máu", "warfarin"),
        ("quá liều", "paracetamol"),
        ("ngộ độc", "digoxin"),
        ("bất tỉnh", "adrenalin"),
        ("tím tái", "kali_clorid"),
        ("", "adrenalin"),
        ("đau đầu", "paracetamol"),
    ],
)
def test_any_other_drug_does_not(question: str, slug: str) -> None:
    assert not is_treated(question, _own(slug))


@pytest.mark.parametrize(
    ("question", "slug"),
    [
        ("co giật", "aspirin"),
        ("phù mặt", "furosemid"),
        ("mạch chậm", "morphin"),
        ("ngung tho", "dopamin"),
        ("tim tai", "digoxin"),
    ],
)
@pytest.mark.xfail(
    strict=True,
    reason="the words of a sign need only stand somewhere in a passage, in any order: `tiền sản giật ở người có…`, "
    "`Tiêm tĩnh mạch, phù`, `tĩnh mạch chậm`, bare `tim`, `tải`",
)
def test_words_of_a_sign_that_stand_apart_name_no_indication(question: str, slug: str) -> None:
    assert not is_treated(question, _own(slug))


def test_only_indications_and_labels_of_the_dosage_tell_what_is_treated() -> None:
    assert not is_treated("phản vệ", [b for b in _own("adrenalin") if b.section is SectionKey.QUA_LIEU])
    assert is_treated("phản vệ", [b for b in _own("adrenalin") if b.section is SectionKey.CHI_DINH])
    assert is_treated("phản vệ", [b for b in _own("adrenalin") if b.section is SectionKey.LIEU_DUNG])
    assert not is_treated("phản vệ", [])


@pytest.mark.parametrize(
    "slug", ["gliclazid", "insulin", "kali_clorid", "morphin", "paracetamol", "spironolacton", "warfarin"]
)
def test_a_pointer_to_overdose_brings_that_section_too(slug: str) -> None:
    found = handling_of(_own(slug), because=False)
    assert {block.section for block in found} == {SectionKey.XU_TRI_ADR, SectionKey.QUA_LIEU}


@pytest.mark.parametrize(
    "slug", ["enalapril", "amlodipin", "ceftriaxon", "vancomycin", "metformin", "digoxin", "adrenalin", "ibuprofen"]
)
def test_without_one_overdose_comes_only_where_the_drug_is_the_cause(slug: str) -> None:
    found = handling_of(_own(slug), because=False)
    assert {block.section for block in found} == {SectionKey.XU_TRI_ADR}
    because = handling_of(_own(slug), because=True)
    assert {block.section for block in because} == {SectionKey.XU_TRI_ADR, SectionKey.QUA_LIEU}
    assert [block for block in because if block in found] == found


@pytest.mark.parametrize("slug", sorted({block.drug.drug_id for block in sample_evidence()}))
def test_handling_is_never_an_ordinary_dose_and_keeps_the_books_order(slug: str) -> None:
    own = _own(slug)
    for because in (False, True):
        found = handling_of(own, because=because)
        assert found and all(block.section in {SectionKey.XU_TRI_ADR, SectionKey.QUA_LIEU} for block in found)
        assert [own.index(block) for block in found] == sorted(own.index(block) for block in found)


def test_where_no_handling_is_printed_overdose_stands_for_it() -> None:
    own = [block for block in _own("enalapril") if block.section is not SectionKey.XU_TRI_ADR]
    assert {block.section for block in handling_of(own, because=False)} == {SectionKey.QUA_LIEU}
    assert handling_of([], because=True) == []


@pytest.mark.parametrize(
    "question",
    [
        "hôn mê do insulin",
        "hôn mê do dùng insulin",
        "ngừng thở do morphin",
        "phù vì amlodipin",
        "có phải tại thuốc enalapril không",
        "vì uống aspirin",
        "đau gân bởi ciprofloxacin",
    ],
)
def test_the_drug_is_named_as_the_cause(question: str) -> None:
    assert is_because(_rest(question)) and is_because(_rest(fold(question)))


@pytest.mark.parametrize(
    "question",
    [
        "hôn mê, insulin",
        "co giật do sốt, liều diazepam",
        "uống enalapril bị ho",
        "liều paracetamol",
        "do bị đau khớp nhiều tháng nay nên uống ibuprofen",
        fault("bé viêm tai amoxicilin", reason="`tai` (ear) is read as `tại`, in an accented question too"),
        "bôi gentamicin",
        "vị kim loại metformin",
    ],
)
def test_a_drug_beside_another_cause_is_not(question: str) -> None:
    assert not is_because(_rest(question))
