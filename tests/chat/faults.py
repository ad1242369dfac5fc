"""A case that is right and fails today, as a row of a table."""

from __future__ import annotations

import pytest


def fault(*values: object, reason: str) -> object:
    """The row as an expected failure; it must be taken out once it passes."""
    return pytest.param(*values, marks=pytest.mark.xfail(strict=True, reason=reason), id=str(values[0]))
