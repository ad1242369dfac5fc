"""Which of the things told is asked for, and what the others come to for a candidate."""

from __future__ import annotations

import pytest

from tests.chat.asking import candidates, statuses

FORBIDDEN, CAUTION, INDICATED = "contraindicated", "indicated_with_caution", "indicated"


@pytest.mark.parametrize(
    ("question", "drug", "status"),
    [
        # A value counts where drugs are asked for by what they do.
        ("BN nam 60 tuổi THA, kali máu 5,8 mmol/l. Chọn thuốc hạ áp nào?", "enalapril", CAUTION),
        ("THA, kali máu 5,8, chọn thuốc hạ áp nào", "spironolacton", FORBIDDEN),
        ("THA, kali máu 4,2, chọn thuốc hạ áp nào", "enalapril", INDICATED),
        # What is needed is asked for; what is had beside it is the patient's.
        ("sản phụ bị bệnh tim từ trước, cần trì hoãn đẻ non thì chọn thuốc giảm co nào", "nifedipin", CAUTION),
        ("trạng thái động kinh, ECG có block nhĩ thất độ 2, tiêm thuốc nào", "phenytoin", FORBIDDEN),
        ("trang thai dong kinh, ECG co block nhi that do 2, tiem thuoc nao", "diazepam", INDICATED),
        ("bn liệt mặt ngoại biên, có ĐTĐ và đang bị loét dạ dày, nên dùng gì", "prednisolon", CAUTION),
        ("soc tim co kem cuong giap, van mach nao", "dopamin", FORBIDDEN),
        # A course that is not over, one of several examples, a wider kind.
        ("đau bụng kinh, đang điều trị loét tá tràng chưa lành, xin thuốc", "ibuprofen", FORBIDDEN),
        ("Crohn + đang điều trị lao phổi, thuốc nào dùng được", "methotrexat", FORBIDDEN),
        ("Crohn, không có lao, thuốc nào dùng được", "methotrexat", INDICATED),
        # Harm that a drug of the patient's did forbids it, and not what is of another class.
        ("THA ma tung phu mach vi uong enalapril thi doi thuoc gi", "enalapril", FORBIDDEN),
        ("THA ma tung phu mach vi uong enalapril thi doi thuoc gi", "amlodipin", INDICATED),
        # What followed a medicine, where it is and how it is called again are no part of the name.
        ("tiêu chảy do C. difficile sau đợt kháng sinh: thuốc nào có chỉ định", "vancomycin", INDICATED),
        ("nhiem C. difficile sau dot khang sinh, dung thuoc gi", "metronidazol", INDICATED),
        ("trung ca do (rosacea) boi thuoc gi", "metronidazol", INDICATED),
        ("đái tháo đường thai kỳ dùng thuốc gì", "insulin", CAUTION),
        ("lang ben uốgn thuốc nào", "fluconazol", INDICATED),
        ("hạ kali máu ở bn suy thận nặng, thiểu niệu, dùng thuốc gì", "kali_clorid", FORBIDDEN),
        ("hạ kali máu ở bn suy thận nặng, vô niệu, dùng thuốc gì", "kali_clorid", FORBIDDEN),
        ("hạ kali máu ở bn suy thận nặng, dùng thuốc gì", "kali_clorid", FORBIDDEN),
        ("clcr 25, đang uống furosemid, cần phòng hạ kali máu", "spironolacton", FORBIDDEN),
        ("bn lau dung thuoc gi", "ceftriaxon", INDICATED),
        # A man is no fungus; an allergy that is denied is none, however its drug is spelled.
        ("Nam tiểu buốt, viêm bàng quang uống thuốc gì", "ciprofloxacin", INDICATED),
        ("nam viem bang quang uong thuoc gi", "ciprofloxacin", INDICATED),
        ("viêm họng liên cầu, không dị ứng penicillin, kháng sinh nào", "amoxicilin", INDICATED),
        ("suy tim, đang dùng digoxin, cần thuốc phòng hạ kali máu", "kali_clorid", "interaction_named"),
        ("nu 28 tuoi len con hen cap, xu tri thuoc nao", "prednisolon", INDICATED),
        ("bé 3 tháng bị nấm miệng Candida, bú mẹ, bôi hay uống thuốc gì", "nystatin", INDICATED),
    ],
)
def test_what_is_told_beside_counts_for_the_candidate(question: str, drug: str, status: str) -> None:
    found = statuses(candidates(question)).get(drug)
    # A caution that is no more than one is as right where the patient's age or state is one.
    assert found == status or (status == INDICATED and found == CAUTION)


@pytest.mark.parametrize(
    ("question", "drug"),
    [
        ("đái tháo đường thai kỳ dùng thuốc gì", "gliclazid"),
        ("viêm phổi (MRSA) dùng thuốc gì", "amoxicilin"),
        ("Nam tiểu buốt, viêm bàng quang uống thuốc gì", "nystatin"),
        ("trầm cảm sau sinh có thuốc gì không", "diazepam"),
        ("bn liệt mặt ngoại biên, có ĐTĐ và đang bị loét dạ dày, nên dùng gì", "metformin"),
    ],
)
def test_what_is_not_for_the_illness_asked_is_no_indicated_candidate(question: str, drug: str) -> None:
    assert statuses(candidates(question)).get(drug) not in {INDICATED, CAUTION}
