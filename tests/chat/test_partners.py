"""What a question names beside the drugs of the index, and whether all of it is taken together."""

from __future__ import annotations

import pytest

from chat.domain import TurnType
from chat.partners import exchanged_for
from chat.question import clean_question
from chat.question_parts import split_parts
from chat.understand import understand
from monographs.domain import SectionKey
from monographs.text import fold
from tests.sample_corpus import sample_corpus


@pytest.mark.parametrize(
    ("question", "partners"),
    [
        ("warfarin với NSAID", ("Thuốc chống viêm không steroid",)),
        ("warfarin voi nsaid", ("Thuốc chống viêm không steroid",)),
        ("metformin voi thuoc can quang", ("Thuốc cản quang",)),
        ("metformin với bia", ("Rượu",)),
        ("C3G với warfarin", ("Cephalosporin thế hệ 3",)),
        ("ciprofloxacin uống với sữa", ("Sữa",)),
        ("omeprazol + clopidogrel", ("clopidogrel",)),
        # Two names of one drug: the one that the book knows.
        ("omez + plavix (clopidogrel) uong cach gio dc k", ("clopidogrel",)),
        ("omeprazol với clopidogrel (Plavix) uống chung được không", ("clopidogrel",)),
        ("omeprazol + Plavix 75 mg (clopidogrel)", ("clopidogrel",)),
        ("clopidogrel 75mg, omeprazol 20mg", ("clopidogrel",)),
        ("nifedipin và magnesi sulfat", ("magnesi sulfat",)),
        ("methotrexat với acid folic", ("acid folic",)),
        ("bn đang Marevan, bs kê thêm amiodaron, có tương tác gì", ("amiodaron",)),
        ("uong methotrexat 10mg moi tuan, dau khop them diclofenac dc ko", ("diclofenac",)),
        ("Ventolin xit voi thuoc nho mat timolol co tuong tac ko", ("timolol",)),
        ("Klacid uống cùng colchicin trị gút có sao ko", ("colchicin",)),
        ("Panadol 500mg, Augmentin 625mg, vitamin C", ("vitamin C",)),
        ("- Ciprofloxacin 500mg - Sắt sulfat 1 viên - Calci carbonat 500mg", ("Sắt", "Calci")),
        ("1/ metformin 850mg 2/ sắt 3/ enalapril 5mg", ("Sắt",)),
        # Told to be taken, with or without a verb, before the drug that is to be given now.
        ("bn gút suy thận độ 3 đang colchicin, viêm họng kê clarithromycin", ("colchicin",)),
        ("đang ciclosporin, viêm phổi kê clarithromycin", ("ciclosporin",)),
        ("dang theophylin, nay ke ciprofloxacin", ("theophylin",)),
        ("bệnh nhân đang dùng colchicin, nay kê clarithromycin", ("colchicin",)),
        ("dang amiodaron, bs cho them digoxin", ("amiodaron",)),
        ("BN vẫn đang lithi, tăng huyết áp cho enalapril được không", ("lithi",)),
        ("bn đang thuốc chống đông, đau khớp kê ibuprofen", ("Thuốc chống đông",)),
        ("đang sốt xuất huyết, cho ibuprofen", ()),
        ("đang sốc nhiễm khuẩn, truyền ceftriaxon", ()),
        ("enalapril tăng huyết áp người lớn đang dùng thuốc lợi tiểu", ()),
        ("bn đang tacrolimus, chống chỉ định của clarithromycin", ()),
        # What a patient who takes a drug wants or is to have beside it; which one of a class asks for no pair.
        ("nữ động kinh uống Dilantin, muốn dùng thuốc tránh thai hằng ngày", ("Thuốc tránh thai",)),
        ("đang uống phenytoin muốn uống thuốc ngừa thai có được không", ("Thuốc tránh thai",)),
        ("bn nữ đang dùng Dilantin, giờ kê thuốc tránh thai", ("Thuốc tránh thai",)),
        ("uống Dilantin mà dùng viên tránh thai có hiệu quả không", ("Thuốc tránh thai",)),
        ("uống enalapril rồi tiêm thuốc cản quang được không", ("Thuốc cản quang",)),
        ("đang uống metformin, sắp chụp cần tiêm thuốc cản quang thì sao", ("Thuốc cản quang",)),
        ("phụ nữ uống methotrexat muốn dùng thuốc giảm đau NSAID", ("Thuốc chống viêm không steroid",)),
        # One combination, however it is typed; a wider class with a narrower one behind it is the narrower.
        ("metformin với piperacilin/tazobactam dùng chung được không", ("piperacilin + tazobactam",)),
        ("ceftriaxon với ampicilin / sulbactam", ("ampicilin + sulbactam",)),
        ("digoxin với các kháng sinh macrolid", ("Kháng sinh macrolid",)),
        ("digoxin va cac khang sinh nhom macrolid", ("Kháng sinh macrolid",)),
        ("warfarin với các kháng sinh quinolon", ("Kháng sinh quinolon",)),
        ("phenytoin với các thuốc kháng nấm azol", ("Thuốc chống nấm azol",)),
        ("digoxin với các kháng sinh", ("Kháng sinh",)),
        ("truyền ciprofloxacin 10 - 15 phút - bn sốt", ()),
        ("omeprazol và Helicobacter pylori", ()),
        ("paracetamol uong cung nhau", ()),
        ("warfarin với aspirin", ()),
        ("warfarin ở người nghiện rượu", ()),
        ("morphin và sữa mẹ", ()),
        ("furosemid khi hạ kali huyết", ()),
        ("BN dị ứng penicilin dùng ceftriaxon được không", ()),
        ("BN từng sốc với penicilin thì ceftriaxon có dùng được không?", ()),
        ("liều metformin, chống chỉ định với thuốc cản quang", ()),
        ("Uống metronidazol phải kiêng bia rượu bao lâu?", ()),
        ("uống cả vỉ seduxen với rượu", ()),
        ("phenytoin gây phì đại lợi không", ()),
    ],
)
def test_what_is_taken_with_a_drug(question: str, partners: tuple[str, ...]) -> None:
    frame = understand(question, sample_corpus())
    assert frame.partners == partners
    assert (frame.turn_type is TurnType.INTERACTION) == (bool(partners) or len(frame.drugs) > 1)


