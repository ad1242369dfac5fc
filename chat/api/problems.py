"""What a request to the API is refused with: problem details (RFC 9457) in Vietnamese, each with a code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.http import HttpRequest, HttpResponse
from pydantic import BaseModel, ConfigDict

CONTENT_TYPE = "application/problem+json"


class ProblemCode(StrEnum):
    """What went wrong, for programs."""

    BAD_REQUEST = "bad_request"
    INVALID_JSON = "invalid_json"
    UNAUTHENTICATED = "unauthenticated"
    FORBIDDEN = "forbidden"
    CROSS_SITE = "cross_site"
    NOT_FOUND = "not_found"
    NO_EDITION = "no_edition"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    LENGTH_REQUIRED = "length_required"
    TOO_LARGE = "too_large"
    UNSUPPORTED_MEDIA_TYPE = "unsupported_media_type"
    INVALID = "invalid"
    RATE_LIMITED = "rate_limited"
    LOCKED_OUT = "locked_out"
    INTERNAL = "internal"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True, slots=True)
class ProblemFacts:
    """status: of HTTP; title: what it is; detail: what to do about it, where nothing better is known."""

    status: int
    title: str
    detail: str


PROBLEMS: dict[ProblemCode, ProblemFacts] = {
    ProblemCode.BAD_REQUEST: ProblemFacts(400, "Yêu cầu không hợp lệ", "Máy chủ không đọc được yêu cầu này."),
    ProblemCode.INVALID_JSON: ProblemFacts(400, "JSON không đọc được", "Nội dung gửi lên phải là JSON mã hoá UTF-8."),
    ProblemCode.UNAUTHENTICATED: ProblemFacts(
        401, "Chưa xác thực", "Hãy gửi tiêu đề “Authorization: Bearer <mã truy cập>” với một mã còn hiệu lực."
    ),
    ProblemCode.FORBIDDEN: ProblemFacts(403, "Không có quyền", "Tài khoản này không được làm việc đó."),
    ProblemCode.CROSS_SITE: ProblemFacts(
        403, "Yêu cầu từ trang khác", "Trình duyệt gửi yêu cầu này từ một trang khác. Hãy dùng mã truy cập."
    ),
    ProblemCode.NOT_FOUND: ProblemFacts(404, "Không tìm thấy", "Địa chỉ này không có nội dung."),
    ProblemCode.NO_EDITION: ProblemFacts(404, "Chưa có ấn bản", "Chưa có ấn bản dược thư nào được công bố."),
    ProblemCode.METHOD_NOT_ALLOWED: ProblemFacts(
        405, "Phương thức không dùng được", "Địa chỉ này không nhận phương thức đó; xem tiêu đề Allow."
    ),
    ProblemCode.LENGTH_REQUIRED: ProblemFacts(
        411, "Thiếu độ dài", "Hãy gửi nội dung kèm tiêu đề Content-Length, không gửi từng khúc."
    ),
    ProblemCode.TOO_LARGE: ProblemFacts(413, "Nội dung quá lớn", "Nội dung gửi lên vượt quá giới hạn 64 KiB."),
    ProblemCode.UNSUPPORTED_MEDIA_TYPE: ProblemFacts(
        415, "Kiểu nội dung không dùng được", "Hãy gửi nội dung với “Content-Type: application/json”."
    ),
    ProblemCode.INVALID: ProblemFacts(422, "Dữ liệu không hợp lệ", "Xem “errors”: từng trường sai và vì sao."),
    ProblemCode.RATE_LIMITED: ProblemFacts(
        429, "Quá nhiều yêu cầu", "Quá nhiều yêu cầu trong thời gian ngắn. Hãy đợi rồi thử lại."
    ),
    ProblemCode.LOCKED_OUT: ProblemFacts(
        429, "Tạm khoá", "Sai mã truy cập quá nhiều lần từ địa chỉ này. Hãy đợi rồi thử lại với mã đúng."
    ),
    ProblemCode.INTERNAL: ProblemFacts(
        500, "Lỗi máy chủ", "Có lỗi ở máy chủ. Hãy thử lại; nếu còn lỗi, báo người quản trị kèm mã đối chiếu."
    ),
    ProblemCode.UNAVAILABLE: ProblemFacts(503, "Tạm ngừng", "Máy chủ tạm thời chưa phục vụ được. Hãy thử lại sau."),
}


class FieldProblem(BaseModel):
    """A field that cannot be taken, its place written as body.question or query.limit, and why."""

    model_config = ConfigDict(frozen=True)

    field: str
    message: str


class Problem(BaseModel):
    """Why a request was refused; code is for programs, title and detail are for people."""

    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: ProblemCode
    correlation_id: str
    errors: tuple[FieldProblem, ...] = ()


def problem_response(
    request: HttpRequest,
    code: ProblemCode,
    *,
    detail: str = "",
    errors: Sequence[FieldProblem] = (),
    headers: Mapping[str, str] | None = None,
) -> HttpResponse:
    """The refusal as a response; detail stands in place of the code's own."""
    facts = PROBLEMS[code]
    problem = Problem(
        title=facts.title,
        status=facts.status,
        detail=detail or facts.detail,
        code=code,
        correlation_id=getattr(request, "correlation_id", ""),
        errors=tuple(errors),
    )
    return HttpResponse(
        problem.model_dump_json(), status=facts.status, content_type=CONTENT_TYPE, headers=dict(headers or {})
    )


def code_of_status(status: int) -> ProblemCode:
    """The code for a refusal of which no more than its status is known."""
    fallback = ProblemCode.BAD_REQUEST if status < 500 else ProblemCode.INTERNAL
    return next((code for code, facts in PROBLEMS.items() if facts.status == status), fallback)
