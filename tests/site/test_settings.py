"""The environment reader and the settings made from it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from duocthu_site.environ import DatabaseUrl, Environment, Rate
from tests.site.processes import run_program

GOOD_PRODUCTION = {
    "SECRET_KEY": "k" * 60,
    "ALLOWED_HOSTS": "duocthu.example",
    "DATABASE_URL": "postgresql://u:p@db:5432/duocthu?sslmode=require",
    "CELERY_BROKER_URL": "redis://queue:6379/0",
}


def read(**variables: str) -> Environment:
    return Environment(variables)


@pytest.mark.parametrize(
    ("value", "expected"),
    [("1", True), ("TRUE", True), ("yes", True), ("on", True), ("0", False), ("False", False), ("off", False)],
)
def test_flag_reads_common_words(value: str, expected: bool) -> None:
    assert read(X=value).flag("X", default=not expected) is expected


@pytest.mark.parametrize("value", ["", "   "])
def test_blank_counts_as_not_set(value: str) -> None:
    environment = read(X=value)
    assert environment.flag("X", default=True) is True
    assert environment.text("X", "default") == "default"
    assert environment.port("X", 8000) == 8000
    assert environment.names("X", ["a"]) == ["a"]
    assert environment.database_url("X") is None


@pytest.mark.parametrize("value", ["0", "65536", "-1", "80a", "8 0", "²", "٣", "1e3"])
def test_bad_port_is_named(value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"PORT is .*port number from 1 to 65535"):
        read(PORT=value).port("PORT", 8000)


def test_bad_flag_is_named() -> None:
    with pytest.raises(ImproperlyConfigured, match="DEBUG is 'maybe', but must be"):
        read(DEBUG="maybe").flag("DEBUG", default=False)


def test_bad_choice_lists_the_choices() -> None:
    with pytest.raises(ImproperlyConfigured, match="must be one of: a, b"):
        read(X="c").choice("X", choices={"b", "a"}, default="a")


def test_names_are_split_and_stripped() -> None:
    assert read(X=" a, b ,,c ").names("X") == ["a", "b", "c"]


def test_relative_path_becomes_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert read(X="data").path("X", Path("other")) == tmp_path / "data"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(
            "postgresql://u:p%40ss@db.example:5433/duocthu?sslmode=require",
            DatabaseUrl("duocthu", "u", "p@ss", "db.example", "5433", {"sslmode": "require"}),
            id="everything",
        ),
        pytest.param("postgres://db/name", DatabaseUrl("name", "", "", "db", "", {}), id="short"),
        pytest.param(
            "postgresql://u@/name?host=/run/pg&port=5432",
            DatabaseUrl("name", "u", "", "/run/pg", "5432", {}),
            id="socket",
        ),
    ],
)
def test_database_url(value: str, expected: DatabaseUrl) -> None:
    assert read(X=value).database_url("X") == expected


@pytest.mark.parametrize("value", ["mysql://u:secret@h/db", "postgresql://u:secret@h/", "postgresql://u:secret@h:x/db"])
def test_bad_database_url_hides_the_password(value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL") as caught:
        read(DATABASE_URL=value).database_url("DATABASE_URL")
    assert "secret" not in str(caught.value)


def test_bad_broker_url_hides_the_password() -> None:
    with pytest.raises(ImproperlyConfigured, match="CELERY_BROKER_URL") as caught:
        read(CELERY_BROKER_URL="sqs://u:secret@h").broker_url("CELERY_BROKER_URL", ("redis://",), default="")
    assert "secret" not in str(caught.value)


def load_settings(module: str, **variables: str) -> subprocess.CompletedProcess[str]:
    code = (
        "from django.conf import settings as s; import json;"
        "print(json.dumps([s.DEBUG, s.SESSION_COOKIE_SECURE, s.DATABASES['default']['ENGINE'],"
        " s.DATABASES['default']['OPTIONS'], s.CELERY_BROKER_URL, str(s.DUOCTHU_DATA_DIR), s.PORT]))"
    )
    return run_program(["-c", code], **{"DJANGO_SETTINGS_MODULE": f"duocthu_site.settings.{module}"} | variables)


def test_production_loads_with_everything_given() -> None:
    result = load_settings("production", **GOOD_PRODUCTION)
    assert result.returncode == 0, result.stderr
    assert '"sslmode": "require"' in result.stdout
    assert "[false, true, " in result.stdout


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        pytest.param({"SECRET_KEY": ""}, "SECRET_KEY is not set", id="no-secret"),
        pytest.param({"SECRET_KEY": "short"}, "SECRET_KEY has 5 characters", id="short-secret"),
        pytest.param({"ALLOWED_HOSTS": ""}, "ALLOWED_HOSTS is not set", id="no-hosts"),
        pytest.param({"ALLOWED_HOSTS": "*"}, "ALLOWED_HOSTS is '*'", id="any-host"),
        pytest.param({"DATABASE_URL": ""}, "DATABASE_URL is not set", id="no-database"),
        pytest.param({"DATABASE_URL": "sqlite:///x"}, "DATABASE_URL must be a PostgreSQL address", id="not-postgres"),
        pytest.param({"CELERY_BROKER_URL": ""}, "CELERY_BROKER_URL is not set", id="no-broker"),
        pytest.param({"CELERY_BROKER_URL": "pgmq://h"}, "CELERY_BROKER_URL is 'pgmq://…'", id="wrong-broker"),
        pytest.param({"DEBUG": "1"}, "DEBUG is on", id="debug"),
        pytest.param({"PORT": "http"}, "PORT is 'http'", id="port"),
        pytest.param({"ANSWER_PROVIDER": "abacus"}, "ANSWER_PROVIDER is 'abacus'", id="answer"),
        pytest.param({"ANSWER_PROVIDER": "bedrock"}, "BEDROCK_REGION is not set, and ANSWER_PROVIDER is", id="region"),
        pytest.param({"EMBEDDING_PROVIDER": "abacus"}, "EMBEDDING_PROVIDER is 'abacus'", id="embedding"),
    ],
)
def test_production_stops_with_a_sentence(changes: dict[str, str], sentence: str) -> None:
    result = load_settings("production", **GOOD_PRODUCTION | changes)
    assert result.returncode != 0
    assert sentence in result.stderr.splitlines()[-1]


def test_embedded_needs_nothing_and_starts_nothing(tmp_path: Path) -> None:
    result = load_settings("embedded", DUOCTHU_DATA_DIR=str(tmp_path))
    assert result.returncode == 0, result.stderr
    assert [entry.name for entry in tmp_path.iterdir()] == ["secret_key"]
    assert (tmp_path / "secret_key").stat().st_mode & 0o777 == 0o600
    key = (tmp_path / "secret_key").read_text()
    load_settings("embedded", DUOCTHU_DATA_DIR=str(tmp_path))
    assert (tmp_path / "secret_key").read_text() == key
    assert len(key) >= 50


def test_embedded_with_a_database_from_outside_uses_it() -> None:
    result = load_settings("embedded", DATABASE_URL="postgresql://u@h/n")
    assert '"django.db.backends.postgresql"' in result.stdout


def test_a_bad_setting_is_a_sentence_on_the_command_line() -> None:
    result = run_program(["manage.py", "check"], DJANGO_SETTINGS_MODULE="duocthu_site.settings.production")
    assert result.returncode == 1
    assert result.stderr.startswith("SECRET_KEY is not set")


@pytest.mark.parametrize(
    ("host", "origin"), [("duocthu.example", "https://duocthu.example"), (".bv.example", "https://*.bv.example")]
)
def test_forms_are_trusted_from_the_allowed_hosts(host: str, origin: str) -> None:
    code = "from django.conf import settings; print(settings.CSRF_TRUSTED_ORIGINS)"
    variables = GOOD_PRODUCTION | {"ALLOWED_HOSTS": host, "DJANGO_SETTINGS_MODULE": "duocthu_site.settings.production"}
    assert run_program(["-c", code], **variables).stdout.strip() == f"['{origin}']"


@pytest.mark.parametrize("value", ["9", "0", "-10", "60.5", "một phút", "86401", "٦٠"])
def test_bad_seconds_are_named(value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"INGEST_LEASE_SECONDS is .*seconds from 10 to 86400"):
        read(INGEST_LEASE_SECONDS=value).seconds("INGEST_LEASE_SECONDS", 60, least=10)


def test_seconds_are_read() -> None:
    assert read(INGEST_LEASE_SECONDS="15").seconds("INGEST_LEASE_SECONDS", 60, least=10) == 15
    assert read().seconds("INGEST_LEASE_SECONDS", 60, least=10) == 60


def test_production_passes_djangos_own_checks_for_deployment() -> None:
    variables = GOOD_PRODUCTION | {
        "SECRET_KEY": "aB3-" + "x7Qz_9" * 10,
        "DJANGO_SETTINGS_MODULE": "duocthu_site.settings.production",
    }
    result = run_program(["manage.py", "check", "--deploy", "--fail-level", "WARNING"], **variables)
    assert result.returncode == 0, result.stderr


def shown_settings(expression: str, module: str = "production", **variables: str) -> str:
    code = f"from django.conf import settings as s; print({expression})"
    given = (GOOD_PRODUCTION if module == "production" else {}) | {
        "DJANGO_SETTINGS_MODULE": f"duocthu_site.settings.{module}"
    }
    result = run_program(["-c", code], **given | variables)
    return result.stdout.strip() or result.stderr.splitlines()[-1]


def test_production_keeps_browsers_on_tls_and_cookies_off_scripts() -> None:
    names = (
        "s.SECURE_HSTS_SECONDS, s.SECURE_SSL_REDIRECT, s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE,"
        " s.SESSION_COOKIE_HTTPONLY, s.CSRF_COOKIE_HTTPONLY, s.SESSION_COOKIE_SAMESITE"
    )
    assert shown_settings(names) == "31536000 True True True True True Lax"


@pytest.mark.parametrize(
    ("module", "given", "expected"),
    [("production", "", "True"), ("production", "off", "False"), ("embedded", "", "False"), ("embedded", "1", "True")],
)
def test_who_must_sign_in(tmp_path: Path, module: str, given: str, expected: str) -> None:
    said = shown_settings("s.LOGIN_REQUIRED", module, LOGIN_REQUIRED=given, DUOCTHU_DATA_DIR=str(tmp_path))
    assert said == expected


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        pytest.param({}, "['127.0.0.0/8', '::1/128']", id="a-proxy-on-this-machine"),
        pytest.param({"TRUSTED_PROXIES": "10.0.0.5, 10.1.0.0/16"}, "['10.0.0.5/32', '10.1.0.0/16']", id="named"),
        pytest.param({"BEHIND_TLS_PROXY": "off"}, "[]", id="no-proxy"),
    ],
)
def test_which_proxies_are_believed(variables: dict[str, str], expected: str) -> None:
    assert shown_settings("[str(n) for n in s.TRUSTED_PROXIES]", **variables) == expected


@pytest.mark.parametrize("value", ["10.0.0.300", "proxy.example", "10.0.0.1/8", "*"])
def test_a_proxy_that_is_no_address_is_named(value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="TRUSTED_PROXIES is "):
        read(TRUSTED_PROXIES=value).networks("TRUSTED_PROXIES")


@pytest.mark.parametrize(
    ("value", "expected"), [("600/minute", Rate(600, 60)), ("1/day", Rate(1, 86_400)), ("off", None)]
)
def test_a_rate_is_read(value: str, expected: Rate | None) -> None:
    assert read(X=value).rate("X", "5/second") == expected
    assert read().rate("X", "5/second") == Rate(5, 1)


@pytest.mark.parametrize("value", ["0/minute", "-1/minute", "10", "10/week", "/minute", "10 /minute", "٣/minute", "on"])
def test_a_rate_that_is_none_is_named(value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"X is .*such as 600/minute"):
        read(X=value).rate("X", "off")
