"""Finds the browser for the browser tests; run as a module it installs one where there is none."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Playwright, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find(playwright: Playwright) -> str | None:
    """The one on the PATH, else the one Playwright keeps for itself, else None."""
    installed = next(filter(None, map(shutil.which, NAMES)), None)
    bundled = playwright.chromium.executable_path
    return installed or (bundled if Path(bundled).exists() else None)


def is_there() -> bool:
    """Whether the browser tests can run."""
    with sync_playwright() as playwright:
        return find(playwright) is not None


def main() -> int:
    """Make sure there is one; 1, with a plain sentence, where that fails."""
    if is_there():
        return 0
    subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False, timeout=600)
    if is_there():
        return 0
    sys.stderr.write("No Chromium on the PATH, and none could be installed: the browser tests will not run.\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
