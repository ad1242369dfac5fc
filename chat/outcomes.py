"""The one table of outcomes: what every reason means to a program and to the reader."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from string import Formatter

from chat.domain import Decision, Reason


class Status(StrEnum):
    """How much of the question the shown evidence covers."""

    SUPPORTED = "supported"
    PARTIAL = "partial"
    INSUFFICIENT = "insufficient"


class StatusCode(StrEnum):
    """Machine-readable kind of the status."""

    VERIFIED = "verified"
    PARTIAL_COMPARISON = "partial_comparison"
    PARTIAL_TOPIC_GROUNDING = "partial_topic_grounding"
    INSUFFICIENT_EVIDENCE = "insufficient_evidence"
    CONTEXT_CLARIFICATION = "context_clarification"
    METADATA_AMBIGUITY_CLARIFICATION = "metadata_ambiguity_clarification"


ABSTENTION = "abstention"
CLARIFICATION = "clarification"
VERIFICATION = "verification"


@dataclass(frozen=True, slots=True)
class OutcomeFacts:
    """One row. query_type None means: the frame's turn type.

    text, next_step: Vietnamese; may hold {drug}, {section}, {terms}, filled from the turn.
    """

    decision: Decision
    status: Status
    code: StatusCode
    query_type: str | None
    text: str
    next_step: str = ""


def _answer(text: str, status: Status = Status.SUPPORTED, code: StatusCode = StatusCode.VERIFIED) -> OutcomeFacts:
    return OutcomeFacts(Decision.ANSWERABLE, status, code, None, text)


def _clarify(text: str, code: StatusCode = StatusCode.CONTEXT_CLARIFICATION, next_step: str = "") -> OutcomeFacts:
    return OutcomeFacts(Decision.CLARIFY, Status.INSUFFICIENT, code, CLARIFICATION, text, next_step)


def _abstain(text: str, next_step: str) -> OutcomeFacts:
    return OutcomeFacts(
        Decision.ABSTAIN, Status.INSUFFICIENT, StatusCode.INSUFFICIENT_EVIDENCE, ABSTENTION, text, next_step
    )


_READ_SECTION = "Mở nguyên văn mục liên quan trong chuyên luận để đọc trực tiếp."
_ASK_AGAIN = "Thử hỏi lại sau ít phút; trong lúc đó vẫn đọc được nguyên văn các mục."

OUTCOMES: dict[Reason, OutcomeFacts] = {
    Reason.VERIFIED: _answer("Trích nguyên văn, đã đối chiếu với nguồn."),
    Reason.PARTIAL_COMPARISON: _answer(
        "Mới đối chiếu được một phần: có thuốc không có thông tin ở mục được hỏi.",
        Status.PARTIAL,
        StatusCode.PARTIAL_COMPARISON,
    ),
    Reason.PARTIAL_TOPIC_GROUNDING: _answer(
        "Nguồn chỉ nói tới một phần điều được hỏi.", Status.PARTIAL, StatusCode.PARTIAL_TOPIC_GROUNDING
    ),
    Reason.MISSING_REQUESTED_ENTITY: _answer(
        "Có tên được hỏi không tìm thấy trong dược thư: {terms}.", Status.PARTIAL, StatusCode.PARTIAL_COMPARISON
    ),
    Reason.PARTIAL_QUARANTINED: _answer(
        "Một phần nội dung nằm trong bảng hoặc công thức: đối chiếu phần đó trên ảnh trang in.",
        Status.PARTIAL,
        StatusCode.PARTIAL_TOPIC_GROUNDING,
    ),
    Reason.VERBATIM_SECTION: _answer("Nguyên văn mục {section} của chuyên luận {drug}."),
    Reason.SMALLTALK: _answer("Xin chào. Hãy hỏi về một thuốc, ví dụ: “Liều paracetamol cho người lớn đường uống?”"),
    Reason.NEEDS_DRUG: _clarify("Câu hỏi về thuốc nào?", next_step="Ghi tên hoạt chất hoặc tên thương mại."),
    Reason.NEEDS_SECTION: _clarify("Cần tra mục nào của {drug}?"),
    Reason.NEEDS_CONDITION: _clarify(
        "{terms}Cần thuốc dùng cho bệnh hoặc triệu chứng nào?",
        next_step="Ghi rõ bệnh như sách gọi, ví dụ “viêm tai giữa cấp”.",
    ),
    Reason.NEEDS_BRANCH: _clarify("{drug}: {section} trong dược thư chia theo nhiều trường hợp. Cần trường hợp nào?"),
    Reason.NEEDS_DETAIL: _clarify("Cần biết thêm: {terms} Câu hỏi lại này do mô hình soạn."),
    Reason.NEEDS_CLEARANCE: _clarify(
        "{drug}: sách xét chức năng thận theo độ thanh thải creatinin, không theo creatinin huyết thanh. "
        "Độ thanh thải của người bệnh là bao nhiêu ml/phút?",
        next_step="Ghi chẳng hạn “clcr 25”.",
    ),
    Reason.NEEDS_WEIGHT: _clarify(
        "{drug}: liều trong sách tính theo {terms}. Cân nặng của người bệnh là bao nhiêu kg?",
        next_step="Ghi chẳng hạn “8 kg”.",
    ),
    Reason.NEEDS_SURFACE: _clarify(
        "{drug}: liều trong sách tính theo {terms}. Diện tích cơ thể của người bệnh là bao nhiêu m²?",
        next_step="Ghi chẳng hạn “0,8 m²”. Chương trình không tự tính diện tích cơ thể.",
    ),
    Reason.NEEDS_CONCENTRATION: _clarify(
        "{drug}: để tính ra ml còn thiếu {terms}.",
        next_step="Ghi chẳng hạn “60 kg, pha 250 mg trong 50 ml”.",
    ),
    Reason.IMPLAUSIBLE_INPUT: _clarify(
        "Số liệu đã ghi khó xảy ra: {terms}. Hãy kiểm tra lại rồi hỏi lại.",
        next_step="Ghi lại tuổi và cân nặng, kèm đơn vị.",
    ),
    Reason.BANDS_DISAGREE: _clarify(
        "{drug}: liều theo tuổi và liều theo cân nặng trong sách không cùng một mức với người bệnh này. "
        "Tính theo mức nào?"
    ),
    Reason.TOO_MANY_DRUGS: _clarify(
        "Mỗi lần chỉ đối chiếu được từ hai đến {terms} thuốc.", next_step="Bớt số thuốc rồi hỏi lại."
    ),
    Reason.AMBIGUOUS_DRUG: _clarify(
        "Tên “{terms}” ứng với nhiều chuyên luận. Cần thuốc nào?", StatusCode.METADATA_AMBIGUITY_CLARIFICATION
    ),
    Reason.SUGGESTED_DRUG: _clarify(
        "Không có “{terms}” trong dược thư. Có phải một trong các tên sau?",
        StatusCode.METADATA_AMBIGUITY_CLARIFICATION,
        "Nếu không phải, kiểm tra lại cách viết tên thuốc.",
    ),
    Reason.AMBIGUOUS_TERM: _clarify(
        "“{terms}” có thể hiểu theo nhiều nghĩa. Ý nào đúng?", StatusCode.METADATA_AMBIGUITY_CLARIFICATION
    ),
    Reason.SOURCE_QUARANTINED: OutcomeFacts(
        Decision.VERIFY_PDF,
        Status.INSUFFICIENT,
        StatusCode.INSUFFICIENT_EVIDENCE,
        VERIFICATION,
        "Nội dung nằm trong bảng, công thức hoặc đoạn chưa được duyệt nên chỉ hiển thị ảnh trang in.",
        "Đối chiếu trực tiếp trên ảnh trang in.",
    ),
    Reason.NON_HUMAN_SCOPE: _abstain(
        "Dược thư này chỉ dùng cho người, không có thông tin cho động vật.", "Tra tài liệu thú y phù hợp."
    ),
    Reason.OUT_OF_SCOPE: _abstain(
        "Câu hỏi không thuộc nội dung dược thư.", "Hỏi về một thuốc: liều dùng, chống chỉ định, tương tác, bảo quản…"
    ),
    Reason.UNKNOWN_DRUG: _abstain(
        "Không tìm thấy “{terms}” trong ấn bản này.",
        "Kiểm tra cách viết, thử tên hoạt chất, hoặc tìm trong danh mục chuyên luận.",
    ),
    Reason.UNSUPPORTED_QUESTION: _abstain(
        "Chương trình chưa trả lời được dạng câu hỏi này.", "Hỏi từng thuốc, từng mục; hoặc mở chuyên luận để đọc."
    ),
    Reason.NO_EDITION: _abstain(
        "Chưa có ấn bản dược thư nào được công bố.", "Người vận hành cần nạp một ấn bản rồi công bố."
    ),
    Reason.UNDERSTANDING_PROVIDER_UNAVAILABLE: _abstain("Dịch vụ hiểu câu hỏi đang không hoạt động.", _ASK_AGAIN),
    Reason.UNDERSTANDING_MALFORMED_OUTPUT: _abstain("Dịch vụ hiểu câu hỏi trả về kết quả không dùng được.", _ASK_AGAIN),
    Reason.SECTION_NOT_IN_MONOGRAPH: _abstain(
        "Chuyên luận {drug} không có mục {section}.", "Xem các mục hiện có của chuyên luận."
    ),
    Reason.MISSING_PRINTED_PAGE: _abstain(
        "Nguồn không xác định được số trang in nên không trích dẫn được.", _READ_SECTION
    ),
    Reason.INSUFFICIENT_EVIDENCE: _abstain("Các mục đã tra của {drug} không nêu: {terms}.", _READ_SECTION),
    Reason.CALCULATION_NOT_GROUNDED: _abstain(
        "Không tính được liều {drug}: {terms}.", "Đọc nguyên văn mục Liều lượng và cách dùng; không suy ra từ nơi khác."
    ),
    Reason.CLARIFY_NOT_CONVERGING: _abstain("Đã hỏi lại nhiều lần mà vẫn chưa rõ điều cần tra.", _READ_SECTION),
    Reason.INVALID_CITATION: _abstain("Có trích dẫn trỏ ra ngoài nguồn đã lấy.", _READ_SECTION),
    Reason.UNCITED_CLAIM: _abstain("Có nội dung không kèm trích dẫn.", _READ_SECTION),
    Reason.UNGROUNDED_NUMBER: _abstain("Có con số không đứng trong đoạn được trích dẫn.", _READ_SECTION),
    Reason.UNIT_MISMATCH: _abstain("Có con số đi với đơn vị khác nguồn.", _READ_SECTION),
    Reason.LABEL_MISMATCH: _abstain("Đối tượng, đường dùng hoặc điều kiện không khớp với nguồn.", _READ_SECTION),
    Reason.UNSUPPORTED_CLAIM: _abstain("Có nội dung không được nguồn nâng đỡ.", _READ_SECTION),
    Reason.UNSUPPORTED_DRUG: _abstain("Có tên thuốc không đứng trong nguồn được trích dẫn.", _READ_SECTION),
    Reason.POLARITY_MISMATCH: _abstain("Câu trả lời và nguồn trái nhau về phủ định hoặc cấm dùng.", _READ_SECTION),
    Reason.UNSUPPORTED_RANKING: _abstain("Có lời xếp hạng thuốc mà nguồn không nêu.", _READ_SECTION),
    Reason.ABSENCE_AS_SAFETY: _abstain("Việc nguồn không nêu đã bị diễn đạt thành an toàn.", _READ_SECTION),
    Reason.INCOMPLETE_ANSWER: _abstain("Câu trả lời còn thiếu ý mà nguồn có nêu.", _READ_SECTION),
    Reason.PROVIDER_UNAVAILABLE: _abstain("Dịch vụ soạn câu trả lời đang không hoạt động.", _ASK_AGAIN),
    Reason.MALFORMED_OUTPUT: _abstain("Dịch vụ soạn câu trả lời trả về kết quả không dùng được.", _ASK_AGAIN),
    Reason.REQUEST_BUDGET_EXHAUSTED: _abstain("Hết thời gian dành cho lượt hỏi trước khi kiểm tra xong.", _ASK_AGAIN),
    Reason.INTERNAL_ERROR: _abstain(
        "Chương trình gặp lỗi khi trả lời; câu hỏi đã được lưu.",
        "Hỏi lại; nếu vẫn lỗi, báo mã tra cứu cho người vận hành.",
    ),
}


def render(template: str, detail: Mapping[str, str]) -> str:
    """A table text with the turn's values put in; a value that the turn lacks is left out."""
    fields = {name: "" for _, name, _, _ in Formatter().parse(template) if name}
    return template.format(**{**fields, **detail})
