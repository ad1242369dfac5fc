"""Where tests find the project's own files and the shared data."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"

needs_shared = pytest.mark.skipif(
    not SHARED.is_dir(), reason="the shared corpus lies beside the project; it is not here"
)
