"""Questions as pharmacists type them, and what must be understood: one line each, everything unsaid must be empty.

Every question is also asked without accents (see test_understand.py); those whose bare form says less are in BARE.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Case:
    """drugs, also, who: space-separated identifiers; months: of age; "*": whatever it is.

    fault: why it fails today."""

    question: str
    drugs: str = ""
    section: str = ""
    also: str = ""
    topic: str = ""
    who: str = ""
    route: str = ""
    kg: str = ""
    months: str = ""
    clearance: str = ""
    turn: str = "drug_attribute"
    unknown: str = ""
    clarify: str = ""
    harm: str = "*"
    fault: str = ""


_DOSE = "lieu_dung"

SECTIONS = [
    Case("Liều lượng và cách dùng của paracetamol?", "paracetamol", _DOSE),
    Case("cách dùng omeprazol", "omeprazol", _DOSE),
    Case("prednisolon dùng như thế nào", "prednisolon", _DOSE),
    Case("paracetamol uống bao nhiêu mg một lần", "paracetamol", _DOSE, route="uong"),
    Case("amlodipin ngày mấy lần", "amlodipin", _DOSE),
    Case("Liều tối đa của ibuprofen là bao nhiêu?", "ibuprofen", _DOSE),
    Case("giảm liều digoxin thế nào", "digoxin", _DOSE),
    Case("levothyroxin cách uống", "levothyroxin", _DOSE, route="uong"),
    Case("Chống chỉ định của metformin là gì?", "metformin", "chong_chi_dinh"),
    Case("metformin CCĐ", "metformin", "chong_chi_dinh"),
    Case("ai không được dùng aspirin", "aspirin", "chong_chi_dinh"),
    Case("aspirin cấm dùng khi nào", "aspirin", "chong_chi_dinh"),
    Case("Sildenafil không dùng cho ai?", "sildenafil", "chong_chi_dinh"),
    Case("Chỉ định của spironolacton", "spironolacton", "chi_dinh"),
    Case("furosemid trị bệnh gì", "furosemid", "chi_dinh"),
    Case("diazepam dùng để làm gì", "diazepam", "chi_dinh"),
    Case("công dụng của nystatin", "nystatin", "chi_dinh"),
    Case("nystatin dùng làm gì", "nystatin", "chi_dinh"),
    Case("losartan xài cho bệnh nào", "losartan", "chi_dinh"),
    Case("bệnh nhân nào thì dùng digoxin", "digoxin", "chi_dinh"),
    Case("CĐ của fluconazol", "fluconazol", "chi_dinh"),
    Case("Thận trọng khi dùng digoxin", "digoxin", "than_trong"),
    Case("digoxin cần lưu ý gì", "digoxin", "than_trong"),
    Case("cảnh báo của clarithromycin", "clarithromycin", "than_trong"),
    Case("Tác dụng phụ của warfarin?", "warfarin", "adr"),
    Case("TDP của amlodipin", "amlodipin", "adr"),
    Case("ADR methotrexat", "methotrexat", "adr"),
    Case("phản ứng có hại của vancomycin", "vancomycin", "adr"),
    Case("tác dụng không mong muốn nifedipin", "nifedipin", "adr"),
    Case("TDKMM của enalapril", "enalapril", "adr"),
    Case("xử trí ADR của vancomycin", "vancomycin", "xu_tri_adr"),
    Case("xử trí tác dụng phụ của methotrexat", "methotrexat", "xu_tri_adr"),
    Case("Tương tác thuốc của warfarin", "warfarin", "tuong_tac"),
    Case("digoxin tương tác với những gì", "digoxin", "tuong_tac"),
    Case("tương kỵ của furosemid", "furosemid", "tuong_ky"),
    Case("phenytoin tương kị với gì", "phenytoin", "tuong_ky"),
    Case("Bảo quản insulin", "insulin", "bao_quan"),
    Case("insulin để tủ lạnh được không", "insulin", "bao_quan"),
    Case("độ ổn định của amoxicilin", "amoxicilin", "bao_quan"),
    Case("nhiệt độ bảo quản adrenalin", "adrenalin", "bao_quan"),
    Case("Quá liều paracetamol", "paracetamol", "qua_lieu"),
    Case("ngộ độc digoxin", "digoxin", "qua_lieu"),
    Case("uống nhầm gliclazid", "gliclazid", "qua_lieu", route="*"),
    Case("Dạng thuốc và hàm lượng của levothyroxin?", "levothyroxin", "dang_thuoc_ham_luong"),
    Case("losartan có những dạng nào", "losartan", "dang_thuoc_ham_luong"),
    Case("hàm lượng clarithromycin", "clarithromycin", "dang_thuoc_ham_luong"),
    Case("cơ chế tác dụng của omeprazol", "omeprazol", "duoc_ly_co_che"),
    Case("dược động học của phenytoin", "phenytoin", "duoc_ly_co_che"),
    Case("nửa đời của digoxin", "digoxin", "duoc_ly_co_che"),
    Case("sinh khả dụng của furosemid", "furosemid", "duoc_ly_co_che"),
    Case("phổ kháng khuẩn của ceftriaxon", "ceftriaxon", "duoc_ly_co_che"),
    Case("Ciprofloxacin thuộc nhóm nào?", "ciprofloxacin", "loai_thuoc"),
    Case("clorpromazin là thuốc gì", "clorpromazin", "loai_thuoc"),
    Case("mã ATC của enalapril", "enalapril", "ma_atc"),
    Case("tên chung quốc tế của adrenalin", "adrenalin", "ten_chung_quoc_te"),
    Case("INN của kali clorid", "kali_clorid", "ten_chung_quoc_te"),
    Case("thông tin quy chế của morphin", "morphin", "quy_che"),
    Case("sildenafil có phải kê đơn không", "sildenafil", "quy_che"),
    Case("biệt dược của isosorbid dinitrat", "isosorbid_dinitrat", "ten_thuong_mai"),
    Case("tên thương mại của omeprazol", "omeprazol", "ten_thuong_mai"),
    Case("Warfarin thời kỳ mang thai", "warfarin", "mang_thai", who="mang_thai"),
    Case("Losartan có dùng được cho phụ nữ có thai không?", "losartan", "mang_thai", who="mang_thai"),
    Case("ibuprofen cho bà bầu", "ibuprofen", "mang_thai", who="mang_thai"),
    Case("PNCT dùng methotrexat được không", "methotrexat", "mang_thai", who="mang_thai"),
    Case("Ibuprofen thời kỳ cho con bú", "ibuprofen", "cho_con_bu", who="cho_con_bu"),
    Case("mẹ đang nuôi con bú dùng metronidazol được không", "metronidazol", "cho_con_bu", who="cho_con_bu"),
    Case("mẹ CCB dùng morphin đc ko", "morphin", "cho_con_bu", who="cho_con_bu"),
    Case("liều và chống chỉ định của ibuprofen", "ibuprofen", _DOSE, also="chong_chi_dinh"),
    Case("chỉ định, chống chỉ định, tác dụng phụ của aspirin", "aspirin", "chi_dinh", also="chong_chi_dinh adr"),
    Case("liều ibuprofen và bảo quản", "ibuprofen", _DOSE, also="bao_quan"),
]

POPULATIONS = [
    Case("Liều paracetamol cho người lớn", "paracetamol", _DOSE, who="nguoi_lon"),
    Case("liều para NL", "paracetamol", _DOSE, who="nguoi_lon"),
    Case("liều paracetamol trẻ em", "paracetamol", _DOSE, who="tre_em"),
    Case("liều paracetamol TE", "paracetamol", _DOSE, who="tre_em"),
    Case("liều amoxicilin cho bé", "amoxicilin", _DOSE, who="tre_em"),
    Case("liều gentamicin trẻ sơ sinh", "gentamicin", _DOSE, who="tre_so_sinh"),
    Case("liều gentamicin cho trẻ đẻ non", "gentamicin", _DOSE, who="tre_so_sinh"),
    Case("liều gentamicin SS", "gentamicin", _DOSE, who="tre_so_sinh"),
    Case("Liều digoxin người cao tuổi", "digoxin", _DOSE, who="nguoi_cao_tuoi"),
    Case("liều digoxin cho người già", "digoxin", _DOSE, who="nguoi_cao_tuoi"),
    Case("liều diazepam NCT", "diazepam", _DOSE, who="nguoi_cao_tuoi"),
    Case("liều ibuprofen cho phụ nữ có thai", "ibuprofen", _DOSE, who="mang_thai"),
    Case("liều paracetamol cho bà bầu 32 tuần", "paracetamol", _DOSE, who="mang_thai"),
    Case("liều paracetamol mang thai 5 tháng", "paracetamol", _DOSE, who="mang_thai"),
    Case("liều metformin khi cho con bú", "metformin", _DOSE, who="cho_con_bu"),
    Case("liều gentamicin người suy thận", "gentamicin", _DOSE, who="suy_than"),
    Case("liều gentamicin chạy thận nhân tạo", "gentamicin", _DOSE, who="suy_than"),
    Case("liều vancomycin bệnh nhân lọc máu", "vancomycin", _DOSE, who="suy_than"),
    Case("liều paracetamol suy gan", "paracetamol", _DOSE, who="suy_gan"),
    Case("liều morphin bệnh nhân xơ gan", "morphin", _DOSE, who="suy_gan"),
    Case("gentamicin suy thận", "gentamicin", who="suy_than"),
    Case("paracetamol suy gan", "paracetamol", who="suy_gan"),
    Case("liều enalapril người cao tuổi suy thận", "enalapril", _DOSE, who="nguoi_cao_tuoi suy_than"),
    Case("liều spironolacton suy gan suy thận", "spironolacton", _DOSE, who="suy_gan suy_than"),
    Case("paracetamol người lớn", "paracetamol", _DOSE, who="nguoi_lon"),
    Case("tác dụng phụ của prednisolon ở trẻ em", "prednisolon", "adr", who="tre_em"),
    Case("aspirin chống chỉ định trẻ em", "aspirin", "chong_chi_dinh", who="tre_em"),
    Case("tương tác warfarin ở người cao tuổi", "warfarin", "tuong_tac", who="nguoi_cao_tuoi"),
]

ROUTES = [
    Case("liều paracetamol đường uống", "paracetamol", _DOSE, route="uong"),
    Case("liều paracetamol người lớn PO", "paracetamol", _DOSE, who="nguoi_lon", route="uong"),
    Case("liều isosorbid dinitrat ngậm dưới lưỡi", "isosorbid_dinitrat", _DOSE, route="duoi_luoi"),
    Case("liều adrenalin tiêm tĩnh mạch", "adrenalin", _DOSE, route="tiem_tinh_mach"),
    Case("liều furosemid IV", "furosemid", _DOSE, route="tiem_tinh_mach"),
    Case("liều furosemid TMC", "furosemid", _DOSE, route="tiem_tinh_mach"),
    Case("liều paracetamol truyền tĩnh mạch", "paracetamol", _DOSE, route="truyen_tinh_mach"),
    Case("liều vancomycin TTM", "vancomycin", _DOSE, route="truyen_tinh_mach"),
    Case("liều dopamin nhỏ giọt tĩnh mạch", "dopamin", _DOSE, route="truyen_tinh_mach"),
    Case("liều adrenalin tiêm bắp", "adrenalin", _DOSE, route="tiem_bap"),
    Case("liều genta IM", "gentamicin", _DOSE, route="tiem_bap"),
    Case("liều gentamicin tiêm TB", "gentamicin", _DOSE, route="tiem_bap"),
    Case("liều insulin tiêm dưới da", "insulin", _DOSE, route="tiem_duoi_da"),
    Case("liều insulin TDD", "insulin", _DOSE, route="tiem_duoi_da"),
    Case("liều morphin SC", "morphin", _DOSE, route="tiem_duoi_da"),
    Case("liều paracetamol đặt trực tràng", "paracetamol", _DOSE, route="dat_truc_trang"),
    Case("liều diazepam đặt hậu môn", "diazepam", _DOSE, route="dat_truc_trang"),
    Case("liều nystatin đặt âm đạo", "nystatin", _DOSE, route="dat_am_dao"),
    Case("metronidazol viên đặt âm đạo liều", "metronidazol", _DOSE, route="dat_am_dao"),
    Case("liều nystatin bôi ngoài da", "nystatin", _DOSE, route="boi_ngoai"),
    Case("liều gentamicin nhỏ mắt", "gentamicin", _DOSE, route="nho_mat"),
    Case("liều ciprofloxacin nhỏ tai", "ciprofloxacin", _DOSE, route="nho_tai"),
    Case("liều prednisolon nhỏ mũi", "prednisolon", _DOSE, route="nho_mui"),
    Case("liều adrenalin khí dung", "adrenalin", _DOSE, route="khi_dung"),
    Case("liều adrenalin máy xông", "adrenalin", _DOSE, route="khi_dung"),
    Case("liều acetylcystein hít", "acetylcystein", _DOSE, route="hit"),
    Case("liều morphin miếng dán", "morphin", _DOSE, route="mieng_dan"),
    Case("gentamicin tiêm bắp", "gentamicin", _DOSE, route="tiem_bap"),
    Case("furosemid tiêm tĩnh mạch rồi uống, liều?", "furosemid", _DOSE, route="tiem_tinh_mach"),
    Case("tác dụng phụ khi tiêm tĩnh mạch phenytoin", "phenytoin", "adr", route="tiem_tinh_mach"),
]

PATIENTS = [
    Case("liều paracetamol cho bé 12kg", "paracetamol", _DOSE, who="tre_em", kg="12"),
    Case("liều paracetamol bé 12,5 kg", "paracetamol", _DOSE, who="tre_em", kg="12.5"),
    Case("liều paracetamol bé 12.5kg", "paracetamol", _DOSE, who="tre_em", kg="12.5"),
    Case("liều amoxicilin trẻ 8 ký", "amoxicilin", _DOSE, who="tre_em", kg="8"),
    Case("liều ibuprofen bé 10 cân", "ibuprofen", _DOSE, who="tre_em", kg="10"),
    Case("paracetamol 15 kg", "paracetamol", _DOSE, kg="15"),
    Case("liều paracetamol người lớn trên 50 kg", "paracetamol", _DOSE, who="nguoi_lon"),
    Case("liều paracetamol trẻ dưới 10 kg", "paracetamol", _DOSE, who="tre_em"),
    Case("liều gentamicin 5 mg/kg", "gentamicin", _DOSE),
    Case("liều gentamicin người lớn 600 kg", "gentamicin", _DOSE, who="nguoi_lon"),
    Case("liều gentamicin người lớn 0 kg", "gentamicin", _DOSE, who="nguoi_lon"),
    Case("liều gentamicin người lớn 500 kg", "gentamicin", _DOSE, who="nguoi_lon", kg="500"),
    Case("liều paracetamol bé 3 tuổi", "paracetamol", _DOSE, who="tre_em", months="36"),
    Case("liều paracetamol bé 18 tháng tuổi", "paracetamol", _DOSE, who="tre_em", months="18"),
    Case("liều paracetamol bé 18 tháng", "paracetamol", _DOSE, who="tre_em", months="18"),
    Case("liều paracetamol bé 10th 8kg", "paracetamol", _DOSE, who="tre_em", kg="8", months="10"),
    Case("liều paracetamol 3t 14kg", "paracetamol", _DOSE, who="tre_em", kg="14", months="36"),
    Case("liều paracetamol 3t 6kg", "paracetamol", _DOSE, who="tre_em", kg="6", months="3"),
    Case("liều paracetamol 3t", "paracetamol", _DOSE, clarify="ambiguous_term"),
    Case("liều digoxin bn 70t", "digoxin", _DOSE, who="nguoi_cao_tuoi", months="840"),
    Case("liều digoxin cụ bà 80 tuổi", "digoxin", _DOSE, who="nguoi_cao_tuoi", months="960"),
    Case("liều digoxin 65 tuổi", "digoxin", _DOSE, who="nguoi_cao_tuoi", months="780"),
    Case("liều digoxin 64 tuổi", "digoxin", _DOSE, who="nguoi_lon", months="768"),
    Case("liều digoxin 18 tuổi", "digoxin", _DOSE, who="nguoi_lon", months="216"),
    Case("liều digoxin 17 tuổi", "digoxin", _DOSE, who="tre_em", months="204"),
    Case("liều paracetamol trẻ dưới 2 tuổi", "paracetamol", _DOSE, who="tre_em"),
    Case("liều paracetamol trẻ trên 12 tuổi", "paracetamol", _DOSE, who="tre_em"),
    Case("liều enalapril bà bầu 30 tuổi", "enalapril", _DOSE, who="mang_thai", months="360"),
    Case("liều vancomycin ClCr 25", "vancomycin", _DOSE, who="suy_than", clearance="25"),
    Case("vanco cltt 25 chỉnh liều", "vancomycin", _DOSE, who="suy_than", clearance="25"),
    Case("liều metformin eGFR 45", "metformin", _DOSE, who="suy_than", clearance="45"),
    Case("liều metformin mức lọc cầu thận 40 ml/phút", "metformin", _DOSE, who="suy_than", clearance="40"),
    Case("metformin MLCT 40", "metformin", _DOSE, who="suy_than", clearance="40"),
    Case("liều gentamicin độ thanh thải creatinin 50 ml/phút", "gentamicin", _DOSE, who="suy_than", clearance="50"),
    Case("gentamicin CrCl 12,5", "gentamicin", _DOSE, who="suy_than", clearance="12.5"),
    Case("liều gentamicin Cr 180", "gentamicin", _DOSE),
    Case(
        "liều enalapril cho bệnh nhân 70 tuổi 50kg CrCl 35 uống",
        "enalapril",
        _DOSE,
        who="nguoi_cao_tuoi suy_than",
        route="uong",
        kg="50",
        months="840",
        clearance="35",
    ),
    Case(
        "metformin ClCr < 30",
        "metformin",
        _DOSE,
        who="suy_than",
    ),
    Case(
        "liều warfarin dùng trong 3 tháng",
        "warfarin",
        _DOSE,
    ),
]

TOPICS = [
    Case(
        "omeprazol nghiền bơm sonde được không",
        "omeprazol",
        topic="crush",
    ),
    Case("nifedipin bẻ đôi được không", "nifedipin", topic="crush"),
    Case("quên uống levothyroxin", "levothyroxin", topic="missed", route="*"),
    Case("quên 1 liều warfarin", "warfarin", topic="missed"),
    Case("metformin trước ăn hay sau ăn", "metformin", topic="food"),
    Case("levothyroxin lúc đói hay lúc no", "levothyroxin", topic="food"),
    Case("tốc độ truyền vancomycin", "vancomycin", topic="rate", route="*", section="*"),
    Case("phenytoin tiêm nhanh được không", "phenytoin", topic="rate"),
    Case("amoxicilin hỗn dịch pha xong để được mấy giờ", "amoxicilin", topic="reconstituted"),
    Case("adrenalin pha loãng", "adrenalin", topic="diluent", turn="incompatibility"),
    Case("ceftriaxon pha với gì", "ceftriaxon", topic="diluent", turn="incompatibility"),
    Case("metronidazol uống rượu được không", "metronidazol", topic="alcohol", route="*", section="*"),
    Case("clorpheniramin có lái xe được không", "clorpheniramin", topic="driving"),
]

TURNS = [
    Case("paracetamol", "paracetamol", turn="drug_overview"),
    Case("cho hỏi về aspirin", "aspirin", turn="drug_overview"),
    Case("warfarin và aspirin", "warfarin aspirin", turn="interaction"),
    Case("warfarin dùng chung với ibuprofen được không", "warfarin ibuprofen", "tuong_tac", turn="interaction"),
    Case("tương tác digoxin và furosemid", "digoxin furosemid", "tuong_tac", turn="interaction"),
    Case("so sánh amlodipin và nifedipin", "amlodipin nifedipin", turn="comparison"),
    Case(
        "liều ibuprofen với paracetamol khác nhau thế nào",
        "ibuprofen paracetamol",
        _DOSE,
        turn="comparison",
    ),
    Case("viêm âm đạo dùng thuốc gì", turn="condition_to_drug"),
    Case("tăng huyết áp dùng thuốc nào", turn="condition_to_drug"),
    Case("xin chào", turn="smalltalk"),
    Case("cảm ơn bạn", turn="smalltalk"),
    Case("chào bác sĩ ạ", turn="smalltalk"),
    Case("hôn mê hạ đường huyết do insulin", "insulin", turn="drug_overview", harm="after"),
    Case("ngừng thở do dùng morphin", "morphin", turn="drug_overview", harm="after"),
    Case("uống warfarin bị nôn ra máu", "warfarin", "*", route="*", harm="after"),
    Case("đang truyền vancomycin thì đỏ bừng mặt", "vancomycin", "*", route="*", harm="after"),
    Case("co giật do sốt, liều diazepam", "diazepam", _DOSE),
    Case("chào bác sĩ, con em nổi mề đay khắp người", turn="out_of_scope"),
    Case("cảm ơn, đau đầu dữ dội từ sáng", turn="out_of_scope"),
    Case("thời tiết hôm nay", turn="out_of_scope"),
    Case("liều người lớn", section=_DOSE, who="nguoi_lon"),
    Case("chống chỉ định", section="chong_chi_dinh"),
    Case("liều zolpixantel", section=_DOSE, unknown="zolpixantel"),
    Case("aspirinol 500 mg liều", section=_DOSE, unknown="aspirinol"),
    Case("liều ibuprofen và zolpixantel", "ibuprofen", _DOSE, unknown="zolpixantel"),
    Case("liều Caduet", section=_DOSE, clarify="ambiguous_drug"),
    Case("tác dụng phụ của salbutamol", section="adr", clarify="ambiguous_drug"),
    Case("liều salbutamol dùng trong sản khoa", "salbutamol_dung_trong_san_khoa", _DOSE),
    Case("liều salbutamol trong hô hấp", "salbutamol_dung_trong_ho_hap", _DOSE),
]

NAMES = [
    Case("liều amoxicillin", "amoxicilin", _DOSE),
    Case("liều acetylcysteine", "acetylcystein", _DOSE),
    Case("liều chlorpheniramine", "clorpheniramin", _DOSE),
    Case("LIỀU PARACETAMOL NGƯỜI LỚN", "paracetamol", _DOSE, who="nguoi_lon"),
    Case("Panadol liều", "paracetamol", _DOSE),
    Case("liều panadol cho bé 10kg", "paracetamol", _DOSE, who="tre_em", kg="10"),
    Case("augmentin 625 bé 15kg", "amoxicilin_va_clavulanat", _DOSE, who="tre_em", kg="15"),
    Case("liều genta", "gentamicin", _DOSE),
    Case("chống chỉ định cipro", "ciprofloxacin", "chong_chi_dinh"),
    Case("aug liều", "amoxicilin_va_clavulanat", _DOSE),
    Case("lantus tiêm dưới da liều", "insulin", _DOSE, route="tiem_duoi_da"),
    Case("lipitor liều", "cac_chat_uc_che_hmg_coa_reductase", _DOSE),
    Case("liều vitamin K1", "phytomenadion", _DOSE),
    Case("lieeuf paracetamol", "paracetamol", _DOSE),
    Case("lie62u paracetamol", "paracetamol", _DOSE),
    Case("chống chir ddinhj ibuprofen", "ibuprofen", "chong_chi_dinh"),
    Case("para uong may vien 1 lan", "paracetamol", _DOSE, route="uong"),
    Case("gentamicin im lieu", "gentamicin", _DOSE, route="tiem_bap"),
]

# Common words that hold a cue, and values that are no value of a patient.
TRAPS = [
    Case(
        "chong chỉ định ibuprofen",
        "ibuprofen",
        "chong_chi_dinh",
    ),
    Case("liều paracetamol người lon", "paracetamol", _DOSE, who="nguoi_lon"),
    Case("paracetamol uống cùng nhau", "paracetamol", "tuong_tac", route="*"),
    Case("thói quen dùng paracetamol", "paracetamol", turn="drug_overview"),
    Case("ceftriaxon trong bệnh truyền nhiễm", "ceftriaxon", turn="drug_overview"),
    Case("gentamicin creatinin 180", "gentamicin", turn="drug_overview"),
    Case("amoxicilin điều trị 2 tuần", "amoxicilin", turn="drug_overview"),
    Case("paracetamol dùng trong 5 ngày", "paracetamol", turn="drug_overview"),
    Case("paracetamol 500 mg ngày 3 lần", "paracetamol", turn="drug_overview"),
    Case("liều paracetamol 12 - 15 kg", "paracetamol", _DOSE),
    Case("metformin eGFR trên 45", "metformin", _DOSE, who="suy_than"),
    Case(
        "liều paracetamol bé 1 tuổi 6 tháng",
        "paracetamol",
        _DOSE,
        who="tre_em",
        months="18",
    ),
    Case("metronidazol uống nhiều bia", "metronidazol", topic="alcohol", route="*", section="*"),
    Case("digoxin hạ kali", "digoxin", turn="drug_overview"),
    Case("diazepam thai phụ", "diazepam", who="mang_thai"),
    Case("xin chào, liều paracetamol", "paracetamol", _DOSE),
    Case("cảm ơn, còn chống chỉ định aspirin", "aspirin", "chong_chi_dinh"),
]

# Bare, these words are other words too, and the rule is to read them so.
BARE = {
    "liều paracetamol TE": "`te` counts only in capitals",
    "liều adrenalin khí dung": "bare `khi dung` is also `khi dùng`",
    "nifedipin bẻ đôi được không": "bare `be` is also `bé`",
    "liều ibuprofen bé 10 cân": "bare `can` is also `cần`",
}
# Bare, these should be understood and are not.
CASES = [
    *TRAPS,
    Case("Hướng dẫn liều paracetamol", "paracetamol", _DOSE),
    *SECTIONS,
    *POPULATIONS,
    *ROUTES,
    *PATIENTS,
    *TOPICS,
    *TURNS,
    *NAMES,
]