@pytest.mark.parametrize(
    ("question", "turn"),
    [
        ("liều paracetamol và ibuprofen", TurnType.COMPARISON),
        ("chống chỉ định của losartan và enalapril", TurnType.COMPARISON),
        ("so sánh losartan với enalapril", TurnType.COMPARISON),
        ("losartan khác gì với enalapril", TurnType.COMPARISON),
        ("liều ibuprofen, uống với losartan được không", TurnType.INTERACTION),
        ("losartan + enalapril", TurnType.INTERACTION),
        ("đang uống losartan thêm enalapril", TurnType.INTERACTION),
        ("losartan và enalapril", TurnType.INTERACTION),
        ("1. Losartan 50mg 2. Enalapril 5mg liều này ổn không", TurnType.INTERACTION),
        ("Panadol với Hapacol uống chung được không", TurnType.INTERACTION),
        ("Panadol và Hapacol uống chung được không", TurnType.INTERACTION),
        # An order with strengths is taken together, whatever else is told of the patient or asked of it.
        ("mẹ uống phenytoin 100mg suốt thai kỳ; toa bé: phytomenadion 2mg uống, vậy ổn không", TurnType.INTERACTION),
        ("- Warfarin 5mg\n- Aspirin 81mg\nmón nào phải bỏ", TurnType.INTERACTION),
        ("đơn: enalapril 5mg, spironolacton 25mg, thuốc nào phải bỏ", TurnType.INTERACTION),
        ("losartan, enalapril thuốc nào phải bỏ ở người có thai", TurnType.COMPARISON),
        ("enalapril 5 đơn vị 10mg và losartan 50mg có thai", TurnType.COMPARISON),
        # Its units are often left out; and what an order lists is taken together, measured or not.
        ("bầu 30 tuần, đơn ghi nifedipin LA 30, aspirin 81, enalapril 5. Có thuốc nào sai không", TurnType.INTERACTION),
        ("toa gồm losartan 50, spironolacton 25, có thuốc nào sai không", TurnType.INTERACTION),
        ("đơn: warfarin 2, aspirin 81, thuốc nào phải bỏ", TurnType.INTERACTION),
        ("don co nifedipin 30, aspirin 81, enalapril 5 thuoc nao sai", TurnType.INTERACTION),
        ("bầu 20 tuần, đơn có enalapril, aspirin; có thuốc nào không được dùng không", TurnType.INTERACTION),
        ("toa bs ghi losartan, spironolacton có được không", TurnType.INTERACTION),
        ("thuốc kê đơn: losartan, enalapril chống chỉ định gì", TurnType.COMPARISON),
        ("trong đơn này thuốc nào gây ho: enalapril 5, losartan 50", TurnType.COMPARISON),
        ("so sánh chống chỉ định của losartan và enalapril trong đơn", TurnType.COMPARISON),
        # Which goes before a meal is asked of each.
        ("omeprazol, prednisolon, spironolacton thuốc nào uống trước ăn thuốc nào sau ăn", TurnType.COMPARISON),
        ("omeprazol với levothyroxin cái nào uống lúc đói", TurnType.COMPARISON),
        ("metformin, gliclazid: viên nào trước ăn viên nào sau ăn", TurnType.COMPARISON),
        ("ibuprofen va prednisolon thuoc nao phai uong luc no", TurnType.COMPARISON),
        ("levothyroxin, omeprazol uống trước ăn hay sau ăn", TurnType.COMPARISON),
        ("toa có omeprazol, prednisolon, thuốc nào uống khi đói", TurnType.COMPARISON),
        ("omeprazol với prednisolon uống chung được không, thuốc nào uống trước ăn", TurnType.INTERACTION),
        ("1. Losec 20mg trước ăn 2. Prednisolon 5mg sau ăn, có tương tác không", TurnType.INTERACTION),
        # "vs" sets the doses side by side, unless something is said to be taken together.
        ("dopamin vs dobutamin lieu nguoi lon", TurnType.COMPARISON),
        ("dopamin vs dobutamin: liều người lớn", TurnType.COMPARISON),
        ("liều amlodipin vs nifedipin người cao tuổi", TurnType.COMPARISON),
        ("paracetamol vs ibuprofen liều trẻ em 12kg", TurnType.COMPARISON),
        ("liều uống cipro vs clarithro người lớn", TurnType.COMPARISON),
        ("lieu khoi dau enalapril VS losartan", TurnType.COMPARISON),
        ("warfarin vs ibuprofen uống chung liều bao nhiêu", TurnType.INTERACTION),
        ("amlodipin vs simvastatin dùng cùng thì liều tối đa bao nhiêu", TurnType.INTERACTION),
        ("liều simvastatin với amlodipin", TurnType.INTERACTION),
        ("warfarin vs aspirin", TurnType.INTERACTION),
        # Mixed with what has no monograph is mixed all the same.
        ("vancomycin với piperacilin/tazobactam chạy cùng đường truyền có tủa không", TurnType.INCOMPATIBILITY),
        ("furosemid trộn chung với midazolam được không", TurnType.INCOMPATIBILITY),
        ("tương tác của losartan", TurnType.DRUG_ATTRIBUTE),
        ("ibuprofen uống sau aspirin mấy tiếng", TurnType.INTERACTION),
    ],
)
def test_kind_of_question(question: str, turn: TurnType) -> None:
    assert understand(question, sample_corpus()).turn_type is turn


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("warfarin với aspirin", {}),
        ("warfarin với aspirin uống chung được không", {}),
        ("lieu va ccd ibuprofen, uong voi losartan dc k", {"Ibuprofen": ["lieu_dung", "chong_chi_dinh"]}),
        ("liều ibuprofen uống với losartan", {"Ibuprofen": ["lieu_dung"]}),
        ("ibuprofen uống với losartan, liều ibuprofen bao nhiêu", {"Ibuprofen": ["lieu_dung"]}),
        (
            "warfarin với aspirin, chống chỉ định gì",
            {"Warfarin": ["chong_chi_dinh"], "Aspirin": ["chong_chi_dinh"]},
        ),
        ("aspirin liều thấp với ibuprofen", {}),
        ("1. Warfarin liều 5mg 2. Aspirin 81mg", {}),
        (
            "1. Warfarin 5mg 2. Aspirin 81mg. liều này ổn không",
            {"Warfarin": ["lieu_dung"], "Aspirin": ["lieu_dung"]},
        ),
        ("phụ nữ có thai dùng enalapril với losartan", {}),
        ("uống nhầm warfarin với aspirin", {"Warfarin": ["qua_lieu"], "Aspirin": ["qua_lieu"]}),
    ],
)
def test_parts_of_a_question(question: str, parts: dict[str, list[str]]) -> None:
    frame = understand(clean_question(question), sample_corpus())
    found = {part.drug.name: [key.value for key in part.sections] for part in split_parts(frame, sample_corpus())}
    assert found == parts


