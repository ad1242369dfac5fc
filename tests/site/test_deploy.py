"""What stands under deploy/: its form, the variables that it names, and the commands that it starts."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from ingest.open_pdf import MAX_BYTES
from tests.paths import ROOT
from tests.site.environment_variables import read_by_the_program
from tests.site.processes import run_program

DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").iterdir())
SERVICES = [path for path in UNITS if path.suffix == ".service"]
# Of Docker's own substitution, of the database's image, and of Caddy.
OF_OTHERS = {"POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD", "POSTGRES_INITDB_ARGS", "SITE"}
PYTHON = "/opt/duocthu/.venv/bin/python"


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
    return found


def assigned(text: str) -> set[str]:
    return set(re.findall(r"^([A-Z][A-Z0-9_]+)=", text, re.MULTILINE))


def values_of(unit: Path, key: str) -> list[str]:
    return re.findall(rf"^{key}=(.*)$", unit.read_text("utf-8"), re.MULTILINE)


def modules_started(command: str) -> list[str]:
    return re.findall(r"-m (duocthu_site[.\w]*)", command)


def test_compose_names_only_variables_that_exist() -> None:
    named = {name for service in compose()["services"].values() for name in service.get("environment", {})}
    substituted = set(re.findall(r"\$\{(\w+)", (DEPLOY / "compose.yaml").read_text("utf-8")))
    assert {"DATABASE_URL", "WEB_ADDRESS"} <= named
    assert (named | substituted) - OF_OTHERS <= read_by_the_program()


def test_compose_starts_what_exists_and_waits_for_what_it_needs() -> None:
    services = compose()["services"]
    for name in ("web-1", "web-2", "worker", "turns", "migrate"):
        assert services[name]["read_only"] and services[name]["cap_drop"] == ["ALL"]
    for service in services.values():
        for module in modules_started(" ".join(service.get("command", []))):
            assert importlib.util.find_spec(module)
        assert set(service.get("depends_on", {})) <= set(services)
        for volume in service.get("volumes", []):
            source = volume.partition(":")[0]
            assert source in compose()["volumes"] or (DEPLOY / source).is_file(), source
    for name in ("web-1", "web-2", "worker", "turns"):
        assert services[name]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}
        assert services[name].get("hostname") == name, "counts are told apart by it"
        assert services[name]["environment"]["DATABASE_URL"] == services["migrate"]["environment"]["DATABASE_URL"]
    caddy = (DEPLOY / "Caddyfile").read_text("utf-8")
    assert set(re.findall(r"([\w-]+):8000", caddy)) == {name for name in services if name.startswith("web-")}


def test_the_image_has_every_folder_that_the_program_is_made_of() -> None:
    text = (DEPLOY / "Dockerfile").read_text("utf-8")
    copied = {name for line in re.findall(r"^COPY (.+)$", text, re.MULTILINE) for name in line.split()[:-1]}
    wanted = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests", "bench"} | {"templates", "static"}
    assert copied == wanted | {"manage.py", "pyproject.toml", "requirements.txt"}
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").split() if line.startswith("!")}
    assert kept == copied


def test_the_image_sets_only_variables_that_exist() -> None:
    text = (DEPLOY / "Dockerfile").read_text("utf-8")
    named = set(re.findall(r"\b([A-Z][A-Z0-9_]+)=", text)) - {"PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"}
    assert named and named <= read_by_the_program()


def test_the_example_of_the_environment_names_what_production_requires() -> None:
    named = assigned((DEPLOY / "duocthu.env.example").read_text("utf-8"))
    assert {"SECRET_KEY", "ALLOWED_HOSTS", "DATABASE_URL", "CELERY_BROKER_URL"} <= named <= read_by_the_program()
    assert "PORT" not in named, "it would win over the port in the name of a unit"


@pytest.mark.parametrize("unit", SERVICES, ids=lambda path: path.name)
def test_a_unit_starts_what_exists_with_variables_that_exist(unit: Path) -> None:
    (command,) = values_of(unit, "ExecStart")
    modules = modules_started(command)
    assert PYTHON in command and (modules or "manage.py backup" in command)
    assert all(importlib.util.find_spec(module) for module in modules)
    named = {word.partition("=")[0] for line in values_of(unit, "Environment") for word in line.split()}
    assert "DJANGO_SETTINGS_MODULE" in named and named <= read_by_the_program()


@pytest.mark.parametrize("unit", SERVICES, ids=lambda path: path.name)
def test_a_unit_may_do_little(unit: Path) -> None:
    for key, value in {
        "User": "duocthu",
        "NoNewPrivileges": "yes",
        "ProtectSystem": "strict",
        "ProtectHome": "yes",
        "PrivateTmp": "yes",
        "CapabilityBoundingSet": "",
        "SystemCallFilter": "@system-service",
    }.items():
        assert values_of(unit, key) == [value], key


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_systemd_takes_a_unit(unit: Path, tmp_path: Path) -> None:
    tool = shutil.which("systemd-analyze")
    if tool is None:
        pytest.skip("no systemd-analyze here")
    for path in UNITS:
        text = path.read_text("utf-8").replace(PYTHON, sys.executable)
        (tmp_path / path.name.replace("@", "@8001")).write_text(text, "utf-8")
    target = tmp_path / unit.name.replace("@", "@8001")
    done = subprocess.run(
        [tool, "verify", "--man=no", "--recursive-errors=one", str(target)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def production(**variables: str) -> subprocess.CompletedProcess[str]:
    required = {
        "DJANGO_SETTINGS_MODULE": "duocthu_site.settings.production",
        "SECRET_KEY": "k" * 60,
        "ALLOWED_HOSTS": "duocthu.example",
        "DATABASE_URL": "postgresql://u:p@db/duocthu",
        "CELERY_BROKER_URL": "redis://queue/0",
    }
    code = "from django.conf import settings as s; print(s.WEB_ADDRESS, s.WEB_WORKERS, s.SECRET_KEY_FALLBACKS)"
    return run_program(["-c", code], **required | variables)


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({}, "127.0.0.1 2 []"),
        ({"WEB_ADDRESS": "0.0.0.0", "WEB_WORKERS": "3"}, "0.0.0.0 3 []"),
        ({"WEB_ADDRESS": "::"}, ":: 2 []"),
        ({"SECRET_KEY_FALLBACKS": "old-key, older-key"}, "127.0.0.1 2 ['old-key', 'older-key']"),
    ],
)
def test_where_the_web_listens_and_which_keys_count(variables: dict[str, str], said: str) -> None:
    assert production(**variables).stdout.strip() == said


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"WEB_ADDRESS": "localhost"}, "WEB_ADDRESS is 'localhost', but must be an address of this machine"),
        ({"WEB_ADDRESS": "0.0.0.0:80"}, "WEB_ADDRESS is '0.0.0.0:80', but must be"),
        ({"WEB_THREADS": "0"}, "WEB_THREADS is '0', but must be"),
    ],
)
def test_a_bad_value_is_named(variables: dict[str, str], said: str) -> None:
    done = production(**variables)
    assert done.returncode != 0 and said in done.stderr


def test_proxies_let_the_largest_book_through_and_no_probe() -> None:
    megabytes = MAX_BYTES // 1024**2
    nginx, caddy = ((DEPLOY / name).read_text("utf-8") for name in ("nginx.conf", "Caddyfile"))
    for found in (re.search(r"client_max_body_size (\d+)m;", nginx), re.search(r"max_size (\d+)MB", caddy)):
        assert found and megabytes < int(found[1]) < megabytes * 1.1
    for probe in ("healthz", "readyz", "metrics"):
        assert probe in nginx and f"/{probe}" in caddy
