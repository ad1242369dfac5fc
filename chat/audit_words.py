"""Everything that a trace can hold, in Vietnamese."""

from __future__ import annotations

from chat.domain import ContextAction, Decision, Relation, TurnType
from chat.harm import Harm
from chat.llm.domain import Fault, Purpose
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
    Relation.CAUTION: "thận trọng",
    Relation.INTERACTION: "tương tác",
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
    "judge": "Thẩm định",
    "complete": "Xét đủ ý",
    "repair": "Soạn lại",
    "compose": "Trình bày",
    "summary": "Tóm tắt",
}
PURPOSE_TITLES: dict[Purpose, str] = {
    Purpose.UNDERSTAND: "hiểu câu hỏi",
    Purpose.DRAFT: "soạn",
    Purpose.RETRY: "soạn lần hai",
    Purpose.JUDGE: "thẩm định",
    Purpose.REPAIR: "soạn lại",
    Purpose.SUMMARY: "tóm tắt",
    Purpose.EMBED: "tạo vectơ",
    Purpose.RERANK: "xếp hạng lại",
}
FAULT_TITLES: dict[Fault, str] = {
    Fault.TIMEOUT: "quá giờ",
    Fault.THROTTLED: "bị hạn chế lượt gọi",
    Fault.REFUSED: "bị từ chối",
    Fault.SERVER_ERROR: "lỗi phía dịch vụ",
    Fault.UNREACHABLE: "không nối được",
    Fault.MALFORMED: "kết quả hỏng",
    Fault.TRUNCATED: "kết quả bị cắt",
    Fault.WRONG_SCHEMA: "kết quả sai cấu trúc",
    Fault.EMPTY: "kết quả rỗng",
    Fault.GUARDRAIL: "bị rào chắn chặn",
    Fault.BREAKER_OPEN: "không gọi: cầu dao đang ngắt",
    Fault.BUDGET: "hết thời gian của lượt",
}
GATE_TITLES: dict[str, str] = {
    "citations": "Trích dẫn",
    "printed_page": "Trang in",
    "quarantine": "Cách ly",
    "drug": "Thuốc",
    "verbatim": "Nguyên văn",
    "wording": "Lời văn",
    "markers": "Dấu trích dẫn",
    "candidate": "Danh sách thuốc",
    "named_drugs": "Tên thuốc",
    "symbols": "Ký hiệu",
    "judge": "Thẩm định",
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
