"""Tokens of the API: told once, kept as a digest, taken for their user until they are revoked."""

from __future__ import annotations

import io
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from duocthu_site.models import ApiToken
from duocthu_site.tokens import digest_of, make_token, revoke
from tests.site.api_world import Program

pytestmark = pytest.mark.django_db
PATH = "/api/v1/conversations"


@pytest.fixture
def user() -> User:
    return User.objects.create_user("mai", password="mat-khau-dai-1")


def run(*words: str) -> str:
    """What the command prints."""
    out = io.StringIO()
    call_command("api_tokens", *words, stdout=out)
    return out.getvalue()


def test_token_is_told_once_and_only_its_digest_is_kept(user: User) -> None:
    said = run("issue", "mai", "Phần mềm khoa dược")
    token = said.strip().rpartition(" ")[2]
    row = ApiToken.objects.get()
    assert (row.digest, row.hint) == (digest_of(token), token[:10])
    assert token not in str(list(ApiToken.objects.values()))
    assert token not in run("list")
    assert Program(token).call("get", PATH).status_code == 200


def test_two_tokens_are_never_the_same(user: User) -> None:
    texts = {make_token(user, "a")[1] for _ in range(50)}
    assert len(texts) == 50
    assert all(len(text) >= 43 for text in texts)


@pytest.mark.parametrize(
    "given",
    [
        "Bearer {hint}",
        "Bearer {digest}",
        "Bearer",
        "Bearer ",
        "Basic {token}",
        "{token}",
        "Bearer {token}x",
        "Bearer x{token}",
        "Bearer {token} {token}",
        "Bearer ' OR 1=1 --",
        "Bearer \x00",
        "Bearer ệ",
    ],
)
def test_what_is_not_the_token_is_refused_even_where_none_is_needed(user: User, given: str) -> None:
    row, token = make_token(user, "a")
    header = given.format(token=token, hint=row.hint, digest=row.digest)
    response = Client().get(PATH, headers={"Authorization": header})
    assert (response.status_code, response.json()["code"]) == (401, "unauthenticated")


@pytest.mark.parametrize("given", ["Bearer {token}", "bearer {token}", "BEARER   {token} "])
def test_scheme_is_read_in_any_case(user: User, given: str) -> None:
    header = given.format(token=make_token(user, "a")[1])
    assert Client().get(PATH, headers={"Authorization": header}).status_code == 200


def test_revoked_token_and_that_of_a_closed_account_end_at_once(user: User) -> None:
    (first, one), (_, two) = make_token(user, "a"), make_token(user, "b")
    revoke(first)
    assert [Program(text).call("get", PATH).status_code for text in (one, two)] == [401, 200]
    user.is_active = False
    user.save()
    assert Program(two).call("get", PATH).status_code == 401


def test_token_opens_no_page_but_those_of_the_api(user: User, settings: Settings) -> None:
    settings.LOGIN_REQUIRED = True
    user.is_staff = user.is_superuser = True
    user.save()
    program = Program(make_token(user, "a")[1])
    for path in ("/", "/admin/", "/history/", "/admin/auth/user/"):
        assert program.call("get", path).status_code == 302, path


def test_token_counts_before_a_session(user: User) -> None:
    other = User.objects.create_user("khoa", password="mat-khau-dai-1")
    client = Client()
    client.force_login(other)
    Program(make_token(user, "a")[1], client).call("post", "/api/v1/query", {"question": "liều paracetamol"})
    assert Program("", client).call("get", PATH).json()["total"] == 0
    assert Program(make_token(user, "b")[1]).call("get", PATH).json()["total"] == 1


def test_time_of_use_is_noted_but_not_at_every_request(user: User) -> None:
    program = Program(make_token(user, "a")[1])
    program.call("get", PATH)
    first = ApiToken.objects.get().last_used_at
    assert first is not None
    program.call("get", PATH)
    assert ApiToken.objects.get().last_used_at == first
    ApiToken.objects.update(last_used_at=timezone.now() - timedelta(hours=1))
    program.call("get", PATH)
    later = ApiToken.objects.get().last_used_at
    assert later is not None
    assert later >= first


def test_wrong_tokens_do_not_lock_out_the_right_one(user: User, settings: Settings) -> None:
    right = Program(make_token(user, "a")[1])
    wrong = Program("dt_" + "x" * 43)
    statuses = [wrong.call("get", PATH).status_code for _ in range(settings.AXES_FAILURE_LIMIT + 3)]
    assert set(statuses) <= {401, 429}
    assert right.call("get", PATH).status_code == 200


def test_command_lists_and_revokes_by_the_beginning_or_the_whole(user: User) -> None:
    (first, one), (_, two) = make_token(user, "kho"), make_token(user, "quầy")
    assert [first.hint in run("list"), "quầy" in run("list", "mai"), "chưa dùng" in run("list")] == [True] * 3
    assert "Đã thu hồi" in run("revoke", first.hint)
    assert "Đã thu hồi" in run("revoke", two)
    assert [Program(text).call("get", PATH).status_code for text in (one, two)] == [401, 401]
    assert run("list").count("đã thu hồi") == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("issue", "ai", "a"), "Không có tài khoản ai"),
        (("issue", "mai", ""), "để trắng"),
        (("issue", "mai", "a" * 81), "80"),
        (("list", "ai"), "Không có tài khoản ai"),
        (("revoke", "dt_"), "2 mã còn hiệu lực"),
        (("revoke", ""), "không có mã nào"),
        (("revoke", "dt_khong-co"), "không có mã nào"),
    ],
)
def test_command_says_what_is_wrong_and_changes_nothing(user: User, words: tuple[str, ...], said: str) -> None:
    make_token(user, "kho")
    make_token(user, "quầy")
    before = list(ApiToken.objects.values())
    with pytest.raises(CommandError, match=said):
        run(*words)
    assert list(ApiToken.objects.values()) == before