def test_part_keeps_the_patient_and_asks_of_one_drug_alone() -> None:
    corpus = sample_corpus()
    frame = understand("liều ibuprofen cho bé 15kg, uống với paracetamol được không", corpus)
    (part,) = split_parts(frame, corpus)
    assert part.frame.weight_kg == 15 and part.frame.attribute is SectionKey.LIEU_DUNG
    assert [drug.name for drug in part.frame.drugs] == ["Ibuprofen"]


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("Lasix 40mg, Hoạt huyết dưỡng não 150 mg, Spinolac 25 mg tương tác", ["Hoạt huyết dưỡng não"]),
        ("Lasix 40mg x2 Spinolac 25mg (u) x2 Hoạt huyết dưỡng não 150 mg", ["Hoạt huyết dưỡng não"]),
        ("lasix 40mg #30 men vi sinh 40 mg #30 spinolac 25mg #30", ["men vi sinh"]),
        ("Lasix 40mg - 1 viên x 2 lần/ngày Bổ phế Nam Hà 10 mg Spinolac 25 mg", ["Bổ phế Nam Hà"]),
        ("1/ Lasix 40mg ( S 1 - C 1 ) 2/ Spinolac 25mg ( S 1 - C 1 ) có kỵ nhau ko ạ", []),
        ("1. Lasix 40mg - Sáng 1 viên, chiều 1 viên - SL: 28 viên 2. Spinolac 25mg", []),
        ("Bé 8kg - viêm tai giữa cấp - Augmentin 250 mg - Hapacol 80 mg", []),
        ("- ceftriaxon 150mg - calci gluconat 10% 2ml", []),
        ("Lasix 40mg Spinolac 25mg Check tương tác", []),
        ("creatinin 150 micromol, glucose 180 mg/dl, Lasix 40mg, Spinolac 25 mg", []),
    ],
)
def test_what_a_prescription_measures_out_is_recognised_or_missing(question: str, missing: list[str]) -> None:
    frame = understand(question, sample_corpus())
    assert [name for name in (*frame.unknown_drugs, *frame.partners) if name] == missing


@pytest.mark.parametrize(
    ("rest", "names"),
    [
        ("thay ······· bằng clopidogrel được không", ("clopidogrel",)),
        ("chuyển từ ········ sang rivaroxaban thế nào", ("rivaroxaban",)),
        ("đổi ······· qua ········ được không", ()),
        ("thay ······· bằng thuốc khác", ()),
        ("đổi sang đường uống", ()),
        ("uống ······· bằng nước", ()),
    ],
)
def test_a_drug_that_is_to_stand_in_for_another_and_has_no_monograph(rest: str, names: tuple[str, ...]) -> None:
    assert exchanged_for(rest) == names
    assert exchanged_for(fold(rest)) == tuple(map(fold, names))
