"""Signing in as a pharmacist does: the form, who is sent to it, the lock after many failures, a new password."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.auth.views import LoginView, LogoutView, PasswordChangeDoneView, PasswordChangeView
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render, resolve_url
from django.urls import URLPattern, path, reverse_lazy
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django_htmx.http import HttpResponseClientRedirect

from chat.api.problems import ProblemCode, problem_response
from duocthu_site.api_frame import API_ROOT
from duocthu_site.tokens import REFUSED
from duocthu_site.waiting import Wait, told_to_wait

LOCKED = (
    "Sai tên đăng nhập hoặc mật khẩu quá nhiều lần. Hãy đợi {wait} rồi thử lại, "
    "hoặc nhờ người quản trị đặt lại mật khẩu."
)
WRONG = "Tên đăng nhập hoặc mật khẩu không đúng. Mật khẩu phân biệt chữ hoa và chữ thường."
NAME_LENGTH = 150
_SAFE_METHODS = frozenset({"GET", "HEAD"})


class SignInForm(AuthenticationForm):
    """Name and password; what is wrong is one sentence, which does not tell whether the name exists."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.error_messages = {"invalid_login": WRONG, "inactive": WRONG}
        for field in self.fields.values():
            field.error_messages["required"] = "Hãy điền ô này."


@method_decorator([never_cache, login_not_required], name="dispatch")
class SignIn(LoginView):
    """The form; then the page that was wanted, of this site and no other."""

    template_name = "accounts/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        """What was typed but the password, and why it will not do."""
        response = super().form_invalid(form)
        response.status_code = 422
        return response


class ChangePassword(PasswordChangeView):
    """A new password, for whoever knows the one before it."""

    template_name = "accounts/password.html"
    form_class = PasswordChangeForm
    success_url = reverse_lazy("password-done")

    def form_invalid(self, form: PasswordChangeForm) -> HttpResponse:
        """Why it will not do."""
        response = super().form_invalid(form)
        response.status_code = 422
        return response


def account_urls() -> list[URLPattern]:
    """The addresses of one's own account."""
    done = PasswordChangeDoneView.as_view(template_name="accounts/password_done.html")
    return [
        path("sign-in/", SignIn.as_view(), name="sign-in"),
        path("sign-out/", login_not_required(LogoutView.as_view(next_page="chat")), name="sign-out"),
        path("password/", never_cache(ChangePassword.as_view()), name="password"),
        path("password/done/", never_cache(done), name="password-done"),
    ]


class SignInRequired(LoginRequiredMiddleware):
    """Where the site wants everyone to sign in, sends whoever has not to the form, and a program its refusal."""

    def process_view(
        self, request: HttpRequest, view_func: Callable[..., Any], view_args: Any, view_kwargs: Any
    ) -> HttpResponseBase | None:
        """Whether the view may be reached."""
        if not settings.LOGIN_REQUIRED:
            return None
        return super().process_view(request, view_func, view_args, view_kwargs)

    def handle_no_permission(  # type: ignore[override]
        self, request: HttpRequest, view_func: Callable[..., Any]
    ) -> HttpResponseBase:
        """A page sends on to the form. A fragment cannot: the whole page goes there, or what was typed stays."""
        if request.path.startswith(API_ROOT):
            return problem_response(request, ProblemCode.UNAUTHENTICATED, headers=REFUSED)
        htmx = getattr(request, "htmx", False)
        if request.method in _SAFE_METHODS:
            url = self.get_login_url(view_func)
            return (
                HttpResponseClientRedirect(resolve_url(url))
                if htmx
                else super().handle_no_permission(request, view_func)
            )
        # Nothing would be there to come back to: the form was sent, and is not sent again by a link.
        return render(request, "403_csrf.html", status=403) if htmx else redirect(self.get_login_url(view_func))


def attempted_name(request: HttpRequest, credentials: Mapping[str, str] | None) -> str | None:
    """The name that a failure to sign in counts for; no longer than the row that counts it has room for."""
    given = (credentials or request.POST).get("username")
    return given[:NAME_LENGTH] if given else None


def locked_out(request: HttpRequest, _response: HttpResponseBase | None, _credentials: object) -> HttpResponse:
    """429 for whoever failed too often, until when it may be tried again."""
    seconds = math.ceil(settings.AXES_COOLOFF_TIME.total_seconds())
    return told_to_wait(request, Wait(ProblemCode.LOCKED_OUT, "Tạm khoá đăng nhập", LOCKED, seconds))
