"""Everything that a trace can hold, in Vietnamese."""

from __future__ import annotations

from chat.domain import ContextAction, Decision, Relation, TurnType
from chat.harm import Harm
from monographs.domain import PassageKind, PassageState

DECISION_TITLES: dict[Decision, str] = {
    Decision.ANSWERABLE: "trả lời",
    Decision.CLARIFY: "hỏi lại",
    Decision.VERIFY_PDF: "xem trang in",
    Decision.ABSTAIN: "không trả lời",
}
TURN_TYPE_TITLES: dict[TurnType, str] = {
    TurnType.DRUG_ATTRIBUTE: "một mục của thuốc",
    TurnType.DRUG_OVERVIEW: "thuốc, không nêu mục",
    TurnType.INTERACTION: "tương tác",
    TurnType.INCOMPATIBILITY: "tương kỵ",
    TurnType.COMPARISON: "so sánh",
    TurnType.SYMPTOM_TO_DRUG: "từ triệu chứng tới thuốc",
    TurnType.CONDITION_TO_DRUG: "từ bệnh tới thuốc",
    TurnType.DRUG_TO_CONDITION: "từ thuốc tới bệnh",
    TurnType.CONDITION_RELATION: "thuốc nào gây hoặc cấm với tình trạng",
    TurnType.DOSING_CALC: "tính liều",
    TurnType.SMALLTALK: "chào hỏi",
    TurnType.OUT_OF_SCOPE: "ngoài phạm vi",
}
RELATION_TITLES: dict[Relation, str] = {
    Relation.INDICATION: "chỉ định",
    Relation.ADVERSE_EFFECT: "tác dụng không mong muốn",
    Relation.CONTRAINDICATION: "chống chỉ định",
    Relation.UNKNOWN: "không rõ",
}
CONTEXT_TITLES: dict[ContextAction, str] = {
    ContextAction.NONE: "",
    ContextAction.CONTINUE: "tiếp tục ca trước",
    ContextAction.NEW: "ca mới",
}
HARM_TITLES: dict[str, str] = {
    Harm.NONE: "",
    Harm.SIGN: "có dấu hiệu báo động",
    Harm.AFTER: "xảy ra sau khi dùng thuốc",
}
STAGE_TITLES: dict[str, str] = {
    "scope": "Phạm vi",
    "understand": "Hiểu câu hỏi",
    "retrieve": "Tìm nguồn",
    "decide": "Quyết định",
    "draft": "Soạn",
    "verify": "Đối chiếu",
    "compose": "Trình bày",
}
GATE_TITLES: dict[str, str] = {
    "citations": "Trích dẫn",
    "printed_page": "Trang in",
    "quarantine": "Cách ly",
    "drug": "Thuốc",
    "verbatim": "Nguyên văn",
    "wording": "Lời văn",
}
KIND_TITLES: dict[PassageKind, str] = {
    PassageKind.TEXT: "chữ",
    PassageKind.TABLE: "bảng",
    PassageKind.FORMULA: "công thức",
    PassageKind.FIGURE: "hình",
}
STATE_TITLES: dict[PassageState, str] = {
    PassageState.SERVED: "phục vụ",
    PassageState.QUARANTINED: "cách ly",
    PassageState.CORRECTED: "đã sửa",
    PassageState.REJECTED: "đã loại",
}
VERSION_TITLES: dict[str, str] = {
    "app": "Chương trình",
    "rules": "Bảng luật",
    "provider": "Dịch vụ soạn",
    "prompt": "Lời nhắc mô hình",
    "parser": "Bộ đọc",
    "embedder": "Không gian vectơ",
    "accents": "Mô hình thêm dấu",
    "corpus": "Dữ liệu",
}
