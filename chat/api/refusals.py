"""From what an operation raises to the problem that its caller is told."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError

from chat.api.problems import FieldProblem, ProblemCode, code_of_status, problem_response
from monographs.htmx import NotShown
from monographs.leases import DATABASE_GONE

log = logging.getLogger(__name__)
OTHER_FAULT = "Giá trị không hợp lệ."
MOST_PLACE = 200

# What pydantic calls a fault, and what is told of it; {name} is of the fault's own context.
FAULTS: dict[str, str] = {
    "missing": "Thiếu trường này.",
    "extra_forbidden": "Không có trường này.",
    "model_type": "Phải là một đối tượng JSON.",
    "model_attributes_type": "Phải là một đối tượng JSON.",
    "string_type": "Phải là chuỗi ký tự.",
    "string_too_long": "Dài quá {max_length} ký tự.",
    "string_too_short": "Phải có ít nhất {min_length} ký tự.",
    "string_pattern_mismatch": "Có ký tự không dùng được.",
    "uuid_parsing": "Phải là một UUID.",
    "uuid_type": "Phải là một UUID.",
    "int_parsing": "Phải là số nguyên.",
    "int_parsing_size": "Số quá lớn.",
    "greater_than_equal": "Phải từ {ge} trở lên.",
    "less_than_equal": "Không được quá {le}.",
    "bool_type": "Phải là true hoặc false.",
    "literal_error": "Phải là một trong: {expected}.",
    "enum": "Phải là một trong: {expected}.",
}


class Refused(Exception):
    """A request that was understood and is refused; its message, in Vietnamese, says what to do."""

    def __init__(
        self, detail: str, *, code: ProblemCode = ProblemCode.NOT_FOUND, errors: Sequence[FieldProblem] = ()
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code
        self.errors = tuple(errors)


def refused_field(field: str, message: str) -> Refused:
    """One field that cannot be taken, its place written as body.question."""
    return Refused("", code=ProblemCode.INVALID, errors=[FieldProblem(field=field, message=message)])


def tell_problems(api: NinjaAPI) -> None:
    """Has everything that operations raise told as a problem. What is not listed is the site's to report."""
    handlers: dict[type[Exception], Callable[[HttpRequest, Any], HttpResponse]] = {
        Refused: _refused,
        Http404: _not_found,
        HttpError: _http_error,
        ValidationError: _invalid,
        **dict.fromkeys(DATABASE_GONE, _unavailable),
    }
    for raised, handler in handlers.items():
        api.add_exception_handler(raised, handler)


def _refused(request: HttpRequest, refused: Refused) -> HttpResponse:
    return problem_response(request, refused.code, detail=refused.detail, errors=refused.errors)


def _not_found(request: HttpRequest, error: Http404) -> HttpResponse:
    """Only what is written for readers is told."""
    detail = str(error) if isinstance(error, NotShown) else ""
    return problem_response(request, ProblemCode.NOT_FOUND, detail=detail)


def _http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    """ninja raises 400 for a body that cannot be read, and for nothing else."""
    code = ProblemCode.INVALID_JSON if error.status_code == 400 else code_of_status(error.status_code)
    return problem_response(request, code)


def _invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    return problem_response(request, ProblemCode.INVALID, errors=[_field_problem(found) for found in error.errors])


def _unavailable(request: HttpRequest, error: Exception) -> HttpResponse:
    log.error("api_database_gone", exc_info=error)
    return problem_response(request, ProblemCode.UNAVAILABLE, headers={"Retry-After": "5"})


def _field_problem(found: Mapping[str, Any]) -> FieldProblem:
    text = FAULTS.get(str(found["type"]), OTHER_FAULT).format_map({"expected": "", **found.get("ctx", {})})
    return FieldProblem(field=_place(found["loc"]), message=text.replace(" or ", ", "))


def _place(loc: Sequence[str | int]) -> str:
    """ninja names the source, then for a body the argument that takes it, then the way to the field."""
    source, *way = map(str, loc)
    return ".".join((source, *(way[1:] if source == "body" else way)))[:MOST_PLACE]
