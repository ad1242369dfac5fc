"""Known weaknesses of the locked packages; says plainly which packages nobody could look up."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

COMMAND = (
    *("--requirement", "requirements.txt", "--require-hashes", "--disable-pip"),
    *("--progress-spinner", "off", "--format", "json"),
)


def say(sentence: str) -> None:
    """A line for the person at the terminal."""
    sys.stderr.write(f"pip-audit: {sentence}\n")


def report(packages: list[dict[str, Any]]) -> int:
    """Tell what was found; 1 where a package has a known weakness."""
    audited = [package for package in packages if "skip_reason" not in package]
    if len(audited) < len(packages):
        say(f"{len(packages) - len(audited)} of {len(packages)} packages could not be looked up and were not audited.")
    weak = [package for package in audited if package["vulns"]]
    for package in weak:
        say(f"{package['name']} {package['version']}: {', '.join(found['id'] for found in package['vulns'])}")
    if audited and not weak:
        say(f"no known weakness in {len(audited)} packages.")
    return 1 if weak else 0


def main() -> int:
    """Ask; where the service cannot be reached say so, and let the other checks decide."""
    command = [sys.executable, "-m", "pip_audit", *COMMAND]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    try:
        return report(json.loads(result.stdout)["dependencies"])
    except (ValueError, KeyError):
        say(f"could not run here, the packages were not audited ({result.stderr.strip().rpartition(chr(10))[2]}).")
        return 0


if __name__ == "__main__":
    sys.exit(main())
