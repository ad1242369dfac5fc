"""The OpenAPI document: what ninja knows of the operations, and what holds for every one of them."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, Final

from django.conf import settings
from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema

from chat.api.problems import CONTENT_TYPE, PROBLEMS, Problem

TITLE = "Dược thư – API"
DESCRIPTION = """Tra cứu Dược thư Quốc gia Việt Nam: trả lời có trích dẫn, lịch sử, tìm thuốc và nguyên văn từng mục.

Câu trả lời mang theo disclaimer và edition; hãy hiển thị cả hai ở mọi nơi hiển thị phần còn lại. Lỗi theo RFC 9457
(application/problem+json), với code cho chương trình. Hướng dẫn: docs/api.md."""

_SCHEMAS: Final = "#/components/schemas/"
_ALWAYS = frozenset({400, 401, 413, 429, 500, 503})
_WRITING = frozenset({403, 411, 415})
_METHODS = frozenset({"post", "put", "patch", "delete"})
_CORRELATION = {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,100}$"}
_CORRELATION_PARAMETER = {
    "in": "header",
    "name": "X-Correlation-ID",
    "required": False,
    "description": "Mã đối chiếu của bên gọi; được lưu cùng lượt hỏi và trả lại. Mã sai dạng được thay bằng mã mới.",
    "schema": {"type": "string"},
}
_CORRELATION_HEADER = {"description": "Mã đối chiếu của yêu cầu này.", "required": True, "schema": _CORRELATION}
_PENDING_HEADERS = {
    "Location": {"description": "Nơi xem tiếp lượt hỏi.", "required": True, "schema": {"type": "string"}},
    "Retry-After": {"description": "Số giây nên đợi.", "required": True, "schema": {"type": "integer", "minimum": 1}},
}
_SECURITY_SCHEMES = {
    "token": {"type": "http", "scheme": "bearer", "description": "Mã truy cập do người quản trị cấp."},
    "session": {"type": "apiKey", "in": "cookie", "name": "sessionid", "description": "Phiên của trang web."},
}
CROP_RESPONSES: Final = {
    "200": {
        "description": "Ảnh",
        "headers": {"ETag": {"schema": {"type": "string"}}},
        "content": {"image/png": {"schema": {"type": "string", "format": "binary"}}},
    },
    "304": {"description": "Ảnh không đổi (If-None-Match)"},
}


class DocumentedApi(NinjaAPI):
    """The API with its refusals, tokens and ids in its document."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            title=TITLE,
            version=settings.APP_VERSION,
            description=DESCRIPTION,
            docs_url=None,
            urls_namespace="api-v1",
            **options,
        )

    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None
    ) -> OpenAPISchema:
        """The document; without "servers", as it is the site that was asked."""
        document = super().get_openapi_schema(path_prefix=path_prefix, path_params=path_params)
        document.pop("servers", None)
        document["security"] = [{"token": []}, {"session": []}, *([] if settings.LOGIN_REQUIRED else [{}])]
        document["components"]["securitySchemes"] = _SECURITY_SCHEMES
        document["components"]["schemas"].update(_problem_schemas())
        for method, operation in _operations(document):
            _complete(method, operation)
        return document


def _operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    return (found for at_path in document["paths"].values() for found in at_path.items())


def _problem_schemas() -> dict[str, Any]:
    schema = Problem.model_json_schema(mode="serialization", ref_template=_SCHEMAS + "{model}")
    return {**schema.pop("$defs"), "Problem": schema}


def _complete(method: str, operation: dict[str, Any]) -> None:
    """Adds to an operation what every one has."""
    operation["summary"] = operation["description"].partition("\n")[0]
    responses = {str(status): dict(response) for status, response in operation["responses"].items()}
    responses |= {str(status): _refusal(status) for status in _refused_with(method, operation)}
    for response in responses.values():
        response["headers"] = {**response.get("headers", {}), "X-Correlation-ID": _CORRELATION_HEADER}
    if "202" in responses:
        responses["202"]["headers"] |= _PENDING_HEADERS
    operation["responses"] = dict(sorted(responses.items()))
    operation["parameters"] = [*operation["parameters"], _CORRELATION_PARAMETER]


def _refused_with(method: str, operation: dict[str, Any]) -> Iterator[int]:
    """The statuses with which an operation may be refused."""
    places = {parameter["in"] for parameter in operation["parameters"]}
    yield from _ALWAYS
    if method in _METHODS:
        yield from _WRITING
    if places or "requestBody" in operation:
        yield from (404, 422)


def _refusal(status: int) -> dict[str, Any]:
    titles = dict.fromkeys(facts.title for facts in PROBLEMS.values() if facts.status == status)
    return {
        "description": "; ".join(titles) or HTTPStatus(status).phrase,
        "content": {CONTENT_TYPE: {"schema": {"$ref": f"{_SCHEMAS}Problem"}}},
    }
