"""The operator's page tells every environment variable that the program reads, and none that it does not."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.management import get_commands
from opentelemetry.sdk import environment_variables

from duocthu_site.environ import Environment
from duocthu_site.provider_settings import ProviderSettings
from tests.paths import ROOT
from tests.site.environment_variables import BUILT, READERS, read_by_the_program, readers_of_the_environment

PAGE = (ROOT / "docs" / "operations.md").read_text("utf-8")
VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
# Read by boto3, by Docker, by OpenTelemetry; not by the program.
OF_OTHERS = {"AWS_BEARER_TOKEN_BEDROCK", "POSTGRES_PASSWORD"} | set(dir(environment_variables))
# In a table, variables are what its first column says.
ROWS = [line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| `")]


def in_tables() -> set[str]:
    return {name for row in ROWS for name in re.findall(r"`([A-Z][A-Z0-9_]+)`", row)}


def test_every_variable_has_a_row() -> None:
    assert read_by_the_program() - in_tables() == set()


def test_every_row_is_of_a_variable_that_is_read() -> None:
    assert in_tables() - read_by_the_program() == set()


@pytest.mark.parametrize("path", ["docs/operations.md", "README.md"])
def test_no_variable_is_named_that_is_not_read(path: str) -> None:
    text = (ROOT / path).read_text("utf-8")
    named = {name.partition("=")[0] for name in re.findall(r"`([^`\n]+)`", text)}
    variables = {name for name in named if VARIABLE.fullmatch(name)}
    assert variables
    assert variables - read_by_the_program() - OF_OTHERS == set()


def test_the_test_sees_what_reads_the_environment() -> None:
    """A new way of reading, or a name put together in another way, fails here first."""
    assert readers_of_the_environment() == READERS
    assert {"SECRET_KEY", "BEDROCK_PRICES", "SUMMARY_PROVIDER", "OTEL_SERVICE_NAME"} <= read_by_the_program()


def test_names_that_are_put_together_are_those_of_the_list() -> None:
    asked: list[str] = []

    class Recording(dict[str, str]):
        def get(self, name: str, default: Any = None) -> Any:
            asked.append(name)
            return default

    ProviderSettings(Environment(Recording()))
    assert {name for name in asked if re.fullmatch(r"BEDROCK_[A-Z]+_MODEL", name)} == BUILT


def test_every_command_that_the_page_names_exists() -> None:
    named = set(re.findall(r"manage\.py ([a-z_]+)", PAGE))
    assert named - set(get_commands()) == set()
    assert {"backup", "restore", "purge", "api_tokens"} <= named


def test_every_file_and_heading_that_the_page_names_exists() -> None:
    headings = {
        re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^#+ (.+)$", PAGE, re.M)
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", PAGE)) <= headings
    for path in re.findall(r"`((?:deploy|docs|tests|duocthu_site)/[\w./-]+)`", PAGE):
        assert (ROOT / path).exists() or path in {"deploy/duocthu.env"}, path
