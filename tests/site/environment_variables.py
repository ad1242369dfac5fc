"""The environment variables that the program reads, found in its own code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.paths import ROOT

READERS = frozenset(
    {
        "text", "required", "flag", "port", "seconds", "count", "rate", "networks", "address", "choice", "names",
        "path", "broker_url", "http_url", "database_url", "secret",
    }
)  # fmt: skip
# Where names are put together, or read by a library.
BUILT = frozenset(
    f"BEDROCK_{part}_MODEL" for part in ("ANSWER", "UNDERSTANDING", "JUDGE", "SUMMARY", "EMBEDDING", "RERANK")
)
BY_LIBRARIES = frozenset({"DJANGO_SETTINGS_MODULE", "PROMETHEUS_MULTIPROC_DIR"})
# Set by the program for its own children, by the tests, and by whoever sets the sample anew.
INSIDE = frozenset({"DUOCTHU_SUPERVISOR_PID", "DUOCTHU_TEST_DATA_DIR"})


def read_by_the_program() -> set[str]:
    """All that somebody who runs it may set."""
    found = {name for path in _sources() for name in _named_in(ast.parse(path.read_text("utf-8")))}
    return (found | BUILT | BY_LIBRARIES) - INSIDE


def readers_of_the_environment() -> set[str]:
    """The methods that Environment really has."""
    tree = ast.parse((ROOT / "duocthu_site" / "environ.py").read_text("utf-8"))
    (made,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Environment")
    return {node.name for node in made.body if isinstance(node, ast.FunctionDef)}


def _sources() -> Iterator[Path]:
    for folder in ("duocthu_site", "monographs", "chat", "ingest"):
        yield from (path for path in (ROOT / folder).rglob("*.py") if "migrations" not in path.parts)


def _named_in(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr=reader), args=[ast.Constant(value=str(name)), *_]) if _is_a_name(
                name
            ) and (reader in READERS or _reads_os(node.func)):
                yield name
            case ast.Subscript(value=ast.Attribute(attr="environ"), slice=ast.Constant(value=str(name))):
                yield name
            case ast.Assign(targets=[ast.Name(id="_PARTS")], value=ast.Dict(keys=keys)):
                yield from (key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str))


def _reads_os(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and "environ" in ast.unparse(function)


def _is_a_name(text: str) -> bool:
    return text.isascii() and text.upper() == text and text.replace("_", "").isalnum() and not text[0].isdigit()
